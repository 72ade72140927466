import { findQuery } from '../../catalog/find-query.ts';
import type { Catalog } from '../../catalog/saved-query.ts';
import type { LoopTurns } from '../../concurrency/loop-turns.ts';
import type { CachedResult, GetResult } from '../../results/get-result.ts';
import { authorizeAndBind } from '../access/authorize.ts';
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
  return async (head, request, { principal, noCache, schedule }) => {
    request.endpoint ??= {
      query: findQuery(catalog, decodeText(request.url.pathname.slice(endpointPath.length))),
      parameters: request.parameters ?? new Map(),
    };
    const bound = authorizeAndBind(principal, request.endpoint, head.headers);
    const { id: owner } = principal;
    let result: CachedResult;
    try {
      result = await schedule(() => getResult(bound, { caller: head, noCache, owner }), head);
    } catch (error) {
      await turns.wait(owner);
      throw error;
    }
    // All who waited for one run continue, or fail, in one turn of the event loop.
    const turn = result.cacheStatus === 'HIT' ? undefined : turns.next(owner);
    if (turn !== undefined) await turn;
    return replyResult(result, head.headers, now());
  };
}
