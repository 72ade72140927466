import type { TableSchema } from '@querygate/bigquery-sql/table-schema';
import { compileTree, schemaTables } from '@querygate/bigquery-sql/tree';
import { StartError } from '../../errors.ts';

/** The declared tables that a statement reads, by their names or by a wildcard; none if it cannot be compiled: it does not run. */
export function tablesRead(sql: string, tables: readonly TableSchema[]): readonly string[] {
  try {
    return compileTree({ sql, source: { file: '', line: 1 } }, schemaTables(tables)).tables;
  } catch (error) {
    if (error instanceof StartError) return [];
    throw error;
  }
}
