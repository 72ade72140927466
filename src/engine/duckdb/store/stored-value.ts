import { type DuckDBConnection, type DuckDBType, DuckDBTypeId } from '@duckdb/node-api';
import type { Field } from '../../../catalog/tables/table-schema.ts';
import { quoteText } from '../../dialect/expr/literals.ts';
import { quote } from '../../dialect/types.ts';
import { columnType, elementType } from './column-type.ts';

/** What a file holds for a field, as SQL, and of which type it is there. */
export interface FoundValue {
  readonly sql: string;
  readonly type: DuckDBType;
}

/**
 * SQL that makes what a file holds for a field into what its table stores. It is always of the declared type; nested
 * fields are matched by name without case; NULL where the file has no value, [] for a REPEATED field without elements
 * (as BigQuery stores it). A value that cannot be of the declared type is an error, never NULL.
 */
export function storedValue(field: Field, found: FoundValue | undefined, refuse: Refuse = refusal): string {
  return storedAt(field, found, { refuse, depth: 0 });
}

/** SQL of an error about a field, of any type. */
export type Refuse = (name: string, sqlMessage: string) => string;

interface Place {
  readonly refuse: Refuse;
  /** Of lists in lists. */
  readonly depth: number;
}

function storedAt(field: Field, found: FoundValue | undefined, place: Place): string {
  const { name, mode } = field;
  const value = found === undefined ? `CAST(NULL AS ${columnType(field)})` : whole(field, found, place);
  if (mode === 'REPEATED') return `coalesce(${value}, [])`;
  if (mode === 'REQUIRED') return `coalesce(${value}, ${place.refuse(name, quoteText('is missing'))})`;
  return value;
}

/** What a source of rows, which stands as `r` in SQL, has for each column; by the name in lower case. */
export async function foundColumns(
  connection: DuckDBConnection,
  source: string,
): Promise<Map<string, FoundValue>> {
  const statement = await connection.prepare(`SELECT * FROM ${source}`);
  const columns = Array.from({ length: statement.columnCount }, (_, index) => {
    const name = statement.columnName(index);
    const found: FoundValue = { sql: `r.${quote(name)}`, type: statement.columnType(index) };
    return [name.toLowerCase(), found] as const;
  });
  statement.destroySync();
  return new Map(columns);
}

function whole(field: Field, { sql, type }: FoundValue, place: Place): string {
  if (field.mode !== 'REPEATED') return one(field, { sql, type }, place);
  if (type.typeId !== DuckDBTypeId.LIST) return `CAST(${sql} AS ${columnType(field)})`;
  const each = `e${place.depth}`;
  const deeper = { ...place, depth: place.depth + 1 };
  return `list_transform(${sql}, lambda ${each}: ${one(field, { sql: each, type: type.valueType }, deeper)})`;
}

function one(field: Field, { sql, type }: FoundValue, place: Place): string {
  if (field.fields && type.typeId === DuckDBTypeId.STRUCT) {
    const there = new Map(type.entryNames.map((name, index) => [name.toLowerCase(), { name, index }]));
    const members = field.fields.map((inner) => {
      const entry = there.get(inner.name.toLowerCase());
      const entryType = entry && type.entryTypes[entry.index];
      const found = entry && entryType && { sql: `${sql}.${quote(entry.name)}`, type: entryType };
      return `${quote(inner.name)} := ${storedAt(inner, found, place)}`;
    });
    return `CASE WHEN ${sql} IS NOT NULL THEN struct_pack(${members.join(', ')}) END`;
  }
  if (field.type === 'TIMESTAMP') return timestamp(field.name, { sql, type }, place);
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
 * Text as ISO 8601 or as BigQuery exports it (`2026-11-20 10:00:00.123456 UTC`), UTC where it names no zone; numbers,
 * also as text, count from the epoch.
 */
function timestamp(name: string, { sql, type }: FoundValue, place: Place): string {
  if (instants.has(type.typeId)) return `CAST(${sql} AS TIMESTAMPTZ)`;
  const text = `CAST(${sql} AS VARCHAR)`;
  // DuckDB wants seconds and capitals, ISO 8601 does not. Only digits may begin: 'infinity' is no point in time.
  const full = `regexp_replace(upper(${text}), '^(\\S+[T ]\\d\\d:\\d\\d)(Z|[+-].*)?$', '\\1:00\\2')`;
  const read = `CASE WHEN ${text} BETWEEN '0' AND ':' THEN coalesce(try_cast(${text} AS TIMESTAMPTZ), try_cast(${full} AS TIMESTAMPTZ)) END`;
  const refuse = place.refuse(name, `'"' || left(${text}, 80) || '" is not a timestamp'`);
  return `CASE WHEN ${sql} IS NOT NULL THEN coalesce(${read}, ${sinceEpoch(text)}, ${refuse}) END`;
}

/**
 * The unit of a number since the epoch shows in its size. Digits alone may be something else, such as `20261120`: they
 * must give a moment from 1973 (nine digits of seconds) to 2262 (where 64 bits of nanoseconds end).
 */
function sinceEpoch(text: string): string {
  // Text to DECIMAL takes DuckDB fifteen microseconds, to BIGINT a five-hundredth of that.
  const isWhole = `regexp_full_match(${text}, '-?\\d+')`;
  const moment = `CASE WHEN ${isWhole} THEN ${momentOf(`try_cast(${text} AS BIGINT)`)}
    ELSE ${momentOf(`try_cast(${text} AS DECIMAL(38, 6))`)} END`;
  return `CASE WHEN NOT regexp_full_match(${text}, '\\d+') OR year(${moment}) BETWEEN 1973 AND 2262 THEN ${moment} END`;
}

function momentOf(number: string): string {
  const within = (limit: string) => `${number} > -${limit} AND ${number} < ${limit}`;
  const micros = `CASE
    WHEN ${within('100000000000')} THEN ${number} * 1000000
    WHEN ${within('100000000000000')} THEN ${number} * 1000
    WHEN ${within('100000000000000000')} THEN ${number}
    ELSE ${number} / 1000 END`;
  return `make_timestamptz(try_cast(${micros} AS BIGINT))`;
}

/**
 * DuckDB's `error` may not stand in TRY, a conversion that fails may.
 *
 * @param column any of the row's, as SQL: what is the same for all rows would fail before there are any
 */
export const refusalInTry =
  (column: string): Refuse =>
  (_, sqlMessage) =>
    `CASE WHEN CAST(concat(${sqlMessage}, ${column}) AS BIGINT) IS NULL THEN NULL END`;

const refusal: Refuse = (name, sqlMessage) => `error(${quoteText(`${name}: `)} || ${sqlMessage})`;
