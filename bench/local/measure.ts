/** Durations of several runs, in milliseconds. */
export interface Times {
  readonly median: number;
  readonly p95: number;
}

/**
 * Runs contenders in turns, so that other load on the machine affects all of them equally; the first one changes from
 * round to round. One round of warm-up is not counted.
 *
 * @returns their times, in the order of the contenders
 */
export async function alternate(
  contenders: readonly (() => Promise<unknown>)[],
  runs: number,
): Promise<readonly Times[]> {
  const times: number[][] = contenders.map(() => []);
  for (let round = -1; round < runs; round += 1) {
    for (let turn = 0; turn < contenders.length; turn += 1) {
      const at = (turn + round + 1) % contenders.length;
      const ms = await timed(contenders[at] ?? (async () => {}));
      if (round >= 0) times[at]?.push(ms);
    }
  }
  return times.map(summary);
}

export async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

export function summary(times: readonly number[]): Times {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
  return { median: at(0.5), p95: at(0.95) };
}
