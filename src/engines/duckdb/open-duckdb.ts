import { setMaxListeners } from 'node:events';
import { resolve } from 'node:path';
import { PerOwnerQueue } from '../../concurrency/per-owner-queue.ts';
import { sessionSettings } from '@querygate/bigquery-sql/duckdb';
import { quoteText } from '@querygate/bigquery-sql/tree';
import { once } from '../../memoize.ts';
import type { Engine } from '../../engine/engine.ts';
import type { EngineHost } from '../../engine/engine-factory.ts';
import { canStartChildren } from '../../process/start-child.ts';
import type { DuckdbOptions, DuckdbSettings } from './duckdb-options.ts';
import { forgetTable } from './import/scan/manifest.ts';
import { type LocalData, openData, requireDataDir } from './open-data.ts';
import { asStartError, openDatabase } from './open-database.ts';
import { openVersions, type Versions } from './open-versions.ts';
import { planInBackground } from './prepare/plan-in-background.ts';
import { ConnectionPool } from './run/connection-pool.ts';
import { buildDefineMacros } from './run/define-macros.ts';
import { JavascriptApart, javascriptInPlace, type RunWithJavascript } from './javascript/javascript-apart.ts';
import { buildRun } from './run/run-query.ts';
import { openSandboxes, type Sandboxes } from './sandbox/open-sandboxes.ts';
import { buildRunInSandbox } from './sandbox/run-in-sandbox.ts';
import { Strikes } from './sandbox/strikes.ts';
import { openStore, type Store } from './store/open-store.ts';
import { openTables } from './store/stored-tables.ts';

/**
 * The engine on one machine: an embedded DuckDB over local files, or over the demo data. It is open once the existing
 * data has been loaded.
 *
 * @throws StartError if a saved query uses unsupported SQL or returns other columns than declared, with file and line
 */
export async function openDuckdb(
  { catalog, limits, now, events: listener, turns }: EngineHost,
  settings: DuckdbSettings,
): Promise<Engine> {
  requireDataDir(settings);
  const database = await openDatabase(settings);
  const { connect } = database;
  const closing = new AbortController();
  // Every running or waiting query listens to it.
  setMaxListeners(0, closing.signal);
  let store: Store | undefined;
  let data: LocalData | undefined;
  let pool: ConnectionPool | undefined;
  let planning: Promise<void> | undefined;
  let versions: Versions | undefined;
  let sandboxes: Sandboxes | undefined;
  let javascript: RunWithJavascript | undefined;
  const closeAll = async () => {
    closing.abort();
    await sandboxes?.close();
    await javascript?.close();
    await pool?.close();
    await planning;
    await data?.close();
    await versions?.idle();
    database.close();
    await store?.close();
  };
  const close = once(closeAll);

  try {
    const adminConnection = await connect();
    await adminConnection.run(globalSettings);
    store = await openStore(adminConnection, settings.storeFile);
    const tables = await openTables(await connect(), catalog.tables, forgetTable);
    const defineMacros = buildDefineMacros(await connect(), new Set());
    versions = await openVersions({
      connection: adminConnection,
      catalog,
      tables,
      defineMacros,
      closing: closing.signal,
    });
    const { runnable } = versions;
    data = await openData({ connect, settings, store, tables, onRebuilt: versions.onRebuilt, now, listener });
    // Also gives back what the allocator has kept of the memory of the import.
    await adminConnection.run(`SET memory_limit = ${quoteText(settings.memoryLimit)}`);
    await adminConnection.run(lockdown(store, settings));
    pool = await ConnectionPool.open(limits.concurrency, {
      maxSlow: settings.threads,
      queueLength: limits.queueLength,
      database,
      onStuck: (query) => listener.stuck?.(`a run of ${query} went on after it was interrupted`),
    });
    if (settings.isolate) {
      sandboxes = openSandboxes({
        folder: store.sandboxes,
        compiled: store.compiled,
        size: Math.max(1, Math.min(settings.threads, limits.concurrency - 1)),
        queueLength: limits.queueLength,
        limits: settings.sandbox,
        onProblem: listener.problem,
      });
      if (catalog.queries.some(({ querySandboxing }) => querySandboxing === 'enabled')) sandboxes.prepare();
    }
    javascript = canStartChildren ? new JavascriptApart(limits.queueLength) : javascriptInPlace;
    const run = buildRun({
      pool,
      javascript,
      runnable,
      dataProblems: data.problems,
      timeoutMs: limits.timeoutMs,
      turns,
      reading: new PerOwnerQueue(),
      now,
      defineMacros,
      onUnusable: (error) => listener.unusable?.(error),
      runCallerSql:
        sandboxes &&
        buildRunInSandbox({
          ...{ pool, defineMacros, javascript, sandboxes, now, limits: settings.sandbox },
          strikes: new Strikes(),
          onStopped: (stopped) => listener.sqlStopped?.(stopped),
        }),
      closing: closing.signal,
    });
    const { catchUp } = data;
    planning = planInBackground({
      connection: await connect(),
      queries: catalog.queries,
      withQuery: (query, use) =>
        runnable.use(async (queries) => {
          const current = queries.get(query);
          if (current) await use(current);
        }),
      onProblem: listener.problem,
      signal: closing.signal,
    });
    return {
      source: `duckdb ${settings.dataDir === undefined ? 'demo' : resolve(settings.dataDir)}`,
      updates: versions.updates(data),
      run: catchUp === undefined ? run : (bound, options) => catchUp().then(() => run(bound, options)),
      close,
    };
  } catch (error) {
    await close();
    throw asStartError(error, settings);
  }
}

/** For every connection, also for those that are opened after the configuration is locked. */
export const globalSettings = sessionSettings
  .map((setting) => setting.replace(/^SET /, 'SET GLOBAL '))
  .join(';');

/**
 * SQL that denies all later statements extensions, settings, and files other than those of the data. It is a second
 * barrier, in case the rewriter accepts query text that it should reject.
 */
export function lockdown({ scratch, sandboxes }: Store, { dataDir }: DuckdbOptions): string {
  const folders = [scratch, sandboxes, ...(dataDir === undefined ? [] : [resolve(dataDir)])];
  return `SET allowed_directories = [${folders.map(quoteText).join(', ')}];
    SET enable_external_access = false; SET lock_configuration = true;`;
}
