/** The median of a side's times in milliseconds, and how often it was run. */
export interface Timed {
  readonly medianMs: number;
  readonly runs: number;
}

/**
 * Runs the sides in turn, so that other load on the machine affects all of them.
 *
 * @param warmups runs of each side that are not counted
 */
export function compare<Name extends string>(
  sides: Readonly<Record<Name, () => unknown>>,
  { runs, warmups }: { readonly runs: number; readonly warmups: number },
): Readonly<Record<Name, Timed>> {
  const names = Object.keys(sides) as Name[];
  const times = new Map(names.map((name) => [name, [] as number[]]));
  for (let run = -warmups; run < runs; run += 1) {
    for (const name of names) {
      const started = performance.now();
      sides[name]();
      const ms = performance.now() - started;
      if (run >= 0) times.get(name)?.push(ms);
    }
  }
  const timed = names.map((name) => [name, { medianMs: median(times.get(name) ?? []), runs }]);
  return Object.fromEntries(timed) as Record<Name, Timed>;
}

export function median(times: readonly number[]): number {
  return [...times].sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? Number.NaN;
}
