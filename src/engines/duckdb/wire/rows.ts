import type { DuckDBMaterializedResult, DuckDBValue } from '@duckdb/node-api';
import { callerResultTooLarge, missingRequiredColumn } from '../../../engine-contract/engine-errors.ts';
import type { WireCell } from './cell.ts';

/** A column of a result, with how its values are written as JSON. */
export interface WireColumn extends Pick<WireCell, 'json'> {
  readonly name: string;
  readonly required: boolean;
}

/** Rows that are written at once: less than a millisecond of work, unless they are long. */
const rowsPerStep = 256;

/**
 * The first rows of a result as JSON objects, made in steps: a large result takes too long for one turn of the event loop.
 *
 * @param maxBytes what all rows together may have, if callers decide how long they are: rows are then read one by one
 * @throws GatewayError ENGINE_FAILED if a required column is NULL; QUERY_TOO_EXPENSIVE
 */
export function* rowTexts(
  result: DuckDBMaterializedResult,
  columns: readonly WireColumn[],
  maxRows: number,
  maxBytes = Number.POSITIVE_INFINITY,
): Generator<void, string[]> {
  if (maxBytes !== Number.POSITIVE_INFINITY)
    return yield* boundedRowTexts(result, columns, maxRows, maxBytes);
  const texts: string[] = [];
  const { chunkCount } = result;
  for (let at = 0; at < chunkCount && texts.length < maxRows; at += 1) {
    if (at > 0) yield;
    const rows = result.getChunk(at).getRows();
    for (const [row, cells] of rows.entries()) {
      if (texts.length === maxRows) break;
      if (row > 0 && row % rowsPerStep === 0) yield;
      texts.push(rowJson(columns, cells));
    }
  }
  weighResult(result, texts);
  return texts;
}

/** Characters of rows that are read at once. */
const charactersPerStep = 1_000_000;

function* boundedRowTexts(
  result: DuckDBMaterializedResult,
  columns: readonly WireColumn[],
  maxRows: number,
  maxBytes: number,
): Generator<void, string[]> {
  const texts: string[] = [];
  let bytes = 0;
  let stepStart = 0;
  for (let at = 0; at < result.chunkCount && texts.length < maxRows; at += 1) {
    const chunk = result.getChunk(at);
    for (let row = 0; row < chunk.rowCount && texts.length < maxRows; row += 1) {
      if (texts.length % rowsPerStep === rowsPerStep - 1 || bytes - stepStart > charactersPerStep) {
        stepStart = bytes;
        yield;
      }
      const text = rowJson(columns, chunk.getRowValues(row));
      bytes += Buffer.byteLength(text);
      if (bytes > maxBytes) throw callerResultTooLarge();
      texts.push(text);
    }
  }
  weighResult(result, texts);
  return texts;
}

/** Results of fewer bytes are not worth it. */
const minWeight = 64 * 1024;

/**
 * Makes V8 count the memory of a result, by a buffer of about its size with the same lifetime. DuckDB frees a result when
 * V8 collects its object, of which V8 counts only some bytes: garbage of hundreds of megabytes would not cause a
 * collection. Nothing is written into the buffer, so that it occupies no memory itself.
 */
function weighResult(result: DuckDBMaterializedResult, texts: readonly string[]): void {
  const bytes = texts.reduce((sum, { length }) => sum + length, 0);
  if (bytes >= minWeight) weights.set(result, Buffer.allocUnsafeSlow(bytes));
}

const weights = new WeakMap<DuckDBMaterializedResult, Buffer>();

/**
 * One row as a JSON object. A NULL column is left out: one existing client fails on a null.
 *
 * @throws GatewayError ENGINE_FAILED if a required column is NULL
 */
function rowJson(columns: readonly WireColumn[], cells: readonly DuckDBValue[]): string {
  const members = columns.flatMap(({ name, required, json }, at) => {
    const cell = cells[at] ?? null;
    const text = cell === null ? undefined : json(cell);
    if (text !== undefined) return [`"${name}":${text}`];
    if (!required) return [];
    throw missingRequiredColumn(name);
  });
  return `{${members.join(',')}}`;
}
