import { type DuckDBConnection, type DuckDBType, DuckDBTypeId } from '@duckdb/node-api';
import { areMoments, areWideIntegers } from '@querygate/bigquery-sql/command';
import { quote } from '@querygate/bigquery-sql/types';
import { type DataRelation, relationOf, sampledRows } from './data-relation.ts';

/** A column of a data file, as DuckDB reads it. */
export interface Column {
  readonly name: string;
  readonly type: DuckDBType;
}

/** Only the names and types: rows are read as far as the types need them. */
export async function columnsOf(connection: DuckDBConnection, relation: string): Promise<readonly Column[]> {
  const statement = await connection.prepare(`SELECT * FROM ${relation}`);
  const columns = Array.from({ length: statement.columnCount }, (_, at) => ({
    name: statement.columnName(at),
    type: statement.columnType(at),
  }));
  statement.destroySync();
  return columns;
}

/** The types that DuckDB gives a moment in a text file. */
export const momentTypes: ReadonlySet<DuckDBTypeId> = new Set([
  DuckDBTypeId.TIMESTAMP,
  DuckDBTypeId.TIMESTAMP_TZ,
]);

/** The paths of the JSON fields that have no value in the first rows: their type is not known. */
export async function pathsWithoutValues(
  connection: DuckDBConnection,
  relation: string,
  columns: readonly Column[],
): Promise<ReadonlySet<string>> {
  const values = sampledValues(relation, columns, ({ alias }) => alias === 'JSON');
  return pathsWhere(
    connection,
    values,
    "count(*) FILTER (v IS NOT NULL AND CAST(v AS VARCHAR) <> 'null') = 0",
  );
}

const wideTypes: ReadonlySet<DuckDBTypeId> = new Set([
  DuckDBTypeId.UBIGINT,
  DuckDBTypeId.UHUGEINT,
  DuckDBTypeId.HUGEINT,
]);

/**
 * The paths of integers that do not all fit INT64. The type alone does not say it: it is HUGEINT, too, where JSON has
 * integers of both signs, and Parquet has unsigned columns of small numbers.
 */
export async function pathsBeyondInt64(
  connection: DuckDBConnection,
  files: readonly string[],
  columns: readonly Column[],
): Promise<ReadonlySet<string>> {
  const isWide = ({ typeId }: DuckDBType) => wideTypes.has(typeId);
  const found = new Set<string>();
  if (sampledValues('', columns, isWide).length === 0) return found;
  // The types of several files are those of the first rows of each.
  for (const file of files) {
    const { relation, isText } = relationOf([file]);
    const values = sampledValues(relation, await columnsOf(connection, relation), isWide, isText);
    const condition = `coalesce(max(v) > ${maxInt64} OR min(v) < ${-maxInt64 - 1n}, false)`;
    for (const path of await pathsWhere(connection, values, condition)) found.add(path);
  }
  return found;
}

const maxInt64 = 2n ** 63n - 1n;

/** The columns of CSV whose numbers are all integers, of which some are beyond INT64: DuckDB reads them as DOUBLE. */
export const wideColumnsOf = (
  connection: DuckDBConnection,
  texts: string,
  columns: readonly Column[],
): Promise<ReadonlySet<string>> =>
  pathsWhere(
    connection,
    sampledValues(texts, columns, ({ typeId }) => typeId === DuckDBTypeId.DOUBLE),
    areWideIntegers,
  );

/**
 * The paths of texts that are all moments, as the import reads them: ISO 8601, with a fraction of a second or without and in any
 * zone, which DuckDB detects only if all have the same parts; and `2026-01-31 12:00:00.5 UTC`, as BigQuery exports them.
 */
export async function pathsOfMoments(
  connection: DuckDBConnection,
  { relation, texts }: DataRelation,
  columns: readonly Column[],
): Promise<ReadonlySet<string>> {
  const isText = ({ alias, typeId }: DuckDBType) =>
    (alias !== 'JSON' && typeId === DuckDBTypeId.VARCHAR) || (texts !== undefined && momentTypes.has(typeId));
  return pathsWhere(connection, sampledValues(texts ?? relation, columns, isText), areMoments);
}

/** Kinds of values that are written as texts because JSON has no such numbers, and the cure. */
const kindsOfTexts: readonly (readonly [pattern: string, described: string])[] = [
  [String.raw`-?(0|[1-9]\d{0,18})`, 'integers, as BigQuery exports INT64: write INTEGER if they are numbers'],
  [String.raw`-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?`, 'numbers: write FLOAT or NUMERIC'],
  ['true|false', 'true or false: write BOOLEAN'],
];

/** The paths of texts that are all integers, numbers, or true and false, with what they are. */
export async function pathsOfTexts(
  connection: DuckDBConnection,
  relation: string,
  columns: readonly Column[],
): Promise<ReadonlyMap<string, string>> {
  const values = sampledValues(
    relation,
    columns,
    ({ alias, typeId }) => alias !== 'JSON' && typeId === DuckDBTypeId.VARCHAR,
  );
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

/** @param condition over the column `v` of all values, as an aggregate */
export async function pathsWhere(
  connection: DuckDBConnection,
  values: readonly ValuesOfPath[],
  condition: string,
): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  for (let from = 0; from < values.length; from += maxSubqueries) {
    const some = values.slice(from, from + maxSubqueries);
    const conditions = some.map(({ query }) => `(SELECT ${condition} FROM (${query}))`);
    const reader = await connection.runAndReadAll(`SELECT ${conditions.join(', ')}`);
    const [holds = []] = reader.getRows();
    for (const [at, { path }] of some.entries()) if (holds[at] === true) found.add(path);
  }
  return found;
}

/** The time in which DuckDB plans a statement grows faster than the number of its subqueries. */
const maxSubqueries = 50;

export interface ValuesOfPath {
  readonly path: string;
  /** Returns the values as the column `v`. */
  readonly query: string;
}

/** A text, also of JSON, that is no JSON itself. */
export const isPlainText = ({ alias, typeId }: DuckDBType): boolean =>
  alias !== 'JSON' && typeId === DuckDBTypeId.VARCHAR;

type TypeTest = (type: DuckDBType) => boolean;

/** The values of the first rows, or of all, of the fields whose type passes a test. */
export const sampledValues = (
  relation: string,
  columns: readonly Column[],
  test: TypeTest,
  isSampled = true,
): readonly ValuesOfPath[] =>
  columns.flatMap(({ name, type }) => {
    const query = `SELECT ${quote(name)} AS v FROM ${relation}${isSampled ? ` LIMIT ${sampledRows}` : ''}`;
    return valuesOf({ path: name, query }, type, test);
  });

function valuesOf(values: ValuesOfPath, type: DuckDBType, test: TypeTest): readonly ValuesOfPath[] {
  if (test(type)) return [values];
  const { path, query } = values;
  if (type.typeId === DuckDBTypeId.LIST)
    return valuesOf({ path, query: `SELECT unnest(v) AS v FROM (${query})` }, type.valueType, test);
  if (type.typeId !== DuckDBTypeId.STRUCT) return [];
  return type.entryTypes.flatMap((entry, at) => {
    const name = type.entryNames[at] ?? '';
    const own = `SELECT v.${quote(name)} AS v FROM (${query})`;
    return valuesOf({ path: `${path}.${name}`, query: own }, entry, test);
  });
}
