import { type DuckDBConnection, type DuckDBType, DuckDBTypeId } from '@duckdb/node-api';
import { quote } from '../../types.ts';

/** How many rows of a text file show its types, however large it is. */
export const sampledRows = 20_000;

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

/** The integers of DuckDB that INT64 may not hold. */
export const wideTypes: ReadonlySet<DuckDBTypeId> = new Set([
  DuckDBTypeId.UBIGINT,
  DuckDBTypeId.UHUGEINT,
  DuckDBTypeId.HUGEINT,
]);

const maxInt64 = 2n ** 63n - 1n;

/**
 * The paths of integers that do not all fit INT64. The type alone does not say it: it is HUGEINT, too, where JSON has
 * integers of both signs, and Parquet has unsigned columns of small numbers.
 *
 * @param relations each of one file: the types of several are those of the first rows of each
 * @param isSampled false to read all rows
 */
export async function pathsBeyondInt64(
  connection: DuckDBConnection,
  relations: readonly string[],
  columns: readonly Column[],
  isSampled: boolean,
): Promise<ReadonlySet<string>> {
  const isWide = ({ typeId }: DuckDBType) => wideTypes.has(typeId);
  const found = new Set<string>();
  if (sampledValues('', columns, isWide).length === 0) return found;
  for (const relation of relations) {
    const values = sampledValues(relation, await columnsOf(connection, relation), isWide, isSampled);
    const condition = `coalesce(max(v) > ${maxInt64} OR min(v) < ${-maxInt64 - 1n}, false)`;
    for (const path of await pathsWhere(connection, values, condition)) found.add(path);
  }
  return found;
}

/** The paths of the values for which a condition holds: an aggregate over the column `v` of all values. */
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

/** The values of a column, or of a field within records and arrays. */
interface ValuesOfPath {
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
