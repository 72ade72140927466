/** What two engines may write differently: the last digits of FLOAT64, and NULL for an array without elements. */
const digits = 13;

/** Whether two lists of JSON texts are the same rows in any order. */
export function areSameRows(ours: readonly string[], reference: readonly string[]): boolean {
  const [a, b] = [ours, reference].map((texts) => texts.map(canonical).sort());
  return JSON.stringify(a) === JSON.stringify(b);
}

const canonical = (text: string): string => JSON.stringify(normal(JSON.parse(text)));

function normal(value: unknown): unknown {
  if (typeof value === 'number') return Number(value.toPrecision(digits));
  if (Array.isArray(value)) return value.length === 0 ? null : value.map(normal);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, normal(one)]));
}
