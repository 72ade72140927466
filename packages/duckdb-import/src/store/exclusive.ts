/** Does pieces of work one after the other, in the order of the calls. */
export type Exclusive = <T>(work: () => Promise<T>) => Promise<T>;

/** Builds what does pieces of work one after the other: a connection of DuckDB has one transaction at a time. */
export function buildExclusive(): Exclusive {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const result = last.then(work);
    last = result.catch(() => undefined);
    return result;
  };
}
