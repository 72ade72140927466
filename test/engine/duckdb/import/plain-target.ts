import type { DuckDBConnection } from '@duckdb/node-api';
import type { TableSchema } from '../../../../src/catalog/tables/table-schema.ts';
import { quote } from '../../../../src/engine/dialect/types.ts';
import type { ImportTarget } from '../../../../src/engine/duckdb/import/import-target.ts';
import { columnType } from '../../../../src/engine/duckdb/store/column-type.ts';
import { storedValue } from '../../../../src/engine/duckdb/store/stored-value.ts';

const fileColumn = quote('querygate file');

/** Tables as they are declared, each behind a view that leaves out the files' numbers. */
export async function createPlainTables(
  connection: DuckDBConnection,
  tables: readonly TableSchema[],
): Promise<void> {
  await connection.run('CREATE SCHEMA IF NOT EXISTS held');
  for (const table of tables) {
    const names = table.fields.map(({ name }) => quote(name)).join(', ');
    const columns = table.fields.map((field) => `${quote(field.name)} ${columnType(field)}`);
    await connection.run(`CREATE TABLE IF NOT EXISTS ${storedName(table)} (${columns.join(', ')}, ${fileColumn} INTEGER);
      CREATE OR REPLACE VIEW ${quote(table.name)} AS SELECT ${names} FROM ${storedName(table)}`);
  }
}

export function plainTarget(table: TableSchema): ImportTarget {
  return {
    table,
    insertSql(found, source, file) {
      const values = table.fields.map((field) => storedValue(field, found.get(field.name.toLowerCase())));
      return `INSERT INTO ${storedName(table)} SELECT ${[...values, file].join(', ')} FROM ${source} AS r`;
    },
    deleteSql: (files) => `DELETE FROM ${storedName(table)} WHERE ${fileColumn} IN (${files.join(', ')})`,
  };
}

const storedName = ({ name }: TableSchema) => `held.${quote(name)}`;
