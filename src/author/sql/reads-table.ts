import type { TableSchema } from '@querygate/bigquery-sql/table-schema';
import { compileTree, schemaTables } from '@querygate/bigquery-sql/tree';
import { StartError } from '../../errors.ts';

/**
 * True if a statement reads a declared table, by its name or by a wildcard. One that cannot be compiled does not run.
 */
export function readsTable(sql: string, tables: readonly TableSchema[]): boolean {
  try {
    return compileTree({ sql, source: { file: '', line: 1 } }, schemaTables(tables)).tables.length > 0;
  } catch (error) {
    if (error instanceof StartError) return false;
    throw error;
  }
}
