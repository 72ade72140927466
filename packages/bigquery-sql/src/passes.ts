/** Rewritings of a tree into one that is cheaper to run, and its text for DuckDB. */
export { duckdbText } from './passes/duckdb-text.ts';
export type { KnownValues } from './passes/pass.ts';
export { passes, runPasses } from './passes/passes.ts';
export { readsTime, type SharedTable, shareTables } from './passes/share-tables.ts';
