import type { Column } from '../catalog/model/saved-query.ts';
import { GatewayError } from '../errors.ts';
import { memoize } from '../memoize.ts';
import { type CellValue, valueKind } from './cell-values.ts';
import type { ColumnNamed } from './condition-truth.ts';
import type { RankedColumn } from './ranked-column.ts';
import type { Aggregate } from './row-arguments.ts';

/**
 * The aggregates over some rows as JSON texts; undefined for NULL. As in SQL they skip NULL, and only counts of no values are not
 * NULL. Sums and averages of integers and decimals are exact until they are written.
 *
 * @param typeOf the type of a column
 */
export function aggregateRows(
  aggregates: readonly Aggregate[],
  rows: Uint32Array,
  column: ColumnNamed,
  typeOf: (name: string) => Column['type'],
): readonly (string | undefined)[] {
  return aggregates.map(({ function: name, column: of }) => {
    if (of === undefined) return String(rows.length);
    const { values, ranks } = column(of);
    const counts = countRanks(rows, ranks, values.length);
    const count = counts.reduce((sum, one, rank) => (rank === 0 ? sum : sum + one), 0);
    if (name === 'count') return String(count);
    if (count === 0) return undefined;
    const type = typeOf(of);
    if (name === 'min' || name === 'max') {
      const rank =
        name === 'min'
          ? counts.findIndex((one, at) => at > 0 && one > 0)
          : counts.findLastIndex((one) => one > 0);
      return valueKind(type).json(values[rank - 1] as CellValue);
    }
    const sum = type === 'float' ? floatSum(values, counts) : exactSum(values, counts);
    if (name === 'sum') return sumOf(type, sum);
    return averageOf(type, sum, count, type === 'numeric' && isFine(sum, values, counts));
  });
}

/** The types of which there are sums and averages. */
export const isSummable = ({ type }: Pick<Column, 'type'>): boolean =>
  type === 'integer' || type === 'float' || type === 'numeric';

function countRanks(rows: Uint32Array, ranks: RankedColumn['ranks'], most: number): Uint32Array {
  const counts = new Uint32Array(most + 1);
  for (const row of rows) {
    const rank = ranks[row] as number;
    counts[rank] = (counts[rank] as number) + 1;
  }
  return counts;
}

/** @param sum as values of the type are */
export function sumOf(type: Column['type'], sum: number | bigint): string | undefined {
  if (typeof sum === 'number') return finiteText(sum);
  return type === 'numeric' ? valueKind(type).json(sum) : String(sum);
}

/** The same of their average. @param isFine whether decimals have digits that only BIGNUMERIC has */
export function averageOf(
  type: Column['type'],
  sum: number | bigint,
  count: number,
  isFine: boolean,
): string | undefined {
  if (typeof sum === 'number' || type === 'integer') return finiteText(Number(sum) / count);
  // Away from zero at half a unit of the last digit of the type, as AVG.
  const last = isFine ? 1n : numericUnit;
  const unit = last * BigInt(count);
  const half = sum < 0n ? -unit / 2n : unit / 2n;
  return valueKind(type).json(((sum + half) / unit) * last);
}

/** How often a unit of decimals is in the ninth digit after the point, the last of NUMERIC. */
const numericUnit = 10n ** 29n;

const hasFineDigits = (value: CellValue): boolean => BigInt(value) % numericUnit !== 0n;

/** Of all values of a column: divisions take longer than its sum. */
const isFineColumn = memoize((values: readonly CellValue[]) => values.some(hasFineDigits));

const isFine = (sum: number | bigint, values: readonly CellValue[], counts: Uint32Array): boolean =>
  hasFineDigits(sum) ||
  (isFineColumn(values) && values.some((value, at) => (counts[at + 1] ?? 0) > 0 && hasFineDigits(value)));

/**
 * The text of an aggregate.
 *
 * @param type of the aggregate: floats and times may be written as whole numbers, too
 * @throws GatewayError INVALID_PARAMETER if it is an integer that JSON numbers do not have exactly
 */
export function exactAggregate(
  text: string | undefined,
  { function: name, column = '' }: Aggregate,
  type: string | undefined,
): string | undefined {
  if (text === undefined || type !== 'integer' || Number.isSafeInteger(Number(text))) return text;
  throw new GatewayError(
    'INVALID_PARAMETER',
    `${column}: its ${name} is beyond ±9007199254740991, up to which JSON numbers are exact; use avg, or fewer rows`,
    { parameter: column },
  );
}

/** JSON has no infinities. */
const finiteText = (value: number): string | undefined =>
  Number.isFinite(value) ? String(value) : undefined;

function exactSum(values: readonly CellValue[], counts: Uint32Array): bigint {
  let sum = 0n;
  for (let rank = 1; rank < counts.length; rank += 1) {
    const count = counts[rank] as number;
    if (count > 0) sum += BigInt(values[rank - 1] as CellValue) * BigInt(count);
  }
  return sum;
}

/** By it, more values than there are rows have a sum that is a float. A power of two: no digits are lost. */
export const largeFloat = { from: 1e200, divisor: 2 ** 64 } as const;

/** With the errors of rounding added up apart, as Neumaier does. @param values in their order */
function floatSum(values: readonly CellValue[], counts: Uint32Array): number {
  const isLarge = [values[0], values.at(-1)].some((value) => Math.abs(Number(value)) >= largeFloat.from);
  const divisor = isLarge ? largeFloat.divisor : 1;
  let [sum, error] = [0, 0];
  for (let rank = 1; rank < counts.length; rank += 1) {
    const count = counts[rank] as number;
    if (count === 0) continue;
    const value = (Number(values[rank - 1]) / divisor) * count;
    const next = sum + value;
    error += Math.abs(sum) >= Math.abs(value) ? sum - next + value : value - next + sum;
    sum = next;
  }
  return (sum + error) * divisor;
}
