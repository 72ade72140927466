import type { Caller } from '../../call/caller.ts';
import type { Call, Gate } from '../../call/gate.ts';
import type { Obtain } from '../../call/obtain.ts';
import type { Catalog } from '../../catalog/model/saved-query.ts';
import type { FairShare } from '../../concurrency/fair-share.ts';
import type { LoopTurns } from '../../concurrency/loop-turns.ts';
import { GatewayError } from '../../errors.ts';
import { json, type Renderers } from '../../formats/renderers.ts';
import { ownerOf } from '../../keys/principal.ts';
import type { FollowedRequest, Following } from '../following.ts';
import type { ByteBudget } from '../message/byte-budget.ts';
import type { RequestHead } from '../message/head.ts';
import type { FormatOfUrl, PreparedRequest } from '../message/prepared-request.ts';
import type { Reply } from '../message/reply.ts';
import type { Answer } from '../message/route.ts';
import { acceptedStream } from '../accepted-stream.ts';
import { buildReplyRendered } from '../rendering/reply-rendered.ts';
import { withNearestEndpoint } from './nearest-endpoint.ts';
import { linkHeaders } from '../rendering/link-headers.ts';
import { replyPart, replyResult, replyToHead } from '../rendering/reply-result.ts';
import { addressedBy, addressText, queryAt } from './address.ts';
import { chooseRenderer, orRows } from '../rendering/requested-format.ts';
import { readPartRequest } from './row-parameters.ts';
import { refuseUndeclared, withParameterWarning } from './undeclared-parameters.ts';

interface RestOptions {
  readonly catalog: Catalog;
  readonly renderers: Renderers;
  readonly gate: Gate;
  readonly obtain: Obtain;
  /** undefined if no plug-in has it. */
  readonly following: Following | undefined;
  /** Requests in flight, by key: those that wait for a later result are not counted. */
  readonly inFlight: FairShare;
  readonly budget: ByteBudget;
  readonly turns: LoopTurns;
}

/** REST: `GET /api/endpoints/query/<uuid|name>`. @see spec "Common call shape" */
export function buildRest(options: RestOptions): Answer {
  const { renderers, gate, obtain, following, inFlight } = options;
  const replyRendered = buildReplyRendered(options);
  /** One that is hidden from the key fails as one that does not exist. */
  const open = async (request: PreparedRequest, caller: Caller) => {
    try {
      request.addressed ??= addressedBy(options, request);
      const { endpoint, format } = request.addressed;
      refuseUndeclared(caller.admission.principal, endpoint);
      return { call: await gate.open(endpoint, caller), format };
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      throw withNearestEndpoint(error, options, addressText(request), caller.admission.principal);
    }
  };
  const answer = async (
    call: Call,
    ofUrl: FormatOfUrl | undefined,
    head: RequestHead,
    request: PreparedRequest,
  ): Promise<Reply> => {
    const { bound, caller } = call;
    const { accept, prefer } = head.headers;
    const owner = ownerOf(caller.admission.principal);
    const part = readPartRequest(call);
    const followed = (): FollowedRequest => ({
      call,
      head,
      resolve: queryAt(renderers)(request),
      isWhole: part.page === undefined && part.rowRequest === undefined,
      reply: (result) => replyResult(result, head.headers),
      async idle(wait) {
        inFlight.giveBack(owner);
        return wait().finally(() => inFlight.take(owner));
      },
    });
    const events = ofUrl === undefined ? acceptedStream(accept) : undefined;
    const stream = events && (await following?.stream(followed(), events).catch(orRows(renderers, call)));
    if (stream !== undefined) return stream;
    const renderer = chooseRenderer(renderers, ofUrl, accept, bound);
    const waiting = prefer !== undefined && renderer === json ? following?.wait(followed()) : undefined;
    if (waiting !== undefined) return waiting;
    const { result, page } = await obtain.part(call, part);
    const reply = await (renderer === json
      ? replyPart(result, head.headers)
      : replyRendered({ renderer, query: bound.query, head, owner, result }));
    if (page === undefined) return reply;
    return { ...reply, headers: { ...reply.headers, ...linkHeaders(page, request.url, bound.query) } };
  };
  return async (head, request, admission) => {
    try {
      const { call, format } = await open(request, { head, admission });
      const reply = withParameterWarning(await answer(call, format, head, request), call.endpoint);
      return head.method === 'HEAD' ? replyToHead(reply, head, admission.noCache) : reply;
    } catch (error) {
      throw withUrlAdvice(error);
    }
  };
}

function withUrlAdvice(error: unknown): unknown {
  if (!(error instanceof GatewayError) || !error.hasLostPlus) return error;
  const { code, message, parameter } = error;
  return new GatewayError(code, `${message}; in a URL, encode + as %2B`, { parameter });
}
