import type { Catalog, SavedQuery } from '../../../catalog/model/saved-query.ts';
import type { FollowRequest } from '../stream.ts';

type Request = Pick<FollowRequest, 'endpoint' | 'resolve'>;

/** The queries that requests mean in the version of the catalog that is served now. */
export class ServedQueries {
  /** undefined before the first reload. */
  #latest: Catalog | undefined;

  replace(catalog: Catalog): void {
    this.#latest = catalog;
  }

  /** The query that a request means now; undefined if it means none. */
  readonly of = ({ endpoint, resolve }: Request): SavedQuery | undefined =>
    this.#latest === undefined ? endpoint.query : resolve(this.#latest);

  /** True if a request still means the query that it was bound to. */
  isCurrent(request: Request): boolean {
    return this.of(request) === request.endpoint.query;
  }

  has(query: SavedQuery): boolean {
    return this.#latest?.queries.includes(query) ?? true;
  }
}
