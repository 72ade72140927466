import { setMaxListeners } from 'node:events';
import { Closers } from '../../concurrency/closers.ts';
import { PerOwnerQueue } from '../../concurrency/per-owner-queue.ts';
import { sessionSettings } from '@querygate/bigquery-sql/duckdb';
import { quoteText } from '@querygate/bigquery-sql/tree';
import { queryOfForm } from '../../catalog/model/query-forms.ts';
import { once } from '../../memoize.ts';
import type { Engine } from '../../engine-contract/engine.ts';
import type { EngineHost } from '../../engine-contract/engine-factory.ts';
import { canStartChildren } from '../../process/start-child.ts';
import { hasSnapshots } from './check-queries.ts';
import type { DuckdbSettings } from './duckdb-options.ts';
import type { LocalData } from './data/local-data.ts';
import { openData, requireDataDir } from './open-data.ts';
import { asStartError, type Database, openDatabase } from './open-database.ts';
import { sizeOf } from './open-isolated.ts';
import { openVersions, type Versions } from './open-versions.ts';
import { planInBackground } from './prepare/plan-in-background.ts';
import { ConnectionPool } from './run/connection-pool.ts';
import { buildDefineMacros, type DefineMacros } from './run/define-macros.ts';
import { JavascriptApart, javascriptInPlace } from './javascript/javascript-apart.ts';
import { openKeptParts } from './run/kept-parts.ts';
import { buildRun } from './run/run-query.ts';
import { reportUnusable } from './wire/unusable-database.ts';
import { openSandboxes } from './sandbox/open-sandboxes.ts';
import { buildRunInSandbox } from './sandbox/run-in-sandbox.ts';
import { Strikes } from './sandbox/strikes.ts';
import { openStore, openTables, type Store, type StoredTables } from '@querygate/duckdb-import';
import { onOrphaned } from '../../process/connect-to-parent.ts';

/**
 * The engine on one machine: an embedded DuckDB over local files, or over the demo data. It is open once the existing
 * data has been loaded.
 *
 * @throws StartError if a saved query uses unsupported SQL or returns other columns than declared, with file and line
 */
export async function openDuckdb(host: EngineHost, settings: DuckdbSettings): Promise<Engine> {
  requireDataDir(settings);
  const database = await openDatabase(settings);
  const closing = new AbortController();
  // Every running or waiting query listens to it.
  setMaxListeners(0, closing.signal);
  const closers = new Closers();
  const close = once(() => {
    closing.abort();
    return closers.close();
  });
  try {
    const parts = await openParts(host, settings, { database, closers, closing: closing.signal });
    return { ...parts, close };
  } catch (error) {
    await close();
    throw asStartError(error, settings);
  }
}

/** The resources that all parts of the engine share. */
interface Shared {
  readonly database: Database;
  readonly closers: Closers;
  /** Aborted when the engine closes. */
  readonly closing: AbortSignal;
}

async function openParts(
  host: EngineHost,
  settings: DuckdbSettings,
  shared: Shared,
): Promise<Omit<Engine, 'close'>> {
  const { database, closers, closing } = shared;
  const { catalog, now, events: listener } = host;
  const { connect } = database;
  let store: Store | undefined;
  // The file is let go when the database has closed it.
  closers.push(() => store?.close());
  closers.push(() => database.close());
  const connection = await connect();
  await connection.run(globalSettings);
  store = await openStore(connection, settings.storeFile, onOrphaned);
  const tables = await openTables(await connect(), catalog.tables);
  const defineMacros = buildDefineMacros(await connect(), new Set());
  const versions = await openVersions({
    ...{ connection, catalog, tables, defineMacros, closing },
    hasSnapshots: hasSnapshots(settings),
  });
  closers.push(() => versions.idle());
  // An import frees hundreds of megabytes again and again, of which the allocator would keep most.
  for (const threshold of flushThresholds) await connection.run(`SET ${threshold} = '32MB'`);
  await connection.run(`SET memory_limit = '${Math.floor(importShare * sizeOf(settings.memoryLimit))}B'`);
  const data = await openData({
    ...database,
    settings,
    store,
    tables,
    onRebuilt: versions.onRebuilt,
    now,
    listener,
  });
  closers.push(() => data.close());
  for (const threshold of flushThresholds) await connection.run(`RESET ${threshold}`);
  // Also gives back what the allocator has kept of the memory of the import.
  await connection.run(`SET memory_limit = ${quoteText(settings.memoryLimit)}`);
  await connection.run(lockdown(store, data));
  const run = await openRun(host, settings, shared, { store, tables, data, versions, defineMacros });
  const planning = planInBackground({
    connection: await connect(),
    queries: catalog.queries,
    withQuery: (query, use) =>
      versions.runnable.use(async (queries) => {
        const current = queries.get(query);
        if (current) await use(current);
      }),
    onProblem: listener.problem,
    signal: closing,
  });
  closers.push(() => planning);
  const { catchUp, files, source } = data;
  return {
    source: `duckdb ${source}`,
    dataVersionOf: (query) => files.versionOf(versions.runnable.value.get(queryOfForm(query))?.tables ?? []),
    updates: versions.updates(data),
    async changes(timed, since) {
      await catchUp?.();
      const { changedTimes } = tables;
      const timeOf = (table: string) => tables.all.find(({ name }) => name === table)?.time;
      // The state comes first: rows of a later one are compared again.
      const { state } = changedTimes;
      const changed = since === undefined ? undefined : changedTimes.since(since, timed, timeOf);
      return { state, changed, knowsLate: true };
    },
    run: catchUp === undefined ? run : (bound, options) => catchUp().then(() => run(bound, options)),
  };
}

/** The share of the memory limit that an import may take: its reader and its sorting take more than DuckDB counts. */
const importShare = 0.75;

const flushThresholds = ['allocator_flush_threshold', 'allocator_bulk_deallocation_flush_threshold'];

interface Stored {
  readonly store: Store;
  readonly tables: StoredTables;
  readonly data: LocalData;
  readonly versions: Versions;
  readonly defineMacros: DefineMacros;
}

/**
 * Opens the parts that run queries: connections, and processes for functions in JavaScript and for the SQL of callers.
 */
async function openRun(
  { catalog, limits, now, events: listener, turns }: EngineHost,
  settings: DuckdbSettings,
  { database, closers, closing }: Shared,
  { store, tables, data, versions, defineMacros }: Stored,
): Promise<Engine['run']> {
  const { concurrency, queueLength, timeoutMs } = limits;
  const pool = await ConnectionPool.open(concurrency, {
    maxSlow: Math.ceil(settings.threads / 2),
    queueLength,
    database,
    onStuck: (query) => listener.stuck?.(`a run of ${query} went on after it was interrupted`),
  });
  closers.push(() => pool.close());
  const javascript = canStartChildren ? new JavascriptApart(queueLength) : javascriptInPlace;
  closers.push(() => javascript.close());
  const parts = await openKeptParts({
    ...{ pool, javascript, tables, timeoutMs, now, closing },
    connection: await database.connect(),
    onProblem: listener.problem,
  });
  closers.push(() => parts.close());
  const sandboxes = settings.isolate
    ? openSandboxes({
        folder: store.sandboxes,
        size: Math.max(1, Math.min(settings.threads, concurrency - 1)),
        queueLength,
        limits: settings.sandbox,
        onProblem: listener.problem,
      })
    : undefined;
  closers.push(() => sandboxes?.close());
  if (catalog.queries.some(({ querySandboxing }) => querySandboxing === 'enabled')) sandboxes?.prepare();
  return buildRun({
    pool,
    parts,
    javascript,
    runnable: versions.runnable,
    data,
    timeoutMs,
    turns,
    reading: new PerOwnerQueue(),
    now,
    defineMacros,
    onFailure: (error) => void reportUnusable(error, database, (found) => listener.unusable?.(found)),
    runCallerSql:
      sandboxes &&
      buildRunInSandbox({
        ...{ pool, defineMacros, javascript, sandboxes, now, limits: settings.sandbox },
        strikes: new Strikes(),
        onStopped: (stopped) => listener.sqlStopped?.(stopped),
      }),
    closing,
  });
}

/** For every connection, also for those that are opened after the configuration is locked. */
export const globalSettings = sessionSettings
  .map((setting) => setting.replace(/^SET /, 'SET GLOBAL '))
  .join(';');

/**
 * SQL that denies all later statements extensions, settings, and files other than those of the data. It is a second
 * barrier, in case the rewriter accepts query text that it should reject.
 */
export function lockdown(
  { scratch, sandboxes }: Store,
  { folders, paths }: Pick<LocalData, 'folders' | 'paths'>,
): string {
  const list = (names: readonly string[]) => `[${names.map(quoteText).join(', ')}]`;
  return `SET allowed_directories = ${list([scratch, sandboxes, ...folders])}; SET allowed_paths = ${list(paths)};
    SET enable_external_access = false; SET lock_configuration = true;`;
}
