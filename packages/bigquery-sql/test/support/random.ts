/** Reproducible random numbers: equal seeds give equal sequences. */
export interface Random {
  /** A whole number from 0 to below `end`. */
  below(end: number): number;
  one<T>(values: readonly [T, ...T[]]): T;
  /** True with this probability, in percent. */
  percent(share: number): boolean;
  /** A random number of values, up to `most`. */
  some<T>(most: number, make: () => T): readonly T[];
}

/** Mulberry32: 32 bits of state are enough to choose requests. */
export function openRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (end: number) => Math.floor(next() * end);
  return {
    below,
    one: (values) => values[below(values.length)] ?? values[0],
    percent: (share) => next() * 100 < share,
    some: (most, make) => Array.from({ length: below(most + 1) }, make),
  };
}
