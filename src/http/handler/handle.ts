import type { Logger } from 'pino';
import type { Version, VersionedRef } from '../../concurrency/versioned-ref.ts';
import type { ObtainedResult } from '../../results/get-result.ts';
import type { Admit } from '../access/admission.ts';
import type { Audit } from '../access/audit.ts';
import type { Finish } from '../finish/finish.ts';
import type { ByteBudget } from '../message/byte-budget.ts';
import type { Exchange } from '../message/exchange.ts';
import type { RequestHead } from '../message/head.ts';
import { unknownPath } from '../message/paths.ts';
import type { FinishedReply, Reply } from '../message/reply.ts';
import type { RequestHooks } from '../message/request-hooks.ts';
import { StreamBody } from '../message/stream/stream-body.ts';
import { logOfError, type OpenTrace } from '../message/request-trace.ts';
import type { ReadBody, Route } from '../message/route.ts';
import type { Admission } from '../../call/caller.ts';
import { changedReply } from './changed-reply.ts';
import { answerKept, type KeptReplies } from './answer-kept.ts';
import type { PrepareRequest } from './prepare-request.ts';
import { type RequestLimits, readArriving } from './request-limits.ts';
import { notFoundRoute } from './routes.ts';

/**
 * Answers any request, however it was received. It never rejects, and never throws; the reply is not a promise if nothing
 * had to be waited for.
 */
export type Handler = (head: RequestHead, readBody: ReadBody) => FinishedReply | Promise<FinishedReply>;

/** What answers requests for one version of the catalog. */
export interface AnsweringVersion {
  readonly prepare: PrepareRequest;
  readonly replies: KeptReplies;
}

interface HandlerOptions {
  /** Of versions of the catalog. A request is answered by the one that is current when it arrives. */
  readonly versions: VersionedRef<AnsweringVersion>;
  readonly admit: Admit;
  readonly finish: Finish;
  readonly openTrace: OpenTrace;
  readonly audit: Audit;
  readonly hooks: RequestHooks;
  readonly budget: ByteBudget;
  readonly limits: RequestLimits;
  readonly log: Logger;
}

/** A request while it is answered. */
interface OpenExchange extends Exchange {
  path: string;
  route: Route;
  /** Whether it is counted as a request in flight of its key. */
  isInFlight: boolean;
  /** undefined once nothing is done with it any more: streams outlive many versions. */
  version: Version<AnsweringVersion> | undefined;
  /** Whether the reply to an error was shown to the plug-ins. */
  hasFailed: boolean;
  readonly results: ObtainedResult[];
}

/**
 * The path of every request: prepare → admit → answer → finish. Routes that need a key answer in the steps parse → authorize and
 * bind → result → reply; REST (`rest/rest.ts`) and GraphQL (`graphql/graphql.ts`) are two ways to do them.
 */
export function buildHandler({
  versions,
  admit,
  finish,
  openTrace,
  audit,
  hooks,
  budget,
  limits,
  log,
}: HandlerOptions): Handler {
  const { inFlight, arriving } = limits;
  const { translate, onRequest, onReply } = hooks;
  const enter = (exchange: OpenExchange) => {
    inFlight.takePlace(exchange.caller.owner);
    exchange.isInFlight = true;
  };
  const readThenEnter = (readBody: ReadBody, exchange: OpenExchange): ReadBody => {
    return () =>
      readArriving(arriving, exchange.caller.owner, readBody).then((body) => {
        enter(exchange);
        return body;
      });
  };
  const answer = (exchange: OpenExchange, { prepare, replies }: AnsweringVersion, readBody: ReadBody) => {
    const { head, caller } = exchange;
    const { request, routeOf } = prepare(head.url);
    exchange.path = request.loggedPath;
    exchange.route = routeOf(head);
    const { route } = exchange;
    const { access } = route;
    const proceed = (admission: Admission) => {
      // Other routes are answered within this turn of the event loop.
      const isCounted = access === 'key';
      const hasBody = head.method === 'POST';
      if (isCounted && !hasBody) enter(exchange);
      const received = isCounted && hasBody ? readThenEnter(readBody, exchange) : readBody;
      const allowed = onRequest.length === 0 ? undefined : callInTurn(onRequest, exchange);
      return allowed === undefined
        ? answerKept(route, replies, head, request, admission, received)
        : allowed.then(() => answerKept(route, replies, head, request, admission, received));
    };
    const admitted = admit(head, request, access, caller);
    return admitted instanceof Promise ? admitted.then(proceed) : proceed(admitted);
  };
  const leave = (exchange: OpenExchange) => {
    if (exchange.isInFlight) inFlight.giveBack(exchange.caller.owner);
    exchange.isInFlight = false;
    if (exchange.version !== undefined) versions.leave(exchange.version);
    exchange.version = undefined;
  };
  /** A stream outlives versions and results: it must not keep those that it began with. */
  const finishStream = (reply: Reply, exchange: OpenExchange): FinishedReply => {
    leave(exchange);
    const finished = finish(reply, exchange);
    const { access, allowsCors } = exchange.route;
    exchange.route = { ...notFoundRoute, access, allowsCors };
    exchange.results.length = 0;
    return finished;
  };
  const end = (reply: Reply, exchange: OpenExchange) => {
    const { body } = reply;
    if (!(body instanceof StreamBody)) leave(exchange);
    else if (body.done !== undefined) body.done.then(() => leave(exchange));
    else return finishStream(reply, exchange);
    return finish(reply, exchange);
  };
  const complete = (answered: Reply, exchange: OpenExchange) => {
    const reply = onReply.length === 0 ? answered : changedReply(onReply, exchange, answered);
    const { body } = reply;
    if (body instanceof Uint8Array && body.byteLength > budget.largeBytes) {
      budget.requireRoom(exchange.caller.owner, body);
    }
    if (body instanceof StreamBody) return end(reply, exchange);
    leave(exchange);
    return finish(reply, exchange);
  };
  const fail = (error: unknown, exchange: OpenExchange) => {
    audit(error, exchange.head, exchange.caller.keyId);
    const reply = exchange.route.replyError(error, logOfError(error, exchange.head, log), exchange.head);
    if (exchange.hasFailed || onReply.length === 0) return end(reply, exchange);
    exchange.hasFailed = true;
    try {
      return end(changedReply(onReply, exchange, reply), exchange);
    } catch (refusal) {
      return fail(refusal, exchange);
    }
  };
  return (received, readBody) => {
    const head = translate.reduce((current, hook) => hook(current), received);
    const startedAt = performance.now();
    head.trace = openTrace(head);
    const version = versions.enter();
    const exchange: OpenExchange = {
      head,
      caller: { keyId: undefined, owner: undefined, rateLimitHeaders: undefined },
      path: unknownPath,
      route: notFoundRoute,
      isInFlight: false,
      version,
      hasFailed: false,
      startedAt,
      results: [],
    };
    head.results = exchange.results;
    try {
      const reply = answer(exchange, version.value, readBody);
      return reply instanceof Promise
        ? reply.then((later) => complete(later, exchange)).catch((error) => fail(error, exchange))
        : complete(reply, exchange);
    } catch (error) {
      return fail(error, exchange);
    }
  };
}

/** Calls hooks one after another. @returns undefined if there is nothing to wait for */
function callInTurn(hooks: RequestHooks['onRequest'], exchange: Exchange): Promise<void> | undefined {
  for (const [at, hook] of hooks.entries()) {
    const waiting = hook(exchange);
    if (waiting !== undefined) return waiting.then(() => callInTurn(hooks.slice(at + 1), exchange));
  }
  return undefined;
}
