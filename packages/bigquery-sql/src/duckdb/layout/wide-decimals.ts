import type { DuckDBConnection } from '@duckdb/node-api';

/** Of decimals, in DuckDB: it reads those of Parquet with more as other numbers. */
const maxDigits = 38;

/** SQL of the type of a row of `parquet_schema`, if it is a decimal that DuckDB reads as another number; else NULL. */
export const wideDecimalSql = `CASE WHEN precision > ${maxDigits} THEN format('DECIMAL({}, {})', precision, scale) END`;

/** Why a decimal of such a type is refused, and what is right. */
export const describeWideDecimal = (path: string, type: string): string =>
  `${path}: the file has ${type}, and only decimals of at most ${maxDigits} digits can be read; write it as DECIMAL(${maxDigits}, …) or as text`;

/** Why Parquet files have values that DuckDB reads as other numbers. @param paths SQL of their names */
export async function findWideDecimal(
  connection: DuckDBConnection,
  paths: string,
): Promise<string | undefined> {
  const sql = `SELECT name, type FROM (SELECT name, ${wideDecimalSql} AS type FROM parquet_schema(${paths})) WHERE type IS NOT NULL LIMIT 1`;
  const [found] = (await connection.runAndReadAll(sql)).getRowsJS();
  return found && describeWideDecimal(String(found[0]), String(found[1]));
}
