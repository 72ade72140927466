import { type DuckDBConnection, type DuckDBType, DuckDBTypeId } from '@duckdb/node-api';
import { areWideIntegers } from '@querygate/bigquery-sql/command';
import { type Column, pathsWhere, sampledValues } from '@querygate/bigquery-sql/duckdb';
import { parseExactNumbers, withoutBareNumbers } from '../read/exact-numbers.ts';

const longInteger = /[:,[]\s*-?\d{20}/;

/** Adds the integers of a line of JSON that DuckDB reads as DOUBLE, as the most digits of one by the path of its field. */
export function addLongIntegers(line: string, known: Map<string, number>): void {
  if (!longInteger.test(line)) return;
  for (const [path, digits] of integersIn(parseExactNumbers(withoutBareNumbers(line)), ''))
    if (digits >= 20) known.set(path, Math.max(known.get(path) ?? 0, digits));
}

function* integersIn(value: unknown, path: string): Generator<readonly [path: string, digits: number]> {
  if (typeof value !== 'object' || value === null) return;
  if (JSON.isRawJSON(value)) {
    const [digits] = /^\d+$/.exec(JSON.stringify(value).replace('-', '')) ?? [];
    if (digits !== undefined) yield [path, digits.length];
    return;
  }
  for (const [name, inner] of Array.isArray(value)
    ? value.map((one) => [undefined, one] as const)
    : Object.entries(value))
    yield* integersIn(inner, name === undefined ? path : path === '' ? name : `${path}.${name}`);
}

/** The type that holds long integers as they are, and why; by the paths of fields whose numbers are all integers. */
export async function typesOfLongIntegers(
  connection: DuckDBConnection,
  relation: string,
  columns: readonly Column[],
  longIntegers: ReadonlyMap<string, number>,
): Promise<ReadonlyMap<string, LongType>> {
  if (longIntegers.size === 0) return new Map();
  const values = sampledValues(relation, columns, isDouble);
  const integral = await pathsWhere(connection, values, 'coalesce(bool_and(v = trunc(v)), false)');
  return new Map(
    [...longIntegers].flatMap(([path, digits]) => (integral.has(path) ? [[path, typeOf(digits)]] : [])),
  );
}

/** Likewise, of the columns of CSV. */
export async function typesOfLongColumns(
  connection: DuckDBConnection,
  texts: string,
  columns: readonly Column[],
): Promise<ReadonlyMap<string, LongType>> {
  const values = sampledValues(texts, columns, isDouble);
  const found = new Map<string, LongType>();
  for (const digits of [29, 38, maxDigits])
    for (const path of await pathsWhere(connection, values, areWideIntegers('v', digits)))
      if (!found.has(path)) found.set(path, typeOf(digits));
  return found;
}

const isDouble = ({ typeId }: DuckDBType) => typeId === DuckDBTypeId.DOUBLE;

/** Of a DOUBLE. */
const maxDigits = 309;

/** The type of a field with long integers. */
export interface LongType {
  readonly type: 'NUMERIC' | 'BIGNUMERIC' | 'STRING';
  readonly beyond: string;
}

const typeOf = (digits: number): LongType =>
  digits <= 29
    ? { type: 'NUMERIC', beyond: 'INT64' }
    : digits <= 38
      ? { type: 'BIGNUMERIC', beyond: 'NUMERIC' }
      : { type: 'STRING', beyond: 'BIGNUMERIC' };
