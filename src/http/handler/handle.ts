import type { Logger } from 'pino';
import type { Version, VersionedRef } from '../../concurrency/versioned-ref.ts';
import type { Admit } from '../access/admission.ts';
import type { Audit } from '../access/audit.ts';
import type { Finish } from '../finish/finish.ts';
import type { ByteBudget } from '../message/byte-budget.ts';
import type { Exchange } from '../message/exchange.ts';
import type { RequestHead } from '../message/head.ts';
import { unknownPath } from '../message/paths.ts';
import type { PrepareRequest } from '../message/prepare-request.ts';
import type { FinishedReply, Reply } from '../message/reply.ts';
import { logOfError, type OpenTrace } from '../message/request-trace.ts';
import type { Admission, ReadBody, Route } from '../message/route.ts';
import { buildRequestLimits, type CountedRequest } from './request-limits.ts';
import { notFoundRoute, type RouteOf } from './routes.ts';

/**
 * Answers any request, however it was received. It never rejects, and never throws; the reply is not a promise if nothing
 * had to be waited for.
 */
export type Handler = (head: RequestHead, readBody: ReadBody) => FinishedReply | Promise<FinishedReply>;

/** What answers requests of one version of the catalog. */
export interface CatalogVersion {
  readonly prepareRequest: PrepareRequest;
  readonly routeOf: RouteOf;
}

interface HandlerOptions {
  /** A request is answered by the version that is current when it arrives. */
  readonly versions: VersionedRef<CatalogVersion>;
  readonly admit: Admit;
  readonly finish: Finish;
  readonly openTrace: OpenTrace;
  readonly audit: Audit;
  readonly budget: ByteBudget;
  readonly log: Logger;
}

/** A request while it is answered. */
interface OpenExchange extends Exchange {
  path: string;
  route: Route;
  counted: CountedRequest | undefined;
  readonly version: Version<CatalogVersion>;
  hasEnded: boolean;
}

/**
 * The path of every request: admit → answer → finish. Routes that need a key answer in the steps parse → authorize and
 * bind → result → reply; REST (`rest/rest.ts`) and GraphQL (`graphql/graphql.ts`) are two ways to do them.
 */
export function buildHandler({
  versions,
  admit,
  finish,
  openTrace,
  audit,
  budget,
  log,
}: HandlerOptions): Handler {
  const limits = buildRequestLimits();
  const answer = (exchange: OpenExchange, readBody: ReadBody) => {
    const { head, caller } = exchange;
    const { prepareRequest, routeOf } = exchange.version.value;
    const request = prepareRequest(head.url);
    exchange.path = request.loggedPath;
    exchange.route = routeOf(head, request.url.pathname);
    const { access, answer } = exchange.route;
    const proceed = (admission: Admission) => {
      // Other routes are answered within this turn of the event loop.
      if (access === 'key') exchange.counted = limits.count(admission.principal.id, head.method);
      return answer(head, request, admission, exchange.counted?.reading(readBody) ?? readBody);
    };
    const admitted = admit(head, request, access, caller);
    return admitted instanceof Promise ? admitted.then(proceed) : proceed(admitted);
  };
  const end = (reply: Reply, exchange: OpenExchange) => {
    exchange.counted?.end();
    exchange.counted = undefined;
    if (!exchange.hasEnded) versions.leave(exchange.version);
    exchange.hasEnded = true;
    return finish(reply, exchange);
  };
  const complete = (reply: Reply, exchange: OpenExchange) => {
    if (reply.body instanceof Uint8Array) budget.requireRoom(exchange.caller.keyId, reply.body);
    return end(reply, exchange);
  };
  const fail = (error: unknown, exchange: OpenExchange) => {
    audit(error, exchange.head, exchange.caller.keyId);
    return end(exchange.route.replyError(error, logOfError(error, exchange.head, log)), exchange);
  };
  return (head, readBody) => {
    const startedAt = performance.now();
    head.trace = openTrace(head);
    const exchange: OpenExchange = {
      head,
      caller: { keyId: undefined, rateLimitHeaders: undefined },
      path: unknownPath,
      route: notFoundRoute,
      counted: undefined,
      version: versions.enter(),
      hasEnded: false,
      startedAt,
    };
    try {
      const reply = answer(exchange, readBody);
      return reply instanceof Promise
        ? reply.then((later) => complete(later, exchange)).catch((error) => fail(error, exchange))
        : complete(reply, exchange);
    } catch (error) {
      return fail(error, exchange);
    }
  };
}
