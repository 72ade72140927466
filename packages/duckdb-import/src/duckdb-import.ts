/** A folder of data files as DuckDB tables with BigQuery's types: a store, its tables, and the import that fills them. */
export { buildExclusive } from './exclusive.ts';
export { type Lake, openLake } from './lake/open-lake.ts';
export { type LakeLocation, parseLake } from './lake/lake-location.ts';
export { listedNames } from './import-warnings.ts';
export { type Import, openImport } from './open-import.ts';
export { progressText } from './progress.ts';
export { newestMoment } from './sample/data-relation.ts';
export { type InferredFields, inferFields } from './sample/infer-fields.ts';
export { findDataFiles } from './scan/data-files.ts';
export { isDisordered } from './store/check-order.ts';
export { openStore, type Store, storeInUse, storeName } from './store/open-store.ts';
export { dropOlder } from './store/retention.ts';
export { openTables, type StoredTables } from './store/stored-tables.ts';
export { definitionOf, type TableInStore } from './store/table-in-store.ts';
export { type Converted, convertTable } from './convert/convert-table.ts';
export { parquetRows, writeParquetSql } from './convert/parquet-rows.ts';
export type { FilesInPlace, FilesReading } from './store/files/files-in-place.ts';
export type { PlacedFile } from './store/files/placed-file.ts';
