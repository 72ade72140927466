import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openSession, type Session } from '../../../src/engines/duckdb/open-session.ts';

const days = ['2026-03-01', '2026-03-02', '2026-03-03'];
let folder: string;
let session: Session;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'querygate-test-'));
  mkdirSync(join(folder, 'logs'));
  const instance = await DuckDBInstance.create();
  const connection = await instance.connect();
  for (const [at, day] of days.entries())
    await connection.run(
      `COPY (SELECT TIMESTAMPTZ '${day} 12:00:00+00' AS time, DATE '${day}' AS day, TIMESTAMP '${day} 12:00:00' AS local, ${at}::BIGINT AS id, 't${at}' AS tenant) TO '${join(folder, 'logs', `${day}.parquet`)}'`,
    );
  connection.closeSync();
  instance.closeSync();
  session = await openSession({
    duckdb: { dataDir: folder, storeFile: ':memory:', refreshSeconds: 3600 },
    tables: [
      {
        name: 'logs',
        fields: [
          { name: 'time', type: 'TIMESTAMP', mode: 'REQUIRED' },
          { name: 'day', type: 'DATE', mode: 'NULLABLE' },
          { name: 'local', type: 'DATETIME', mode: 'NULLABLE' },
          { name: 'id', type: 'INTEGER', mode: 'REQUIRED' },
          { name: 'tenant', type: 'STRING', mode: 'NULLABLE' },
        ],
      },
    ],
    withRows: true,
    now: () => new Date('2026-03-03T18:00:00Z'),
    listener: { problem: (message) => expect.fail(message), news: () => {} },
  });
});
afterEach(async () => {
  await session.close();
  rmSync(folder, { recursive: true });
});

const limits = { timeoutMs: 60_000, maxRows: 10 };
const run = (sql: string, parameters: Readonly<Record<string, string>> = {}) =>
  session.run({ sql, parameters }, limits);

test.each<[string, Readonly<Record<string, string>>]>([
  [`time >= TIMESTAMP '2026-03-02 00:00:00+00'`, {}],
  ['time >= TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 36 HOUR)', {}],
  ['time >= TIMESTAMP(@since)', { since: '2026-03-02T00:00:00Z' }],
  [`day >= DATE '2026-03-02'`, {}],
  [`local >= DATETIME '2026-03-01T12:00:00.5'`, {}],
  ['id >= 1', {}],
  [`tenant > 't0'`, {}],
])('a statement of a session opens only the files that may have rows: %s', async (where, parameters) => {
  // Whatever opens it fails.
  rmSync(join(folder, 'logs', '2026-03-01.parquet'));
  expect(await run(`SELECT id FROM logs WHERE ${where} ORDER BY id`, parameters)).toMatchObject({
    rows: [['1'], ['2']],
  });
  const joined = `SELECT a.id FROM logs a JOIN logs b ON a.id = b.id WHERE a.${where} AND b.id = 2`;
  expect(await run(joined, parameters)).toMatchObject({ rows: [['2']] });
  expect(await run('SELECT id FROM logs')).not.toHaveProperty('rows');
});

test.each([
  [
    '[{"id":1},{"id":2}]',
    't.ndjson: a row cannot be read: it is a JSON array: name it t.json, or write one object a line',
  ],
  [
    '{"id":1}\r{"id":2}\r',
    "t.ndjson: a row cannot be read: its lines end in CR, and must end in LF or CRLF: tr '\\r' '\\n'",
  ],
  [
    '{"id":1}\n{"id":2} x',
    't.ndjson:2: not JSON: the last line is not finished; it is imported once it is complete',
  ],
])('a session reports a last line that is no row: %j', async (content, message) => {
  const problems: string[] = [];
  writeFileSync(join(folder, 't.ndjson'), content);
  const other = await openSession({
    duckdb: { dataDir: folder, storeFile: ':memory:', refreshSeconds: 3600 },
    tables: [{ name: 't', fields: [{ name: 'id', type: 'INTEGER', mode: 'NULLABLE' }] }],
    withRows: true,
    now: () => new Date(),
    listener: { problem: (problem) => void problems.push(problem), news: () => {} },
  });
  await other.close();
  expect(problems).toEqual([message]);
});
