import { mkdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Field, FieldType, TableSchema } from '@querygate/bigquery-sql/table-schema';
import { type ImportFolder, openImportFolder } from './import-folder.ts';

/** Values of a type of Parquet, with what each becomes; `undefined` leaves the row out. */
type Values = Readonly<Record<string, string | undefined>>;

const cases: readonly (readonly [parquet: string, type: FieldType, values: Values])[] = [
  ['INTEGER', 'INTEGER', { '5': '5' }],
  ['UBIGINT', 'INTEGER', { '5': '5', '9223372036854775808': undefined }],
  ['DOUBLE', 'INTEGER', { '5': '5', '500.7': undefined, "'nan'": undefined, '1e19': undefined }],
  ['DECIMAL(10,2)', 'INTEGER', { '5': '5', '5.25': undefined }],
  ['VARCHAR', 'INTEGER', { "'5'": '5', "'1.5'": undefined, "'true'": undefined }],
  ['BIGINT', 'FLOAT', { '5': '5.0', '9007199254740993': '9007199254740992.0' }],
  ['DECIMAL(30,10)', 'FLOAT', { '9007199254740993.1': '9007199254740994.0', '0.1': '0.1' }],
  ['FLOAT', 'FLOAT', { '0.5': '0.5', "'nan'": 'nan' }],
  ['DOUBLE', 'NUMERIC', { '0.1': '0.100000000', '0.30000000000000004': undefined }],
  [
    'DOUBLE',
    'NUMERIC',
    {
      '1e15': '1000000000000000.000000000',
      '123456789012.5': '123456789012.500000000',
      '-123456789.12': '-123456789.120000000',
      '999999.123456789': '999999.123456789',
      '1234567.1234567': '1234567.123456700',
      '1e-0': '1.000000000',
      '-1e22': '-10000000000000000000000.000000000',
      '1e-9': '0.000000001',
      '1e-10': undefined,
      '1e30': undefined,
      "'-inf'": undefined,
      "'nan'": undefined,
    },
  ],
  [
    'FLOAT',
    'NUMERIC',
    {
      '19.99': '19.990000000',
      '-1234.5': '-1234.500000000',
      '0.001234567': '0.001234567',
      '1e10': '10000000000.000000000',
    },
  ],
  ['DECIMAL(18,12)', 'NUMERIC', { '0.5': '0.500000000', '0.123456789012': undefined }],
  ['BOOLEAN', 'BOOLEAN', { true: 'true' }],
  ['VARCHAR', 'BOOLEAN', { "'yes'": 'true', "'2'": undefined }],
  ['TIMESTAMP', 'DATE', { "'2026-01-31'": '2026-01-31', "'2026-01-31 12:00:00'": undefined }],
  ['DATE', 'DATETIME', { "'2026-01-31'": '2026-01-31 00:00:00' }],
  ['TIMESTAMPTZ', 'DATETIME', { "'2026-01-31 12:00:00+02'": '2026-01-31 10:00:00' }],
  ['VARCHAR', 'DATE', { "'2026-01-31'": '2026-01-31', "'2026-01-31T12:00:00'": undefined }],
  [
    'VARCHAR',
    'TIMESTAMP',
    {
      "'2026-01-31T12:00:00+14:00'": '2026-01-30 22:00:00+00',
      "'2026-01-31T12:00:00+25:00'": undefined,
      "'2026-01-31T12:00-14:30'": undefined,
    },
  ],
  ['VARCHAR', 'TIME', { "'12:00:00'": '12:00:00', "'2026-01-31'": undefined }],
  ['TIMETZ', 'TIME', { "'12:00:00.5+02'": '10:00:00.5' }],
  ['UUID', 'BYTES', { "'30313233-3435-3637-3839-616263646566'": '0123456789abcdef' }],
  ['BLOB', 'STRING', { "'\\xC3\\xA9'": 'é', "'\\xC3'": undefined }],
  ['DOUBLE', 'STRING', { '1.5': '1.5' }],
  [
    'VARCHAR',
    'JSON',
    {
      "'[1, 2]'": '[1,2]',
      '\'{"k": "v, ]"}\'': '{"k":"v, ]"}',
      "'NaN'": undefined,
      "'[1,]'": undefined,
      "'[1'": undefined,
    },
  ],
  ['VARCHAR', 'BYTES', { "'aGk='": 'hi', "'a'": undefined }],
];

/** Columns of a type that never has the values of the declared one: the file is unreadable, and says so. */
const never: readonly (readonly [parquet: string, type: FieldType, value: string])[] = [
  ['BOOLEAN', 'INTEGER', 'true'],
  ['BOOLEAN', 'FLOAT', 'true'],
  ['BIGINT', 'BOOLEAN', '1'],
  ['TIMESTAMP', 'TIME', "'2026-01-31 12:00:00'"],
  ['DATE', 'INTEGER', "'2026-01-31'"],
  ['BLOB', 'INTEGER', "'1'"],
  ['BIGINT', 'DATE', '20260131'],
];

const tableOf = (name: string, type: FieldType): TableSchema => ({
  name,
  fields: [{ name: 'v', type, mode: 'NULLABLE' } satisfies Field],
});

let folder: ImportFolder;
let problems: readonly string[];
beforeAll(async () => {
  folder = await openImportFolder({}, [
    ...cases.map(([, type], at) => tableOf(`t${at}`, type)),
    ...never.map(([, type], at) => tableOf(`n${at}`, type)),
  ]);
  const write = (name: string, parquet: string, values: readonly string[]) => {
    const rows = [...values, 'NULL'].map((value) => `SELECT CAST(${value} AS ${parquet}) AS v`);
    return folder.query(`COPY (${rows.join(' UNION ALL ')}) TO '${folder.path(`${name}.parquet`)}'`);
  };
  for (const [at, [parquet, , values]] of cases.entries())
    await write(`t${at}`, parquet, Object.keys(values));
  for (const [at, [parquet, , value]] of never.entries()) await write(`n${at}`, parquet, [value]);
  problems = await folder.sync();
}, 60_000);
afterAll(() => folder.close());

describe('Parquet', () => {
  test.each(cases.map((one, at) => [at, ...one] as const))('%i: %s as %s', async (at, _, type, values) => {
    const read = type === 'BYTES' ? 'decode(v)' : 'CAST(v AS VARCHAR)';
    const rows = await folder.query(`SELECT ${read} FROM ${folder.store.tables.get(`t${at}`).relation}`);
    expect(rows.flat()).toEqual([...Object.values(values).filter((value) => value !== undefined), null]);
    const rejects = await folder.query(`SELECT line FROM store."import".rejects WHERE "table" = 't${at}'`);
    expect(rejects.map(([line]) => Number(line))).toEqual(
      Object.values(values).flatMap((value, line) => (value === undefined ? [line + 1] : [])),
    );
  });

  test.each(never.map((one, at) => [at, ...one] as const))('%i: %s is never %s', (at, parquet, type) => {
    expect(problems).toContain(
      `n${at}.parquet: v: the file has ${parquet}, which is not ${type}`.replace('TIMESTAMPTZ', 'TIMESTAMP'),
    );
  });
});

test('arrays that Parquet has as text are read as those of JSON', async () => {
  const arrays = await openImportFolder({}, [
    { name: 'a', fields: [{ name: 'v', type: 'INTEGER', mode: 'REPEATED' }] },
  ]);
  try {
    const texts = ['[1, "2"]', '[1.7, 2]', '[true]', '5', 'x', '[]'];
    const rows = texts.map((text) => `SELECT '${text}' AS v`).join(' UNION ALL ');
    await arrays.query(`COPY (${rows}) TO '${arrays.path('a.parquet')}' (FORMAT parquet)`);
    await arrays.sync();
    const { relation } = arrays.store.tables.get('a');
    expect(await arrays.query(`SELECT v FROM ${relation}`)).toEqual([[[1n, 2n]], [[]]]);
    const reasons = await arrays.query('SELECT reason FROM store."import".rejects ORDER BY line');
    expect(reasons.flat()).toEqual([
      'v: 1.7 is not an integer',
      'v: true is not an integer',
      'v: 5 is not an array',
      'v: x is not an array',
    ]);
  } finally {
    await arrays.close();
  }
});

test('a record that Parquet has as text or as a number leaves its row out', async () => {
  const inner: Field[] = [{ name: 'k', type: 'INTEGER', mode: 'NULLABLE' }];
  const records = await openImportFolder({}, [
    { name: 'one', fields: [{ name: 'r', type: 'RECORD', mode: 'NULLABLE', fields: inner }] },
  ]);
  try {
    const write = (name: string, value: string) =>
      records.query(
        `COPY (SELECT ${value} AS r) TO '${records.path(`one/${name}.parquet`)}' (FORMAT parquet)`,
      );
    mkdirSync(records.path('one'));
    await write('text', `'{"k":5}'`);
    await write('json', `'{"k":5}'::JSON`);
    await write('number', '5');
    await write('null', 'NULL');
    await records.sync();
    const { relation } = records.store.tables.get('one');
    expect(await records.query(`SELECT "r" FROM ${relation}`)).toEqual([[false]]);
    const reasons = await records.query('SELECT reason FROM store."import".rejects');
    expect(reasons.flat()).toEqual(Array(3).fill('r: is not a RECORD'));
  } finally {
    await records.close();
  }
});
