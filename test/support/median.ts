/**
 * The median of a fixed number of measurements. One before them, which is not counted, has the code compiled; a collection
 * of garbage falls into one or two of them.
 *
 * @param measure is given the number of the measurement, so that each can use a text that nothing remembers
 */
export async function medianOf(
  measure: (at: number) => number | Promise<number>,
  repetitions = 5,
): Promise<number> {
  const measured: number[] = [];
  for (let at = 0; at <= repetitions; at += 1) measured.push(await measure(at));
  const sorted = measured.slice(1).sort((a, b) => a - b);
  return sorted[Math.floor(repetitions / 2)] ?? Number.NaN;
}
