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
import { answerNew, findReply, type KeptReplies, keyOfRequest } from './answer-kept.ts';
import type { PreparedRequest } from '../message/prepared-request.ts';
import type { PrepareRequest } from './prepare-request.ts';
import { type RequestLimits, readArriving, requireChunked } from './request-limits.ts';
import { notFoundRoute } from './routes.ts';

/**
 * Answers any request, however it was received. It never rejects, and never throws; the reply is not a promise if nothing
 * had to be waited for.
 */
export type Handler = (head: RequestHead, body: RequestBody) => FinishedReply | Promise<FinishedReply>;

/** The body of a request. */
export interface RequestBody {
  /** All of it, if it came together with the head. */
  readonly arrived: Uint8Array | undefined;
  readonly read: ReadBody;
}

/** Answers requests for one version of the catalog. */
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

/** The parts of a request that decide how it is answered. */
interface AdmittedRequest {
  readonly request: PreparedRequest;
  readonly admission: Admission;
  readonly replies: KeptReplies;
  readonly body: RequestBody;
}

/** A request while it is answered. */
interface OpenExchange extends Exchange {
  path: string;
  route: Route;
  phase: Phase;
  /** undefined once it has left. */
  version: Version<AnsweringVersion> | undefined;
  /** True once the reply to an error was shown to the plug-ins. */
  hasFailed: boolean;
  readonly results: ObtainedResult[];
}

/**
 * The path of every request: prepare → admit → answer → finish. A reply that was kept is sent again; otherwise the route makes
 * one: REST (`rest/rest.ts`) and GraphQL (`graphql/graphql.ts`) open calls and give their results to renderers.
 */
export function buildHandler(options: HandlerOptions): Handler {
  const steps = new RequestSteps(options);
  return (head, body) => steps.handle(head, body);
}

class RequestSteps {
  readonly #options: HandlerOptions;

  constructor(options: HandlerOptions) {
    this.#options = options;
  }

  handle(received: RequestHead, body: RequestBody): FinishedReply | Promise<FinishedReply> {
    const version = this.#options.versions.enter();
    const exchange = this.#open(received, version);
    try {
      const reply = this.#answer(exchange, version.value, body);
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
    received.trace = head.trace;
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
    body: RequestBody,
  ): Reply | Promise<Reply> {
    const { admit, hooks } = this.#options;
    const { head, caller } = exchange;
    const { request, routeOf } = prepare(head.url);
    exchange.path = request.loggedPath;
    exchange.route = routeOf(head);
    const codings = head.headers['transfer-encoding'];
    if (codings !== undefined) requireChunked(codings);
    const admission = admit(head, request, exchange.route.access, caller);
    if (admission instanceof Promise || hooks.onRequest.length > 0)
      return this.#replyLater(exchange, admission, { request, replies, body });
    return this.#reply(exchange, { request, admission, replies, body });
  }

  async #replyLater(
    exchange: OpenExchange,
    admitted: Admission | Promise<Admission>,
    received: Omit<AdmittedRequest, 'admission'>,
  ): Promise<Reply> {
    const { onRequest } = this.#options.hooks;
    const admission = await admitted;
    if (onRequest.length > 0 && exchange.head.method !== 'POST') this.#enter(exchange);
    for (const hook of onRequest) {
      const waiting = hook(exchange);
      if (waiting !== undefined) await waiting;
    }
    return this.#reply(exchange, { ...received, admission });
  }

  /** A reply that was kept is sent within this turn of the event loop: its request takes no place among those in flight. */
  #reply(exchange: OpenExchange, admitted: AdmittedRequest): Reply | Promise<Reply> {
    const { head, route } = exchange;
    const { request, admission, replies, body } = admitted;
    const { arrived, read } = body;
    const key = keyOfRequest(route, head, admission, arrived);
    if (head.method === 'POST' && arrived === undefined) {
      const received = () => this.#readThenEnter(read, exchange);
      if (key === undefined) return route.answer(head, request, admission, received);
      return received().then((bytes) =>
        this.#reply(exchange, { ...admitted, body: { arrived: bytes, read } }),
      );
    }
    const caller = { head, admission };
    const kept = key === undefined ? undefined : findReply(replies, key, caller);
    if (kept !== undefined && !(kept instanceof Promise)) return kept;
    // It is made for others too, also if this request is refused.
    kept?.catch(() => {});
    this.#enter(exchange);
    if (kept !== undefined) return kept;
    const readBody = arrived === undefined ? read : () => Promise.resolve(arrived);
    return key === undefined
      ? route.answer(head, request, admission, readBody)
      : answerNew(route, replies, key, caller, request, readBody);
  }

  /** Other routes than those with a key are answered within this turn of the event loop. */
  #enter(exchange: OpenExchange): void {
    if (exchange.phase !== 'arrived' || exchange.route.access !== 'key') return;
    this.#options.limits.inFlight.takePlace(exchange.caller.owner);
    exchange.phase = 'in flight';
  }

  async #readThenEnter(readBody: ReadBody, exchange: OpenExchange): Promise<Uint8Array> {
    if (exchange.route.access !== 'key') return readBody();
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
