import type { DuckDBMaterializedResult, DuckDBValue } from '@duckdb/node-api';

/** The rows of a result that is there as a whole: its chunks need no waiting, which costs more than a small result. */
export function readRows(result: DuckDBMaterializedResult): DuckDBValue[][] {
  return Array.from({ length: result.chunkCount }, (_, at) => result.getChunk(at).getRows()).flat();
}
