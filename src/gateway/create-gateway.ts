import type { RequestListener } from 'node:http';
import type { Logger } from 'pino';
import { buildCollectors, openAppMetrics } from './app-metrics.ts';
import { openCallers } from './callers.ts';
import { buildHttpHandler } from './http-handler.ts';
import { openQueryExecution } from './query-execution.ts';
import { openHistory } from '../catalog/folder/catalog-history.ts';
import { readFolder } from '../catalog/folder/read-folder.ts';
import type { Catalog } from '../catalog/model/saved-query.ts';
import { type Clock, systemClock } from '../concurrency/clock.ts';
import type { Owner } from '../concurrency/fair-share.ts';
import { LoopTurns } from '../concurrency/loop-turns.ts';
import type { Config } from '../config.ts';
import type { Engine } from '../engine/engine.ts';
import { completeRecords } from '../analysis/complete-records.ts';
import { ByteBudget } from '../http/message/byte-budget.ts';
import { loadTrustedDocuments } from '../http/graphql/persisted/trusted.ts';
import { buildReadiness } from '../http/handler/readiness.ts';
import { buildFetch } from '../http/node/fetch-adapter.ts';
import { buildNodeListener } from '../http/node/node-listener.ts';
import type { Metrics } from '../metrics/open-registry.ts';
import type { FilesReport } from './reload/files-report.ts';
import { openReload } from './reload/open-reload.ts';
import type { Counters } from '../results/counters.ts';
import type { Tracer } from '../trace/span.ts';

export interface AppOptions {
  readonly config: Config;
  /** A key without restrictions, configured or generated at start; undefined if all keys are in the key file. */
  readonly apiKey: string | undefined;
  readonly log: Logger;
  /** Writes a line of JSON to the log as it is; undefined if only `log` may write. */
  readonly writeLine?: ((line: string) => void) | undefined;
  /** The time, for the SQL's CURRENT_TIMESTAMP() and for answers. */
  readonly now?: () => Date;
  /** Runs delayed work, as `Clock.after` does. */
  readonly after?: Clock['after'];
  /** Receives the progress of opening the engine, as one short line. */
  readonly onProgress?: (line: string) => void;
  /** Replaces the configured engine. */
  readonly engine?: Engine;
  /** Exports traces; undefined for none. The app closes it. */
  readonly tracer?: Tracer | undefined;
  /** Receives files of the catalog that begin or cease to be broken. */
  readonly onFiles?: ((report: FilesReport) => void) | undefined;
}

export interface App {
  /** The version that is served. */
  readonly catalog: Catalog;
  /** Looks for changed saved queries now; nothing if RELOAD is off. */
  reload(): void;
  /** Counts of what the cache has done since the start. */
  readonly counters: Readonly<Counters>;
  /** Handles one request. It never rejects. */
  fetch(request: Request): Promise<Response>;
  /** The same for Node's HTTP server. */
  readonly listener: RequestListener;
  /** undefined if METRICS is off. */
  readonly metrics: Metrics | undefined;
  /** Makes `/readyz` report that no new requests should be sent. */
  drain(): void;
  close(): Promise<void>;
}

/** Takes turns with the keys. */
const reloading: Owner = 'saved queries';

/**
 * The whole service without a socket.
 *
 * @throws StartError with every problem of the saved queries, or of the key file
 */
export async function openApp(options: AppOptions): Promise<App> {
  const { config, log, tracer, now = systemClock.now, after = systemClock.after } = options;
  const turns = new LoopTurns();
  const files = readFolder(config.queriesDir);
  const history = openHistory(config.queriesDir, files, now, completeRecords);
  const { catalog } = history;
  const { trustedDocumentsFile } = config;
  const trusted = trustedDocumentsFile === undefined ? undefined : loadTrustedDocuments(trustedDocumentsFile);

  const callers = await openCallers({ ...options, catalog, now });
  const collectors = buildCollectors(catalog, log, now);
  const execution = await openQueryExecution({
    ...options,
    catalog,
    clock: { now, after },
    turns,
    collectors,
  });
  const { results, getResult } = execution;
  await results.ready;
  await callers.ready;
  callers.watch();

  const state = () => reload.state;
  const metrics = await openAppMetrics({ config, catalog, collectors, results, state });
  let ready = true;
  const budget = new ByteBudget();
  const { handle, versions, buildVersion } = buildHttpHandler({
    ...options,
    catalog,
    keyring: callers.keyring,
    tokens: callers.tokens,
    trusted,
    getResult: config.metrics ? metrics.results.count(getResult) : getResult,
    metrics: metrics.registry,
    requestMetrics: config.metrics ? collectors.requests : undefined,
    derived: results.derived,
    readiness: buildReadiness(() => ready, state),
    budget,
    turns,
    now,
  });
  const reload = openReload({
    folder: config.queriesDir,
    files,
    history,
    updates: execution.updates,
    isOn: config.reload,
    async prepare(next) {
      const version = await turns.run(reloading, buildVersion(next));
      return () => {
        callers.replaceCatalog(next);
        metrics.replaceCatalog(next);
        return Promise.all([versions.replace(version), execution.replaceCatalog(next)]);
      };
    },
    onOutcome: metrics.catalog.recordReload,
    onFiles: options.onFiles,
    log,
    now,
  });
  return {
    get catalog() {
      return history.catalog;
    },
    reload: reload.look,
    counters: results.counters,
    metrics: metrics.registry,
    fetch: buildFetch(handle),
    listener: buildNodeListener({ handle, budget, turns, log, trustedProxies: config.trustedProxies }),
    drain: () => {
      ready = false;
    },
    async close() {
      metrics.registry?.close();
      // It may wait for an import, which closing the engine ends.
      const reloadClosed = reload.close();
      await callers.close();
      await execution.close();
      await reloadClosed;
      await tracer?.close();
    },
  };
}
