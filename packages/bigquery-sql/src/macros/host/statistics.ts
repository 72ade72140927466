import { parseDecimal, power10, ratio } from './decimals/decimal.ts';
import { hostFunction } from './host-function.ts';

type Texts = readonly (string | null)[];

/** How many digits after the point the values have: what is computed with few digits takes a part of the time. */
const scaleOf = (texts: Texts): number =>
  texts.reduce((scale, text) => {
    const point = text?.indexOf('.') ?? -1;
    return text === null || point < 0 ? scale : Math.max(scale, text.length - point - 1);
  }, 0);

const decimals = (texts: Texts, scale: number): readonly bigint[] =>
  texts.flatMap((text) => (text === null ? [] : [decimal(text, scale)]));

/** The form that DuckDB gives a NUMERIC needs no rounding; of some hundreds of thousands, parsing takes most of the time. */
const decimal = (text: string, scale: number): bigint =>
  isPlain.test(text) && text.length - text.indexOf('.') - 1 === scale
    ? BigInt(text.replace('.', ''))
    : (parseDecimal(text, scale) ?? 0n);

const isPlain = /^-?\d{1,40}\.\d{1,38}$/;

const sum = (values: readonly bigint[]) => values.reduce((total, value) => total + value, 0n);

const sumOfProducts = (a: readonly bigint[], b: readonly bigint[]) =>
  a.reduce((total, value, at) => total + value * (b[at] ?? 0n), 0n);

/** n² times the covariance, in squared units. */
const deviation = (a: readonly bigint[], b: readonly bigint[]) =>
  BigInt(a.length) * sumOfProducts(a, b) - sum(a) * sum(b);

/** `var_pop`, `stddev_samp`, `covar_pop` and so on over exact decimals: only the result is rounded. */
function covariance(a: readonly bigint[], b: readonly bigint[], scales: number, name: string): number | null {
  const count = BigInt(a.length);
  const divisor = count * (name.endsWith('_samp') ? count - 1n : count);
  if (divisor <= 0n) return null;
  const value = ratio(deviation(a, b), divisor * power10(scales));
  return name.startsWith('stddev') ? Math.sqrt(value) : value;
}

function variance(texts: Texts, name: string): number | null {
  const scale = scaleOf(texts);
  const values = decimals(texts, scale);
  return covariance(values, values, 2 * scale, name);
}

/** Pairs with a NULL do not count. */
function pairStatistic(first: Texts, second: Texts, name: string): number | null {
  const isPair = (_: unknown, at: number) => (first[at] ?? null) !== null && (second[at] ?? null) !== null;
  const scales = { a: scaleOf(first), b: scaleOf(second) };
  const [a, b] = [decimals(first.filter(isPair), scales.a), decimals(second.filter(isPair), scales.b)];
  if (name !== 'corr') return covariance(a, b, scales.a + scales.b, name);
  if (a.length < 2) return null;
  const [spreadOfA, spreadOfB] = [deviation(a, a), deviation(b, b)];
  if (spreadOfA === 0n || spreadOfB === 0n) return Number.NaN;
  const shared = deviation(a, b);
  return Math.sign(Number(shared)) * Math.sqrt(ratio(shared * shared, spreadOfA * spreadOfB));
}

/**
 * The sum of the weights of each key, as JSON: the place of its first occurrence, counted from 1, and the sum, which is
 * NULL if all its weights are.
 */
function topSums(keys: Texts, weights: Texts, type: string): string {
  const sums = new Map<string | null, { readonly i: number; readonly weights: string[] }>();
  for (const [at, key] of keys.entries()) {
    const sum = sums.get(key) ?? { i: at + 1, weights: [] };
    const weight = weights[at] ?? null;
    if (weight !== null) sum.weights.push(weight);
    sums.set(key, sum);
  }
  return JSON.stringify([...sums.values()].map((sum) => ({ i: sum.i, s: totalOf(sum.weights, type) })));
}

function totalOf(weights: readonly string[], type: string): string | null {
  const wrong = weights.find((weight) => !(Number(weight) >= 0));
  if (wrong !== undefined) throw new Error('APPROX_TOP_SUM takes no weight that is negative or NaN');
  if (weights.length === 0) return null;
  if (type === 'FLOAT64') return String(weights.reduce((sum, weight) => sum + Number(weight), 0));
  const scale = scaleOf(weights);
  const total = String(decimals(weights, scale).reduce((sum, weight) => sum + weight, 0n)).padStart(
    scale + 1,
    '0',
  );
  return scale === 0 ? total : `${total.slice(0, -scale)}.${total.slice(-scale)}`;
}

/** Statistics over NUMERIC and BIGNUMERIC, whose squares have more digits than DuckDB's types. */
export const statisticFunctions = [
  hostFunction('host_decimal_variance', ['VARCHAR[]', 'VARCHAR'], 'DOUBLE', variance),
  hostFunction('host_decimal_pairs', ['VARCHAR[]', 'VARCHAR[]', 'VARCHAR'], 'DOUBLE', pairStatistic),
  hostFunction('host_top_sums', ['VARCHAR[]', 'VARCHAR[]', 'VARCHAR'], 'VARCHAR', topSums),
];
