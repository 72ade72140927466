import { resolve } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import type { Config } from '../../config.ts';
import { sessionSettings } from '../dialect/macros/macros.ts';
import type { Engine, EngineOptions } from '../engine.ts';
import { forgetTable } from './import/scan/manifest.ts';
import { type LocalData, openData, requireDataDir } from './open-data.ts';
import { prepareCatalog } from './prepare/prepare-catalog.ts';
import { ConnectionPool } from './run/connection-pool.ts';
import { openRun } from './run/run-query.ts';
import { VersionedRef } from './run/versioned-ref.ts';
import { quoteText } from './store/column-type.ts';
import { asStartError, openDatabase } from './store/open-database.ts';
import { openStore, type Store } from './store/open-store.ts';
import { openTables } from './store/stored-tables.ts';

/**
 * The engine on one machine: an embedded DuckDB over local files, or over the demo. It is open when what there is of
 * data is in.
 *
 * @throws StartError where a saved query uses what is not supported, with file and line
 */
export async function openDuckdb({ catalog, config, now, listener }: EngineOptions): Promise<Engine> {
  requireDataDir(config);
  const instance = await openDatabase(config);
  const connections: DuckDBConnection[] = [];
  const connect = async () => {
    const connection = await instance.connect();
    connections.push(connection);
    return connection;
  };
  const closing = new AbortController();
  let store: Store | undefined;
  let data: LocalData | undefined;
  let pool: ConnectionPool | undefined;
  const shut = async () => {
    closing.abort();
    await pool?.close();
    await data?.close();
    for (const connection of connections.splice(0)) connection.closeSync();
    instance.closeSync();
    await store?.close();
  };
  let closed: Promise<void> | undefined;
  const close = () => {
    closed ??= shut();
    return closed;
  };

  try {
    const keeper = await connect();
    await keeper.run(globalSettings);
    store = await openStore(keeper, config.storeFile);
    const tables = await openTables(await connect(), catalog.tables, forgetTable);
    const prepare = (defineMacros: boolean) =>
      prepareCatalog(keeper, { queries: catalog.queries, tables: tables.all, defineMacros });
    const runnable = new VersionedRef(await prepare(true));
    tables.seek([...runnable.value.values()].flatMap(({ equalityColumns }) => equalityColumns));
    const workers: DuckDBConnection[] = [];
    for (let left = config.engineConcurrency; left > 0; left -= 1) workers.push(await connect());
    const onRebuilt = async () => runnable.replace(await prepare(false));
    data = await openData({ connect, config, store, tables, onRebuilt, now, listener });
    await keeper.run(lock(store, config));
    pool = new ConnectionPool(workers, {
      slowAtOnce: config.duckdbThreads,
      queueLength: config.engineQueueLength,
    });
    const run = openRun({
      pool,
      runnable,
      dataProblems: data.problems,
      timeoutMs: config.engineTimeoutMs,
      now,
      closing: closing.signal,
    });
    return {
      source: `duckdb ${config.dataDir === undefined ? 'demo' : resolve(config.dataDir)}`,
      run,
      close,
    };
  } catch (error) {
    await close();
    throw asStartError(error, config);
  }
}

/** For every connection, also of those that are made when nothing can be set any longer. */
const globalSettings = sessionSettings.map((setting) => setting.replace(/^SET /, 'SET GLOBAL ')).join(';');

/** Query text reaches neither extensions nor settings, and no files but those of data, whatever passes the rewriter. */
function lock({ scratch }: Store, { dataDir }: Config): string {
  const folders = dataDir === undefined ? [scratch] : [scratch, resolve(dataDir)];
  return `SET allowed_directories = [${folders.map(quoteText).join(', ')}];
    SET enable_external_access = false; SET lock_configuration = true;`;
}
