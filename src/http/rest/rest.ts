import { findQuery } from '../../catalog/find-query.ts';
import type { Catalog, SavedQuery } from '../../catalog/saved-query.ts';
import type { Owner } from '../../concurrency/fair-share.ts';
import type { LoopTurns } from '../../concurrency/loop-turns.ts';
import type { CachedResult, GetResult } from '../../results/get-result.ts';
import type { Admission } from '../access/admission.ts';
import { authorizeAndBind, type EndpointRequest } from '../access/authorize.ts';
import type { RequestHead, RequestHeaders } from '../head.ts';
import { endpointPath } from '../paths.ts';
import { decodeText, type PreparedRequest } from '../prepare-request.ts';
import type { Answer } from '../routes.ts';
import { replyResult } from './reply-result.ts';

interface RestOptions {
  readonly catalog: Catalog;
  readonly getResult: GetResult;
  readonly turns: LoopTurns;
  readonly now: () => Date;
}

/**
 * REST: `GET /api/endpoints/query/<uuid|name>`.
 *
 * @see spec "Common call shape"
 */
export function buildRest({ catalog, getResult, turns, now }: RestOptions): Answer {
  /** All who waited for one run continue, or fail, in one turn of the event loop. */
  const replyInTurn = async (running: Promise<CachedResult>, headers: RequestHeaders, owner: Owner) => {
    let result: CachedResult;
    try {
      result = await running;
    } catch (error) {
      await turns.wait(owner);
      throw error;
    }
    const turn = result.cacheStatus === 'HIT' ? undefined : turns.next(owner);
    if (turn !== undefined) await turn;
    return replyResult(result, headers, now());
  };
  const reply = (endpoint: EndpointRequest, head: RequestHead, admission: Admission) => {
    const { principal, noCache, schedule } = admission;
    const { id: owner } = principal;
    const bound = authorizeAndBind(principal, endpoint, head.headers);
    const result = schedule(() => getResult(bound, { caller: head, noCache, owner }), head);
    return result instanceof Promise
      ? replyInTurn(result, head.headers, owner)
      : replyResult(result, head.headers, now());
  };
  return (head, request, admission) => {
    request.endpoint ??= {
      query: endpointOf(catalog, request),
      parameters: request.parameters ?? new Map(),
    };
    const { endpoint } = request;
    if (endpoint.bound !== undefined || endpoint.forTenant !== undefined) {
      return reply(endpoint, head, admission);
    }
    // To check a pattern takes up to two milliseconds, and many requests may arrive in one turn of the event loop.
    const turn = turns.next(admission.principal.id);
    return turn === undefined
      ? reply(endpoint, head, admission)
      : turn.then(() => reply(endpoint, head, admission));
  };
}

/** The saved query that a path addresses. @throws GatewayError UNKNOWN_QUERY */
export function endpointOf(catalog: Catalog, { url }: Pick<PreparedRequest, 'url'>): SavedQuery {
  return findQuery(catalog, decodeText(url.pathname.slice(endpointPath.length)));
}
