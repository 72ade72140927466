import type { Column } from '../../catalog/model/saved-query.ts';
import { rowTexts } from '../../engine-contract/rows-document.ts';

/** A row as text, and its bucket: microseconds since the epoch, or of a clock on the wall. */
export interface BucketRow {
  readonly text: string;
  /** undefined if the cell is NULL or no time. */
  readonly bucket: number | undefined;
}

/** Rows that are read at once: some milliseconds of work. */
const stepRows = 5_000;

/** The rows of a result with their buckets, in turns. */
export function* bucketRows(
  texts: Iterable<string>,
  column: Pick<Column, 'name' | 'type'>,
): Generator<void, readonly BucketRow[]> {
  const rows: BucketRow[] = [];
  for (const text of texts) {
    if (rows.length % stepRows === stepRows - 1) yield;
    const cell: unknown = (JSON.parse(text) as Record<string, unknown>)[column.name];
    rows.push({ text, bucket: microsOf(cell, column.type) });
  }
  return rows;
}

/** The same of `{"result":[…]}` in UTF-8. */
export const bucketRowsOf = (
  document: Buffer,
  column: Pick<Column, 'name' | 'type'>,
): Generator<void, readonly BucketRow[]> => bucketRows(rowTexts(document, 0), column);

function microsOf(cell: unknown, type: Column['type']): number | undefined {
  if (type === 'timestamp') return typeof cell === 'number' ? cell : undefined;
  if (typeof cell !== 'string') return undefined;
  const [, seconds = '', fraction = ''] =
    /^(\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\d)?)(?:\.(\d{1,6}))?$/.exec(cell) ?? [];
  const ms = Date.parse(seconds.length === 10 ? seconds : `${seconds}Z`);
  return Number.isNaN(ms) ? undefined : ms * 1000 + Number(fraction.padEnd(6, '0'));
}
