import type { ResultDocument } from '../../results/result-document.ts';
import type { CollectedField } from './compiled/collect-fields.ts';

/** What a selection of rows adds to the size of a document. */
export interface RowSize {
  /** How often a row has the same column, at most. */
  readonly copies: number;
  /** Bytes of aliases in one row beyond the columns' own names. */
  readonly aliasBytes: number;
}

/** @param cells the fields of one row, as the response has them */
export function rowSizeOf(cells: readonly Pick<CollectedField, 'responseKey' | 'name'>[]): RowSize {
  const byName = new Map<string, number>();
  for (const { name } of cells) byName.set(name, (byName.get(name) ?? 0) + 1);
  const aliasBytes = cells.reduce(
    (sum, { responseKey, name }) => sum + Math.max(0, responseKey.length - name.length),
    0,
  );
  return { copies: Math.max(1, ...byName.values()), aliasBytes };
}

/** About the bytes of one list of rows in a response: cells are as long as in the document. */
export function rowListBytes(
  { copies, aliasBytes }: RowSize,
  { encodings, metadata }: ResultDocument,
): number {
  return copies * encodings.identity.byteLength + metadata.rowCount * aliasBytes;
}
