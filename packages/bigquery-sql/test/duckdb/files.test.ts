import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openSession } from '../../src/duckdb/open-session.ts';

const folder = mkdtempSync(join(tmpdir(), 'bigquery-sql-files-'));
const file = join(folder, 'visits.duckdb');

async function withConnection<T>(
  options: Record<string, string>,
  work: (connection: Awaited<ReturnType<DuckDBInstance['connect']>>) => Promise<T>,
): Promise<T> {
  const instance = await DuckDBInstance.create(file, options);
  const connection = await instance.connect();
  try {
    return await work(connection);
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

beforeAll(() =>
  withConnection({}, (connection) =>
    connection.run("CREATE TABLE visits AS SELECT 'home' AS page, '3' AS n"),
  ),
);
afterAll(() => rmSync(folder, { recursive: true }));

test('sessions on two connections of a database define functions at the same time', async () => {
  const instance = await DuckDBInstance.create(':memory:', { threads: '2' });
  const sessions = [await openSession(await instance.connect()), await openSession(await instance.connect())];
  for (const sql of ["SELECT UPPER(s), INITCAP(s) FROM (SELECT 'a' AS s)", "SELECT INITCAP('a'), UPPER('a')"])
    expect(await Promise.all(sessions.map((session) => session.run(sql)))).toMatchObject([
      { rows: [['A', 'A']] },
      { rows: [['A', 'A']] },
    ]);
  instance.closeSync();
});

test.each([
  ['of the default version', {}],
  ['that is only read', { access_mode: 'READ_ONLY' }],
])('a session runs functions over a file %s, and writes nothing to it', async (_, options) => {
  await withConnection(options, async (connection) => {
    for (let sessions = 0; sessions < 2; sessions += 1) {
      const session = await openSession(connection);
      expect(await session.run('SELECT UPPER(page), SAFE_CAST(n AS INT64) FROM visits')).toMatchObject({
        rows: [['HOME', '3']],
      });
      expect(await session.run("SELECT INITCAP(page) FROM visits WHERE n = '3'")).toMatchObject({
        rows: [['Home']],
      });
    }
    const schemas = await connection.runAndReadAll(
      "SELECT schema_name FROM duckdb_schemas() WHERE database_name = 'visits' AND schema_name = 'bq'",
    );
    expect(schemas.getRows()).toEqual([]);
  });
});
