import { type DuckDBDateValue, DuckDBTimestampTZValue, type DuckDBType, VARCHAR } from '@duckdb/node-api';
import type { Bindings, RowCondition } from '@querygate/bigquery-sql/duckdb';
import type { TableSchema } from '@querygate/bigquery-sql/table-schema';
import { scalar } from '@querygate/bigquery-sql/types';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { mayHaveRows } from '../src/store/files/may-have-rows.ts';
import type { PlacedFile } from '../src/store/files/placed-file.ts';
import { type ImportFolder, openImportFolder } from './import-folder.ts';

const nullable = { mode: 'NULLABLE' } as const;
const logs: TableSchema = {
  name: 'logs',
  fields: [
    { name: 'n', type: 'INTEGER', ...nullable },
    { name: 's', type: 'STRING', ...nullable },
    { name: 't', type: 'TIMESTAMP', ...nullable },
    { name: 'd', type: 'DATE', ...nullable },
    { name: 'r', type: 'RECORD', mode: 'REPEATED', fields: [{ name: 's', type: 'STRING', ...nullable }] },
  ],
};

const int96File =
  'UEFSMRUAFVQVVCwVBhUAFQYVBgAAAgAAAAMHgAAAAAABAAByjSUAAQAAAAACAABzjSUA/wAAAAABAAB0jSUAFQAVPBU8LBUGFQAVBhUGAAACAAAAAwcBAAAAAAAAAAIAAAAAAAAAAwAAAAAAAAAVBBk8SARyb290FQQAFQYlAhgBdAAVBCUCGAFuABYGGRwZLCYIHBUGGSUABhkYAXQVABYGFnYWdiYIPDYAKAz/AAAAAAEAAHSNJQAYDAEAAAAAAgAAc40lAAAAACZ+HBUEGSUABhkYAW4VABYGFl4WXiZ+PDYAKAgDAAAAAAAAABgIAQAAAAAAAAAAAAAW1AEWBgAoAXgAlwAAAFBBUjE=';

let folder: ImportFolder;
beforeEach(async () => {
  folder = await openImportFolder({}, [logs]);
});
afterEach(() => folder.close());

const place = async (select: string, options = ''): Promise<PlacedFile> => {
  await folder.query(`COPY (${select}) TO '${folder.path('logs.parquet')}' (FORMAT parquet${options})`);
  expect(await folder.sync()).toEqual([]);
  const [file] = folder.store.tables.files.of('logs').files;
  if (file === undefined) throw new Error('it is imported');
  return file;
};

describe('a file with times that BigQuery does not have', () => {
  test.each([
    ['t', `'infinity'::TIMESTAMPTZ`],
    ['t', `'-infinity'::TIMESTAMP`],
    ['t', `'10000-01-01'::TIMESTAMPTZ`],
    ['d', `'infinity'::DATE`],
    ['d', `'0000-12-31'::DATE`],
  ])('is imported without their rows: %s of %s', async (column, value) => {
    const rows = `SELECT 1 AS n, ${value} AS ${column} UNION ALL SELECT 2, DATE '2026-01-01'`;
    await folder.query(`COPY (${rows}) TO '${folder.path('logs.parquet')}' (FORMAT parquet)`);
    await folder.sync();
    expect(folder.store.tables.files.of('logs').files).toEqual([]);
    const { relation } = folder.store.tables.get('logs');
    expect(await folder.query(`SELECT n FROM ${relation}`)).toEqual([[2n]]);
    const [[reason] = []] = await folder.query('SELECT reason FROM store."import".rejects');
    expect(reason).toMatch(/^[td]: .* is not a (timestamp|date)$/);
  });
});

describe('the bounds of a file', () => {
  test('are the smallest and greatest values of its columns, over all row groups', async () => {
    const { bounds } = await place(
      `SELECT CASE WHEN i % 7 > 0 THEN i END AS n, 's' || i % 10 AS s, TIMESTAMP '2026-01-01' + i * INTERVAL 1 SECOND AS t,
        DATE '2026-01-01' + CAST(i % 3 AS INTEGER) AS d, {s: 'x' || i % 5} AS r FROM range(5000) AS t(i)`,
      ', ROW_GROUP_SIZE 2048',
    );
    const start = Date.UTC(2026, 0, 1) * 1000;
    expect(bounds).toEqual({
      n: ['1', '4999'],
      s: ['s0', 's9'],
      t: [String(start - 1), String(start + 4_999_000_001)],
      d: [String(start - 1), String(start + 2 * 86_400_000_000 + 1)],
      'r.s': ['x0', 'x4'],
    });
  });

  test.each([
    ['a text that is cut', `repeat('z', 5000) AS s`, {}],
    ['a text that is cut within a letter', `repeat('é', 5000) AS s`, {}],
    ['a text with a backslash', String.raw`'a\b' AS s`, {}],
    ['only NULL', 'NULL::VARCHAR AS s, NULL::BIGINT AS n', {}],
    ['numbers that are stored as texts', '5 AS s, 5 AS n', { n: ['5', '5'] }],
    ['several records', `[{ s: 'a' }, { s: 'b' }] AS r`, {}],
  ])('are unknown of %s', async (_, columns, expected) => {
    expect((await place(`SELECT ${columns}`)).bounds).toEqual(expected);
  });

  test('are unknown of INT96, which writers bound by its bytes', async () => {
    // Of n = 1, 2, 3 on the 1st, 2nd and 3rd of January 2026, with bounds of the 2nd and 3rd.
    folder.write('logs.parquet', Buffer.from(int96File, 'base64'));
    expect(await folder.sync()).toEqual([]);
    const [file] = folder.store.tables.files.of('logs').files;
    expect(file?.bounds).toEqual({ n: ['1', '3'] });
  });
});

describe('a file', () => {
  const bounds = { n: ['5', '9'], s: ['b', 'é'], t: ['1000', '2000'] } as const;
  const bind = (
    value: DuckDBTimestampTZValue | DuckDBDateValue | string | bigint | number | null,
  ): Bindings => new Map([['v', { value, type: VARCHAR as DuckDBType }]]);
  const names = { n: 'INT64', s: 'STRING', t: 'TIMESTAMP', x: 'INT64', valueOf: 'INT64' } as const;
  const may = (
    column: keyof typeof names,
    operator: RowCondition['operator'],
    value: Parameters<typeof bind>[0],
  ) =>
    mayHaveRows(
      { bounds },
      [{ column, operator, value: { kind: 'parameter', name: 'v', type: scalar(names[column]) } }],
      bind(value),
    );

  test('may have rows unless its bounds exclude them', () => {
    const at = (micros: bigint) => new DuckDBTimestampTZValue(micros);
    expect([may('t', '>=', at(2001n)), may('t', '<', at(1000n)), may('t', '=', at(999n))]).not.toContain(
      true,
    );
    expect([may('t', '>=', at(2000n)), may('t', '<=', at(1000n)), may('t', '=', at(1500n))]).not.toContain(
      false,
    );
    expect([may('n', '>', 9n), may('n', '=', 4n), may('s', '=', 'a'), may('s', '=', 'ê')]).not.toContain(
      true,
    );
    expect([may('n', '>', 8n), may('n', '=', 9n), may('s', '=', 'z'), may('s', '<', 'c')]).not.toContain(
      false,
    );
  });

  test('may have rows if the bounds or the value are not known', () => {
    expect([
      may('x', '=', 1n),
      may('n', '=', null),
      may('n', '=', 1.5),
      may('s', '=', 1n),
      may('valueOf', '=', 1n),
    ]).not.toContain(false);
  });
});
