import { type Caller, ownerOfCaller } from '../../call/caller.ts';
import type { Call, Gate } from '../../call/gate.ts';
import type { Obtain } from '../../call/obtain.ts';
import type { Catalog } from '../../catalog/model/saved-query.ts';
import type { FairShare } from '../../concurrency/fair-share.ts';
import type { LoopTurns } from '../../concurrency/loop-turns.ts';
import { GatewayError } from '../../errors.ts';
import type { Renderer } from '../../formats/renderer.ts';
import { json, type Renderers } from '../../formats/renderers.ts';
import { once } from '../../memoize.ts';
import type { CachedResult } from '../../results/get-result.ts';
import {
  acceptedStream,
  isFollowable,
  onlyWhole,
  requireFollowable,
  waitSeconds,
} from '../live/negotiate.ts';
import type { Live } from '../live/live.ts';
import type { ByteBudget } from '../message/byte-budget.ts';
import type { RequestHead } from '../message/head.ts';
import type { FormatOfUrl, PreparedRequest } from '../message/prepared-request.ts';
import type { Reply } from '../message/reply.ts';
import type { Answer } from '../message/route.ts';
import { buildReplyRendered } from './rendering/reply-rendered.ts';
import { withNearestEndpoint } from './nearest-endpoint.ts';
import { replyResult, replyToHead } from './reply-result.ts';
import { linkOf } from './row-page.ts';
import { addressedBy, addressText, queryAt } from './address.ts';
import { chooseRenderer } from './requested-format.ts';
import { readPartRequest } from './row-parameters.ts';
import { refuseUndeclared, withParameterWarning } from './undeclared-parameters.ts';

interface RestOptions {
  readonly catalog: Catalog;
  readonly renderers: Renderers;
  readonly gate: Gate;
  readonly obtain: Obtain;
  /** Opens what follows results, when it is first needed. */
  readonly openLive: () => Promise<Live>;
  /** Requests in flight, by key. */
  readonly inFlight: FairShare;
  readonly budget: ByteBudget;
  readonly turns: LoopTurns;
}

/**
 * REST: `GET /api/endpoints/query/<uuid|name>`.
 *
 * @see spec "Common call shape"
 */
export function buildRest(options: RestOptions): Answer {
  const { renderers, gate, obtain, openLive } = options;
  const replyRendered = buildReplyRendered(options);
  /** Most gateways have no caller who follows results. */
  const follow = once(async () => {
    const [{ buildFollow }, live] = await Promise.all([import('./follow.ts'), openLive()]);
    return buildFollow({ ...options, live });
  });
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
  const render = (renderer: Renderer, result: CachedResult, { bound, caller }: Call, head: RequestHead) =>
    renderer === json
      ? replyResult(result, head.headers)
      : replyRendered({ renderer, query: bound.query, head, owner: ownerOfCaller(caller), result });
  const answer = async (
    call: Call,
    ofUrl: FormatOfUrl | undefined,
    head: RequestHead,
    request: PreparedRequest,
  ): Promise<Reply> => {
    const { bound } = call;
    const { accept, prefer } = head.headers;
    const part = readPartRequest(call);
    const isWhole = part.page === undefined && part.rowRequest === undefined;
    const stream = ofUrl === undefined ? acceptedStream(accept) : undefined;
    if (stream !== undefined) {
      if (!isWhole) throw onlyWhole();
      requireFollowable(bound);
      const result = await obtain.whole(call, true);
      return (await follow()).stream({ head, call, resolve: queryAt(renderers)(request), result }, stream);
    }
    const renderer = chooseRenderer(renderers, ofUrl, accept, bound);
    const { result, page } = await obtain.part(call, part);
    const mayWait = prefer !== undefined && isWhole && bound.sql === undefined && renderer === json;
    const seconds = mayWait && isFollowable(bound.query) ? waitSeconds(head.headers) : undefined;
    if (seconds !== undefined)
      return (await follow()).wait({ head, call, resolve: queryAt(renderers)(request), result }, seconds);
    const reply = await render(renderer, result, call, head);
    const link = page && linkOf(page, request.url.search);
    return link === undefined ? reply : { ...reply, headers: { ...reply.headers, link } };
  };
  return async (head, request, admission) => {
    const { call, format } = await open(request, { head, admission });
    const reply = withParameterWarning(await answer(call, format, head, request), call.endpoint);
    return head.method === 'HEAD' ? replyToHead(reply, admission.noCache) : reply;
  };
}
