import {
  BIGINT,
  BIGNUM,
  BOOLEAN,
  DATE,
  DECIMAL,
  DOUBLE,
  DuckDBDateValue,
  DuckDBDecimalValue,
  type DuckDBPreparedStatement,
  DuckDBTimestampTZValue,
  DuckDBTimestampValue,
  type DuckDBType,
  type DuckDBValue,
  LIST,
  listValue,
  TIMESTAMP,
  TIMESTAMPTZ,
  VARCHAR,
} from '@duckdb/node-api';
import type { BoundValue, BoundValues } from '../../../../src/catalog/binding/bind.ts';
import { decimalUnits } from '../text/decimal-text.ts';
import type { BindType } from '../../../../src/catalog/model/saved-query.ts';
import type { TypedParameter } from '@querygate/bigquery-sql/parameter-types';
import { nowParameter } from '@querygate/bigquery-sql/passes/constants/time-values';
import { type Binding, bindable } from './bindable.ts';

export type Bindings = ReadonlyMap<string, Binding>;

/**
 * The bindings of one run: every parameter, and the time that CURRENT_TIMESTAMP() means.
 *
 * @param declared the types of parameters; others are text
 */
export function bindingsOf(
  parameters: BoundValues,
  now: Date,
  declared: readonly TypedParameter[] = [],
): Bindings {
  const timestamp = new DuckDBTimestampTZValue(BigInt(now.getTime()) * 1000n);
  const bindings = new Map<string, Binding>();
  for (const [name, value] of Object.entries(parameters)) {
    const bind = declared.find((parameter) => parameter.name === name)?.bind ?? 'STRING';
    bindings.set(name, toBinding(value, bind));
  }
  return bindings.set(nowParameter, { value: timestamp, type: TIMESTAMPTZ });
}

function toBinding(value: BoundValue, bind: BindType): Binding {
  const { type, parse } = scalars[bind];
  if (typeof value !== 'string') return { value: listValue(value.map(parse)), type: LIST(type) };
  return { value: bind !== 'STRING' && value === '' ? null : parse(value), type };
}

interface Scalar {
  readonly type: DuckDBType;
  /** The value of a canonical text. */
  readonly parse: (text: string) => DuckDBValue;
}

const scalars: Readonly<Record<BindType, Scalar>> = {
  STRING: { type: VARCHAR, parse: (text) => text },
  INT64: { type: BIGINT, parse: BigInt },
  FLOAT64: { type: DOUBLE, parse: Number },
  NUMERIC: {
    type: DECIMAL(38, 9),
    parse: (text) => new DuckDBDecimalValue(decimalUnits(text, 9), 38, 9),
  },
  // A BIGNUM that counts units of 10^-38, as everywhere in DuckDB.
  BIGNUMERIC: { type: BIGNUM, parse: (text) => decimalUnits(text, 38) },
  BOOL: { type: BOOLEAN, parse: (text) => text === 'true' },
  DATE: { type: DATE, parse: (text) => new DuckDBDateValue(Math.floor(Date.parse(text) / 86_400_000)) },
  DATETIME: { type: TIMESTAMP, parse: (text) => new DuckDBTimestampValue(microsOf(text)) },
  TIMESTAMP: { type: TIMESTAMPTZ, parse: (text) => new DuckDBTimestampTZValue(microsOf(text)) },
};

/** @param text `YYYY-MM-DDTHH:MM:SS.ffffff`, and a Z if it is a point in time */
const microsOf = (text: string): bigint =>
  BigInt(Date.parse(`${text.slice(0, 19)}Z`)) * 1000n + BigInt(text.slice(20, 26));

/** Binds every parameter that a statement has. */
export function bindTo(statement: DuckDBPreparedStatement, bindings: Bindings): void {
  const names = Array.from({ length: statement.parameterCount }, (_, at) => statement.parameterName(at + 1));
  if (names.length === 0) return;
  const bound = names.map((name) => [name, bindable(bindingOf(bindings, name))] as const);
  statement.bind(
    Object.fromEntries(bound.map(([name, { value }]) => [name, value])),
    Object.fromEntries(bound.map(([name, { type }]) => [name, type])),
  );
}

/** @returns '' for a parameter without a value; BigQuery takes `@Name` and `@name` for one parameter */
export function bindingOf(bindings: Bindings, name: string): Binding {
  const inOtherCase = () => [...bindings].find(([key]) => key.toLowerCase() === name.toLowerCase())?.[1];
  return bindings.get(name) ?? inOtherCase() ?? { value: '', type: VARCHAR };
}
