import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import type { SavedQuery } from '../../../src/catalog/model/saved-query.ts';
import type { TableSchema } from '@querygate/bigquery-sql/table-schema';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readConfig } from '../../../src/config.ts';
import type { Engine, ImportReport } from '../../../src/engine-contract/engine.ts';
import { withDefaults } from '../../../src/engines/duckdb/duckdb-options.ts';
import { openDuckdb } from '../../../src/engines/duckdb/open-duckdb.ts';
import { engineHost } from '../../support/engine-host.ts';
import { draftQuery } from '../../support/queries.ts';

const logs: TableSchema = {
  name: 'logs',
  fields: [
    { name: 'status', type: 'INTEGER', mode: 'NULLABLE' },
    { name: 'path', type: 'STRING', mode: 'NULLABLE' },
  ],
};

/** Each says something about later rows that is not so of the first ones, and none has a parameter. */
const shapes: Readonly<Record<string, string>> = {
  'a value beyond all others': 'SELECT count(*) AS n FROM logs WHERE status = 500',
  'a condition that all others fulfil': 'SELECT count(*) AS n FROM logs WHERE status < 300',
  'a text after all others': "SELECT count(*) AS n FROM logs WHERE path >= '/x'",
  'the first NULL': 'SELECT count(*) AS n FROM logs WHERE status IS NULL',
  'the number of rows': 'SELECT count(*) AS n FROM logs',
  'the greatest value': 'SELECT max(status) AS n FROM logs',
  'a branch of CASE': 'SELECT sum(CASE WHEN status >= 500 THEN 1 ELSE 0 END) AS n FROM logs',
  'a join': 'SELECT count(*) AS n FROM logs a JOIN (SELECT 500 AS status) b ON a.status = b.status',
};
const queries = Object.entries(shapes).map(([name, sql]) =>
  draftQuery({ name, columns: { n: 'integer' }, sql }),
);

describe('rows that are added after a query has run', () => {
  let folder: string;
  let engine: Engine | undefined;
  /** As they are analyzed. */
  let served: readonly SavedQuery[];
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'querygate-test-'));
    mkdirSync(join(folder, 'logs'));
  });
  afterEach(async () => {
    await engine?.close();
    rmSync(folder, { recursive: true });
  });

  const line = (status: number | null, path: string) => `${JSON.stringify({ status, path })}\n`;
  const first = Array.from({ length: 3000 }, (_, at) => line(200 + (at % 3), `/a${at % 7}`)).join('');
  const later = line(500, '/z') + line(null, '/y');

  const open = async (reports: ImportReport[]) => {
    const config = readConfig({ DATA_DIR: folder, STORE_FILE: ':memory:', ENGINE_CONCURRENCY: '1' });
    const events = { imported: (report: ImportReport) => void reports.push(report) };
    const host = engineHost({ catalog: { queries, tables: [logs] }, config, events });
    served = host.catalog.queries;
    engine = await openDuckdb(host, withDefaults({ ...config.duckdb, refreshSeconds: 0.05 }));
  };
  const answers = async () => {
    const found: Record<string, unknown> = {};
    for (const query of served) {
      const { signal } = new AbortController();
      const result = await engine?.run({ query, parameters: {} }, { signal });
      found[query.name] = JSON.parse(String([...(result?.rows ?? [])][0])).n;
    }
    return found;
  };
  const expected = {
    'a value beyond all others': 1,
    'a condition that all others fulfil': 3000,
    'a text after all others': 2,
    'the first NULL': 1,
    'the number of rows': 3002,
    'the greatest value': 500,
    'a branch of CASE': 1,
    'a join': 1,
  };

  test('are in the next answer of a query without parameters', async () => {
    const file = join(folder, 'logs', 'a.ndjson');
    writeFileSync(file, first);
    const reports: ImportReport[] = [];
    await open(reports);
    for (let runs = 0; runs < 3; runs += 1) await answers();
    appendFileSync(file, later);
    await expect.poll(() => reports.some(({ rows }) => rows === 2), { timeout: 20_000 }).toBe(true);
    expect(await answers()).toEqual(expected);
  });

  test('are so if the file is read where it is', async () => {
    const instance = await DuckDBInstance.create();
    const connection = await instance.connect();
    const write = async (lines: string) => {
      writeFileSync(join(folder, 'lines'), lines);
      const columns = "columns = {status: 'BIGINT', path: 'VARCHAR'}, format = 'newline_delimited'";
      await connection.run(
        `COPY (FROM read_json('${join(folder, 'lines')}', ${columns})) TO '${join(folder, 'logs', 'a.parquet')}'`,
      );
    };
    await write(first);
    await open([]);
    for (let runs = 0; runs < 3; runs += 1) await answers();
    await write(first + later);
    await expect.poll(answers, { timeout: 20_000 }).toEqual(expected);
    connection.closeSync();
    instance.closeSync();
  });
});
