import type { DuckDBConnection } from '@duckdb/node-api';
import * as duckdbImport from '@querygate/duckdb-import';
import type { Field } from '@querygate/bigquery-sql/table-schema';
import { type DuckdbOptions, withDefaults } from './duckdb-options.ts';
import { openDatabase } from './open-database.ts';

/**
 * The fields of files of one format, which may have some fields each, as their first rows show them.
 *
 * @throws StartError if a file has no known format, or cannot be read
 */
export const inferFields = (
  files: readonly string[],
  options: DuckdbOptions,
): Promise<duckdbImport.InferredFields> =>
  inEmptyDatabase(options, (connection) => duckdbImport.inferFields(connection, files));

/**
 * The newest moment in the TIMESTAMP and DATETIME columns of a file, or noon of its newest DATE, in UTC. Without such columns,
 * the newest moment in integers and texts whose names are those of times. Undefined if the file has no moment.
 *
 * @throws StartError if the file has no known format
 */
export const newestMoment = (
  file: string,
  fields: readonly Field[],
  options: DuckdbOptions,
): Promise<Date | undefined> =>
  inEmptyDatabase(options, (connection) => duckdbImport.newestMoment(connection, file, fields));

async function inEmptyDatabase<T>(
  options: DuckdbOptions,
  use: (connection: DuckDBConnection) => Promise<T>,
): Promise<T> {
  const database = await openDatabase(withDefaults(options));
  try {
    return await use(await database.connect());
  } finally {
    database.close();
  }
}
