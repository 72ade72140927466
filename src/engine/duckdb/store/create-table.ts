import type { DuckDBConnection } from '@duckdb/node-api';
import type { TableSchema } from '../../../catalog/tables/table-schema.ts';
import { quote } from '../../dialect/types.ts';
import { columnType } from './column-type.ts';

/** An empty table, in place of any other of its name. */
export async function createTable(
  connection: DuckDBConnection,
  { name, fields }: TableSchema,
): Promise<void> {
  const columns = fields.map((field) => `${quote(field.name)} ${columnType(field)}`);
  await connection.run(`CREATE OR REPLACE TABLE ${quote(name)} (${columns.join(', ')})`);
}
