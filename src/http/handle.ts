import type { Logger } from 'pino';
import type { Admit, CallerInfo } from './access/admission.ts';
import type { ByteBudget } from './byte-budget.ts';
import type { Finish } from './finish.ts';
import type { RequestHead } from './head.ts';
import { httpLimits } from './limits.ts';
import { unknownPath } from './paths.ts';
import type { PrepareRequest } from './prepare-request.ts';
import type { FinishedReply, Reply } from './reply.ts';
import { RequestCounter } from './request-counter.ts';
import { notFoundRoute, type ReadBody, type RouteOf } from './routes.ts';

/** Answers any request, however it was received. It never rejects. */
export type Handler = (head: RequestHead, readBody: ReadBody) => Promise<FinishedReply>;

interface HandlerOptions {
  readonly prepareRequest: PrepareRequest;
  readonly routeOf: RouteOf;
  readonly admit: Admit;
  readonly finish: Finish;
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
  budget,
  log,
}: HandlerOptions): Handler {
  const requestsInFlight = new RequestCounter(httpLimits.maxRequestsInFlight, 'in flight');
  const arrivingBodies = new RequestCounter(httpLimits.maxArrivingBodies, 'arriving');
  return async (head, readBody) => {
    const startedAt = performance.now();
    const caller: CallerInfo = { keyId: undefined, rateLimitHeaders: undefined };
    let path = unknownPath;
    let route = notFoundRoute;
    let reply: Reply;
    /** The key with which the request is counted. */
    let countedFor: string | undefined;
    try {
      const request = prepareRequest(head.url);
      path = request.loggedPath;
      route = routeOf(head, request.url.pathname);
      const admission = admit(head, request, route.access, caller);
      const { id } = admission.principal;
      let read = readBody;
      // Other routes are answered within this turn of the event loop.
      if (route.access === 'key') {
        if (head.method === 'POST') {
          read = async () => {
            const body = await readCounted(readBody, arrivingBodies, id);
            requestsInFlight.add(id);
            countedFor = id;
            return body;
          };
        } else {
          requestsInFlight.add(id);
          countedFor = id;
        }
      }
      reply = await route.answer(head, request, admission, read);
      if (typeof reply.body === 'object') budget.requireRoom(caller.keyId, reply.body);
    } catch (error) {
      reply = route.replyError(error, log);
    } finally {
      if (countedFor !== undefined) requestsInFlight.remove(countedFor);
    }
    return finish(reply, { head, caller, path, allowsCors: route.allowsCors, startedAt });
  };
}

/** A body that is still arriving takes memory too, but must not take the place of requests that are complete. */
async function readCounted(readBody: ReadBody, arrivingBodies: RequestCounter, keyId: string) {
  arrivingBodies.add(keyId);
  try {
    return await readBody();
  } finally {
    arrivingBodies.remove(keyId);
  }
}
