import { LRUCache } from 'lru-cache';
import type { Catalog, SavedQuery } from '../../catalog/model/saved-query.ts';
import type { Owner } from '../../concurrency/fair-share.ts';
import type { LoopTurns } from '../../concurrency/loop-turns.ts';
import { ownerOf, type Principal } from '../../keys/principal.ts';
import { mayQuery } from '../../call/gate.ts';
import { type FindDocument, parseOperation } from './read-operation.ts';

/** The schemas of a catalog. */
export interface Schemas<T> {
  /** The one that a request is answered with. */
  schemaFor(
    principal: Principal,
    url: URL,
    body: Uint8Array | undefined,
    findDocument: FindDocument,
  ): T | Promise<T>;
  /** The one that introspection shows a key. */
  shownTo(principal: Principal): T | Promise<T>;
}

/** How many schemas of a part of the catalog are kept: keys of a team often permit the same endpoints. */
const maxParts = 32;

/** A part may keep this share of the documents that the whole catalog may keep. */
const partShare = 1 / 16;

/**
 * A schema of the whole catalog, and one for each part of it that some key may query, which introspection shows it. If the
 * rest is hidden from the key, documents are validated against its part too: a hidden field does not exist, others are
 * forbidden.
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
  /** Kept as long as their keys; undefined: the whole. */
  const visibleTo = new WeakMap<Principal, readonly SavedQuery[] | 'all'>();
  const visibleQueries = (principal: Principal) => {
    if (principal.endpoints === undefined && principal.tenants === undefined) return 'all';
    const known = visibleTo.get(principal);
    if (known !== undefined) return known;
    const queries = catalog.queries.filter((query) => mayQuery(principal, query));
    const visible = queries.length === catalog.queries.length ? 'all' : queries;
    visibleTo.set(principal, visible);
    return visible;
  };
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
  return {
    shownTo,
    schemaFor: (principal, url, body, findDocument) =>
      visibleQueries(principal) === 'all' ||
      !(principal.hidesEndpoints || mayIntrospect(url, body, findDocument))
        ? whole
        : shownTo(principal),
  };
}

/** False only if the request certainly does not query the schema, which no text without these names can. */
function mayIntrospect(url: URL, body: Uint8Array | undefined, findDocument: FindDocument): boolean {
  const text =
    body === undefined
      ? [...url.searchParams].join()
      : Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('latin1');
  // In JSON, a name may be written with escapes.
  if (schemaNames.test(text) || text.includes('\\u')) return true;
  if (!/persistedQuery|documentId/.test(text)) return false;
  try {
    return schemaNames.test(String(parseOperation(url, body, findDocument).query));
  } catch {
    // Another request may store the document before this one is read.
    return true;
  }
}

const schemaNames = /__schema|__type(?!name)/;
