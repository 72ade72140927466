import type { DuckDBMaterializedResult, DuckDBValue } from '@duckdb/node-api';

/** All rows of a small result, read synchronously: awaiting its chunks costs more. */
export function readRows(result: DuckDBMaterializedResult): DuckDBValue[][] {
  return Array.from({ length: result.chunkCount }, (_, at) => result.getChunk(at).getRows()).flat();
}
