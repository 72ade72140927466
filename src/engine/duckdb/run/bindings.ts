import {
  type DuckDBPreparedStatement,
  DuckDBTimestampTZValue,
  type DuckDBType,
  type DuckDBValue,
  TIMESTAMPTZ,
  VARCHAR,
} from '@duckdb/node-api';
import { nowParameter } from '../../dialect/translator.ts';

/** A value that a statement binds, with its type. */
export interface Binding {
  readonly value: DuckDBValue;
  readonly type: DuckDBType;
}

export type Bindings = ReadonlyMap<string, Binding>;

/** What a query binds: every parameter is text, but the time that CURRENT_TIMESTAMP() means. */
export function bindingsOf(parameters: Readonly<Record<string, string>>, now: Date): Bindings {
  const moment = new DuckDBTimestampTZValue(BigInt(now.getTime()) * 1000n);
  const texts = Object.entries(parameters).map(([name, value]) => [name, { value, type: VARCHAR }] as const);
  return new Map<string, Binding>([...texts, [nowParameter, { value: moment, type: TIMESTAMPTZ }]]);
}

/** Gives a statement the values that it asks for. */
export function bindTo(statement: DuckDBPreparedStatement, bindings: Bindings): void {
  const names = Array.from({ length: statement.parameterCount }, (_, at) => statement.parameterName(at + 1));
  if (names.length === 0) return;
  const found = names.map((name) => [name, bindingOf(bindings, name)] as const);
  statement.bind(
    Object.fromEntries(found.map(([name, { value }]) => [name, value])),
    Object.fromEntries(found.map(([name, { type }]) => [name, type])),
  );
}

/** @returns '' where there is none; BigQuery takes `@Name` and `@name` for one parameter */
export function bindingOf(bindings: Bindings, name: string): Binding {
  const same = () => [...bindings].find(([known]) => known.toLowerCase() === name.toLowerCase());
  return bindings.get(name) ?? same()?.[1] ?? { value: '', type: VARCHAR };
}
