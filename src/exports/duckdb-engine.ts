/** The embedded engine. @module */
export { type DuckdbOptions, duckdb } from '../engines/duckdb/duckdb.ts';
