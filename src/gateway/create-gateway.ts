import type { RequestListener } from 'node:http';
import { type Logger, pino } from 'pino';
import { type AnalyzedCatalog, buildAnalyze } from '../catalog-analysis/analyze-catalog.ts';
import { withSqlProblems } from '../catalog-analysis/sql-problems.ts';
import { deriveQuery } from '../catalog-analysis/derived/derive-query.ts';
import { openHistory } from '../catalog/folder/catalog-history.ts';
import { misplacedFiles } from '../catalog/folder/misplaced-files.ts';
import { Renderers } from '../formats/renderers.ts';
import { Gate } from '../call/gate.ts';
import { Obtain } from '../call/obtain.ts';
import { type Audit, buildAudit } from '../http/access/audit.ts';
import { buildLaterCallers } from '../http/access/later-caller.ts';
import { buildRejectKeys } from '../http/access/reject-keys-in-urls.ts';
import type { Catalog } from '../catalog/model/saved-query.ts';
import { elapsedBy, systemClock, waitingTimers, within } from '../concurrency/clock.ts';
import type { Owner } from '../concurrency/fair-share.ts';
import { Closers } from '../concurrency/closers.ts';
import { keepTicksFast } from '../concurrency/fast-ticks.ts';
import { LoopTurns } from '../concurrency/loop-turns.ts';
import { restExamples } from './examples.ts';
import { loadTrustedDocuments } from '../http/graphql/persisted/trusted.ts';
import { errorToLog } from '../engine-contract/without-values.ts';
import { once } from '../memoize.ts';
import { buildReadiness } from '../http/handler/readiness.ts';
import { ByteBudget } from '../http/message/byte-budget.ts';
import { toGatewayError } from '../http/message/reply.ts';
import { logOfError } from '../http/message/request-trace.ts';
import { buildFetch, type Connection } from '../http/node/fetch-adapter.ts';
import { buildNodeListener } from '../http/node/node-listener.ts';
import type { Counters } from '../results/counters.ts';
import { buildApplyRowRequest } from './apply-row-request.ts';
import { readPartRequest } from '../http/rest/row-parameters.ts';
import { openReadRows } from '../row-arguments/row-reader.ts';
import { buildPageOfResult } from '../row-pages/page-of-result.ts';
import { safeTracer } from '../trace/safe-tracer.ts';
import { type OpenCallers, openCallers } from './callers.ts';
import { buildHttpHandler, type HttpHandler } from './http-handler.ts';
import { checkedGatewayOptions } from './option-rules.ts';
import { safeLog } from './safe-log.ts';
import { familiesOf, openPlugins } from './open-plugins.ts';
import { type GatewayOptions, settingsOf } from './options.ts';
import type { PluginHost } from './plugin.ts';
import { buildPluginHooks } from './plugin-hooks.ts';
import { openQueryExecution, type QueryExecution } from './query-execution.ts';
import { openReload } from './reload/open-reload.ts';
import { catalogSource } from './reload/query-source.ts';

/** Serves saved queries. It has no socket: a server gives it requests. */
export interface Gateway {
  /** The version of the saved queries that is served now. */
  readonly catalog: Catalog;
  /** Paths of REST requests with example values, one for each saved query whose header has enough of them. */
  readonly examples: readonly string[];
  /** Counts of what the cache has done since the start. */
  readonly counters: Readonly<Counters>;
  /**
   * Answers one request, as a handler of Bun, Deno, hono and Next. It never rejects, and needs no `this`.
   *
   * @param connection `{ address }` with the address of the caller, or what Bun, Deno and hono give. Without it wrong keys are
   * not slowed down, and keys that are bound to addresses are refused
   */
  readonly fetch: (request: Request, connection?: Connection) => Promise<Response>;
  /** The same for Node's HTTP server, and for express. It needs no `this`. */
  readonly listener: RequestListener;
  /** Looks for changed saved queries now; nothing if they are not followed. */
  reload(): void;
  /** Makes `/readyz` report that no new requests should be sent. */
  drain(): void;
  /** Ends answers that last: their clients come back after some seconds. `close` does it too. */
  endStreams(): void;
  /** Stops running queries, and closes everything that the gateway has opened. It is safe to call twice. */
  close(): Promise<void>;
}

/** Takes turns with the keys. */
const reloading: Owner = 'saved queries';

/**
 * Opens the engine, reads the saved queries, and checks each of them. It changes nothing of the process: no signals, no
 * variables of the environment, no output. Several gateways may be open in one process.
 *
 * @throws StartError with every problem of the options, the saved queries or the key file
 */
export async function createGateway(options: GatewayOptions): Promise<Gateway> {
  const checked = checkedGatewayOptions(options);
  keepTicksFast();
  const closers = new Closers();
  closers.push(() => checked.tracer?.close());
  try {
    return await openGateway(checked, closers);
  } catch (error) {
    // The first failure is the one to be corrected.
    await closers.close().catch(() => {});
    throw error;
  }
}

/** A tracer fails for each request. */
function reportOnce(log: Logger): (error: unknown) => void {
  let isReported = false;
  return (error) => {
    if (!isReported)
      log.error({ err: errorToLog(error, log) }, 'the tracer fails: requests are answered all the same');
    isReported = true;
  };
}

async function openGateway(given: GatewayOptions, closers: Closers): Promise<Gateway> {
  const options = withDefaults(given);
  const { keys, cache, trustedDocuments, hideEndpoints, settings, plugins } = options;
  const { turns, clock, log } = options;
  const queries = await readQueries(options);
  const { history } = queries;
  const { catalog } = history;
  const trusted = trustedDocuments === undefined ? undefined : loadTrustedDocuments(trustedDocuments);

  const callers = await openCallers(
    { keys, shared: cache?.shared, catalog, hideEndpoints, log, clock },
    closers,
  );
  const execution = await openQueryExecution({ ...options, catalog }, closers);
  const { results } = execution;
  await results.ready;
  await callers.ready;
  callers.watch();

  const audit = buildAudit(log, callers.isKeyText);
  const gate = new Gate({ turns, audit, now: results.clock.now });
  const budget = new ByteBudget();
  const rows = openRows(options, execution, { audit, budget }, closers);
  const state = () => reload.state;
  const opened = await openPlugins(
    plugins,
    hostOf(options, history, { callers, execution, gate, ...rows, state }),
    closers,
  );
  options.hooks.readReplyHooks();
  let phase: 'serving' | 'draining' = 'serving';
  const http = buildHttpHandler({
    ...options,
    ...rows,
    catalog,
    callers,
    trusted,
    extendSchema: opened.extendSchema,
    gate,
    audit,
    routesOf: opened.routesOf,
    derived: results.derived,
    current: results.current,
    following: opened.following,
    readiness: buildReadiness(() => phase === 'serving', state),
    budget,
  });
  closers.push(() => endRuns(opened, execution));
  const reload = openReloading(options, queries, execution, http, [
    { replaceCatalog: ({ queries }) => callers.replaceQueries(queries) },
    execution,
    opened,
    { replaceCatalog: options.hooks.readReplyHooks },
  ]);
  const { handle } = http;
  return {
    get catalog() {
      return history.catalog;
    },
    get examples() {
      return restExamples(history.catalog).map((path) => settings.basePath + path);
    },
    reload: reload.look,
    counters: results.counters,
    fetch: buildFetch({ ...settings, handle, turns, clock, log }),
    listener: buildNodeListener({ ...settings, handle, budget, turns, log }),
    drain: () => {
      phase = 'draining';
    },
    endStreams: opened.endStreams,
    close: once(async () => {
      // It may wait for an import, which closing the engine ends.
      const closing = [reload.close(), closers.close()];
      await Promise.allSettled(closing);
      await Promise.all(closing);
    }),
  };
}

/** How long plug-ins wait for what cancelled runs have cost, before they close. */
const endRunsMs = 1_500;

/** An engine that does not end in time is waited for when the plug-ins are closed. */
async function endRuns(
  { endStreams }: Pick<Awaited<ReturnType<typeof openPlugins>>, 'endStreams'>,
  execution: QueryExecution,
): Promise<void> {
  endStreams();
  await within(waitingTimers, endRunsMs, execution.endRuns(), () => new Error('late')).catch(() => {});
}

/** Parts that follow versions of the catalog, beside the request handler. */
interface FollowsCatalog {
  /** @returns a promise, if it takes longer than the turn of the event loop */
  replaceCatalog(catalog: AnalyzedCatalog): unknown;
}

/** Follows the saved queries: a version that is right replaces the one before it everywhere at once. */
const openReloading = (
  { reload = true, turns, hooks, onFiles, log, clock }: Options,
  queries: Awaited<ReturnType<typeof readQueries>>,
  { updates }: QueryExecution,
  { buildVersion, versions }: HttpHandler,
  followers: readonly FollowsCatalog[],
) =>
  openReload({
    ...queries,
    updates,
    isOn: reload,
    async prepare(next) {
      const version = await turns.run(reloading, buildVersion(next));
      return () =>
        Promise.all([
          versions.replace(version),
          ...followers.map((follower) => follower.replaceCatalog(next)),
        ]);
    },
    onOutcome: (outcome) => {
      for (const hook of hooks.onReload) hook(outcome);
    },
    onFiles,
    log,
    now: clock.now,
  });

type Options = ReturnType<typeof withDefaults>;

/** The options, with what follows from them alone. */
function withDefaults(given: GatewayOptions) {
  const { now = systemClock.now, after = systemClock.after } = given;
  const log = given.log === undefined ? pino({ enabled: false }) : safeLog(given.log);
  const elapsedMs = now === systemClock.now ? systemClock.elapsedMs : elapsedBy(now);
  const clock = { now, elapsedMs, after };
  const { plugins = [], hideEndpoints = 'tenants' } = given;
  const tracer = given.tracer && safeTracer(given.tracer, reportOnce(log));
  return {
    ...{ ...given, log, tracer, plugins, hideEndpoints },
    clock,
    settings: settingsOf(given),
    hooks: buildPluginHooks(plugins, log, clock),
    renderers: new Renderers(plugins),
    turns: new LoopTurns(),
  };
}

/** The first version of the catalog, and where the next ones come from. */
async function readQueries({ queries, engine, clock, log }: Options) {
  for (const warning of typeof queries === 'string' ? misplacedFiles(queries) : []) log.warn(warning);
  const source = catalogSource(queries);
  const files = await source.read();
  const history = withSqlProblems(engine, () =>
    openHistory(source.folder, files, clock.now, buildAnalyze(engine)),
  );
  return { source, files, history };
}

/** The way to the rows of a call. */
function openRows(
  { turns, settings, hooks: { showResult } }: Options,
  { getResult, results: { derived, current } }: QueryExecution,
  { audit, budget }: { readonly audit: Audit; readonly budget: ByteBudget },
  closers: Closers,
) {
  const readRows = openReadRows({ derived, turns, timeoutMs: settings.engineTimeoutMs }, closers);
  const pageOfResult = buildPageOfResult({ derived, turns });
  const applyRowRequest = buildApplyRowRequest({ readRows, budget, turns });
  const obtain = new Obtain({ getResult, current, showResult, applyRowRequest, pageOfResult, turns, audit });
  return { readRows, pageOfResult, obtain };
}

interface HostParts {
  readonly callers: OpenCallers;
  readonly execution: QueryExecution;
  readonly gate: Gate;
  readonly obtain: Obtain;
  readonly state: PluginHost['state'];
}

/** The parts of the gateway that plug-ins may use. */
const hostOf = (
  { log, turns, settings, plugins, renderers, cache, engine }: Options,
  history: Awaited<ReturnType<typeof readQueries>>['history'],
  { callers, execution, gate, obtain, state }: HostParts,
): PluginHost => ({
  log,
  basePath: settings.basePath,
  clock: execution.results.clock,
  turns,
  shared: cache?.shared,
  catalog: history.catalog,
  renderers,
  engine: settings.engine,
  hasOwnClock: engine.flags?.hasClock === true,
  engineConcurrency: settings.engineConcurrency,
  engineTimeoutMs: settings.engineTimeoutMs,
  isKeyText: callers.isKeyText,
  rejectKeys: buildRejectKeys(callers.isKeyText),
  shown: (error, head) => toGatewayError(error, logOfError(error, head, log)),
  run: execution.run,
  async derive(query, derivation) {
    await turns.wait(reloading);
    return deriveQuery(query, derivation, history.catalog, engine);
  },
  estimateBytes: execution.estimateBytes,
  changes: execution.changes,
  results: execution.results,
  open: (endpoint, caller) => gate.open(endpoint, caller),
  obtain: (call, hints) => obtain.part(call, readPartRequest(call, hints)),
  obtainFollowed: (call) => obtain.whole(call, true),
  reopen: (endpoint, principal) => gate.reopen(endpoint, principal),
  callerOf: buildLaterCallers(callers),
  canFollow: plugins.some(({ following }) => following !== undefined),
  follow: execution.results,
  state,
  families: () => familiesOf(plugins, log),
});
