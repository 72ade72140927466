import { LRUCache } from 'lru-cache';
import type { Catalog, SavedQuery } from '../../catalog/model/saved-query.ts';
import type { Owner } from '../../concurrency/fair-share.ts';
import type { LoopTurns } from '../../concurrency/loop-turns.ts';
import { ownerOf, type Principal } from '../../keys/principal.ts';
import { memoize } from '../../memoize.ts';
import { mayQuery } from '../../call/gate.ts';

/** The schemas of a catalog. */
export interface Schemas<T> {
  readonly whole: T;
  seesAll(principal: Principal): boolean;
  /** The one that introspection shows a key. */
  shownTo(principal: Principal): T | Promise<T>;
}

/** How many schemas of a part of the catalog are kept: keys of a team often permit the same endpoints. */
const maxParts = 32;

/** A part may keep this share of the documents that the whole catalog may keep. */
const partShare = 1 / 16;

/**
 * A schema of the whole catalog, and one for each part of it that some key may query, which introspection shows it.
 *
 * @param build makes what answers requests by a schema, in steps
 */
export function* buildSchemas<T>(
  catalog: Catalog,
  build: (catalog: Catalog, share: number) => Generator<void, T>,
  turns: LoopTurns,
): Generator<void, Schemas<T>> {
  const whole = yield* build(catalog, 1);
  const parts = new LRUCache<string, Promise<T>>({ max: maxParts });
  const visibleQueries = memoize((principal: Principal) => {
    if (principal.endpoints === undefined && principal.tenants === undefined) return 'all';
    const queries = catalog.queries.filter((query) => mayQuery(principal, query));
    return queries.length === catalog.queries.length ? 'all' : queries;
  });
  const partOf = (queries: readonly SavedQuery[], owner: Owner): Promise<T> => {
    const key = queries.map(({ id }) => id).join();
    const known = parts.get(key);
    if (known !== undefined) return known;
    const schema = turns.run(owner, build({ ...catalog, queries, all: catalog.queries }, partShare));
    parts.set(key, schema);
    // The next request builds a failed schema again.
    schema.catch(() => parts.delete(key));
    return schema;
  };
  const shownTo = (principal: Principal) => {
    const visible = visibleQueries(principal);
    return visible === 'all' ? whole : partOf(visible, ownerOf(principal));
  };
  return { whole, seesAll: (principal) => visibleQueries(principal) === 'all', shownTo };
}
