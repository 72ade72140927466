import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Field, FieldType } from '@querygate/bigquery-sql/table-schema';
import { afterEach, describe, expect, test } from 'vitest';
import { type ImportFolder, openImportFolder } from './import-folder.ts';

let folder: ImportFolder | undefined;
afterEach(() => folder?.close());

const field = (name: string, type: FieldType, more: Partial<Field> = {}): Field => ({
  ...{ name, type, mode: 'NULLABLE' },
  ...more,
});

const repeated = { mode: 'REPEATED' } as const;

interface ReadTable {
  readonly problems: readonly string[];
  readonly rows: readonly unknown[][];
  readonly reasons: readonly unknown[];
  /** True if the file is read where it is. */
  readonly isPlaced: boolean;
}

/** @param source the name of a file that make-files.py has written, a SELECT of its rows, or its bytes */
async function read(source: string | Buffer, fields: readonly Field[]): Promise<ReadTable> {
  folder = await openImportFolder({}, [{ name: 't', fields }]);
  const { path, query, store } = folder;
  if (typeof source !== 'string') writeFileSync(path('t.parquet'), source);
  else if (/^[\w-]+$/.test(source))
    copyFileSync(join(import.meta.dirname, 'parquet', `${source}.parquet`), path('t.parquet'));
  else await query(`COPY (${source}) TO '${path('t.parquet')}' (FORMAT parquet)`);
  const problems = await folder.sync();
  const reasons = await query('SELECT reason FROM store."import".rejects ORDER BY line');
  const { relation } = store.tables.get('t');
  const isPlaced = store.tables.files.of('t').files.length > 0;
  const found = await store.queryJson(`SELECT * FROM ${relation} ORDER BY 1`);
  // Imported rows also have the number of their file.
  const rows = isPlaced ? found : found.map((row) => row.slice(0, -1));
  return { problems, rows, reasons: reasons.flat(), isPlaced };
}

describe('decimals of more than 38 digits', () => {
  const inner = { fields: [field('d', 'NUMERIC')] };
  test.each<[string, Field]>([
    ['d', field('d', 'BIGNUMERIC')],
    ['d', field('d', 'FLOAT')],
    ['d', field('d', 'STRING')],
    ['r.d', field('r', 'RECORD', inner)],
    ['r', field('r', 'JSON')],
    ['l', field('l', 'BIGNUMERIC', repeated)],
    ['m', field('m', 'JSON')],
  ])('are refused by name: %s as %o', async (path, one) => {
    const { problems, rows } = await read('wide-decimals', [field('n', 'INTEGER'), one]);
    expect(problems).toEqual([
      `t.parquet: ${path}: the file has DECIMAL(76, 38), and only decimals of at most 38 digits can be read; write it as DECIMAL(38, …) or as text`,
    ]);
    expect(rows).toEqual([]);
  });

  test('of columns that no field names are none of the table', async () => {
    const fields = [field('n', 'INTEGER'), field('r', 'RECORD', { fields: [field('k', 'INTEGER')] })];
    const { problems, rows } = await read('wide-decimals', fields);
    expect(problems).toEqual([]);
    expect(rows).toEqual([
      ['1', true, '1'],
      ['2', false, null],
    ]);
  });
});

describe('a column without values', () => {
  const types: readonly FieldType[] = ['DATE', 'BYTES', 'BOOLEAN', 'TIME', 'DATETIME', 'TIMESTAMP', 'JSON'];
  test.each(types)('is NULL as %s, also within records and lists', async (type) => {
    const { isPlaced, problems, rows } = await read('without-values', [
      field('n', 'INTEGER'),
      field('v', type),
      field('r', 'RECORD', { fields: [field('v', type), field('k', 'INTEGER')] }),
      field('l', type, repeated),
      field('lr', 'RECORD', { ...repeated, fields: [field('v', type)] }),
    ]);
    expect(problems).toEqual([]);
    expect(isPlaced).toBe(true);
    expect(rows).toEqual([
      ['1', null, true, null, '1', [null], [{ v: null }, { v: null }]],
      ['2', null, false, null, null, [], []],
    ]);
  });

  test('is NULL as a record, and if its integers are all NULL', async () => {
    const inner = { fields: [field('a', 'STRING')] };
    const { isPlaced, rows } = await read('SELECT 1 AS n, NULL AS d, NULL AS r, NULL AS lr', [
      ...[field('n', 'INTEGER'), field('d', 'DATE'), field('r', 'RECORD', inner)],
      field('lr', 'RECORD', { ...repeated, ...inner }),
    ]);
    expect(isPlaced).toBe(true);
    expect(rows).toEqual([['1', null, false, null, false, null]]);
  });

  test('is NULL in a file that is imported', async () => {
    const { isPlaced, rows } = await read(`SELECT '1' AS n, NULL AS d, {x: NULL, k: 5} AS r`, [
      field('n', 'INTEGER'),
      field('d', 'DATE'),
      field('r', 'RECORD', { fields: [field('x', 'BYTES'), field('k', 'INTEGER')] }),
    ]);
    expect(isPlaced).toBe(false);
    expect(rows).toEqual([['1', null, true, null, '5']]);
  });

  test.each([
    [`{v: 7, t: 'x'}`, { v: '7', t: 'x' }],
    [`{v: 7::HUGEINT, t: NULL}`, { v: '7', t: null }],
    [`{v: NULL, t: 'NaN'::DOUBLE}`, { v: null, t: 'nan' }],
  ])('is none in which values are as many as NULL records: %s', async (record, value) => {
    const { isPlaced, rows } = await read(`SELECT 1::DOUBLE AS n, [NULL, ${record}] AS r`, [
      field('n', 'INTEGER'),
      field('r', 'RECORD', { ...repeated, fields: [field('v', 'INTEGER'), field('t', 'STRING')] }),
    ]);
    expect(isPlaced).toBe(false);
    expect(rows[0]?.[1]).toContainEqual(value);
  });

  test('is missing in each row of a required field', async () => {
    const { reasons } = await read('SELECT 1 AS n, NULL AS d UNION ALL SELECT 2, NULL', [
      field('n', 'INTEGER'),
      field('d', 'DATE', { mode: 'REQUIRED' }),
    ]);
    expect(reasons).toEqual(['d: is missing', 'd: is missing']);
  });
});

describe('JSON', () => {
  const fields = [
    field('n', 'INTEGER'),
    field('j', 'JSON'),
    field('r', 'RECORD', { fields: [field('l', 'JSON', repeated)] }),
  ];
  const row = (n: number, json: string) =>
    `SELECT ${n} AS n, '${json}'::JSON AS j, {l: ['${json}'::JSON]} AS r`;

  test('is read where it is if it is spelled as BigQuery does', async () => {
    const { isPlaced, rows } = await read(row(1, '{"a":[1,2]}'), fields);
    expect(isPlaced).toBe(true);
    expect(rows).toEqual([['1', '{"a":[1,2]}', true, ['{"a":[1,2]}']]]);
  });

  test('with spaces is imported without them', async () => {
    const { isPlaced, rows } = await read(row(1, '{"a": [1, 2]}'), fields);
    expect(isPlaced).toBe(false);
    expect(rows).toEqual([['1', '{"a":[1,2]}', true, ['{"a":[1,2]}']]]);
  });

  const deep = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);

  test('has as many levels as BigQuery has', async () => {
    const { isPlaced, rows } = await read(row(1, deep(500)), fields);
    expect(isPlaced).toBe(true);
    expect(rows).toEqual([['1', deep(500), true, [deep(500)]]]);
  });

  test.each([
    ['NaN', '{"a": NaN}'],
    ['a number beyond FLOAT64', '{"a":1e400}'],
    ['a comma too many', '{"a":[1,]}'],
    ['501 levels', deep(501)],
  ])('leaves the row of %s out', async (_, odd) => {
    const { reasons, rows } = await read(`${row(1, odd)} UNION ALL ${row(2, '{}')}`, fields);
    expect(reasons).toEqual([
      'j: has NaN, Infinity or a number beyond FLOAT64, which JSON has only as texts, or too many levels',
    ]);
    expect(rows).toEqual([['2', '{}', true, ['{}']]]);
  });

  test('that is none makes the file unreadable, and says what is right', async () => {
    const { problems } = await read('no-json', fields);
    expect(problems).toEqual([
      't.parquet: a column of JSON has a text that is not JSON; write it as a column of text, of which only such rows are left out: "not json"',
    ]);
  });
});

describe('names', () => {
  const records = field('l', 'RECORD', { ...repeated, fields: [field('k', 'STRING')] });
  test.each(['same-names', 'same-members'])('that occur twice are those of the first: %s', async (file) => {
    const { isPlaced, rows } = await read(file, [field('n', 'INTEGER'), records]);
    expect(isPlaced).toBe(true);
    expect(rows).toEqual([
      ['1', [{ k: 'a' }, { k: 'b' }]],
      ['2', [{ k: 'c' }]],
    ]);
  });

  test('that begin as another one are not within it', async () => {
    const required = [field('n', 'INTEGER'), field('l', 'INTEGER', { mode: 'REQUIRED' })];
    const { reasons, rows } = await read('similar-names', required);
    expect(reasons).toEqual(['l: is missing']);
    expect(rows).toEqual([['1', '1']]);
  });
});

test('times in UTC are those of TIME', async () => {
  const { isPlaced, rows } = await read('utc-times', [field('n', 'INTEGER'), field('v', 'TIME')]);
  expect(isPlaced).toBe(true);
  expect(rows).toEqual([
    ['1', '01:00:00.000001'],
    ['2', null],
  ]);
});

describe('a time of another day', () => {
  const least = -(2n ** 63n);
  /** A file with the time and another one at its place in the row, in its values and its statistics. */
  async function readOdd(time: bigint, select: string, fields: readonly Field[]): Promise<ReadTable> {
    const written = await openImportFolder();
    const path = written.path('odd.parquet');
    const rows = `SELECT 1 AS n, ${select.replace('$', "TIME '12:34:56.789'")} UNION ALL SELECT 2, ${select.replace('$', "TIME '01:00:00'")}`;
    await written.query(`COPY (${rows}) TO '${path}' (FORMAT parquet, COMPRESSION uncompressed)`);
    const bytes = readFileSync(path);
    await written.close();
    const before = Buffer.from(new BigInt64Array([45_296_789_000n]).buffer);
    const after = Buffer.from(new BigInt64Array([time]).buffer);
    for (let at = bytes.indexOf(before); at >= 0; at = bytes.indexOf(before, at)) after.copy(bytes, at);
    return read(bytes, fields);
  }
  const n = field('n', 'INTEGER');
  const inList = field('l', 'RECORD', { ...repeated, fields: [field('v', 'TIME')] });

  test.each([-1000n, 86_400_000_000n, least])('leaves its row out: %s', async (time) => {
    const { isPlaced, reasons, rows } = await readOdd(time, '$ AS v', [n, field('v', 'TIME')]);
    expect(isPlaced).toBe(false);
    expect(reasons).toEqual([`v: ${time} microseconds is not a time`]);
    expect(rows).toEqual([['2', '01:00:00']]);
  });

  test('leaves its row out within lists of records', async () => {
    const { reasons, rows } = await readOdd(least, '[{v: $}] AS l', [n, inList]);
    expect(reasons).toEqual([`v: ${least} microseconds is not a time`]);
    expect(rows).toEqual([['2', true, '01:00:00']]);
  });

  test('does not matter in a column that no field names', async () => {
    const { problems, rows } = await readOdd(least, `MAP {'k': $} AS m`, [n]);
    expect(problems).toEqual([]);
    expect(rows).toEqual([['1'], ['2']]);
  });

  test.each<[string, Field]>([
    ['$ AS v', field('v', 'STRING')],
    ['{k: $} AS v', field('v', 'JSON')],
  ])('is refused as text: %s', async (select, one) => {
    const { problems } = await readOdd(least, select, [n, one]);
    expect(problems).toEqual([expect.stringMatching(/^t\.parquet: v: the file has times that are not/)]);
  });
});

test('values for a REPEATED field make the file unreadable', async () => {
  const fields = [field('n', 'INTEGER'), field('l', 'INTEGER', repeated)];
  const { problems } = await read('SELECT 1 AS n, 5 AS l', fields);
  expect(problems).toEqual(['t.parquet: l: the file has INTEGER, which is not an array']);
});

describe('a map', () => {
  const pair = [field('key', 'STRING'), field('value', 'INTEGER')];
  const rows = `SELECT 1 AS n, MAP {'a': 1, 'b': NULL} AS m, {i: MAP {'c': 3}} AS r
    UNION ALL SELECT 2, MAP {}, {i: NULL} UNION ALL SELECT 3, NULL, NULL`;

  test('is read as repeated records', async () => {
    const inner = field('i', 'RECORD', { ...repeated, fields: pair });
    const found = await read(rows, [
      field('n', 'INTEGER'),
      field('m', 'RECORD', { ...repeated, fields: pair }),
      field('r', 'RECORD', { fields: [inner] }),
    ]);
    expect(found).toMatchObject({ problems: [], reasons: [] });
    expect(found.rows.map(([n, m]) => [n, m])).toEqual([
      [
        '1',
        [
          { key: 'a', value: '1' },
          { key: 'b', value: null },
        ],
      ],
      ['2', []],
      ['3', []],
    ]);
    expect(found.rows[0]?.slice(2)).toEqual([true, true, 'c', '3']);
  });

  test('is read as a record that has them in key_value', async () => {
    const entries = field('key_value', 'RECORD', { ...repeated, fields: pair });
    const found = await read(rows, [field('n', 'INTEGER'), field('m', 'RECORD', { fields: [entries] })]);
    expect(found).toMatchObject({ problems: [], reasons: [] });
    expect(found.rows).toEqual([
      [
        '1',
        true,
        [
          { key: 'a', value: '1' },
          { key: 'b', value: null },
        ],
      ],
      ['2', true, []],
      ['3', false, null],
    ]);
  });

  test('has elements of lists', async () => {
    const entries = field('key_value', 'RECORD', { ...repeated, fields: pair });
    const found = await read(`SELECT 1 AS n, [MAP {'a': 1}, MAP {}] AS l`, [
      ...[field('n', 'INTEGER'), field('l', 'RECORD', { ...repeated, fields: [entries] })],
    ]);
    expect(found.rows).toEqual([['1', [{ key_value: [{ key: 'a', value: '1' }] }, { key_value: [] }]]]);
  });
});

describe('times of a file without statistics', () => {
  const fields = [field('n', 'INTEGER'), field('t', 'TIMESTAMP'), field('l', 'DATE', repeated)];
  test('are read where they are', async () => {
    expect(await read('without-statistics', fields)).toMatchObject({ isPlaced: true, problems: [] });
  });

  test('leave out the rows of those that BigQuery does not have', async () => {
    const { isPlaced, reasons, rows } = await read('late-times', fields);
    expect(isPlaced).toBe(false);
    expect(reasons).toEqual(['t: 11476-08-15 05:20:00+00 is not a timestamp']);
    expect(rows.map(([n]) => n)).toEqual(['1']);
  });
});

test('a file that an earlier release has examined is examined again', async () => {
  const fields = [field('n', 'INTEGER'), field('j', 'JSON')];
  const { isPlaced } = await read(`SELECT 1 AS n, '{"a":1}'::JSON AS j`, fields);
  expect(isPlaced).toBe(true);
  const footers = 'store."import".footers';
  await folder?.query(`UPDATE ${footers} SET footer = json_merge_patch(footer, '{"emptyPaths": null}')`);
  await folder?.reopen();
  expect(await folder?.sync()).toEqual([]);
  const known = await folder?.query(`SELECT number FROM ${footers} WHERE contains(footer, 'emptyPaths')`);
  expect(known).toEqual([[2]]);
});
