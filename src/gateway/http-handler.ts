import type { Logger } from 'pino';
import type { AnalyzedCatalog } from '../catalog-analysis/analyze-catalog.ts';
import { buildAnswers } from '../answers/answers.ts';
import type { Catalog } from '../catalog/model/saved-query.ts';
import type { Clock } from '../concurrency/clock.ts';
import type { FairShare } from '../concurrency/fair-share.ts';
import { runSteps, type LoopTurns } from '../concurrency/loop-turns.ts';
import { VersionedRef } from '../concurrency/versioned-ref.ts';
import { buildAdmit } from '../http/access/admission.ts';
import type { Audit } from '../http/access/audit.ts';
import { buildCors, type Cors } from '../http/access/cors.ts';
import { buildRejectKeysInUrls } from '../http/access/reject-keys-in-urls.ts';
import { buildRejectWrongKey } from '../http/access/unauthenticated.ts';
import { buildAccessLog } from '../http/finish/access-log.ts';
import { buildFinish } from '../http/finish/finish.ts';
import { completeHeaders, uncachedHeaders } from '../http/finish/response-headers.ts';
import { buildGraphql } from '../http/graphql/graphql.ts';
import type { Following } from '../http/following.ts';
import type { ExtendSchema } from '../http/graphql/schema-extension.ts';
import type { TrustedDocuments } from '../http/graphql/persisted/trusted.ts';
import { type AnsweringVersion, buildHandler, type Handler } from '../http/handler/handle.ts';
import { buildRequestLimits } from '../http/handler/request-limits.ts';
import { buildPrepareRequest } from '../http/handler/prepare-request.ts';
import type { Readiness } from '../http/handler/readiness.ts';
import { buildRoutes, isRestKept } from '../http/handler/routes.ts';
import type { Renderers } from '../formats/renderers.ts';
import type { ByteBudget } from '../http/message/byte-budget.ts';
import { pathsToLog } from '../http/message/paths.ts';
import type { RequestHooks } from '../http/message/request-hooks.ts';
import { buildOpenTrace } from '../http/message/request-trace.ts';
import type { NamedRoute } from '../http/message/route.ts';
import { addressOf } from '../http/rest/address.ts';
import { buildRest } from '../http/rest/rest.ts';
import type { Gate } from '../call/gate.ts';
import type { Obtain } from '../call/obtain.ts';
import type { Callers } from '../keys/join-sources.ts';
import type { CurrentResults } from '../results/current-results.ts';
import type { DerivedStore } from '../results/result-store.ts';
import type { ReadRows } from '../row-arguments/row-reader.ts';
import type { PageOfResult } from '../row-pages/page-of-result.ts';
import type { Tracer } from '../trace/span.ts';
import type { Settings } from './options.ts';
import type { Answering } from './plugin.ts';

interface HttpOptions {
  readonly settings: Settings;
  /** As in `GatewayOptions`, like the next two. */
  readonly log: Logger;
  readonly writeLine?: ((line: string) => void) | undefined;
  readonly tracer?: Tracer | undefined;
  readonly catalog: AnalyzedCatalog;
  readonly callers: Callers;
  readonly trusted: TrustedDocuments | undefined;
  /** Of plug-ins. */
  readonly extendSchema: ExtendSchema | undefined;
  readonly gate: Gate;
  readonly audit: Audit;
  readonly obtain: Obtain;
  readonly pageOfResult: PageOfResult;
  readonly derived: DerivedStore;
  readonly current: CurrentResults;
  readonly readRows: ReadRows;
  readonly renderers: Renderers;
  /** Of a plug-in. */
  readonly following: Following | undefined;
  readonly hooks: RequestHooks;
  /** Makes the routes of plug-ins for a version. */
  readonly routesOf: (catalog: Catalog, answering: Answering) => Generator<void, readonly NamedRoute[]>;
  readonly readiness: Readiness;
  readonly budget: ByteBudget;
  readonly turns: LoopTurns;
  readonly clock: Clock;
}

/** The handler of requests, and the versions of the catalog that it answers by. */
export interface HttpHandler {
  readonly handle: Handler;
  /** The current version is that of the catalog. */
  readonly versions: VersionedRef<AnsweringVersion>;
  /** In steps: of a large catalog, it takes some tenths of a second. */
  readonly buildVersion: (catalog: AnalyzedCatalog) => Generator<void, AnsweringVersion>;
}

/** Connects what answers requests. */
export function buildHttpHandler(options: HttpOptions): HttpHandler {
  const { settings, callers, log, writeLine, tracer, hooks, budget, clock, audit } = options;
  const { isKeyText } = callers;
  const cors = buildCors(settings.corsOrigins);
  const limits = buildRequestLimits();
  const buildVersion = versionBuilder(options, cors, limits.inFlight);
  const versions = new VersionedRef(runSteps(buildVersion(options.catalog)));
  const handle = buildHandler({
    versions,
    admit: buildAdmit({
      callers,
      rejectKeysInUrls: buildRejectKeysInUrls(isKeyText),
      rejectWrongKey: buildRejectWrongKey(clock.elapsedMs),
      clock,
    }),
    audit,
    finish: buildFinish(
      cors,
      buildAccessLog(log, writeLine, isKeyText),
      hooks,
      callers.readsRequest ? uncachedHeaders : completeHeaders,
    ),
    hooks,
    openTrace: buildOpenTrace(tracer, isKeyText),
    budget,
    limits,
    log,
  });
  return { handle, versions, buildVersion };
}

/** Builds what lives as long as the process. @returns builds what lives as long as a version of the catalog */
function versionBuilder(options: HttpOptions, cors: Cors, inFlight: FairShare) {
  const { settings, derived, current, hooks, clock } = options;
  const buildGraphqlOf = buildGraphql({
    ...options,
    introspection: settings.introspection,
    elapsedMs: clock.elapsedMs,
  });
  const openAnswers = buildAnswers({ store: derived, current, showResult: hooks.showResult });
  const shared = { cors, inFlight, buildGraphqlOf, openAnswers };
  return (catalog: AnalyzedCatalog) => buildVersion(catalog, options, shared);
}

interface SharedByVersions {
  readonly cors: Cors;
  readonly inFlight: FairShare;
  readonly buildGraphqlOf: ReturnType<typeof buildGraphql>;
  readonly openAnswers: ReturnType<typeof buildAnswers>;
}

function* buildVersion(
  catalog: AnalyzedCatalog,
  options: HttpOptions,
  { cors, inFlight, buildGraphqlOf, openAnswers }: SharedByVersions,
): Generator<void, AnsweringVersion> {
  const { settings, log, audit, renderers, routesOf, readiness } = options;
  const graphql = yield* buildGraphqlOf(catalog);
  yield;
  const rest = buildRest({ ...options, catalog, inFlight });
  const plugins = yield* routesOf(catalog, {
    rest,
    isRestKept,
    addressOf: (request) => addressOf({ catalog, renderers }, request),
    audit,
    openAnswers,
    sandboxOf: (query) => catalog.analysisOf(query).sandbox(),
  });
  const { routesAt, loggedPath } = buildRoutes({
    rest,
    graphql,
    plugins,
    readiness,
    cors,
    log,
    basePath: settings.basePath,
  });
  const pathToLog = pathsToLog(catalog, renderers.names, loggedPath);
  return { prepare: buildPrepareRequest({ catalog, pathToLog, routesAt }), replies: openAnswers() };
}
