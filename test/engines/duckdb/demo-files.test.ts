import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openImport, openTables } from '@querygate/duckdb-import';
import { openDemo } from '../../../src/engines/duckdb/demo/open-demo.ts';

const noon = Date.parse('2026-11-20T12:00:00Z');
const dayMs = 86_400_000;
const day = (count: number) => new Date(noon + count * dayMs).toISOString().slice(0, 10);

/** A row each hour, whose value is another one each time it is made. */
const sql = (values = 'random()') => `SELECT moment, CAST(${values} * 1e9 AS BIGINT) AS value
  FROM (SELECT unnest(generate_series(date_trunc('hour', $from + INTERVAL 59 MINUTES), $to - INTERVAL 1 SECOND, INTERVAL 1 HOUR)) AS moment)`;

describe('the files of the demo', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'querygate-test-'));
    mkdirSync(join(folder, 'sql'));
    writeFileSync(join(folder, 'sql', 'rows.sql'), sql());
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const cache = () => join(folder, 'user', 'cache');
  const kept = () => readdirSync(cache()).map((name) => join(cache(), name));
  const files = (at = 0) => {
    const [made = ''] = kept().slice(at);
    return readdirSync(join(made, 'rows')).map((name) => join(made, 'rows', name));
  };

  /** The rows of a start, oldest first. */
  const start = async (now = noon, optional: readonly string[] = []) => {
    const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
    const connect = () => instance.connect();
    const connection = await connect();
    await connection.run(`SET TimeZone = 'UTC'; ATTACH ':memory:' AS store; USE store`);
    const tables = await openTables(await connect(), [
      {
        name: 'rows',
        fields: [
          { name: 'moment', type: 'TIMESTAMP', mode: 'REQUIRED' },
          { name: 'value', type: 'INTEGER', mode: 'NULLABLE' },
          ...optional.map((name) => ({ name, type: 'STRING' as const, mode: 'NULLABLE' as const })),
        ],
      },
    ]);
    const scratch = mkdtempSync(join(folder, 'scratch-'));
    const demo = await openDemo(await connect(), tables, join(folder, 'sql'), {
      now: () => now,
      files: {
        folder: cache(),
        open: (dataDir) =>
          openImport({
            ...{ connect, dataDir, scratch, tables, hasOtherRows: true },
            async onRepeatedRecord() {},
            events: { problem: (message) => expect.fail(message) },
            signal: AbortSignal.timeout(60_000),
          }),
      },
    });
    const read = async (relation: string) =>
      (
        await connection.runAndReadAll(`SELECT epoch_ms(moment), value FROM ${relation} ORDER BY moment`)
      ).getRowsJson();
    const rows = await read('store.main.rows');
    const inStore = await read(tables.get('rows').rows);
    await demo.close();
    instance.closeSync();
    return { rows, inStore };
  };

  test('are made once; the store has only the rows of today', async () => {
    const first = await start();
    expect(first.rows).toHaveLength(7 * 24 + 12);
    expect(new Set(first.rows.map(([at]) => at)).size).toBe(first.rows.length);
    expect(first.inStore).toEqual(first.rows.slice(-12));
    const [file = '', ...others] = files();
    expect(others).toEqual([]);
    const { ino } = statSync(file);
    const second = await start();
    expect(second.rows.slice(0, -12)).toEqual(first.rows.slice(0, -12));
    expect(statSync(file).ino).toBe(ino);
  });

  test('are followed by one for the days since, and removed when the demo begins after them', async () => {
    const first = await start();
    const later = await start(noon + 2 * dayMs);
    expect(later.rows).toHaveLength(9 * 24 + 12);
    expect(later.rows.slice(0, 7 * 24)).toEqual(first.rows.slice(0, 7 * 24));
    expect(files().map((path) => path.split('/').at(-1)?.slice(0, 21))).toEqual([
      `${day(-7)}_${day(0)}`,
      `${day(0)}_${day(2)}`,
    ]);
    expect((await start(noon + 8 * dayMs)).rows).toHaveLength(8 * 24 + 12);
    expect((await start(noon + 30 * dayMs)).rows).toHaveLength(7 * 24 + 12);
    expect(files()).toHaveLength(1);
  });

  test.each<[string, (file: string) => void]>([
    ['cut', (file) => truncateSync(file, 200)],
    ['empty', (file) => truncateSync(file, 0)],
    ['changed', (file) => writeFileSync(file, 'x', { flag: 'r+' })],
    ['another one by its name', (file) => cpSync(import.meta.filename, file)],
    ['there again for fewer days', (file) => cpSync(file, file.replace(day(-7), day(-6)))],
    ['from a clock that was ahead', (file) => cpSync(file, file.replace(`${day(0)}.`, `${day(9)}.`))],
  ])('are made again if one is %s', async (_, damage) => {
    const first = await start();
    const [file = ''] = files();
    damage(file);
    const { rows } = await start();
    expect(rows.map(([at]) => at)).toEqual(first.rows.map(([at]) => at));
    expect(files()).toHaveLength(1);
  });

  test('are those of the same SQL and tables', async () => {
    const { rows } = await start();
    writeFileSync(join(folder, 'sql', 'rows.sql'), sql('7'));
    const other = await start();
    expect(other.rows).toHaveLength(rows.length);
    expect(other.rows).not.toEqual(rows);
    await start(noon, ['other']);
    expect(kept()).toHaveLength(3);
  });

  test('are removed when nothing has used their SQL for a month', async () => {
    await start();
    const [former = ''] = kept();
    const then = Date.now() / 1000 - 40 * 86_400;
    utimesSync(former, then, then);
    writeFileSync(join(folder, 'sql', 'rows.sql'), sql('7'));
    await start();
    expect(kept()).toHaveLength(1);
    expect(kept()).not.toContain(former);
  });

  test('are not made where nothing can be written: the store has all rows', async () => {
    writeFileSync(join(folder, 'user'), 'a file in place of the folder');
    const { rows, inStore } = await start();
    expect(rows).toHaveLength(7 * 24);
    expect(inStore).toEqual(rows);
  });
});
