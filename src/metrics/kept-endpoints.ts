/** A rename now and then loses nothing, and what was counted last is scraped. */
const maxRemoved = 100;

/**
 * Decides which endpoints have series: those of the catalog, and those that were removed last. Without a bound, the series of
 * a gateway whose files are generated would grow for as long as it runs.
 *
 * @returns takes the names of a new version, and returns those whose series are kept
 */
export function openKeptEndpoints(names: Iterable<string>): (next: Iterable<string>) => ReadonlySet<string> {
  let current = new Set(names);
  /** In the order in which they were removed. */
  let removed: readonly string[] = [];
  return (nextNames) => {
    const next = new Set(nextNames);
    const gone = [...removed, ...current].filter((name) => !next.has(name));
    removed = gone.slice(-maxRemoved);
    current = next;
    return new Set([...removed, ...next]);
  };
}
