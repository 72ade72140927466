/**
 * A function of an object that is computed once for each object, and kept as long as it. It must depend on nothing but the
 * object's content: for a copy it is computed again, and gives the same.
 */
export function memoize<K extends object, V extends {}>(compute: (object: K) => V): (object: K) => V {
  const known = new WeakMap<K, V>();
  return (object) => {
    const before = known.get(object);
    if (before !== undefined) return before;
    const value = compute(object);
    known.set(object, value);
    return value;
  };
}

let lastNumber = 0;

/** A number that no other object of the process has. */
export const numberOf = memoize((_: object): number => {
  lastNumber += 1;
  return lastNumber;
});

/** A function that is called once, when its value is first needed. If it fails, each call fails with the same error. */
export function once<T>(compute: () => T): () => T {
  let known: (() => T) | undefined;
  return () => {
    if (known === undefined) {
      try {
        const value = compute();
        known = () => value;
      } catch (error) {
        known = () => {
          throw error;
        };
      }
    }
    return known();
  };
}
