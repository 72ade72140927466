import { isDeepStrictEqual } from 'node:util';

type Row = Readonly<Record<string, unknown>>;

/** Percentiles are approximate by definition, the more so the fewer values there are. */
const approximate = /^p\d+_/;
const tolerance = 0.25;

/**
 * Compares the rows of two results, each row as JSON text, without NULLs and with nested records flattened: the layout of
 * the rows does not matter.
 *
 * @returns the first difference, or undefined if both are the same
 */
export function difference(ours: readonly string[], theirs: readonly string[]): string | undefined {
  if (ours.length !== theirs.length) return `${ours.length} rows against ${theirs.length}`;
  for (const [at, text] of ours.entries()) {
    const [ourRow, theirRow] = [flattened(text), flattened(theirs[at] ?? '')];
    for (const key of new Set([...Object.keys(ourRow), ...Object.keys(theirRow)])) {
      if (!same(key, ourRow, theirRow)) {
        return `row ${at + 1}, ${key}: ${JSON.stringify(ourRow[key])} against ${JSON.stringify(theirRow[key])}`;
      }
    }
  }
  return undefined;
}

function same(key: string, ours: Row, theirs: Row): boolean {
  const [our, their] = [ours[key], theirs[key]];
  if (typeof our !== 'number' || typeof their !== 'number') return isDeepStrictEqual(our, their);
  if (!approximate.test(key)) return Math.abs(our - their) <= 1e-9 * Math.max(Math.abs(our), Math.abs(their));
  if (typeof ours.count === 'number' && ours.count < 200) return between(our, ours) && between(their, ours);
  return Math.abs(our - their) <= tolerance * Math.max(Math.abs(our), Math.abs(their));
}

/** A percentile of a few values is one of them, or lies between two. */
function between(value: number, { min_execution_time: low, max_execution_time: high }: Row): boolean {
  return typeof low === 'number' && typeof high === 'number' && value >= low && value <= high;
}

function flattened(text: string): Row {
  const flat: Record<string, unknown> = {};
  const walk = (value: unknown, name: string) => {
    if (value === null) return;
    if (Array.isArray(value) && value.length <= 1) return walk(value[0] ?? null, name);
    if (typeof value !== 'object' || Array.isArray(value)) {
      flat[name] = value;
      return;
    }
    for (const [key, below] of Object.entries(value)) walk(below, name === '' ? key : `${name}_${key}`);
  };
  walk(JSON.parse(text), '');
  return flat;
}
