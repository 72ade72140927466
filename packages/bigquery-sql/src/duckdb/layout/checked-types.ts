import { type DuckDBType, DuckDBTypeId } from '@duckdb/node-api';
import type { Field } from '../../table-schema.ts';
import { elementType } from './column-type.ts';

const {
  BIGINT,
  DATE,
  DECIMAL,
  FLOAT,
  HUGEINT,
  INTEGER,
  SMALLINT,
  TIME_TZ,
  TIMESTAMP,
  TIMESTAMP_NS,
  TIMESTAMP_TZ,
  TINYINT,
  UBIGINT,
  UINTEGER,
  USMALLINT,
  UTINYINT,
  UUID,
  VARCHAR,
} = DuckDBTypeId;

const smallIntegers = [TINYINT, SMALLINT, INTEGER, UTINYINT, USMALLINT, UINTEGER] as const;
const instants = [TIMESTAMP, TIMESTAMP_TZ, TIMESTAMP_NS] as const;

/** By the type that a table stores: the types of files of which every value is one of it. */
const sources: Readonly<Record<string, ReadonlySet<DuckDBTypeId>>> = {
  BIGINT: new Set(smallIntegers),
  DOUBLE: new Set([...smallIntegers, BIGINT, UBIGINT, FLOAT]),
  'DECIMAL(38,9)': new Set([...smallIntegers, BIGINT, UBIGINT]),
  BIGNUM: new Set([...smallIntegers, BIGINT, UBIGINT]),
  VARCHAR: new Set([...smallIntegers, ...instants, BIGINT, UBIGINT, HUGEINT, DATE, UUID, VARCHAR]),
  TIMESTAMPTZ: new Set(instants),
  TIMESTAMP: new Set(instants),
  TIME: new Set([TIME_TZ]),
  BLOB: new Set([UUID]),
};

/**
 * True if every value of a type of a file is one of the type of a field, or of an element of it: a FLOAT rounds integers
 * beyond 2^53, as in BigQuery's load of JSON.
 *
 * @param isWithin64Bits whether all values are below 2^63
 */
export function hasOnlyValuesOf(field: Field, type: DuckDBType, isWithin64Bits: boolean): boolean {
  const target = elementType(field);
  if (String(type) === target || type.alias === target) return type.alias === undefined || target === 'JSON';
  if (type.typeId === DECIMAL) {
    const { scale, width } = type;
    return target === 'BIGNUM' || (target === 'DECIMAL(38,9)' && scale <= 9 && width - scale <= 29);
  }
  if (target === 'BIGINT' && type.typeId === UBIGINT) return isWithin64Bits;
  return sources[target]?.has(type.typeId) ?? false;
}
