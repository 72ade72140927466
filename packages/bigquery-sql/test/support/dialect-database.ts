import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { registerHostFunctions } from '../../src/duckdb/host/host-functions.ts';
import { sessionSettings } from '../../src/duckdb/session-settings.ts';
import { macroDefinitions } from '../../src/macros/macros.ts';
import type { TableSchema } from '../../src/table-schema.ts';
import { columnsOf, duckdbType, quote } from '../../src/types.ts';

export interface DialectDatabase {
  readonly connection: DuckDBConnection;
  close(): void;
}

/**
 * A database in memory with the macros and settings that compiled queries need.
 *
 * @param settings of DuckDB
 */
export async function openDialectDatabase(
  settings: Readonly<Record<string, string>> = {},
): Promise<DialectDatabase> {
  const instance = await DuckDBInstance.create(':memory:', settings);
  const connection = await instance.connect();
  registerHostFunctions(connection);
  await connection.run(macroDefinitions());
  for (const setting of sessionSettings) await connection.run(setting);
  return {
    connection,
    close() {
      connection.closeSync();
      instance.closeSync();
    },
  };
}

/** SQL that creates an empty table with the declared columns. */
export function createTable({ name, fields }: Pick<TableSchema, 'name' | 'fields'>): string {
  const columns = columnsOf(fields).map((column) => `${quote(column.name)} ${duckdbType(column.type)}`);
  return `CREATE TABLE ${quote(name)} (${columns.join(', ')})`;
}
