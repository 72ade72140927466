import { type DuckDBConnection, type DuckDBType, DuckDBTypeId, VARCHAR } from '@duckdb/node-api';
import { globText } from '@querygate/bigquery-sql/command';
import { columnType, hasOnlyValuesOf, storedValue } from '@querygate/bigquery-sql/duckdb';
import type { Field, TableSchema } from '@querygate/bigquery-sql/table-schema';
import { quoteText } from '@querygate/bigquery-sql/tree';
import type { DataFile } from '../scan/data-files.ts';
import type { Bounds, Footer, PlacedFile } from '../store/files/placed-file.ts';
import { parquetSql, readRows } from '../store/statements.ts';

/** The names and types of the columns of a Parquet file. @throws Error if it cannot be read */
export async function readColumns(connection: DuckDBConnection, path: string): Promise<Footer['columns']> {
  const rows = await readRows(connection, `DESCRIBE SELECT * FROM ${parquetSql([path])}`);
  return rows.map(([name, type]) => [String(name), String(type)]);
}

/** The number of rows of a Parquet file. @throws Error if it cannot be read */
export async function countRows(connection: DuckDBConnection, path: string): Promise<number> {
  const sql = `SELECT num_rows FROM parquet_file_metadata(${globText(path)})`;
  return Number((await readRows(connection, sql))[0]?.[0]);
}

/** Why the import has to look at the values of a file. */
export interface Doubt {
  readonly doubt: string;
}

/** The columns that the folders of a file give, as a table stores them. */
export async function readPartition(
  connection: DuckDBConnection,
  { partition }: DataFile,
  { fields }: TableSchema,
): Promise<Pick<Footer, 'partition' | 'bounds'> | Doubt> {
  const columns: [string, string, string][] = [];
  const bounds: Record<string, Bounds> = {};
  for (const field of fields) {
    const text = partition[field.name.toLowerCase()];
    if (text === undefined) continue;
    const type = columnType(field);
    const source = { sql: text === null ? 'NULL' : quoteText(text), type: VARCHAR };
    const isPlain = ['STRING', 'INTEGER', 'DATE', 'TIMESTAMP', 'DATETIME'].includes(field.type);
    const value = `CAST(${storedValue(field, source)} AS VARCHAR)`;
    const micros = `epoch_us(TRY_CAST(${value} AS TIMESTAMPTZ))::VARCHAR`;
    const sql = `SELECT ${value}, ${momentTypes.has(field.type) ? micros : value}`;
    const [[stored, bound] = []] = await readRows(connection, sql).catch(() => []);
    if (!isPlain || field.mode === 'REPEATED' || stored === undefined)
      return { doubt: `the name of its folder gives ${field.name}, a ${field.type}` };
    columns.push([field.name, type, stored === null ? 'NULL' : quoteText(String(stored))]);
    if (bound !== null) bounds[field.name] = [String(bound), String(bound)];
  }
  return { partition: columns, bounds };
}

const momentTypes: ReadonlySet<Field['type']> = new Set(['TIMESTAMP', 'DATETIME', 'DATE']);

/** Says of columns, by their statistics, whether each value is one of the declared type, and the bounds of values. */
export function examineFields(
  leaves: Leaves,
  fields: readonly Field[],
  columns: Footer['columns'],
  sources: PlacedFile['sources'],
): Pick<Footer, 'bounds' | 'repeatedPaths'> | Doubt {
  const found: Found = { leaves, bounds: {}, repeatedPaths: [] };
  for (const field of fields) {
    const name = columns.find(([one]) => one.toLowerCase() === field.name.toLowerCase())?.[0];
    const doubt = examine(found, field, sources.get(field.name.toLowerCase())?.type, {
      name: name ?? '',
      path: field.name,
      isInList: false,
    });
    if (doubt !== undefined) return { doubt };
  }
  return found;
}

interface Found {
  readonly leaves: Leaves;
  readonly bounds: Record<string, Bounds>;
  readonly repeatedPaths: string[];
}

interface Place {
  /** As statistics name it. */
  readonly name: string;
  /** As the table names it. */
  readonly path: string;
  readonly isInList: boolean;
}

/** @returns why values of a column are in doubt */
function examine(found: Found, field: Field, type: DuckDBType | undefined, place: Place): string | undefined {
  const { leaves } = found;
  const { name, path } = place;
  if (type === undefined) return field.mode === 'REQUIRED' ? `${path} is missing` : undefined;
  const isRepeated = field.mode === 'REPEATED';
  const isList = isRepeated && type.typeId === DuckDBTypeId.LIST;
  const element = isList ? type.valueType : type;
  const within = leavesWithin(leaves, name);
  if (field.mode === 'REQUIRED' && leaves.size > 0 && !within.some(({ hasNoNulls }) => hasNoNulls))
    return `${path} may be NULL`;
  if (field.fields && element.typeId === DuckDBTypeId.STRUCT) {
    if (isList && !place.isInList && !within.every(({ isSingle }) => isSingle))
      found.repeatedPaths.push(path);
    const prefix = isList ? listName(leaves, name) : name;
    for (const inner of field.fields) {
      const at = element.entryNames.findIndex((entry) => entry.toLowerCase() === inner.name.toLowerCase());
      const doubt = examine(found, inner, element.entryTypes[at], {
        name: `${prefix}, ${element.entryNames[at]}`,
        path: `${path}.${inner.name}`,
        isInList: place.isInList || isList,
      });
      if (doubt !== undefined) return doubt;
    }
    return undefined;
  }
  const leaf = leaves.get(name);
  const integers = leaf?.integers;
  const isWithin64Bits = integers !== undefined && BigInt(integers[1]) < 2n ** 63n;
  if (field.fields || isRepeated !== isList || !hasOnlyValuesOf(field, element, isWithin64Bits))
    return `${path} is ${type}, of which not every value may be ${field.type}`;
  if (momentTypes.has(field.type) && within.some(({ isInRange }) => isInRange === false))
    return `${path} has values that are not ${field.type}`;
  const bounds =
    isRepeated || place.isInList || leaf === undefined ? undefined : boundsFor(field, element, leaf);
  if (bounds) found.bounds[path] = bounds;
  return undefined;
}

function boundsFor({ type }: Field, { typeId }: DuckDBType, leaf: Leaf): Bounds | undefined {
  if (momentTypes.has(type)) return leaf.micros;
  if (type === 'INTEGER') return leaf.integers;
  // Numbers have another order as texts.
  return type === 'STRING' && typeId === DuckDBTypeId.VARCHAR ? leaf.texts : undefined;
}

const leavesWithin = (leaves: Leaves, name: string): readonly Leaf[] =>
  [...leaves].filter(([one]) => one === name || one.startsWith(`${name}, `)).map(([, leaf]) => leaf);

/** Writers name the two levels of a list in several ways. */
const listName = (leaves: Leaves, name: string): string => {
  const levels = name.split(', ').length + 2;
  const leaf = leaves.keys().find((one) => one.startsWith(`${name}, `)) ?? name;
  return leaf.split(', ').slice(0, levels).join(', ');
};

/** The statistics of a leaf of a file, over all row groups. */
interface Leaf {
  /** True if each row has at most one value, whatever lists are around it. */
  readonly isSingle: boolean;
  readonly hasNoNulls: boolean;
  /** True if all times are between the years 1 and 9999; undefined if that is not known. */
  readonly isInRange: boolean | undefined;
  readonly micros: Bounds | undefined;
  readonly integers: Bounds | undefined;
  readonly texts: Bounds | undefined;
}

/** By the names of columns and of fields in them, as Parquet's statistics have them. */
export type Leaves = ReadonlyMap<string, Leaf>;

/**
 * The bounds of a leaf are known only if every row group has them. A text that was cut is no bound, and one with a backslash
 * may be another text, as DuckDB writes other bytes so. Parts of a microsecond may have been rounded.
 */
export async function readLeaves(connection: DuckDBConnection, path: string): Promise<Leaves> {
  const bounds = (least: string, greatest: string, isKnown: string) =>
    `CASE WHEN bool_and(isEmpty OR coalesce(${isKnown}, false)) THEN [CAST(min(${least}) AS VARCHAR), CAST(max(${greatest}) AS VARCHAR)] END`;
  const cast = (type: string) => [`try_cast(least AS ${type})`, `try_cast(greatest AS ${type})`] as const;
  const moments = cast('TIMESTAMPTZ');
  const [from, to] = moments.map((value) => `CASE WHEN isfinite(${value}) THEN epoch_us(${value}) END`);
  // Not BETWEEN: a single bound out of the range is enough.
  const isInRange = `(${moments[0]} >= make_timestamptz(${minMicros}) AND ${moments[1]} <= make_timestamptz(${maxMicros}))`;
  const [low, high] = cast('HUGEINT');
  const isText = `isExact AND NOT contains(least || greatest, chr(92))`;
  const result = await readRows(
    connection,
    `WITH groups AS (SELECT path_in_schema AS name, row_group_id AS id,
      num_values AS n, row_group_num_rows AS rows, stats_null_count AS nulls, coalesce(stats_null_count = num_values, false) AS isEmpty,
      stats_min_value AS least, stats_max_value AS greatest,
      coalesce(min_is_exact, true) AND coalesce(max_is_exact, true) AS isExact
    FROM parquet_metadata(${globText(path)}))
    SELECT name, bool_and(n = rows), bool_and(coalesce(nulls = 0, false)),
      ${bounds(`${from} - 1`, `${to} + 1`, `${from} IS NOT NULL AND ${to} IS NOT NULL`)},
      ${bounds(`${low}`, `${high}`, `${low} IS NOT NULL AND ${high} IS NOT NULL`)},
      ${bounds('least', 'greatest', isText)},
      CASE WHEN bool_or(NOT ${isInRange}) THEN false WHEN bool_and(isEmpty OR coalesce(${isInRange}, false)) THEN true END
    FROM groups GROUP BY name HAVING count(*) = count(DISTINCT id)`,
  );
  return new Map(
    result.map(([name, isSingle, hasNoNulls, micros, integers, texts, isInRange]) => [
      String(name),
      {
        isSingle: isSingle === true,
        hasNoNulls: hasNoNulls === true,
        isInRange: typeof isInRange === 'boolean' ? isInRange : undefined,
        micros: boundsOf(micros),
        integers: boundsOf(integers),
        texts: boundsOf(texts),
      },
    ]),
  );
}

/** The years 1 and 9999, which are BigQuery's first and last. */
const [minMicros, maxMicros] = [-62_135_596_800_000_000n, 253_402_300_799_999_999n];

function boundsOf(value: unknown): Bounds | undefined {
  if (!Array.isArray(value)) return undefined;
  const [least, greatest] = value;
  return typeof least === 'string' && typeof greatest === 'string' ? [least, greatest] : undefined;
}
