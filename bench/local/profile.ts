import { DuckDBConnection, DuckDBPreparedStatement } from '@duckdb/node-api';

/** A statement as it ran. */
interface Ran {
  readonly connection: DuckDBConnection;
  readonly sql: string;
  readonly bound: Parameters<DuckDBPreparedStatement['bind']>;
}

/** What DuckDB says of a run. */
export interface Profile {
  readonly rowsScanned: number;
  /** The most that the database held in its buffers meanwhile, cached blocks included. */
  readonly peakBytes: number;
}

/**
 * Tells what statements do whose text the bench does not know: those of the product. It listens to every preparing and
 * binding in this process, then has the same statements explained with the same values on the same connection.
 */
export function openProfiler(): (work: () => Promise<unknown>) => Promise<Profile> {
  const prepared = new WeakMap<DuckDBPreparedStatement, Pick<Ran, 'connection' | 'sql'>>();
  const ran = new Map<DuckDBPreparedStatement, Ran>();
  const { prepare } = DuckDBConnection.prototype;
  const { bind } = DuckDBPreparedStatement.prototype;
  DuckDBConnection.prototype.prepare = async function (sql, ...rest) {
    const statement = await prepare.call(this, sql, ...rest);
    prepared.set(statement, { connection: this, sql });
    return statement;
  };
  DuckDBPreparedStatement.prototype.bind = function (...bound) {
    bind.apply(this, bound);
    const known = prepared.get(this);
    if (known !== undefined) ran.set(this, { ...known, bound });
  };

  return async (work) => {
    ran.clear();
    await work();
    const profiles: Profile[] = [];
    for (const one of [...ran.values()]) profiles.push(await explain(one));
    return {
      rowsScanned: profiles.reduce((sum, { rowsScanned }) => sum + rowsScanned, 0),
      peakBytes: Math.max(0, ...profiles.map(({ peakBytes }) => peakBytes)),
    };
  };
}

async function explain({ connection, sql, bound }: Ran): Promise<Profile> {
  const statement = await connection.prepare(`EXPLAIN (ANALYZE, FORMAT json) ${sql}`);
  statement.bind(...bound);
  const [row] = (await statement.runAndReadAll()).getRows();
  statement.destroySync();
  const told = JSON.parse(String(row?.[1]));
  return { rowsScanned: told.cumulative_rows_scanned, peakBytes: told.system_peak_buffer_memory };
}
