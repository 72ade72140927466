import type { Logger } from 'pino';
import type { Admit, CallerInfo } from './access/admission.ts';
import type { ByteBudget } from './byte-budget.ts';
import type { Finish } from './finish.ts';
import type { RequestHead } from './head.ts';
import { logOf, type OpenTrace } from './observe/request-trace.ts';
import { unknownPath } from './paths.ts';
import type { PrepareRequest } from './prepare-request.ts';
import type { FinishedReply, Reply } from './reply.ts';
import { buildRequestLimits, type CountedRequest } from './request-limits.ts';
import { notFoundRoute, type ReadBody, type RouteOf } from './routes.ts';

/** Answers any request, however it was received. It never rejects. */
export type Handler = (head: RequestHead, readBody: ReadBody) => Promise<FinishedReply>;

interface HandlerOptions {
  readonly prepareRequest: PrepareRequest;
  readonly routeOf: RouteOf;
  readonly admit: Admit;
  readonly finish: Finish;
  readonly openTrace: OpenTrace;
  readonly budget: ByteBudget;
  readonly log: Logger;
}

/**
 * The path of every request: admit → answer → finish. Routes that need a key answer in the steps parse → authorize and
 * bind → result → reply; REST (`rest/rest.ts`) and GraphQL (`graphql/graphql.ts`) are two ways to do them.
 */
export function buildHandler({
  prepareRequest,
  routeOf,
  admit,
  finish,
  openTrace,
  budget,
  log,
}: HandlerOptions): Handler {
  const limits = buildRequestLimits();
  return async (head, readBody) => {
    const startedAt = performance.now();
    head.trace = openTrace(head);
    const caller: CallerInfo = { keyId: undefined, rateLimitHeaders: undefined };
    let path = unknownPath;
    let route = notFoundRoute;
    let reply: Reply;
    let counted: CountedRequest | undefined;
    try {
      const request = prepareRequest(head.url);
      path = request.loggedPath;
      route = routeOf(head, request.url.pathname);
      const admission = admit(head, request, route.access, caller);
      // Other routes are answered within this turn of the event loop.
      if (route.access === 'key') counted = limits.count(admission.principal.id, head.method);
      reply = await route.answer(head, request, admission, counted?.reading(readBody) ?? readBody);
      if (typeof reply.body === 'object') budget.requireRoom(caller.keyId, reply.body);
    } catch (error) {
      reply = route.replyError(error, logOf(head, log));
    } finally {
      counted?.end();
    }
    return finish(reply, { head, caller, path, allowsCors: route.allowsCors, startedAt });
  };
}
