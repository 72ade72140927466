/** The data files of the embedded engine. @module */
export { inferFields, newestMoment } from '../engines/duckdb/inspect-files.ts';
export { findDataFiles, type InferredFields } from '@querygate/duckdb-import';
