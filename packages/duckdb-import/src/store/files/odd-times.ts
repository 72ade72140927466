import { type DuckDBConnection, type DuckDBType, DuckDBTypeId, LIST } from '@duckdb/node-api';
import { describeSource, reservedName } from '@querygate/bigquery-sql/duckdb';
import { quote } from '@querygate/bigquery-sql/types';
import { parquetSql, readRows } from '../statements.ts';

/** True if a time of a Parquet file is not one of a day. It is found without its text, which DuckDB cannot write. */
export async function hasOddTimes(connection: DuckDBConnection, path: string): Promise<boolean> {
  const from = parquetSql([path]);
  const columns = await describeSource(connection, from);
  for (const { sql, type } of columns.values())
    for (const isOdd of oddTimes(sql, type)) {
      const found = await readRows(connection, `SELECT 1 FROM ${from} AS r WHERE ${isOdd} LIMIT 1`);
      if (found.length > 0) return true;
    }
  return false;
}

/** True if a value of a type may have a time in it. */
export const hasTimes = (type: DuckDBType): boolean => oddTimes('value', type).length > 0;

/** Conditions, one for each time within a value. @param depth of lists */
function oddTimes(sql: string, type: DuckDBType, depth = 0): readonly string[] {
  // With a zone, DuckDB reads the time of day.
  if (type.typeId === DuckDBTypeId.TIME)
    return [`${sql} NOT BETWEEN TIME '00:00:00' AND TIME '23:59:59.999999'`];
  if (type.typeId === DuckDBTypeId.STRUCT)
    return type.entryTypes.flatMap((entry, at) =>
      oddTimes(`(${sql}).${quote(type.entryNames[at] ?? '')}`, entry, depth),
    );
  if (type.typeId === DuckDBTypeId.MAP)
    return [
      ...oddTimes(`map_keys(${sql})`, LIST(type.keyType), depth),
      ...oddTimes(`map_values(${sql})`, LIST(type.valueType), depth),
    ];
  if (type.typeId !== DuckDBTypeId.LIST) return [];
  const each = quote(reservedName(`element ${depth}`));
  return oddTimes(each, type.valueType, depth + 1).map(
    (isOdd) => `len(list_filter(${sql}, lambda ${each}: ${isOdd})) > 0`,
  );
}

/** Why a column is refused that is declared as another type than TIME. */
export const describeOddTimes =
  'the file has times that are not between 00:00:00 and 24:00:00, which only TIME leaves out; declare TIME, or write them as numbers';
