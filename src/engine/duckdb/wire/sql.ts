import { type DuckDBType, DuckDBTypeId } from '@duckdb/node-api';
import { quote } from '../../dialect/types.ts';
import { unsafeInteger } from '../../engine-errors.ts';

/**
 * A DuckDB expression for a column as JSON text; NULL if the column is NULL. For nested records, serializing in the
 * database costs a tenth of building JavaScript objects.
 *
 * @param value an SQL expression of the given type, cheap to repeat (a column)
 */
export function wireSql(value: string, type: DuckDBType): string {
  const json = wireValue(value, type);
  return type.typeId === DuckDBTypeId.LIST
    ? `to_json(${json})::VARCHAR`
    : `CASE WHEN ${value} IS NOT NULL THEN to_json(${json})::VARCHAR END`;
}

/** An expression whose `to_json` is the value as REST sends it. */
export const wireValue = (value: string, type: DuckDBType): string => convert(value, type, 0);

/** The largest integer that JSON readers with double precision keep exact, 2^53 − 1. */
const safeInteger = Number.MAX_SAFE_INTEGER;

function convert(value: string, type: DuckDBType, depth: number): string {
  switch (type.typeId) {
    case DuckDBTypeId.BIGINT:
    case DuckDBTypeId.HUGEINT:
      return `CASE WHEN ${value} BETWEEN -${safeInteger} AND ${safeInteger} THEN ${value} WHEN ${value} IS NOT NULL THEN error('${unsafeInteger}') END`;
    case DuckDBTypeId.FLOAT:
    case DuckDBTypeId.DOUBLE:
      return `CASE WHEN isfinite(${value}) THEN ${value} END`;
    case DuckDBTypeId.DECIMAL:
      return `regexp_replace(${value}::VARCHAR, '(\\.\\d*[1-9])0+$|\\.0+$', '\\1')`;
    case DuckDBTypeId.BIGNUM:
      return `host_bignumeric_text(${value})`;
    case DuckDBTypeId.TIMESTAMP_TZ:
      return `epoch_us(${value})`;
    case DuckDBTypeId.TIMESTAMP:
      return `replace(${value}::VARCHAR, ' ', 'T')`;
    case DuckDBTypeId.BLOB:
      return `base64(${value})`;
    case DuckDBTypeId.LIST:
      return wireList(value, type.valueType, depth);
    case DuckDBTypeId.STRUCT:
      return wireStruct(value, type.entryNames, type.entryTypes, depth);
    default:
      return value;
  }
}

/** BigQuery has no NULL arrays in results: NULL becomes an empty array. */
function wireList(value: string, element: DuckDBType, depth: number): string {
  const list = `coalesce(${value}, [])`;
  const each = `e${depth}`;
  const converted = convert(each, element, depth + 1);
  return converted === each ? list : `list_transform(${list}, lambda ${each}: ${converted})`;
}

function wireStruct(
  value: string,
  names: readonly string[],
  types: readonly DuckDBType[],
  depth: number,
): string {
  const fields = types.map((type, at) => {
    const field = `struct_extract_at(${value}, ${at + 1})`;
    return { field, converted: convert(field, type, depth), name: quote(names[at] ?? '') };
  });
  if (fields.every(({ field, converted }) => field === converted)) return value;
  const members = fields.map(({ name, converted }) => `${name} := ${converted}`).join(', ');
  return `CASE WHEN ${value} IS NOT NULL THEN struct_pack(${members}) END`;
}
