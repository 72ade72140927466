import type { BoundQuery } from '../../catalog/binding/bind.ts';
import { notUnicode } from '../../catalog/binding/list-values.ts';
import { invalid, readCount } from '../../row-arguments/reading/argument-reader.ts';
import { type BoundPage, bindPage, defaultPageSize } from '../../row-pages/page-request.ts';
import type { EndpointRequest } from '../../call/endpoint-request.ts';

/** The parameters of a page. */
export const pageWords = ['limit', 'after', 'before'] as const;

/** The page that `limit`, `after` and `before` mean; undefined without them. @throws GatewayError INVALID_PARAMETER */
export function readPage({ query, parameters }: EndpointRequest, whole: BoundQuery): BoundPage | undefined {
  if (query.pages === undefined) return undefined;
  const [limit, after, before] = pageWords.map((name) => {
    const texts = (parameters.get(name) ?? []).filter((text) => text !== '');
    if (texts.length > 1) throw invalid(name, 'is repeated; send it once');
    if (texts[0]?.isWellFormed() === false) throw invalid(name, notUnicode);
    return texts[0];
  });
  if (limit === undefined && after === undefined && before === undefined) return undefined;
  const size = limit === undefined ? Math.min(defaultPageSize, query.maxRows) : readCount('limit', limit);
  if (size > query.maxRows) throw invalid('limit', `got ${size}; a page has at most ${query.maxRows} rows`);
  return bindPage(whole, parameters, { size, isBackward: before !== undefined, after, before });
}

/** True if a request has a parameter of a page. */
export const namesPage = ({ query, parameters }: EndpointRequest): boolean =>
  query.pages !== undefined && pageWords.some((name) => parameters.get(name)?.some((text) => text !== ''));
