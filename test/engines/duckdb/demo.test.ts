import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { loadTables } from '../../../src/catalog/folder/load-tables.ts';
import { type Demo, openDemo } from '../../../src/engines/duckdb/demo/open-demo.ts';
import { isNightly } from '../../support/nightly.ts';
import { openTables } from '@querygate/duckdb-import';

const folder = 'queries/demo';
const { tables } = loadTables('queries/tables');
const names = tables.map(({ name }) => name);
const friday = Date.parse('2026-11-20T12:34:56.789Z');
const biggest = 'mzqkvxwotrplbhnydsea';

const open = async () => {
  const instance = await DuckDBInstance.create(':memory:', { threads: '2' });
  const connection = await instance.connect();
  await connection.run(`SET TimeZone = 'UTC'; ATTACH ':memory:' AS store; USE store`);
  return {
    connection,
    tables: await openTables(connection, tables),
    query: async (sql: string) => (await connection.runAndReadAll(sql)).getRowsJson(),
    close() {
      connection.closeSync();
      instance.closeSync();
    },
  };
};

/** Of every table: its row count, and a hash that changes with any row. */
const fingerprint = (query: (sql: string) => Promise<unknown[][]>) =>
  query(
    names.map((name) => `SELECT '${name}', count(*), bit_xor(hash(t)) FROM ${name} t`).join(' UNION ALL '),
  );

describe('a week of demo data', () => {
  let database: Awaited<ReturnType<typeof open>>;
  let demo: Demo;
  const query = (sql: string) => database.query(sql);

  beforeAll(async () => {
    database = await open();
    demo = await openDemo(database.connection, database.tables, folder, { now: () => friday });
  }, 120_000);
  afterAll(async () => {
    await demo.close();
    database.close();
  });

  test('every table has a file', () => {
    const files = readdirSync(folder).filter((file) => !file.startsWith('_'));
    expect(files.sort()).toEqual(names.map((name) => `${name}.sql`));
  });

  test('about 200,000 rows, seven days back, none in the future', async () => {
    const rows = await query(
      names
        .map(
          (name) =>
            `SELECT count(*)::INT, epoch_ms(min("timestamp")), epoch_ms(max("timestamp")) FROM ${name}`,
        )
        .join(' UNION ALL '),
    );
    const total = rows.reduce((sum, [count]) => sum + Number(count), 0);
    expect(total).toBeGreaterThan(150_000);
    expect(total).toBeLessThan(250_000);
    for (const [count, first, last] of rows) {
      expect(count).toBeGreaterThan(1000);
      expect(Number(first)).toBeGreaterThanOrEqual(friday - 7 * 86_400_000);
      expect(Number(first)).toBeLessThan(friday - 6.9 * 86_400_000);
      expect(Number(last)).toBeLessThan(friday);
      expect(Number(last)).toBeGreaterThan(friday - 30 * 60_000);
    }
  });

  test('traffic is uneven, and the biggest project is never silent for long', async () => {
    const [[projects, share]] = (await query(
      `SELECT count(DISTINCT project)::INT, avg((project = '${biggest}')::INT) FROM edge_logs`,
    )) as [[number, number]];
    expect(projects).toBe(6);
    expect(share).toBeGreaterThan(0.5);
    for (const rows of [
      `SELECT "timestamp" AS t FROM edge_logs WHERE project = '${biggest}'`,
      `SELECT "timestamp" AS t FROM function_edge_logs WHERE event_message LIKE '%${biggest}%'`,
    ]) {
      const gaps = `SELECT max(epoch(t - before)) FROM (SELECT t, lag(t) OVER (ORDER BY t) AS before FROM (${rows}))`;
      expect(Number((await query(gaps))[0]?.[0])).toBeLessThan(30);
    }
  });

  test('functions have a slow tail and few errors, except for the bad one', async () => {
    const rows = await query(
      `SELECT m.function_id, avg((m.response[1].status_code >= 500)::INT), median(m.execution_time_ms),
         quantile_disc(m.execution_time_ms, 0.99)
       FROM (SELECT unnest(metadata) AS m FROM function_edge_logs) GROUP BY 1`,
    );
    expect(rows.length).toBeGreaterThan(8);
    expect(rows.map(([id]) => id)).toContain('3f2a9c1e-5b7d-4e8f-9a6b-1c2d3e4f5a6b');
    expect(rows.filter(([, failing]) => Number(failing) > 0.2)).toHaveLength(1);
    for (const [, , median, slow] of rows) expect(Number(slow)).toBeGreaterThan(1.5 * Number(median));
  });

  test('some rows have no metadata and some no url, but few', async () => {
    const [row] = await query(
      `SELECT count(*) FILTER (len(metadata) = 0)::INT, count(*) FILTER (metadata[1].request[1].url IS NULL)::INT
       FROM edge_logs`,
    );
    const [bare, withoutUrl] = row as [number, number];
    expect(bare).toBeGreaterThan(10);
    expect(withoutUrl).toBeGreaterThan(bare + 10);
    expect(withoutUrl).toBeLessThan(2000);
  });

  test('an edge message has method, status, address, ray, url and program', async () => {
    const rows = await query('SELECT event_message FROM edge_logs LIMIT 20');
    for (const [message] of rows) {
      expect(message).toMatch(
        /^[A-Z]+ \| \d{3} \| [\d.]+ \| [0-9a-f]{16}-[A-Z]{3} \| https:\/\/[a-z0-9]{20}\.example\.co\/\S+ \| .+$/,
      );
    }
  });

  test('auth messages are JSON', async () => {
    expect(await query('SELECT DISTINCT json_valid(event_message) FROM auth_logs')).toEqual([[true]]);
  });

  test('ids are not used twice', async () => {
    for (const name of names) {
      expect(await query(`SELECT count(*) - count(DISTINCT id) FROM ${name}`), name).toEqual([['0']]);
    }
  });

  test('every field of the schemas has values', async () => {
    const empty = await Promise.all(
      names.map(async (name) => {
        const [row] = await query(
          `SELECT json_group_structure(to_json(t)) FROM (FROM ${name} LIMIT 3000) AS t`,
        );
        return [...String(row).matchAll(/"(\w+)":"NULL"/g)].map(([, field]) => `${name} ${field}`);
      }),
    );
    // Only a parallel worker has a leader.
    expect(empty.flat()).toEqual(['postgres_logs leader_pid']);
  });
});

describe('the same rows', () => {
  let databases: Awaited<ReturnType<typeof open>>[] = [];
  afterEach(() => {
    for (const database of databases) database.close();
    databases = [];
  });
  const another = async () => {
    const database = await open();
    databases.push(database);
    return database;
  };
  const select = async (connection: DuckDBConnection, name: string, from: number, to: number) => {
    const sql = readFileSync(`${folder}/${name}.sql`, 'utf8').replace(/;\s*$/, '');
    const at = (ms: number) => `TIMESTAMPTZ '${new Date(ms).toISOString()}'`;
    const bound = sql.replaceAll('$from', at(from)).replaceAll('$to', at(to));
    return (await connection.runAndReadAll(bound)).getRowsJson();
  };

  test.each(names.filter((_, at) => isNightly || at % 3 === 0))(
    'of %s however the time is divided',
    async (name) => {
      const { connection } = await another();
      await connection.run(readFileSync(`${folder}/_shared.sql`, 'utf8'));
      const [start, middle, end] = [friday - 3_600_000, friday - 1_234_567, friday] as const;
      const undivided = await select(connection, name, start, end);
      const parts = [
        ...(await select(connection, name, start, middle)),
        ...(await select(connection, name, middle, end)),
      ];
      expect(undivided.length).toBeGreaterThan(2);
      expect(parts).toEqual(undivided);
    },
  );

  test('whether the server started early or late; and they grow while it runs', async () => {
    const [early, late] = [await another(), await another()];
    let clock = friday;
    const options = { days: 0.1, now: () => clock, everyMs: 10 };
    const errors: unknown[] = [];
    const running = await openDemo(early.connection, early.tables, folder, {
      ...options,
      onError: (error) => errors.push(error),
    });
    const before = await fingerprint(early.query);
    clock += 60_000;
    await sleep(300);
    clock += 60_000;
    await expect
      .poll(() => early.query(`SELECT epoch_ms(max("timestamp")) > ${friday + 60_000} FROM edge_logs`))
      .toEqual([[true]]);
    await running.close();
    await running.close();
    const after = await fingerprint(early.query);
    expect(after).not.toEqual(before);

    await (
      await openDemo(late.connection, late.tables, folder, { ...options, days: 0.1 + 120_000 / 86_400_000 })
    ).close();
    expect(await fingerprint(late.query)).toEqual(after);
    expect(errors).toEqual([]);
  });

  test('they grow when a query needs them, at most once a second, and not by themselves', async () => {
    const { connection, tables, query } = await another();
    let clock = friday;
    const errors: unknown[] = [];
    const onError = (error: unknown) => errors.push(error);
    const demo = await openDemo(connection, tables, folder, { days: 0.1, now: () => clock, onError });
    const filled = await fingerprint(query);
    clock += 600_000;
    await sleep(1_500);
    expect(await fingerprint(query)).toEqual(filled);
    await Promise.all([demo.catchUp(), demo.catchUp()]);
    const grown = await fingerprint(query);
    expect(grown).not.toEqual(filled);
    clock += 999;
    await demo.catchUp();
    expect(await fingerprint(query)).toEqual(grown);
    await demo.close();
    clock += 600_000;
    await demo.catchUp();
    expect(await fingerprint(query)).toEqual(grown);
    expect(errors).toEqual([]);
  });
});
