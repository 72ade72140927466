import type { DuckDBConnection, DuckDBMaterializedResult, DuckDBPreparedStatement } from '@duckdb/node-api';
import { LRUCache } from 'lru-cache';
import {
  type Bindings,
  bindTo,
  buildCompute,
  callsHost,
  type Compute,
  type HostWork,
  type HostWorks,
  runCallingHost,
} from '@querygate/bigquery-sql/duckdb';

/** A connection that runs one statement at a time and keeps its prepared statements. */
export interface Worker {
  readonly connection: DuckDBConnection;
  /** From now until `release`, statements use this process within these limits. */
  beginWork(work: HostWork): void;
  /** Runs a statement with those of the bindings that it has parameters for. */
  run(sql: string, bindings: Bindings): Promise<DuckDBMaterializedResult>;
  /** As `run`, for a statement that is not kept: callers choose it. */
  runOnce(sql: string, bindings: Bindings): Promise<DuckDBMaterializedResult>;
  /** From now until `release` all statements read the same snapshot. */
  beginSnapshot(): Promise<void>;
  /** Keeps what has been written since. */
  commit(): Promise<void>;
  release(): Promise<void>;
  /** Forgets its statements; the connection is the caller's to close. */
  close(): void;
  readonly compute: Compute;
}

/** How many statements a worker keeps: those of the plans in use, for a catalog of ordinary size. */
const maxStatements = 256;

export function openWorker(connection: DuckDBConnection, hostWorks: HostWorks): Worker {
  const { connectionId } = connection.clientContext;
  const statements = new LRUCache<string, Promise<DuckDBPreparedStatement>>({
    max: maxStatements,
    dispose: (unused) => void unused.then((statement) => statement.destroySync()).catch(() => {}),
  });

  const prepare = (sql: string): Promise<DuckDBPreparedStatement> => {
    const cached = statements.get(sql);
    if (cached !== undefined) return cached;
    const statement = connection.prepare(sql);
    statements.set(sql, statement);
    statement.catch(() => statements.delete(sql));
    return statement;
  };

  /** DuckDB plans a statement without parameters once, by the values that the rows have then: it leaves out later ones. */
  const runPrepared = (statement: DuckDBPreparedStatement, sql: string, bindings: Bindings) => {
    if (statement.parameterCount === 0) return connection.run(sql);
    bindTo(statement, bindings);
    return statement.run();
  };

  const withHost = async (run: () => Promise<DuckDBMaterializedResult>) => {
    const result = await runCallingHost(run);
    const work = hostWorks.get(connectionId);
    work?.requireEnough();
    work?.apart?.requireComplete();
    return result;
  };

  let isInTransaction = false;
  return {
    connection,
    beginWork(work) {
      work.apart?.beginRun();
      hostWorks.set(connectionId, work);
    },
    async run(sql, bindings) {
      const run = async () => runPrepared(await prepare(sql), sql, bindings);
      return callsHost(sql) ? withHost(run) : run();
    },
    runOnce(sql, bindings) {
      const run = async () => {
        const statement = await connection.prepare(sql);
        try {
          return await runPrepared(statement, sql, bindings);
        } finally {
          statement.destroySync();
        }
      };
      return callsHost(sql) ? withHost(run) : run();
    },
    async beginSnapshot() {
      // A BEGIN that is interrupted may have begun.
      isInTransaction = true;
      await (await prepare('BEGIN')).run();
    },
    async commit() {
      await (await prepare('COMMIT')).run();
      isInTransaction = false;
    },
    async release() {
      hostWorks.get(connectionId)?.end();
      hostWorks.delete(connectionId);
      if (isInTransaction) await (await prepare('ROLLBACK')).run().catch(requireNone);
      isInTransaction = false;
    },
    close: () => statements.clear(),
    compute: buildCompute(connection, prepare),
  };
}

/** A COMMIT that was interrupted may have ended the transaction. @throws the error of a ROLLBACK if there is one */
function requireNone(error: unknown): void {
  if (!String(error).includes('no transaction is active')) throw error;
}
