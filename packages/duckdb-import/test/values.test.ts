import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Field, FieldType, TableSchema } from '@querygate/bigquery-sql/table-schema';
import { type ImportFolder, openImportFolder } from './import-folder.ts';
import { isNightly } from '../../../test/support/nightly.ts';

/** The values of every kind that JSON has, as JSON text. */
const values = [
  ...[
    '0',
    '1',
    '123',
    '-5',
    '500.7',
    '0.1',
    '1.0',
    '1e3',
    '-0.0',
    '9223372036854775807',
    '9223372036854775808',
  ],
  ...['-9223372036854775809', '9007199254740993.0', '12345678901234567890123', '1e400', '20260131'],
  ...['true', 'false', '{}', '{"a":1}', '[]', '[1]'],
  ...[
    '""',
    '"abc"',
    '"123"',
    '" 123 "',
    '"+5"',
    '"007"',
    '"1.5"',
    '"1.0"',
    '"1e3"',
    '"1_000"',
    '"1,000"',
    '"12abc"',
  ],
  ...['"0.1234567891"', '"99999999999999999999999999999"', '"999999999999999999999999999999"'],
  ...['"NaN"', '"-inf"', '"Infinity"', '"true"', '"T"', '"no"', '"y"', '"2"'],
  ...[
    '"2026-01-31"',
    '"2026-1-3"',
    '"2026/01/31"',
    '"2026-02-30"',
    '"0000-01-01"',
    '"2026-01-31 (BC)"',
    '"epoch"',
  ],
  ...[
    '"2026-01-31T12:00:00"',
    '"2026-01-31 12:00:00.5"',
    '"2026-01-31T12:00:00Z"',
    '"2026-01-31T12:00:00+02:00"',
  ],
  ...[
    '"2026-01-31 12:00:00 UTC"',
    '"2026-01-31T24:00:00"',
    '"12:34:56"',
    '"12:34:56.5"',
    '"24:00:00"',
    '"12:61:00"',
  ],
  ...['"aGk="', '"aGk"', '"\\u0031"', '1234', '"1234"', '"20260131"', '"-0.0"', '"9007199254740993.0"'],
];

/** What each type stores of a value; every other value leaves the row out. */
const stored: Partial<Record<FieldType, Readonly<Record<string, string>>>> = {
  INTEGER: {
    '0': '0',
    '1': '1',
    '123': '123',
    '-5': '-5',
    '1.0': '1',
    '1e3': '1000',
    '-0.0': '0',
    '9223372036854775807': '9223372036854775807',
    '20260131': '20260131',
    '1234': '1234',
    '"123"': '123',
    '" 123 "': '123',
    '"+5"': '5',
    '"007"': '7',
    '"2"': '2',
    '"1234"': '1234',
    '"20260131"': '20260131',
    '"\\u0031"': '1',
  },
  FLOAT: {
    '0': '0.0',
    '1': '1.0',
    '123': '123.0',
    '-5': '-5.0',
    '500.7': '500.7',
    '0.1': '0.1',
    '1.0': '1.0',
    '1e3': '1000.0',
    '-0.0': '-0.0',
    '9223372036854775807': '9.223372036854776e+18',
    '9223372036854775808': '9.223372036854776e+18',
    '-9223372036854775809': '-9.223372036854776e+18',
    '9007199254740993.0': '9007199254740992.0',
    '12345678901234567890123': '1.2345678901234568e+22',
    '20260131': '20260131.0',
    '1234': '1234.0',
    '"123"': '123.0',
    '" 123 "': '123.0',
    '"+5"': '5.0',
    '"007"': '7.0',
    '"1.5"': '1.5',
    '"1.0"': '1.0',
    '"1e3"': '1000.0',
    '"0.1234567891"': '0.1234567891',
    '"99999999999999999999999999999"': '1e+29',
    '"999999999999999999999999999999"': '1e+30',
    '"NaN"': 'nan',
    '"-inf"': '-inf',
    '"Infinity"': 'inf',
    '"2"': '2.0',
    '"1234"': '1234.0',
    '"20260131"': '20260131.0',
    '"-0.0"': '-0.0',
    '"9007199254740993.0"': '9007199254740992.0',
    '"\\u0031"': '1.0',
  },
  NUMERIC: {
    '0': '0.000000000',
    '1': '1.000000000',
    '123': '123.000000000',
    '-5': '-5.000000000',
    '500.7': '500.700000000',
    '0.1': '0.100000000',
    '1.0': '1.000000000',
    '1e3': '1000.000000000',
    '-0.0': '0.000000000',
    '9223372036854775807': '9223372036854775807.000000000',
    '9223372036854775808': '9223372036854775808.000000000',
    '-9223372036854775809': '-9223372036854775809.000000000',
    '12345678901234567890123': '12345678901234567890123.000000000',
    '20260131': '20260131.000000000',
    '1234': '1234.000000000',
    '"123"': '123.000000000',
    '" 123 "': '123.000000000',
    '"+5"': '5.000000000',
    '"007"': '7.000000000',
    '"1.5"': '1.500000000',
    '"1.0"': '1.000000000',
    '"1e3"': '1000.000000000',
    '"99999999999999999999999999999"': '99999999999999999999999999999.000000000',
    '"2"': '2.000000000',
    '"1234"': '1234.000000000',
    '"20260131"': '20260131.000000000',
    '"-0.0"': '0.000000000',
    '"9007199254740993.0"': '9007199254740993.000000000',
    '"\\u0031"': '1.000000000',
  },
  // Units of 10^-38.
  BIGNUMERIC: {
    '0': '0',
    '1': `1${'0'.repeat(38)}`,
    '123': `123${'0'.repeat(38)}`,
    '-5': `-5${'0'.repeat(38)}`,
    '500.7': `5007${'0'.repeat(37)}`,
    '0.1': `1${'0'.repeat(37)}`,
    '1.0': `1${'0'.repeat(38)}`,
    '1e3': `1000${'0'.repeat(38)}`,
    '-0.0': '0',
    '9223372036854775807': `9223372036854775807${'0'.repeat(38)}`,
    '9223372036854775808': `9223372036854775808${'0'.repeat(38)}`,
    '-9223372036854775809': `-9223372036854775809${'0'.repeat(38)}`,
    '12345678901234567890123': `12345678901234567890123${'0'.repeat(38)}`,
    '20260131': `20260131${'0'.repeat(38)}`,
    '1234': `1234${'0'.repeat(38)}`,
    '"123"': `123${'0'.repeat(38)}`,
    '" 123 "': `123${'0'.repeat(38)}`,
    '"+5"': `5${'0'.repeat(38)}`,
    '"007"': `7${'0'.repeat(38)}`,
    '"1.5"': `15${'0'.repeat(37)}`,
    '"1.0"': `1${'0'.repeat(38)}`,
    '"1e3"': `1000${'0'.repeat(38)}`,
    '"0.1234567891"': `1234567891${'0'.repeat(28)}`,
    '"99999999999999999999999999999"': `${'9'.repeat(29)}${'0'.repeat(38)}`,
    '"999999999999999999999999999999"': `${'9'.repeat(30)}${'0'.repeat(38)}`,
    '"2"': `2${'0'.repeat(38)}`,
    '"1234"': `1234${'0'.repeat(38)}`,
    '"20260131"': `20260131${'0'.repeat(38)}`,
    '"-0.0"': '0',
    '"9007199254740993.0"': `9007199254740993${'0'.repeat(38)}`,
    '"\\u0031"': `1${'0'.repeat(38)}`,
  },
  BOOLEAN: {
    true: 'true',
    false: 'false',
    '0': 'false',
    '1': 'true',
    '"true"': 'true',
    '"T"': 'true',
    '"no"': 'false',
    '"y"': 'true',
    '"\\u0031"': 'true',
  },
  DATE: { '"2026-01-31"': '2026-01-31', '"2026-1-3"': '2026-01-03' },
  TIME: { '"12:34:56"': '12:34:56', '"12:34:56.5"': '12:34:56.5' },
  DATETIME: {
    '"2026-01-31"': '2026-01-31 00:00:00',
    '"2026-1-3"': '2026-01-03 00:00:00',
    '"2026-01-31T12:00:00"': '2026-01-31 12:00:00',
    '"2026-01-31 12:00:00.5"': '2026-01-31 12:00:00.5',
  },
  BYTES: {
    '""': '',
    '"aGk="': 'aGk=',
    '"true"': 'true',
    '"Infinity"': 'Infinity',
    '"1234"': '1234',
    '"20260131"': '20260131',
  },
};

const types = (Object.keys(stored) as FieldType[]).filter((_, at) => isNightly || at % 2 === 0);

/** Where a value may stand: the row around it, its field, and SQL that finds it. */
const places: Readonly<
  Record<string, { row(value: string): string; field(type: FieldType): Field; sql: string }>
> = {
  flat: {
    row: (value) => `"v":${value}`,
    field: (type) => ({ name: 'v', type, mode: 'NULLABLE' }),
    sql: 'v',
  },
  record: {
    row: (value) => `"r":{"v":${value}}`,
    field: (type) => ({
      name: 'r',
      type: 'RECORD',
      mode: 'NULLABLE',
      fields: [{ name: 'v', type, mode: 'NULLABLE' }],
    }),
    sql: 'r.v',
  },
  records: {
    row: (value) => `"r":[{},{"v":${value}}]`,
    field: (type) => ({
      name: 'r',
      type: 'RECORD',
      mode: 'REPEATED',
      fields: [{ name: 'v', type, mode: 'NULLABLE' }],
    }),
    sql: 'r[2].v',
  },
  repeated: {
    row: (value) => `"v":[null,${value}]`,
    field: (type) => ({ name: 'v', type, mode: 'REPEATED' }),
    sql: 'v[2]',
  },
};

const key: Field = { name: 'k', type: 'STRING', mode: 'NULLABLE' };
const csv = 'csv';

const tables: readonly TableSchema[] = types.flatMap((type) => [
  ...Object.entries(places).map(([place, { field }]) => ({
    name: `${type}_${place}`,
    fields: [key, field(type)],
  })),
  { name: `${type}_${csv}`, fields: [key, { name: 'v', type, mode: 'NULLABLE' } as const] },
]);

/** A value as a cell of CSV, which has no kinds: undefined for records and arrays. */
const cellOf = (value: string) =>
  /^[{[]/.test(value) ? undefined : value.startsWith('"') ? String(JSON.parse(value)) : value;

let folder: ImportFolder;
beforeAll(async () => {
  folder = await openImportFolder({}, tables);
  for (const type of types) {
    for (const [place, { row }] of Object.entries(places)) {
      const lines = values.map((value) => `{"k":${JSON.stringify(value)},${row(value)}}\n`);
      folder.write(
        `${type}_${place}.ndjson`,
        [...lines, `{"k":"null",${row('null')}}\n`, '{"k":"none"}\n'].join(''),
      );
    }
    const cells = values.flatMap((value) => cellOf(value) ?? []);
    const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
    folder.write(
      `${type}_${csv}.csv`,
      ['k,v', ...cells.map((cell) => `${quoted(cell)},${quoted(cell)}`), 'none,'].join('\n'),
    );
  }
  await folder.sync();
}, 120_000);
afterAll(() => folder.close());

const rowsOf = async (table: string, value: string) =>
  Object.fromEntries(
    await folder.query(
      `SELECT k, ${table.startsWith('BYTES') ? `to_base64(${value})` : `CAST(${value} AS VARCHAR)`} FROM ${folder.store.tables.get(table).relation}`,
    ),
  );

const reasonsOf = async (table: string) =>
  (await folder.query(`SELECT reason FROM store."import".rejects WHERE "table" = '${table}'`)).flat();

describe.each(types)('%s', (type) => {
  test.each(Object.entries(places))(
    'is each JSON value of its own, and no other: %s',
    async (place, { sql }) => {
      const table = `${type}_${place}`;
      const relation = folder.store.tables.get(table);
      const read = sql.startsWith('r.') && relation.columns?.[1]?.fields ? '"r.v"' : sql;
      expect(await rowsOf(table, read)).toEqual({ ...stored[type], null: null, none: null });
      const reasons = await reasonsOf(table);
      expect(reasons).toHaveLength(values.length - Object.keys(stored[type] ?? {}).length);
      const unclear = reasons.filter((reason) => !/^v: .* is not (an?|true|base64)\b/.test(String(reason)));
      expect(unclear).toEqual([]);
    },
  );

  test('is each cell of CSV that is written so, and no other', async () => {
    const cells = values.flatMap((value) => {
      const cell = cellOf(value);
      if (cell === undefined) return [];
      // A cell is a text: the number 1.0 of JSON is an integer, the text is not.
      const asText = JSON.stringify(cell);
      const text = stored[type]?.[values.includes(asText) ? asText : value];
      return text === undefined ? [] : [[cell, text]];
    });
    expect(await rowsOf(`${type}_${csv}`, 'v')).toEqual({ ...Object.fromEntries(cells), none: null });
    expect(await reasonsOf(`${type}_${csv}`)).not.toEqual([]);
  });
});

describe('TIMESTAMP', () => {
  /** In this order: a zone must not become the one of a later text. */
  const texts: readonly (readonly [text: string, stored: string | undefined])[] = [
    ['2024-01-01 00:00:00 America/New_York', '2024-01-01 05:00:00+00'],
    ['2024-01-01', '2024-01-01 00:00:00+00'],
    ['2024-01-01 00:00:00', '2024-01-01 00:00:00+00'],
    ['2024-01-01 00:00', '2024-01-01 00:00:00+00'],
    ['2024/01/01 00:00:00.5', '2024-01-01 00:00:00.5+00'],
    ['2024-11-03 01:30:00 America/New_York', '2024-11-03 05:30:00+00'],
    ['2024-01-01 00:00:00 Etc/GMT+10', '2024-01-01 10:00:00+00'],
    ['2024-01-01 00:00:00 America/Port-au-Prince', '2024-01-01 05:00:00+00'],
    ['2024-01-01 00:00:00 Nowhere/Town', undefined],
    ['2024-01-01 10:00:00 UTC', '2024-01-01 10:00:00+00'],
    ['2024-01-01T10:00:00Z', '2024-01-01 10:00:00+00'],
    ['2024-01-01t10:00z', '2024-01-01 10:00:00+00'],
    ['2024-01-01T10:00:00+02', '2024-01-01 08:00:00+00'],
    ['2024-01-01 10:00:00.25-02:30', '2024-01-01 12:30:00.25+00'],
    ['2024-1-1 10:00:00-05', '2024-01-01 15:00:00+00'],
    ['0001-01-01T00:00:00Z', '0001-01-01 00:00:00+00'],
    ['0001-01-01T00:00:00+01', undefined],
    ['0000-12-31T00:00:00Z', undefined],
    ['9999-12-31T23:59:59.999999Z', '9999-12-31 23:59:59.999999+00'],
    ['9999-12-31T23:59:59-01', undefined],
    ['9999-12-31 24:00:00', undefined],
    ['10000-01-01T00:00:00Z', undefined],
    ['2024-01-01 (BC)', undefined],
    ['infinity', undefined],
    ['1704067200', '2024-01-01 00:00:00+00'],
    ['1704067199.9999999', '2023-12-31 23:59:59.999999+00'],
    ['1704067199.9999999999999999', '2023-12-31 23:59:59.999999+00'],
    ['1704067199999.9999', '2023-12-31 23:59:59.999999+00'],
    ['1704067199999999.9', '2023-12-31 23:59:59.999999+00'],
    ['1704067199999999999', '2023-12-31 23:59:59.999999+00'],
    ['1704067199999999999.9', '2023-12-31 23:59:59.999999+00'],
    ['1.7040672e9', '2024-01-01 00:00:00+00'],
    ['2023-12-31 23:59:59.9999999', '2023-12-31 23:59:59.999999+00'],
    ['2024-01-01 24:00:00', undefined],
    ['2024-01-01T24:00:00Z', undefined],
    ['2024-01-01t24:00', undefined],
    ['2024/1/1 24:00:00+01', undefined],
    ['2024-01-01 24:00:00 Europe/Berlin', undefined],
    ['-1', undefined],
    ['-1.5', undefined],
    ['-1704067200', undefined],
    ['0', undefined],
    ['100', undefined],
    ['100.5', undefined],
    ['9223372036854775807', '2262-04-11 23:47:16.854775+00'],
    ['9223372036854775808', undefined],
    ['-70000000000', undefined],
  ];
  const at: Field = { name: 'v', type: 'TIMESTAMP', mode: 'NULLABLE' };
  const list: Field = { ...at, mode: 'REPEATED' };

  test('has the zone that its own text names, and is one of BigQuery', async () => {
    const moments = await openImportFolder({}, [
      { name: 'lines', fields: [key, at] },
      { name: 'cells', fields: [key, at] },
      { name: 'lists', fields: [key, list] },
    ]);
    try {
      const line = ([text]: (typeof texts)[number], value: (json: string) => string) =>
        `{"k":"${text}","v":${value(JSON.stringify(text))}}\n`;
      moments.write('lines.ndjson', texts.map((one) => line(one, (json) => json)).join(''));
      moments.write('cells.csv', ['k,v', ...texts.map(([text]) => `${text},${text}`)].join('\n'));
      const zone = JSON.stringify(texts[0]?.[0]);
      moments.write('lists.ndjson', texts.map((one) => line(one, (json) => `[${zone},${json}]`)).join(''));
      await moments.sync();
      const expected = texts.filter(([, stored]) => stored !== undefined);
      for (const [table, value] of [
        ['lines', 'v'],
        ['cells', 'v'],
        ['lists', 'v[2]'],
      ] as const) {
        const { relation } = moments.store.tables.get(table);
        const rows = await moments.query(`SELECT k, CAST(${value} AS VARCHAR) FROM ${relation}`);
        expect(Object.fromEntries(rows), table).toEqual(Object.fromEntries(expected));
      }
      const reasons = await moments.query('SELECT DISTINCT reason FROM store."import".rejects');
      expect(reasons.filter(([reason]) => !/ is not a timestamp$/.test(String(reason)))).toEqual([]);
    } finally {
      await moments.close();
    }
  });
});

describe('JSON', () => {
  /** As text of JSON, and as it is stored; undefined for what is not JSON, or has a number beyond FLOAT64. */
  const texts: readonly (readonly [text: string, stored: string | undefined])[] = [
    ...['NaN', 'nan', '-inf', 'Infinity', '-Infinity', '1e400', '-1E+400', '9'.repeat(400)].flatMap(
      (number) =>
        [number, `[${number}]`, `{"a":{"b":[1,${number}]}}`].map((text) => [text, undefined] as const),
    ),
    ['"NaN, 1e400"', '"NaN, 1e400"'],
    ['{"inf":"\\"nan","1e999":[1]}', '{"inf":"\\"nan","1e999":[1]}'],
    [`"${'9'.repeat(400)}"`, `"${'9'.repeat(400)}"`],
    ['{"k":1,"k":2}', '{"k":1,"k":2}'],
    ['1e-400', '0.0'],
    ['true', 'true'],
  ];
  const value: Field = { name: 'v', type: 'JSON', mode: 'NULLABLE' };
  const tables: readonly TableSchema[] = [
    { name: 'lines', fields: [key, value] },
    { name: 'cells', fields: [key, value] },
    { name: 'records', fields: [key, { name: 'r', type: 'RECORD', mode: 'NULLABLE', fields: [value] }] },
    { name: 'lists', fields: [key, { ...value, mode: 'REPEATED' }] },
  ];

  test('has no numbers that JSON or BigQuery does not have', async () => {
    const moments = await openImportFolder({}, tables);
    try {
      const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
      const write = (name: string, json: (text: string) => string) =>
        moments.write(name, texts.map(([text], at) => `{"k":"${at}",${json(text)}}\n`).join(''));
      write('lines.ndjson', (text) => `"v":${text}`);
      write('records.ndjson', (text) => `"r":{"v":${text}}`);
      write('lists.ndjson', (text) => `"v":[1,${text}]`);
      moments.write('cells.csv', ['k,v', ...texts.map(([text], at) => `${at},${quoted(text)}`)].join('\n'));
      await moments.sync();
      const expected = texts.flatMap(([, json], at) => (json === undefined ? [] : [[String(at), json]]));
      const reads = { lines: 'v', cells: 'v', records: 'r.v', lists: 'v[2]' };
      for (const [table, read] of Object.entries(reads)) {
        const rows = await moments.query(`SELECT k, CAST(${read} AS VARCHAR) FROM ${table}`);
        expect(Object.fromEntries(rows), table).toEqual(Object.fromEntries(expected));
      }
      const reasons = await moments.query('SELECT DISTINCT reason FROM store."import".rejects');
      expect(
        reasons.filter(
          ([reason]) => !/^v: (.* is not JSON|has NaN, Infinity or a number .*)$/.test(String(reason)),
        ),
      ).toEqual([]);
    } finally {
      await moments.close();
    }
  });
});
