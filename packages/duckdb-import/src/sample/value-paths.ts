import { type DuckDBConnection, type DuckDBType, DuckDBTypeId } from '@duckdb/node-api';
import { areMoments } from '@querygate/bigquery-sql/command';
import { type Column, isPlainText, pathsWhere, sampledValues } from '@querygate/bigquery-sql/duckdb';
import type { DataRelation } from './data-relation.ts';

/** The types that DuckDB gives a moment in a text file. */
export const momentTypes: ReadonlySet<DuckDBTypeId> = new Set([
  DuckDBTypeId.TIMESTAMP,
  DuckDBTypeId.TIMESTAMP_TZ,
]);

/**
 * The paths of the fields that have no value in the first rows: their type is not known. DuckDB reads them as JSON, text, or as
 * integers of 32 bits, which is how Parquet stores a column without a type.
 */
export async function pathsWithoutValues(
  connection: DuckDBConnection,
  relation: string,
  columns: readonly Column[],
): Promise<ReadonlySet<string>> {
  const isJson = ({ alias }: DuckDBType) => alias === 'JSON';
  const isOther = (type: DuckDBType) => isPlainText(type) || type.typeId === DuckDBTypeId.INTEGER;
  const hasNone = "count(*) FILTER (v IS NOT NULL AND CAST(v AS VARCHAR) <> 'null') = 0";
  const json = await pathsWhere(connection, sampledValues(relation, columns, isJson), hasNone);
  const others = await pathsWhere(connection, sampledValues(relation, columns, isOther), 'count(v) = 0');
  return json.union(others);
}

/**
 * The paths of texts that are all moments, as the import reads them: ISO 8601, with a fraction of a second or without and in any
 * zone, which DuckDB detects only if all have the same parts; and `2026-01-31 12:00:00.5 UTC`, as BigQuery exports them.
 */
export async function pathsOfMoments(
  connection: DuckDBConnection,
  { relation, texts }: DataRelation,
  columns: readonly Column[],
): Promise<ReadonlySet<string>> {
  const isText = (type: DuckDBType) =>
    isPlainText(type) || (texts !== undefined && momentTypes.has(type.typeId));
  return pathsWhere(connection, sampledValues(texts ?? relation, columns, isText), areMoments('v'));
}

/** Kinds of values that are written as texts because JSON has no such numbers, and the cure. */
const kindsOfTexts: readonly (readonly [pattern: string, described: string])[] = [
  [String.raw`-?(0|[1-9]\d{0,18})`, 'integers, as BigQuery exports INT64: write INTEGER if they are numbers'],
  [String.raw`-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?`, 'numbers: write FLOAT or NUMERIC'],
  ['(?i:true|false)', 'true or false: write BOOLEAN'],
];

/** The paths of texts that are all integers, numbers, or true and false, with what they are. */
export async function pathsOfTexts(
  connection: DuckDBConnection,
  relation: string,
  columns: readonly Column[],
): Promise<ReadonlyMap<string, string>> {
  const values = sampledValues(relation, columns, isPlainText);
  const found = new Map<string, string>();
  for (const [pattern, described] of kindsOfTexts) {
    const matching = await pathsWhere(
      connection,
      values,
      `coalesce(bool_and(regexp_full_match(v, '${pattern}')), false)`,
    );
    for (const path of matching) if (!found.has(path)) found.set(path, described);
  }
  return found;
}
