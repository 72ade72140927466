/** The embedded engine. @module */
export { duckdb } from '../engines/duckdb/duckdb.ts';
export type { DuckdbOptions } from '../engines/duckdb/duckdb-options.ts';
