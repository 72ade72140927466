import {
  type DuckDBConnection,
  type DuckDBType,
  DuckDBTypeId,
  DuckDBVarCharType,
  LIST,
} from '@duckdb/node-api';
import type { Field } from '../../table-schema.ts';
import { quoteText } from '../../tree/quote-text.ts';
import { quote } from '../../types.ts';
import { columnType, elementType } from './column-type.ts';
import { withPairs } from './map-pairs.ts';
import { fieldSql, parameterSql } from './reserved-name.ts';
import { type ErrorSql, maxShown, type SourceValue, scalarValue } from './scalar-value.ts';

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

interface Place {
  readonly errorSql: ErrorSql;
  /** How many lists are around the value. */
  readonly depth: number;
}

function storedAt(field: Field, found: SourceValue | undefined, place: Place): string {
  const { name, mode } = field;
  const source = found && withPairs(field, found);
  const isMissing = source === undefined || source.type.typeId === DuckDBTypeId.SQLNULL;
  const value = isMissing ? `CAST(NULL AS ${columnType(field)})` : convert(field, source, place);
  if (mode === 'REPEATED') return `coalesce(${value}, [])`;
  if (mode === 'REQUIRED' && !source?.isChecked)
    return `coalesce(${value}, ${place.errorSql(name, quoteText('is missing'))})`;
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

function convert(field: Field, source: SourceValue, place: Place): string {
  const { sql, type } = source;
  if (field.mode !== 'REPEATED') return convertElement(field, source, place);
  if (field.fields && type.typeId === DuckDBTypeId.STRUCT)
    return `CASE WHEN ${sql} IS NOT NULL THEN [${convertElement(field, source, place)}] END`;
  if (isText(type)) return convert(field, elementsOf(field, source, place), place);
  if (type.typeId !== DuckDBTypeId.LIST)
    throw new Error(`${field.name}: the file has ${type}, which is not an array`);
  const each = parameterSql(`element ${place.depth}`);
  const deeper = { ...place, depth: place.depth + 1 };
  return `list_transform(${sql}, lambda ${each}: ${convertElement(field, { ...source, sql: each, type: type.valueType }, deeper)})`;
}

const isText = ({ typeId }: DuckDBType) => typeId === DuckDBTypeId.VARCHAR;

/** The elements of an array that a source has as JSON text. */
function elementsOf({ name }: Field, source: SourceValue, { errorSql }: Place): SourceValue {
  const text = `CAST(${source.sql} AS VARCHAR)`;
  const kind = `CASE WHEN json_valid(${text}) THEN json_type(${text}) END`;
  const error = errorSql(name, `left(${text}, ${maxShown}) || ' is not an array'`);
  const sql = `CASE WHEN ${source.sql} IS NULL OR ${kind} = 'NULL' THEN NULL
    WHEN ${kind} = 'ARRAY' THEN from_json(CAST(${text} AS JSON), '["JSON"]') ELSE ${error} END`;
  return { ...source, sql, type: LIST(jsonType) };
}

const jsonType = DuckDBVarCharType.create('JSON');

function convertElement(field: Field, value: SourceValue, place: Place): string {
  const { sql, type } = value;
  if (field.fields && type.typeId === DuckDBTypeId.STRUCT) {
    const entries = new Map(type.entryNames.map((name, index) => [name.toLowerCase(), { name, index }]));
    const members = field.fields.map((inner) => {
      const entry = entries.get(inner.name.toLowerCase());
      const entryType = entry && type.entryTypes[entry.index];
      const source = entry && entryType && { ...value, sql: fieldSql(sql, entry.name), type: entryType };
      return `${quote(inner.name)} := ${storedAt(inner, source, place)}`;
    });
    return `CASE WHEN ${sql} IS NOT NULL THEN struct_pack(${members.join(', ')}) END`;
  }
  if (field.fields && type.typeId === DuckDBTypeId.SQLNULL) return `CAST(NULL AS ${elementType(field)})`;
  if (field.fields) {
    const error = place.errorSql(field.name, quoteText('is not a RECORD'));
    return `CAST(CASE WHEN ${sql} IS NOT NULL THEN ${error} END AS ${elementType(field)})`;
  }
  return scalarValue(field, value, place.errorSql);
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
