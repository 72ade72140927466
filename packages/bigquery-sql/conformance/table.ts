import type { TableSchema } from '../src/table-schema.ts';

/** A table with its rows: the schema as in BigQuery, each row an object as BigQuery's JSON loader reads it. */
export interface Table extends TableSchema {
  readonly rows: readonly Readonly<Record<string, unknown>>[];
}
