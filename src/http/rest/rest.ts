import { findQuery } from '../../catalog/find-query.ts';
import type { Catalog } from '../../catalog/saved-query.ts';
import type { GetResult } from '../../results/get-result.ts';
import { authorizeAndBind } from '../access/authorize.ts';
import { endpointPath } from '../paths.ts';
import { decodeText } from '../prepare-request.ts';
import type { Answer } from '../routes.ts';
import { replyResult } from './reply-result.ts';

interface RestOptions {
  readonly catalog: Catalog;
  readonly getResult: GetResult;
  readonly now: () => Date;
}

/**
 * REST: `GET /api/endpoints/query/<uuid|name>`.
 *
 * @see spec "Common call shape"
 */
export function buildRest({ catalog, getResult, now }: RestOptions): Answer {
  return async (head, request, { principal, noCache, schedule }) => {
    request.endpoint ??= {
      query: findQuery(catalog, decodeText(request.url.pathname.slice(endpointPath.length))),
      parameters: request.parameters ?? new Map(),
    };
    const bound = authorizeAndBind(principal, request.endpoint, head.headers);
    const result = await schedule(
      () => getResult(bound, { caller: head, noCache, owner: principal.id }),
      head,
    );
    return replyResult(result, head.headers, now());
  };
}
