import type { DuckDBConnection } from '@duckdb/node-api';
import type { Catalog } from '../../catalog/saved-query.ts';
import type { Config } from '../../config.ts';
import { sessionSettings } from '../dialect/macros.ts';
import type { Engine } from '../engine.ts';
import { ConnectionPool } from './connection-pool.ts';
import { type LocalData, openData } from './open-data.ts';
import { asStartError, openDatabase } from './open-database.ts';
import { prepareAll } from './prepare-all.ts';
import { openRun } from './run-query.ts';

export interface DuckdbOptions {
  readonly catalog: Catalog;
  readonly config: Config;
  /** The time that CURRENT_TIMESTAMP() means. */
  readonly now: () => Date;
  /** Told what is wrong with local data. */
  readonly onDataProblem: (message: string) => void;
}

/**
 * The engine on one machine: an embedded DuckDB over local files, or over the demo.
 *
 * @throws StartError where a saved query uses what is not supported, with file and line
 */
export async function openDuckdb({ catalog, config, now, onDataProblem }: DuckdbOptions): Promise<Engine> {
  const instance = await openDatabase(config);
  const connections: DuckDBConnection[] = [];
  const connect = async () => {
    const connection = await instance.connect();
    connections.push(connection);
    await connection.run(sessionSettings.join(';'));
    return connection;
  };
  const closing = new AbortController();
  let data: LocalData | undefined;
  let pool: ConnectionPool | undefined;
  const shut = async () => {
    closing.abort();
    await pool?.close();
    await data?.close();
    for (const connection of connections.splice(0)) connection.closeSync();
    instance.closeSync();
  };
  let closed: Promise<void> | undefined;
  const close = () => {
    closed ??= shut();
    return closed;
  };

  try {
    const keeper = await connect();
    data = await openData({
      connection: await connect(),
      connect,
      catalog,
      config,
      now,
      onProblem: onDataProblem,
    });
    const runnable = await prepareAll(keeper, { ...catalog, defineMacros: true });
    const workers: DuckDBConnection[] = [];
    for (let left = config.engineConcurrency; left > 0; left -= 1) workers.push(await connect());
    await keeper.run(lock);
    pool = new ConnectionPool(workers);
    const run = openRun({
      pool,
      runnable: () => runnable,
      dataProblems: data.problems,
      timeoutMs: config.engineTimeoutMs,
      now,
      closing: closing.signal,
    });
    return { name: 'duckdb', run, close };
  } catch (error) {
    await close();
    throw asStartError(error, config);
  }
}

/** Query text reaches neither files nor extensions nor settings, whatever passes the rewriter. */
const lock = 'SET enable_external_access = false; SET lock_configuration = true;';
