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
import type { PreparedRequest } from '../message/prepared-request.ts';
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

/**
 * `arrived`: it uses a version of the catalog; `in flight`: it is also counted as a request of its key; `left`: neither, because
 * streams outlive many versions.
 */
type Phase = 'arrived' | 'in flight' | 'left';

/** A request while it is answered. */
interface OpenExchange extends Exchange {
  path: string;
  route: Route;
  phase: Phase;
  /** undefined once it has left. */
  version: Version<AnsweringVersion> | undefined;
  /** Whether the reply to an error was shown to the plug-ins. */
  hasFailed: boolean;
  readonly results: ObtainedResult[];
}

/**
 * The path of every request: prepare → admit → answer → finish. A reply that was kept is sent again; otherwise the route makes
 * one: REST (`rest/rest.ts`) and GraphQL (`graphql/graphql.ts`) open calls and give their results to renderers.
 */
export function buildHandler(options: HandlerOptions): Handler {
  const steps = new RequestSteps(options);
  return (head, readBody) => steps.handle(head, readBody);
}

class RequestSteps {
  readonly #options: HandlerOptions;

  constructor(options: HandlerOptions) {
    this.#options = options;
  }

  handle(received: RequestHead, readBody: ReadBody): FinishedReply | Promise<FinishedReply> {
    const version = this.#options.versions.enter();
    const exchange = this.#open(received, version);
    try {
      const reply = this.#answer(exchange, version.value, readBody);
      return reply instanceof Promise
        ? reply.then((later) => this.#complete(later, exchange)).catch((error) => this.#fail(error, exchange))
        : this.#complete(reply, exchange);
    } catch (error) {
      return this.#fail(error, exchange);
    }
  }

  #open(received: RequestHead, version: Version<AnsweringVersion>): OpenExchange {
    const { hooks, openTrace } = this.#options;
    const head = hooks.translate.reduce((current, hook) => hook(current), received);
    const startedAt = performance.now();
    head.trace = openTrace(head);
    const results: ObtainedResult[] = [];
    head.results = results;
    return {
      head,
      caller: { keyId: undefined, owner: undefined, rateLimitHeaders: undefined },
      path: unknownPath,
      route: notFoundRoute,
      phase: 'arrived',
      version,
      hasFailed: false,
      startedAt,
      results,
    };
  }

  #answer(
    exchange: OpenExchange,
    { prepare, replies }: AnsweringVersion,
    readBody: ReadBody,
  ): Reply | Promise<Reply> {
    const { head, caller } = exchange;
    const { request, routeOf } = prepare(head.url);
    exchange.path = request.loggedPath;
    exchange.route = routeOf(head);
    const admitted = this.#options.admit(head, request, exchange.route.access, caller);
    return admitted instanceof Promise
      ? admitted.then((admission) => this.#proceed(exchange, replies, request, admission, readBody))
      : this.#proceed(exchange, replies, request, admitted, readBody);
  }

  #proceed(
    exchange: OpenExchange,
    replies: KeptReplies,
    request: PreparedRequest,
    admission: Admission,
    readBody: ReadBody,
  ): Reply | Promise<Reply> {
    const { head, route } = exchange;
    const { onRequest } = this.#options.hooks;
    // Other routes are answered within this turn of the event loop.
    const isCounted = route.access === 'key';
    const hasBody = head.method === 'POST';
    if (isCounted && !hasBody) this.#enter(exchange);
    const received = isCounted && hasBody ? () => this.#readThenEnter(readBody, exchange) : readBody;
    const answer = () => answerKept(route, replies, head, request, admission, received);
    const allowed = onRequest.length === 0 ? undefined : callInTurn(onRequest, exchange);
    return allowed === undefined ? answer() : allowed.then(answer);
  }

  #enter(exchange: OpenExchange): void {
    this.#options.limits.inFlight.takePlace(exchange.caller.owner);
    exchange.phase = 'in flight';
  }

  async #readThenEnter(readBody: ReadBody, exchange: OpenExchange): Promise<Uint8Array> {
    const body = await readArriving(this.#options.limits.arriving, exchange.caller.owner, readBody);
    this.#enter(exchange);
    return body;
  }

  #leave(exchange: OpenExchange): void {
    const { phase, caller, version } = exchange;
    if (phase === 'left') return;
    exchange.phase = 'left';
    exchange.version = undefined;
    if (phase === 'in flight') this.#options.limits.inFlight.giveBack(caller.owner);
    if (version !== undefined) this.#options.versions.leave(version);
  }

  #complete(answered: Reply, exchange: OpenExchange): FinishedReply {
    const { hooks, budget } = this.#options;
    const reply = hooks.onReply.length === 0 ? answered : changedReply(hooks.onReply, exchange, answered);
    const { body } = reply;
    if (body instanceof Uint8Array && body.byteLength > budget.largeBytes) {
      budget.requireRoom(exchange.caller.owner, body);
    }
    return this.#end(reply, exchange);
  }

  #end(reply: Reply, exchange: OpenExchange): FinishedReply {
    const { body } = reply;
    if (!(body instanceof StreamBody)) this.#leave(exchange);
    else if (body.done !== undefined) body.done.then(() => this.#leave(exchange));
    else return this.#finishStream(reply, exchange);
    return this.#options.finish(reply, exchange);
  }

  /** A stream outlives versions and results: it must not keep those that it began with. */
  #finishStream(reply: Reply, exchange: OpenExchange): FinishedReply {
    this.#leave(exchange);
    const finished = this.#options.finish(reply, exchange);
    const { access, allowsCors } = exchange.route;
    exchange.route = { ...notFoundRoute, access, allowsCors };
    exchange.results.length = 0;
    return finished;
  }

  #fail(error: unknown, exchange: OpenExchange): FinishedReply {
    const { audit, log, hooks } = this.#options;
    const { head, caller, route } = exchange;
    audit(error, head, caller.keyId);
    const reply = route.replyError(error, logOfError(error, head, log), head);
    if (exchange.hasFailed || hooks.onReply.length === 0) return this.#end(reply, exchange);
    exchange.hasFailed = true;
    try {
      return this.#end(changedReply(hooks.onReply, exchange, reply), exchange);
    } catch (refusal) {
      return this.#fail(refusal, exchange);
    }
  }
}

/** Calls hooks one after another. @returns undefined if there is nothing to wait for */
function callInTurn(hooks: RequestHooks['onRequest'], exchange: Exchange): Promise<void> | undefined {
  for (const [at, hook] of hooks.entries()) {
    const waiting = hook(exchange);
    if (waiting !== undefined) return waiting.then(() => callInTurn(hooks.slice(at + 1), exchange));
  }
  return undefined;
}
