/** The data files of the embedded engine. @module */
export { newestMoment } from '../engines/duckdb/data-files/data-relation.ts';
export { inferFields, type InferredFields } from '../engines/duckdb/data-files/infer-fields.ts';
export { findDataFiles } from '../engines/duckdb/import/scan/data-files.ts';
