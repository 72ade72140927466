import { hostFunction } from '../host-function.ts';

/** A value, and how many rows have it, or stand for it. */
type Item = readonly [value: number | bigint, weight: number];

/** In the order of values, NaN first, each value once. */
interface Sketch {
  readonly type: string;
  readonly precision: number;
  readonly items: readonly Item[];
}

/** A sketch is exact until it has this number of items for each unit of its precision. */
const itemsPerUnit = 4;

const maxQuantiles = 100_000;
const maxWeight = 2_147_483_647;

/** Sketches of KLL_QUANTILES, which only this engine reads: JSON with the values as texts. */
const encode = ({ type, precision, items }: Sketch): Uint8Array =>
  Buffer.from(JSON.stringify([type, precision, items.map(([value, weight]) => [String(value), weight])]));

/** @throws Error for a sketch of another type, or for other bytes */
function decode(bytes: Uint8Array, expected?: string): Sketch {
  const sketch = parse(bytes);
  if (sketch === undefined)
    throw new Error(
      'Invalid sketch in KLL_QUANTILES: it must come from KLL_QUANTILES.INIT_INT64 or INIT_FLOAT64 in the same query',
    );
  if (expected !== undefined && sketch.type !== expected)
    throw new Error(`Incompatible sketch in KLL_QUANTILES: it has values of ${sketch.type}, not ${expected}`);
  return sketch;
}

function parse(bytes: Uint8Array): Sketch | undefined {
  try {
    const [type, precision, items] = JSON.parse(Buffer.from(bytes).toString()) as [
      string,
      number,
      readonly (readonly [string, number])[],
    ];
    return {
      type,
      precision,
      items: items.map(([text, weight]) => [readValue(type, text), weight]),
    };
  } catch {
    return undefined;
  }
}

/** @param text as DuckDB or JavaScript writes it */
function readValue(type: string, text: string): number | bigint {
  return type === 'INT64' ? BigInt(text) : Number(text.replace('inf', 'Infinity'));
}

function order([a]: Item, [b]: Item): number {
  if (a === b) return 0;
  if (Number.isNaN(a)) return Number.isNaN(b) ? 0 : -1;
  return Number.isNaN(b) || a > b ? 1 : -1;
}

/** The sketch of items in any order: equal values are one item, and more items than the precision needs are fewer. */
function sketchOf(type: string, precision: number, given: readonly Item[]): Sketch {
  const items: (readonly [Item[0], number])[] = [];
  for (const item of given.toSorted(order)) {
    const last = items.at(-1);
    if (last !== undefined && order(last, item) === 0) items[items.length - 1] = [last[0], last[1] + item[1]];
    else items.push(item);
  }
  const most = precision * itemsPerUnit;
  if (items.length <= most) return { type, precision, items };
  const total = totalOf(items);
  const weight = total / most;
  const ranks = Array.from({ length: most }, (_, at) => 1 + (at * (total - 1)) / (most - 1));
  const values = valuesAt(items, ranks);
  return sketchOf(
    type,
    precision,
    values.map((value) => [value, weight]),
  );
}

const totalOf = (items: readonly Item[]) => items.reduce((sum, [, weight]) => sum + weight, 0);

/** Sums of weights that are fractions are not exact. */
const tolerance = 1e-9;

/** The values of some ranks, from 1, in their order. */
function valuesAt(items: readonly Item[], ranks: readonly number[]): readonly Item[0][] {
  let at = 0;
  let sum = items[0]?.[1] ?? 0;
  return ranks.map((rank) => {
    while (at < items.length - 1 && sum * (1 + tolerance) < rank) {
      at += 1;
      sum += items[at]?.[1] ?? 0;
    }
    return items[at]?.[0] ?? 0;
  });
}

/** The quantile Φ of n rows is the value of the rank ⌈Φ · n⌉. */
function quantilesOf({ items }: Sketch, fractions: readonly number[]): readonly Item[0][] {
  const total = totalOf(items);
  return valuesAt(
    items,
    fractions.map((fraction) => Math.ceil(fraction * total * (1 - tolerance))),
  );
}

/** @param values in their order: all, or so many of them, evenly, as the precision needs */
function init(values: readonly (string | null)[], count: bigint, type: string, precision: bigint) {
  const weight = Number(count) / values.length;
  return encode(
    sketchOf(
      type,
      Number(precision),
      values.map((text) => [readValue(type, text ?? ''), weight]),
    ),
  );
}

function initWeighted(
  values: readonly (string | null)[],
  weights: readonly (string | null)[],
  type: string,
  precision: bigint,
) {
  const items = values.flatMap((text, at): readonly Item[] => {
    const weight = Number(weights[at]);
    if (text === null || weights[at] == null) return [];
    if (weight < 1 || weight > maxWeight)
      throw new Error(`The weight in KLL_QUANTILES must be from 1 to ${maxWeight}, not ${weight}`);
    return [[readValue(type, text), weight]];
  });
  return items.length === 0 ? null : encode(sketchOf(type, Number(precision), items));
}

/** @param sketches in hexadecimal */
function merge(sketches: readonly (string | null)[]): Uint8Array {
  const decoded = sketches.flatMap((hex) => (hex === null ? [] : [decode(Buffer.from(hex, 'hex'))]));
  const type = decoded[0]?.type ?? 'INT64';
  const other = decoded.find((sketch) => sketch.type !== type);
  if (other !== undefined)
    throw new Error(`Incompatible sketches in KLL_QUANTILES: values of ${type} and of ${other.type}`);
  const precision = decoded.reduce(
    (least, sketch) => Math.min(least, sketch.precision),
    Number.POSITIVE_INFINITY,
  );
  return encode(
    sketchOf(
      type,
      precision,
      decoded.flatMap(({ items }) => items),
    ),
  );
}

function quantiles(sketch: Uint8Array, count: bigint, type: string): string {
  if (count < 1n || count > maxQuantiles)
    throw new Error(
      `The number of quantiles in KLL_QUANTILES must be from 1 to ${maxQuantiles}, not ${count}`,
    );
  const fractions = Array.from({ length: Number(count) + 1 }, (_, at) => at / Number(count));
  return quantilesOf(decode(sketch, type), fractions).join(',');
}

function point(sketch: Uint8Array, phi: number, type: string): string {
  if (!(phi >= 0 && phi <= 1)) throw new Error(`Phi in KLL_QUANTILES must be from 0 to 1, not ${phi}`);
  return quantilesOf(decode(sketch, type), [phi]).join();
}

export const kllFunctions = [
  hostFunction('host_kll_init', ['VARCHAR[]', 'BIGINT', 'VARCHAR', 'BIGINT'], 'BLOB', init),
  hostFunction(
    'host_kll_init_weighted',
    ['VARCHAR[]', 'VARCHAR[]', 'VARCHAR', 'BIGINT'],
    'BLOB',
    initWeighted,
  ),
  hostFunction('host_kll_merge', ['VARCHAR[]'], 'BLOB', merge),
  hostFunction('host_kll_quantiles', ['BLOB', 'BIGINT', 'VARCHAR'], 'VARCHAR', quantiles),
  hostFunction('host_kll_point', ['BLOB', 'DOUBLE', 'VARCHAR'], 'VARCHAR', point),
];
