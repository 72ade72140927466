import type { ResultDocument } from '../../../results/result-document.ts';
import {
  type CollectedField,
  collectFields,
  type SelectionScope,
  selectionsBelow,
} from './collect-fields.ts';

/** The size that a selection of rows adds to a document. */
export interface RowSize {
  /** How often a row has the same column, at most; records may count in parts. */
  readonly copies: number;
  /** Bytes of aliases in one row beyond the columns' own names. */
  readonly aliasBytes: number;
}

/** @param cells the fields of one row, as the response has them */
export const rowSizeOf = (cells: readonly CollectedField[], scope: SelectionScope): RowSize => ({
  copies: copiesOf(cells, scope),
  aliasBytes: aliasBytesOf(cells),
});

/** How often an object has the same field, at most; a record as often as its fields, and what aliases add to it. */
function copiesOf(fields: readonly CollectedField[], scope: SelectionScope): number {
  const byName = new Map<string, number>();
  for (const field of fields) {
    const below = selectionsBelow(field);
    const copies = below.length === 0 ? 1 : recordCopies(collectFields(below, scope), scope);
    byName.set(field.name, (byName.get(field.name) ?? 0) + copies);
  }
  return Math.max(1, ...byName.values());
}

/** About the bytes of `"__typename":"…"`. */
const typenameBytes = 80;

/** Of `"":0,` around the name of a field. */
const leastFieldBytes = 5;

/** A document may have many short records: what an operation adds to one is set against the least bytes of one. */
function recordCopies(fields: readonly CollectedField[], scope: SelectionScope): number {
  const typenames = fields.filter(({ name }) => name === '__typename').length;
  const added = aliasBytesOf(fields) + typenames * typenameBytes;
  const names = new Set(fields.map(({ name }) => name));
  names.delete('__typename');
  const least = [...names].reduce((sum, name) => sum + name.length + leastFieldBytes, leastFieldBytes);
  return copiesOf(fields, scope) + added / least;
}

const aliasBytesOf = (fields: readonly CollectedField[]): number =>
  fields.reduce((sum, { responseKey, name }) => sum + Math.max(0, responseKey.length - name.length), 0);

/** About the bytes of one list of rows in a response: cells are as long as in the document. */
export function rowListBytes(
  { copies, aliasBytes }: RowSize,
  { encodings, metadata }: ResultDocument,
): number {
  return copies * encodings.identity.byteLength + metadata.rowCount * aliasBytes;
}
