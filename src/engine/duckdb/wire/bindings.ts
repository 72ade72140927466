import {
  type DuckDBPreparedStatement,
  DuckDBTimestampTZValue,
  type DuckDBType,
  type DuckDBValue,
  TIMESTAMPTZ,
  VARCHAR,
} from '@duckdb/node-api';
import { nowParameter } from '../../dialect/passes/constants/time-values.ts';

/** A value to bind, with its type. */
export interface Binding {
  readonly value: DuckDBValue;
  readonly type: DuckDBType;
}

export type Bindings = ReadonlyMap<string, Binding>;

/** The bindings of one run: every parameter as text, and the time that CURRENT_TIMESTAMP() means. */
export function bindingsOf(parameters: Readonly<Record<string, string>>, now: Date): Bindings {
  const timestamp = new DuckDBTimestampTZValue(BigInt(now.getTime()) * 1000n);
  const texts = Object.entries(parameters).map(([name, value]) => [name, { value, type: VARCHAR }] as const);
  return new Map<string, Binding>([...texts, [nowParameter, { value: timestamp, type: TIMESTAMPTZ }]]);
}

/** Binds every parameter that a statement has. */
export function bindTo(statement: DuckDBPreparedStatement, bindings: Bindings): void {
  const names = Array.from({ length: statement.parameterCount }, (_, at) => statement.parameterName(at + 1));
  if (names.length === 0) return;
  const bound = names.map((name) => [name, bindingOf(bindings, name)] as const);
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
