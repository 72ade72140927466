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
import { decimalUnits } from '@querygate/text';
import { nowParameter } from '../tree/own-parameters.ts';
import { type ParameterType, sameName, type TypedParameter } from '../types.ts';
import { type Binding, bindable } from './bindable.ts';

/** Canonical text of a parameter; of a list, the texts of its elements. Empty text is NULL, unless it is a STRING. */
export type ParameterValue = string | readonly string[];

/** By the names of parameters. */
export type ParameterValues = Readonly<Record<string, ParameterValue>>;

/** The values bound to a prepared statement, by the names of parameters. */
export type Bindings = ReadonlyMap<string, Binding>;

/**
 * The bindings of one run: every parameter, and the time that CURRENT_TIMESTAMP() means.
 *
 * @param declared the types of parameters; others are text
 */
export function bindingsOf(
  parameters: ParameterValues,
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

function toBinding(value: ParameterValue, bind: ParameterType): Binding {
  const { type, parse } = scalars[bind];
  if (typeof value !== 'string') return { value: listValue(value.map(parse)), type: LIST(type) };
  return { value: bind !== 'STRING' && value === '' ? null : parse(value), type };
}

interface Scalar {
  readonly type: DuckDBType;
  /** The value of a canonical text. */
  readonly parse: (text: string) => DuckDBValue;
}

const scalars: Readonly<Record<ParameterType, Scalar>> = {
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

/** The value of a parameter, '' if it has none. BigQuery takes `@Name` and `@name` for one parameter. */
export function bindingOf(bindings: Bindings, name: string): Binding {
  const inOtherCase = () => [...bindings].find(([key]) => sameName(key, name))?.[1];
  return bindings.get(name) ?? inOtherCase() ?? { value: '', type: VARCHAR };
}
