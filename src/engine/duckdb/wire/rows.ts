import type { DuckDBMaterializedResult, DuckDBValue } from '@duckdb/node-api';
import { missingRequiredColumn } from '../../engine-errors.ts';
import type { WireCell } from './cell.ts';

/** A column of a result, with how its values are written as JSON. */
export interface WireColumn extends Pick<WireCell, 'json'> {
  readonly name: string;
  readonly required: boolean;
}

/** All rows of a result in memory, read synchronously: awaiting its chunks costs more than a small result. */
export function readRows(result: DuckDBMaterializedResult): DuckDBValue[][] {
  return Array.from({ length: result.chunkCount }, (_, at) => result.getChunk(at).getRows()).flat();
}

/**
 * One row as a JSON object. A NULL column is left out: one existing client fails on a null.
 *
 * @throws GatewayError ENGINE_FAILED if a required column is NULL
 */
export function rowJson(columns: readonly WireColumn[], cells: readonly DuckDBValue[]): string {
  const members = columns.flatMap(({ name, required, json }, at) => {
    const cell = cells[at] ?? null;
    const text = cell === null ? undefined : json(cell);
    if (text !== undefined) return [`"${name}":${text}`];
    if (!required) return [];
    throw missingRequiredColumn(name);
  });
  return `{${members.join(',')}}`;
}
