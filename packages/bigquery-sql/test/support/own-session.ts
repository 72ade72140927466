import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll } from 'vitest';
import { openSession, type RunOptions, type Session } from '../../src/duckdb/open-session.ts';

interface OwnSession {
  /** The rows of a query, or the message of its problem. */
  answer(sql: string, options?: RunOptions): Promise<readonly (readonly unknown[])[] | string>;
  /** How a query would run, as JSON. */
  explain(sql: string): Promise<string>;
  /** Another connection to its database. */
  connect(): Promise<DuckDBConnection>;
}

/** A session over an empty database in memory, for the tests of a file. */
export function ownSession(settings: Readonly<Record<string, string>> = {}): OwnSession {
  let instance: DuckDBInstance;
  let session: Session;
  beforeAll(async () => {
    instance = await DuckDBInstance.create(':memory:', settings);
    session = await openSession(await instance.connect());
  });
  afterAll(() => instance.closeSync());
  return {
    async answer(sql, options) {
      const outcome = await session.run(sql, options);
      if ('rows' in outcome) return outcome.rows;
      return 'error' in outcome ? outcome.error.message : 'it was explained';
    },
    explain: async (sql) => JSON.stringify(await session.explain(sql)),
    connect: () => instance.connect(),
  };
}
