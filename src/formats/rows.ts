import { type CellTexts, splitRows, textOf } from '@querygate/text';
import type { ResultColumn } from '../catalog/model/header-types.ts';
import { rowTexts } from '../engine-contract/rows-document.ts';

/** The rows of a result, to be converted. */
export interface Rows {
  /** The document without a coding. */
  readonly identity: Buffer;
  readonly columns: readonly ResultColumn[];
}

/** Bytes of a document that are converted at once: some milliseconds of work. */
const partBytes = 128 * 1024;

/** The rows as JSON text with commas between them, in parts. */
export const textParts = ({ identity }: Pick<Rows, 'identity'>): Iterable<string> =>
  rowTexts(identity, partBytes);

/** The rows split into cells, in parts. */
export function* cellParts(rows: Rows): Generator<readonly CellTexts[]> {
  const names = rows.columns.map(({ name }) => name);
  for (const part of textParts(rows)) yield splitRows(part, names);
}

/**
 * The text of a cell as formats without types have it; undefined for NULL. JSON's null is NULL too, as in formats with types.
 *
 * @param isNested true if a text keeps its quotes, as a part of JSON
 */
export function plainText(cell: string | undefined, isNested = false): string | undefined {
  if (cell === undefined || cell === 'null') return undefined;
  return cell.startsWith('"') && !isNested ? textOf(cell) : cell;
}
