import type { Logger } from 'pino';
import type { Catalog } from '../catalog/model/saved-query.ts';
import type { LoopTurns } from '../concurrency/loop-turns.ts';
import { runSteps } from '../concurrency/run-steps.ts';
import { VersionedRef } from '../concurrency/versioned-ref.ts';
import { buildAdmit } from '../http/access/admission.ts';
import { type Audit, buildAudit } from '../http/access/audit.ts';
import { buildCors, type Cors } from '../http/access/cors.ts';
import { isFromLoopback } from '../http/access/loopback.ts';
import { buildRejectKeys, buildRejectKeysInUrls } from '../http/access/reject-keys-in-urls.ts';
import { buildRejectWrongKey } from '../http/access/wrong-keys.ts';
import { acceptLogflareRequests, buildLogflareCompat } from '../http/compat/logflare.ts';
import { buildAccessLog } from '../http/finish/access-log.ts';
import { buildFinish } from '../http/finish/finish.ts';
import { buildGraphiql, graphiqlSet } from '../http/graphiql/graphiql.ts';
import { buildDerivedCache } from '../http/graphql/compiled/derived-cache.ts';
import { buildGraphql } from '../http/graphql/graphql.ts';
import type { TrustedDocuments } from '../http/graphql/persisted/trusted.ts';
import { buildHandler, type CatalogVersion, type Handler } from '../http/handler/handle.ts';
import type { Readiness } from '../http/handler/readiness.ts';
import { buildRoutes, type RouteOptions } from '../http/handler/routes.ts';
import type { ByteBudget } from '../http/message/byte-budget.ts';
import { pathsToLog } from '../http/message/paths.ts';
import { buildPrepareRequest } from '../http/message/prepare-request.ts';
import { buildOpenTrace } from '../http/message/request-trace.ts';
import type { Answer } from '../http/message/route.ts';
import { buildMetricsRoute } from '../http/observe/metrics-route.ts';
import type { RequestMetrics } from '../http/observe/request-metrics.ts';
import { buildOpenapi } from '../http/openapi/openapi.ts';
import { buildReader } from '../http/openapi/reader/reader.ts';
import { buildPages, pagesSet } from '../http/pages/pages.ts';
import { buildRest } from '../http/rest/rest.ts';

import type { Callers } from '../keys/join-sources.ts';
import type { Metrics } from '../metrics/open-registry.ts';
import type { GetResult } from '../results/get-result.ts';
import type { DerivedStore } from '../results/memory-store.ts';
import type { Tracer } from '../trace/span.ts';
import type { Settings } from './options.ts';

interface HttpOptions {
  readonly settings: Settings;
  /** As in `GatewayOptions`, like the next two. */
  readonly log: Logger;
  readonly writeLine?: ((line: string) => void) | undefined;
  readonly tracer?: Tracer | undefined;
  readonly catalog: Catalog;
  readonly callers: Callers;
  readonly trusted: TrustedDocuments | undefined;
  readonly getResult: GetResult;
  readonly derived: DerivedStore;
  readonly metrics: Metrics | undefined;
  readonly requestMetrics: RequestMetrics | undefined;
  readonly readiness: Readiness;
  readonly budget: ByteBudget;
  readonly turns: LoopTurns;
  readonly now: () => Date;
}

interface HttpHandler {
  readonly handle: Handler;
  /** The current version is that of the catalog. */
  readonly versions: VersionedRef<CatalogVersion>;
  /** In steps: of a large catalog, it takes some tenths of a second. */
  readonly buildVersion: (catalog: Catalog) => Generator<void, CatalogVersion>;
}

/** Connects what answers requests. */
export function buildHttpHandler(options: HttpOptions): HttpHandler {
  const { settings, callers, log, writeLine, tracer, requestMetrics, budget, now } = options;
  const { isKeyText } = callers;
  const audit = buildAudit(log, isKeyText);
  const cors = buildCors(settings.corsOrigins, settings.corsHeaders);
  const buildVersion = versionBuilder(options, { isKeyText, audit, cors });
  const versions = new VersionedRef(runSteps(buildVersion(options.catalog)));
  const handle = buildHandler({
    versions,
    admit: buildAdmit({
      callers,
      rejectKeysInUrls: buildRejectKeysInUrls(isKeyText),
      rejectWrongKey: buildRejectWrongKey(now),
      now,
    }),
    audit,
    finish: buildFinish(cors, buildAccessLog(log, writeLine, isKeyText), requestMetrics),
    openTrace: buildOpenTrace(tracer, isKeyText),
    budget,
    log,
  });
  return {
    handle: settings.compat === undefined ? handle : acceptLogflareRequests(handle),
    versions,
    buildVersion,
  };
}

/** What is decided once for all requests. */
interface Rules {
  readonly isKeyText: (text: string) => boolean;
  readonly audit: Audit;
  readonly cors: Cors;
}

/** Builds what lives as long as the process. @returns builds what lives as long as a version of the catalog */
function versionBuilder(options: HttpOptions, { isKeyText, audit, cors }: Rules) {
  const { settings, log, trusted, getResult, derived, metrics, readiness, budget, turns, now } = options;
  const buildGraphqlOf = buildGraphql({
    getResult,
    introspection: settings.introspection,
    trusted,
    derived: buildDerivedCache(derived),
    budget,
    turns,
    audit,
    log,
    now,
  });
  const { graphiql, pages, assets } = buildBrowserPages(settings);
  const rejectKeys = buildRejectKeys(isKeyText);
  const reader = buildReader();
  return function* (catalog: Catalog): Generator<void, CatalogVersion> {
    const graphql = yield* buildGraphqlOf(catalog);
    const prepareRequest = buildPrepareRequest(pathsToLog(catalog), catalog);
    yield;
    const rest = buildRest({ catalog, getResult, turns, now, derived, budget });
    const page: RouteOptions['page'] = (head, { url }) =>
      isFromLoopback(url, head) ? graphiql.local(catalog, head) : graphiql.remote(head);
    return {
      prepareRequest,
      routeOf: buildRoutes({
        rest,
        compat:
          settings.compat === undefined ? undefined : buildLogflareCompat({ catalog, rest, rejectKeys }),
        graphql,
        openapi: buildOpenapi(catalog, turns),
        reader: settings.pages ? reader : undefined,
        page: settings.graphiql ? page : undefined,
        pages: pages?.page,
        assets,
        metrics: metrics === undefined ? undefined : buildMetricsRoute(metrics),
        readiness,
        cors,
        log,
      }),
    };
  };
}

/** GraphiQL and the pages of the endpoints, with the files that the configured ones load. */
function buildBrowserPages({ shownKey, ...settings }: Settings) {
  const graphiql = buildGraphiql(shownKey);
  const pages = settings.pages ? buildPages({ apiKey: shownKey, graphiql: settings.graphiql }) : undefined;
  const assets = new Map<string, Answer>();
  if (pages !== undefined) assets.set(pagesSet, pages.assets);
  if (settings.graphiql) assets.set(graphiqlSet, graphiql.assets);
  return { graphiql, pages, assets };
}
