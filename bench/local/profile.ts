import { DuckDBConnection, DuckDBPreparedStatement } from '@duckdb/node-api';

/** A statement with the values that it ran with. */
interface Execution {
  readonly connection: DuckDBConnection;
  readonly sql: string;
  readonly bound: Parameters<DuckDBPreparedStatement['bind']>;
}

/** What DuckDB reports of a run. */
export interface Profile {
  readonly rowsScanned: number;
  /** The peak size of the database's buffers, cached blocks included. */
  readonly peakBytes: number;
}

/**
 * Profiles the product's statements, whose SQL the benchmark does not know: it records every `prepare` and `bind` of this
 * process, then runs EXPLAIN ANALYZE of the same statements with the same values on the same connection.
 */
export function openProfiler(): (work: () => Promise<unknown>) => Promise<Profile> {
  const prepared = new WeakMap<DuckDBPreparedStatement, Pick<Execution, 'connection' | 'sql'>>();
  const executions = new Map<DuckDBPreparedStatement, Execution>();
  const { prepare } = DuckDBConnection.prototype;
  const { bind } = DuckDBPreparedStatement.prototype;
  DuckDBConnection.prototype.prepare = async function (sql, ...rest) {
    const statement = await prepare.call(this, sql, ...rest);
    prepared.set(statement, { connection: this, sql });
    return statement;
  };
  DuckDBPreparedStatement.prototype.bind = function (...bound) {
    bind.apply(this, bound);
    const statement = prepared.get(this);
    if (statement !== undefined) executions.set(this, { ...statement, bound });
  };

  return async (work) => {
    executions.clear();
    await work();
    const profiles: Profile[] = [];
    for (const execution of [...executions.values()]) profiles.push(await explain(execution));
    return {
      rowsScanned: profiles.reduce((sum, { rowsScanned }) => sum + rowsScanned, 0),
      peakBytes: Math.max(0, ...profiles.map(({ peakBytes }) => peakBytes)),
    };
  };
}

async function explain({ connection, sql, bound }: Execution): Promise<Profile> {
  const statement = await connection.prepare(`EXPLAIN (ANALYZE, FORMAT json) ${sql}`);
  statement.bind(...bound);
  const [row] = (await statement.runAndReadAll()).getRows();
  statement.destroySync();
  const profile = JSON.parse(String(row?.[1]));
  return { rowsScanned: profile.cumulative_rows_scanned, peakBytes: profile.system_peak_buffer_memory };
}
