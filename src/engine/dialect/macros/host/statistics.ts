import { bignumericScale, parseDecimal, ratio } from './decimal.ts';
import { hostFunction } from './host-function.ts';

const decimals = (texts: readonly (string | null)[]): readonly bigint[] =>
  texts.flatMap((text) => (text === null ? [] : [parseDecimal(text, bignumericScale) ?? 0n]));

const sum = (values: readonly bigint[]) => values.reduce((total, value) => total + value, 0n);

const sumOfProducts = (a: readonly bigint[], b: readonly bigint[]) =>
  a.reduce((total, value, at) => total + value * (b[at] ?? 0n), 0n);

/** n² times the covariance, in squared units. */
const deviation = (a: readonly bigint[], b: readonly bigint[]) =>
  BigInt(a.length) * sumOfProducts(a, b) - sum(a) * sum(b);

const squaredUnits = 10n ** BigInt(2 * bignumericScale);

/** `var_pop`, `stddev_samp`, `covar_pop` and so on over exact decimals: only the result is rounded. */
function covariance(a: readonly bigint[], b: readonly bigint[], name: string): number | null {
  const count = BigInt(a.length);
  const divisor = count * (name.endsWith('_samp') ? count - 1n : count);
  if (divisor <= 0n) return null;
  const value = ratio(deviation(a, b), divisor * squaredUnits);
  return name.startsWith('stddev') ? Math.sqrt(value) : value;
}

function variance(texts: readonly (string | null)[], name: string): number | null {
  const values = decimals(texts);
  return covariance(values, values, name);
}

/** Pairs with a NULL do not count. */
function pairStatistic(
  first: readonly (string | null)[],
  second: readonly (string | null)[],
  name: string,
): number | null {
  const pairs = first.flatMap((text, at) => {
    const other = second[at] ?? null;
    return text === null || other === null ? [] : [{ a: text, b: other }];
  });
  const [a, b] = [decimals(pairs.map(({ a }) => a)), decimals(pairs.map(({ b }) => b))];
  if (name !== 'corr') return covariance(a, b, name);
  if (a.length < 2) return null;
  const [spreadOfA, spreadOfB] = [deviation(a, a), deviation(b, b)];
  if (spreadOfA === 0n || spreadOfB === 0n) return Number.NaN;
  const shared = deviation(a, b);
  return Math.sign(Number(shared)) * Math.sqrt(ratio(shared * shared, spreadOfA * spreadOfB));
}

/** Statistics over NUMERIC and BIGNUMERIC, whose squares have more digits than DuckDB's types. */
export const statisticFunctions = [
  hostFunction('host_decimal_variance', ['VARCHAR[]', 'VARCHAR'], 'DOUBLE', variance),
  hostFunction('host_decimal_pairs', ['VARCHAR[]', 'VARCHAR[]', 'VARCHAR'], 'DOUBLE', pairStatistic),
];
