import type { Catalog } from '../../catalog/model/saved-query.ts';

/** A rename now and then loses nothing, and what was counted last is scraped. */
const maxRemoved = 100;

/**
 * Decides which endpoints have series: those of the catalog, and those that were removed last. Without a bound, the series of
 * a gateway whose files are generated would grow for as long as it runs.
 *
 * @returns takes each version of the catalog, and returns the endpoints whose series are kept
 */
export function openKeptEndpoints(): (next: Pick<Catalog, 'queries'>) => ReadonlySet<string> {
  let current: ReadonlySet<string> = new Set();
  /** In the order in which they were removed. */
  let removed: readonly string[] = [];
  return ({ queries }) => {
    const next = new Set(queries.map(({ name }) => name));
    const gone = [...removed, ...current].filter((name) => !next.has(name));
    removed = gone.slice(-maxRemoved);
    current = next;
    return new Set([...removed, ...next]);
  };
}
