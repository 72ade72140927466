import { readFileSync } from 'node:fs';
import { DuckDBInstance } from '@duckdb/node-api';
import { streams } from './studio/log-pages.ts';

export interface DemoTables {
  /** The rows of DuckDB's own SQL, as JSON. */
  rows(sql: string): Promise<Record<string, unknown>[]>;
  close(): void;
}

/**
 * The demo's rows from `from` to `to`, in a database of the test: plain tables, with nested records as DuckDB's own lists
 * and structs. The demo is a function of time alone, so that a gateway over the demo has the same rows.
 */
export async function openDemoTables(from: Date, to: Date): Promise<DemoTables> {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  await connection.run(`SET TimeZone = 'UTC'`);
  await connection.run(readFileSync('queries/demo/_shared.sql', 'utf8'));
  const moment = (date: Date) => `TIMESTAMPTZ '${date.toISOString()}'`;
  for (const stream of streams) {
    const sql = readFileSync(`queries/demo/${stream}.sql`, 'utf8').replace(/;\s*$/, '');
    const bound = sql.replaceAll(/\$from\b/g, moment(from)).replaceAll(/\$to\b/g, moment(to));
    await connection.run(`CREATE TABLE ${stream} AS ${bound}`);
  }
  return {
    async rows(sql) {
      const texts = await connection.runAndReadAll(
        `SELECT CAST(to_json(row_of) AS VARCHAR) FROM (${sql}) AS row_of`,
      );
      return texts.getRows().map(([text]) => JSON.parse(String(text)));
    },
    close() {
      connection.closeSync();
      instance.closeSync();
    },
  };
}
