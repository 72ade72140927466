import {
  type DuckDBListType,
  DuckDBListValue,
  DuckDBStructType,
  DuckDBStructValue,
  type DuckDBType,
  DuckDBTypeId,
  type DuckDBValue,
  LIST,
  listValue,
  STRUCT,
  structValue,
  VARCHAR,
} from '@duckdb/node-api';

/** A value to bind, with its type. */
export interface Binding {
  readonly value: DuckDBValue;
  readonly type: DuckDBType;
}

/**
 * The form in which DuckDB's client can bind a value; statements cast it to its type. A BIGNUM is text: the client
 * makes an invalid value of zero, of which DuckDB reads memory that is not its own.
 */
export function bindable({ value, type }: Binding): Binding {
  return hasBignum(type) ? { value: withTexts(value, type), type: typeWithTexts(type) } : { value, type };
}

function hasBignum(type: DuckDBType): boolean {
  if (isList(type)) return hasBignum(type.valueType);
  return type instanceof DuckDBStructType
    ? type.entryTypes.some(hasBignum)
    : type.typeId === DuckDBTypeId.BIGNUM;
}

function typeWithTexts(type: DuckDBType): DuckDBType {
  if (isList(type)) return LIST(typeWithTexts(type.valueType));
  if (type instanceof DuckDBStructType)
    return STRUCT(
      Object.fromEntries(
        type.entryNames.map((name, at) => [name, typeWithTexts(type.entryTypes[at] ?? type)]),
      ),
    );
  return type.typeId === DuckDBTypeId.BIGNUM ? VARCHAR : type;
}

function withTexts(value: DuckDBValue, type: DuckDBType): DuckDBValue {
  if (value === null) return null;
  if (isList(type) && value instanceof DuckDBListValue)
    return listValue(value.items.map((item) => withTexts(item, type.valueType)));
  if (type instanceof DuckDBStructType && value instanceof DuckDBStructValue)
    return structValue(
      Object.fromEntries(
        type.entryNames.map((name, at) => [
          name,
          withTexts(value.entries[name] ?? null, type.entryTypes[at] ?? type),
        ]),
      ),
    );
  return type.typeId === DuckDBTypeId.BIGNUM ? String(value) : value;
}

const isList = (type: DuckDBType): type is DuckDBListType => type.typeId === DuckDBTypeId.LIST;
