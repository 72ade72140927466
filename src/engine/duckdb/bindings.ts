import { type DuckDBPreparedStatement, DuckDBTimestampTZValue, TIMESTAMPTZ, VARCHAR } from '@duckdb/node-api';
import { nowParameter } from '../dialect/translator.ts';

/** Gives a statement its values: every parameter is text, but the time that CURRENT_TIMESTAMP() means. */
export function bindValues(
  statement: DuckDBPreparedStatement,
  names: readonly string[],
  parameters: Readonly<Record<string, string>>,
  now: Date,
): void {
  const values = names.map((name) => [
    name,
    name === nowParameter
      ? new DuckDBTimestampTZValue(BigInt(now.getTime()) * 1000n)
      : (parameters[name] ?? ''),
  ]);
  const types = names.map((name) => [name, name === nowParameter ? TIMESTAMPTZ : VARCHAR]);
  statement.bind(Object.fromEntries(values), Object.fromEntries(types));
}
