import type { Logger } from 'pino';
import type { Admit, CallerInfo } from './access/admission.ts';
import type { Finish, FinishedReply } from './finish.ts';
import type { RequestHead } from './head.ts';
import { unknownPath } from './paths.ts';
import type { PrepareRequest } from './prepare-request.ts';
import type { Reply } from './reply.ts';
import { notFoundRoute, type ReadBody, type RouteOf } from './routes.ts';

/** Answers any request, however it was received. It never rejects. */
export type Handler = (head: RequestHead, readBody: ReadBody) => Promise<FinishedReply>;

interface HandlerOptions {
  readonly prepareRequest: PrepareRequest;
  readonly routeOf: RouteOf;
  readonly admit: Admit;
  readonly finish: Finish;
  readonly log: Logger;
}

/**
 * The path of every request: admit → answer → finish. Routes that need a key answer in the steps parse → authorize and
 * bind → result → reply; REST (`rest/rest.ts`) and GraphQL (`graphql/graphql.ts`) are two ways to do them.
 */
export function buildHandler({ prepareRequest, routeOf, admit, finish, log }: HandlerOptions): Handler {
  let inFlight = 0;
  return async (head, readBody) => {
    const startedAt = performance.now();
    const caller: CallerInfo = { keyId: undefined, rateLimitHeaders: undefined };
    let path = unknownPath;
    let route = notFoundRoute;
    let reply: Reply;
    inFlight += 1;
    try {
      const request = prepareRequest(head.url);
      path = request.loggedPath;
      route = routeOf(head, request.url.pathname);
      const admission = admit(head, request, route.access, inFlight, caller);
      reply = await route.answer(head, request, admission, readBody);
    } catch (error) {
      reply = route.replyError(error, log);
    } finally {
      inFlight -= 1;
    }
    return finish(reply, { head, caller, path, allowsCors: route.allowsCors, startedAt });
  };
}
