/** The embedded engine, and that on a server of DuckDB. @module */
export { duckdb } from '../engines/duckdb/duckdb.ts';
export type { DuckdbOptions } from '../engines/duckdb/duckdb-options.ts';
export { quack } from '../engines/quack/quack.ts';
export type { QuackOptions } from '../engines/quack/quack-options.ts';
