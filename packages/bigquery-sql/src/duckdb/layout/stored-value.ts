import { type DuckDBConnection, type DuckDBType, DuckDBTypeId } from '@duckdb/node-api';
import type { Field } from '../../table-schema.ts';
import { quoteText } from '../../tree/quote-text.ts';
import { quote } from '../../types.ts';
import { columnType, elementType } from './column-type.ts';

/** The value that a source of rows has for a field, as SQL, with its type there. */
export interface SourceValue {
  readonly sql: string;
  readonly type: DuckDBType;
}

/**
 * SQL that converts the value found for a field into the value that its table stores, always of the declared type.
 * Nested fields are matched by name, case-insensitively. A missing value is NULL, or [] for a REPEATED field (as BigQuery
 * stores it). A value that does not convert to the declared type is an error, never NULL.
 */
export function storedValue(
  field: Field,
  source: SourceValue | undefined,
  onError: ErrorSql = errorSql,
): string {
  return storedAt(field, source, { errorSql: onError, depth: 0 });
}

/** SQL that raises an error about a field, and has any type. */
export type ErrorSql = (name: string, sqlMessage: string) => string;

interface Place {
  readonly errorSql: ErrorSql;
  /** How many lists are around the value. */
  readonly depth: number;
}

function storedAt(field: Field, source: SourceValue | undefined, place: Place): string {
  const { name, mode } = field;
  const value = source === undefined ? `CAST(NULL AS ${columnType(field)})` : convert(field, source, place);
  if (mode === 'REPEATED') return `coalesce(${value}, [])`;
  if (mode === 'REQUIRED') return `coalesce(${value}, ${place.errorSql(name, quoteText('is missing'))})`;
  return value;
}

/** The columns of a source of rows, which SQL names `r`, by their names in lower case. */
export async function describeSource(
  connection: DuckDBConnection,
  source: string,
): Promise<Map<string, SourceValue>> {
  const statement = await connection.prepare(`SELECT * FROM ${source}`);
  const columns = Array.from({ length: statement.columnCount }, (_, index) => {
    const name = statement.columnName(index);
    const value: SourceValue = { sql: `r.${quote(name)}`, type: statement.columnType(index) };
    return [name.toLowerCase(), value] as const;
  });
  statement.destroySync();
  return new Map(columns);
}

function convert(field: Field, { sql, type }: SourceValue, place: Place): string {
  if (field.mode !== 'REPEATED') return convertElement(field, { sql, type }, place);
  if (type.typeId !== DuckDBTypeId.LIST) return `CAST(${sql} AS ${columnType(field)})`;
  const each = `e${place.depth}`;
  const deeper = { ...place, depth: place.depth + 1 };
  return `list_transform(${sql}, lambda ${each}: ${convertElement(field, { sql: each, type: type.valueType }, deeper)})`;
}

function convertElement(field: Field, { sql, type }: SourceValue, place: Place): string {
  if (field.fields && type.typeId === DuckDBTypeId.STRUCT) {
    const entries = new Map(type.entryNames.map((name, index) => [name.toLowerCase(), { name, index }]));
    const members = field.fields.map((inner) => {
      const entry = entries.get(inner.name.toLowerCase());
      const entryType = entry && type.entryTypes[entry.index];
      const source = entry && entryType && { sql: `${sql}.${quote(entry.name)}`, type: entryType };
      return `${quote(inner.name)} := ${storedAt(inner, source, place)}`;
    });
    return `CASE WHEN ${sql} IS NOT NULL THEN struct_pack(${members.join(', ')}) END`;
  }
  if (field.type === 'TIMESTAMP') return convertTimestamp(field.name, { sql, type }, place);
  if (field.type === 'BIGNUMERIC') return `host_bignumeric(CAST(${sql} AS VARCHAR))`;
  if (field.type === 'BYTES' && type.typeId === DuckDBTypeId.VARCHAR) return `from_base64(${sql})`;
  return `CAST(${sql} AS ${elementType(field)})`;
}

const instants: ReadonlySet<DuckDBTypeId> = new Set([
  DuckDBTypeId.TIMESTAMP,
  DuckDBTypeId.TIMESTAMP_TZ,
  DuckDBTypeId.TIMESTAMP_S,
  DuckDBTypeId.TIMESTAMP_MS,
  DuckDBTypeId.TIMESTAMP_NS,
  DuckDBTypeId.DATE,
]);

/**
 * Accepts text as ISO 8601 or as BigQuery exports it (`2026-11-20 10:00:00.123456 UTC`), UTC if it names no zone, and
 * numbers since the epoch, also as text.
 */
function convertTimestamp(name: string, { sql, type }: SourceValue, place: Place): string {
  if (instants.has(type.typeId)) return `CAST(${sql} AS TIMESTAMPTZ)`;
  const text = `CAST(${sql} AS VARCHAR)`;
  // DuckDB requires seconds and capitals, ISO 8601 does not. The first character must be a digit: 'infinity' is rejected.
  const withSeconds = `regexp_replace(upper(${text}), '^(\\S+[T ]\\d\\d:\\d\\d)(Z|[+-].*)?$', '\\1:00\\2')`;
  const parsed = `CASE WHEN ${text} BETWEEN '0' AND ':' THEN coalesce(try_cast(${text} AS TIMESTAMPTZ), try_cast(${withSeconds} AS TIMESTAMPTZ)) END`;
  const error = place.errorSql(name, `'"' || left(${text}, 80) || '" is not a timestamp'`);
  return `CASE WHEN ${sql} IS NOT NULL THEN coalesce(${parsed}, ${epochText(text)}, ${error}) END`;
}

/**
 * The unit of a number since the epoch follows from its size. Digits alone may be something else, such as `20261120`:
 * they must give a time from 1973 (nine digits of seconds) to 2262 (where 64 bits of nanoseconds end).
 */
function epochText(text: string): string {
  // DuckDB casts a text to DECIMAL in 15 µs, to BIGINT five hundred times faster.
  const isInteger = `regexp_full_match(${text}, '-?\\d+')`;
  const timestamp = `CASE WHEN ${isInteger} THEN ${epochTimestamp(`try_cast(${text} AS BIGINT)`)}
    ELSE ${epochTimestamp(`try_cast(${text} AS DECIMAL(38, 6))`)} END`;
  return `CASE WHEN NOT regexp_full_match(${text}, '\\d+') OR year(${timestamp}) BETWEEN 1973 AND 2262 THEN ${timestamp} END`;
}

function epochTimestamp(number: string): string {
  const within = (limit: string) => `${number} > -${limit} AND ${number} < ${limit}`;
  const micros = `CASE
    WHEN ${within('100000000000')} THEN ${number} * 1000000
    WHEN ${within('100000000000000')} THEN ${number} * 1000
    WHEN ${within('100000000000000000')} THEN ${number}
    ELSE ${number} / 1000 END`;
  return `make_timestamptz(try_cast(${micros} AS BIGINT))`;
}

/**
 * DuckDB does not allow `error` within TRY, but does allow a cast that fails.
 *
 * @param column any column of the row, as SQL: an expression without one is constant, and fails before the first row
 */
export const errorInTry =
  (column: string): ErrorSql =>
  (_, sqlMessage) =>
    `CASE WHEN CAST(concat(${sqlMessage}, ${column}) AS BIGINT) IS NULL THEN NULL END`;

const errorSql: ErrorSql = (name, sqlMessage) => `error(${quoteText(`${name}: `)} || ${sqlMessage})`;
