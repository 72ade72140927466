import { findQuery } from '../../catalog/find-query.ts';
import type { Catalog } from '../../catalog/saved-query.ts';
import type { Owner } from '../../concurrency/fair-share.ts';
import type { LoopTurns } from '../../concurrency/loop-turns.ts';
import type { CachedResult, GetResult } from '../../results/get-result.ts';
import { authorizeAndBind } from '../access/authorize.ts';
import type { RequestHeaders } from '../head.ts';
import { endpointPath } from '../paths.ts';
import { decodeText } from '../prepare-request.ts';
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
  return (head, request, { principal, noCache, schedule }) => {
    request.endpoint ??= {
      query: findQuery(catalog, decodeText(request.url.pathname.slice(endpointPath.length))),
      parameters: request.parameters ?? new Map(),
    };
    const bound = authorizeAndBind(principal, request.endpoint, head.headers);
    const { id: owner } = principal;
    const result = schedule(() => getResult(bound, { caller: head, noCache, owner }), head);
    return result instanceof Promise
      ? replyInTurn(result, head.headers, owner)
      : replyResult(result, head.headers, now());
  };
}
