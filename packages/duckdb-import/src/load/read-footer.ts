import { type DuckDBConnection, type DuckDBType, DuckDBTypeId, VARCHAR } from '@duckdb/node-api';
import { globText } from '@querygate/bigquery-sql/command';
import { columnType, hasOnlyValuesOf, type SourceValue, storedValue } from '@querygate/bigquery-sql/duckdb';
import type { Field, TableSchema } from '@querygate/bigquery-sql/table-schema';
import { quoteText } from '@querygate/bigquery-sql/tree';
import type { DataFile } from '../scan/data-files.ts';
import { type Leaf, leavesOf, type Member, type Part } from '../read/parquet-columns.ts';
import type { Bounds, Footer } from '../store/files/placed-file.ts';
import { isOutOfSpace } from '../store/disk-space.ts';
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
    const [[stored, bound] = []] = await readRows(connection, sql).catch((error: unknown) => {
      if (isOutOfSpace(error)) throw error;
      return [];
    });
    if (!isPlain || field.mode === 'REPEATED' || stored === undefined)
      return { doubt: `the name of its folder gives ${field.name}, a ${field.type}` };
    columns.push([field.name, type, stored === null ? 'NULL' : quoteText(String(stored))]);
    if (bound !== null) bounds[field.name] = [String(bound), String(bound)];
  }
  return { partition: columns, bounds };
}

const momentTypes: ReadonlySet<Field['type']> = new Set(['TIMESTAMP', 'DATETIME', 'DATE']);

/** Types of which files may have values that BigQuery does not have. */
const rangedTypes: ReadonlySet<Field['type']> = momentTypes.union(new Set(['TIME']));

/** The answer of the statistics of a file about its columns. */
interface Found extends Pick<Footer, 'bounds' | 'repeatedPaths'> {
  /** Paths of fields without values, in lower case: the type in the file is another one. */
  readonly emptyPaths: string[];
  /** Paths of times of which it is not known that BigQuery has them. */
  readonly unsurePaths: string[];
  /** Paths of JSON, which writers do not check, and write with spaces. */
  readonly jsonPaths: string[];
  readonly bounds: Record<string, Bounds>;
  readonly repeatedPaths: string[];
}

/** Says of columns, by their statistics, whether each value is one of the declared type, and the bounds of values. */
export function examineFields(
  columns: readonly Member[],
  fields: readonly Field[],
  types: ReadonlyMap<string, { readonly type: DuckDBType }>,
): Found | Doubt {
  const found: Found = { bounds: {}, repeatedPaths: [], emptyPaths: [], unsurePaths: [], jsonPaths: [] };
  const keys = [...types.keys()];
  for (const field of fields) {
    const key = field.name.toLowerCase();
    const part = columns[keys.indexOf(key)]?.part;
    const doubt = examine(found, field, types.get(key)?.type, part, { path: field.name, isInList: false });
    if (doubt !== undefined) return { doubt };
  }
  return found;
}

interface Place {
  readonly path: string;
  readonly isInList: boolean;
}

/** @returns why values of a column are in doubt */
function examine(
  found: Found,
  field: Field,
  type: DuckDBType | undefined,
  part: Part | undefined,
  { path, isInList }: Place,
): string | undefined {
  if (type === undefined) return field.mode === 'REQUIRED' ? `${path} is missing` : undefined;
  const isRepeated = field.mode === 'REPEATED';
  const isList = isRepeated && type.typeId === DuckDBTypeId.LIST;
  const element = isList ? type.valueType : type;
  const own = isList && part?.kind === 'list' ? part.element : part;
  const within = part === undefined ? [] : leavesOf(part);
  const isFilled = part?.kind === 'record' && part.hasNoNulls === true;
  if (field.mode === 'REQUIRED' && !isFilled && !within.some(({ hasNoNulls }) => hasNoNulls))
    return `${path} may be NULL`;
  if (field.fields && element.typeId === DuckDBTypeId.STRUCT && own?.kind === 'record') {
    if (isList && !isInList && !within.every(({ isSingle }) => isSingle)) found.repeatedPaths.push(path);
    for (const inner of field.fields) {
      const at = element.entryNames.findIndex((entry) => entry.toLowerCase() === inner.name.toLowerCase());
      const place = { path: `${path}.${inner.name}`, isInList: isInList || isList };
      const doubt = examine(found, inner, element.entryTypes[at], own.members[at]?.part, place);
      if (doubt !== undefined) return doubt;
    }
    return undefined;
  }
  const leaf = own?.kind === 'leaf' ? own.leaf : undefined;
  const integers = leaf?.integers;
  const isWithin64Bits = integers !== undefined && BigInt(integers[1]) < 2n ** 63n;
  if (field.fields || isRepeated !== isList || !hasOnlyValuesOf(field, element, isWithin64Bits)) {
    if (!leaf?.isEmpty) return `${path} is ${type}, of which not every value may be ${field.type}`;
    found.emptyPaths.push(path.toLowerCase());
    return undefined;
  }
  if (rangedTypes.has(field.type) && leaf?.isInRange === false)
    return `${path} has values that are not ${field.type}`;
  if (field.type === 'JSON' && !leaf?.isEmpty) found.jsonPaths.push(path);
  // 64 bits of nanoseconds end in 2262.
  if (rangedTypes.has(field.type) && !leaf?.isInRange && element.typeId !== DuckDBTypeId.TIMESTAMP_NS)
    found.unsurePaths.push(path);
  const bounds = isRepeated || isInList || leaf === undefined ? undefined : boundsFor(field, element, leaf);
  if (bounds) found.bounds[path] = bounds;
  return undefined;
}

/**
 * Looks at the values of fields, of which statistics do not say that they are those that the table stores.
 *
 * @throws Error if the file cannot be read
 */
export async function examineValues(
  connection: DuckDBConnection,
  path: string,
  fields: readonly Field[],
  types: ReadonlyMap<string, SourceValue>,
): Promise<Doubt | undefined> {
  for (const field of fields) {
    const { sql, type } = types.get(field.name.toLowerCase()) ?? { sql: 'NULL', type: VARCHAR };
    const own = storedValue(field, { sql, type, isChecked: true });
    const right = storedValue(field, { sql, type, isRawJson: true });
    const from = `${parquetSql([path])} AS r`;
    const found = readRows(
      connection,
      `SELECT 1 FROM ${from} WHERE ${own} IS DISTINCT FROM ${right} LIMIT 1`,
    );
    const doubt = await found.then(
      ([odd]) => odd && `${field.name} has JSON with spaces`,
      (error: unknown) => {
        if (isOfValue(error))
          return `${field.name} has values that are not ${field.fields ? 'of the declared types' : field.type}`;
        throw error;
      },
    );
    if (doubt !== undefined) return { doubt };
  }
  return undefined;
}

const isOfValue = (error: unknown) =>
  error instanceof Error && /^Invalid Input Error: (?!Invalid JSON found in Parquet)/.test(error.message);

/** The fields at some paths, with the records around them. */
export const fieldsAt = (fields: readonly Field[], paths: readonly string[], prefix = ''): readonly Field[] =>
  fields.flatMap((field) => {
    const path = `${prefix}${field.name}`;
    if (paths.includes(path)) return [field];
    const inner = fieldsAt(field.fields ?? [], paths, `${path}.`);
    return inner.length > 0 ? [{ ...field, fields: inner }] : [];
  });

function boundsFor({ type }: Field, { typeId }: DuckDBType, leaf: Leaf): Bounds | undefined {
  if (momentTypes.has(type)) return leaf.micros;
  if (type === 'INTEGER') return leaf.integers;
  // Numbers have another order as texts.
  return type === 'STRING' && typeId === DuckDBTypeId.VARCHAR ? leaf.texts : undefined;
}
