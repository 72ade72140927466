import type { DuckDBConnection, DuckDBMaterializedResult, DuckDBPreparedStatement } from '@duckdb/node-api';
import { type Bindings, bindTo } from './bindings.ts';
import { buildCompute, type Compute } from './compute-constants.ts';

/** A connection that runs one statement at a time and keeps the statements it has prepared. */
export interface Worker {
  readonly connection: DuckDBConnection;
  /** Runs a statement with those of the values that it asks for. */
  run(sql: string, bindings: Bindings): Promise<DuckDBMaterializedResult>;
  /** From now until `release` all statements see the same rows. */
  holdState(): Promise<void>;
  release(): Promise<void>;
  readonly compute: Compute;
}

/** How many statements a worker keeps: those of the plans in use, for a catalog of ordinary size. */
const maxStatements = 256;

export function openWorker(connection: DuckDBConnection): Worker {
  const statements = new Map<string, Promise<DuckDBPreparedStatement>>();

  const statement = (sql: string): Promise<DuckDBPreparedStatement> => {
    const known = statements.get(sql) ?? connection.prepare(sql);
    // Put last again: the first is the one longest unused.
    statements.delete(sql);
    statements.set(sql, known);
    known.catch(() => statements.delete(sql));
    if (statements.size > maxStatements) forgetFirst(statements);
    return known;
  };

  let holds = false;
  return {
    connection,
    async run(sql, bindings) {
      const prepared = await statement(sql);
      bindTo(prepared, bindings);
      return prepared.run();
    },
    async holdState() {
      await (await statement('BEGIN')).run();
      holds = true;
    },
    async release() {
      if (holds) await (await statement('ROLLBACK')).run();
      holds = false;
    },
    compute: buildCompute(connection, statement),
  };
}

function forgetFirst(statements: Map<string, Promise<DuckDBPreparedStatement>>): void {
  const [first] = statements;
  if (first === undefined) return;
  statements.delete(first[0]);
  void first[1].then((unused) => unused.destroySync()).catch(() => {});
}
