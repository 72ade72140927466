import type { GraphQLLeafType } from 'graphql';
import type { Column } from '../../../catalog/saved-query.ts';
import { parseRows, type ResultDocument } from '../../../results/result-document.ts';
import { isoText } from '../schema/scalars.ts';
import { type BinaryText, toBinaryText } from './binary-text.ts';

/** The JSON text of each cell of one column as GraphQL writes it, in the order of the rows. */
type CellTexts = readonly BinaryText[];

/** How a column is written: its type's own serialiser, and whether it is a list of the type. */
export interface ColumnFormat {
  readonly column: Column;
  readonly type: GraphQLLeafType;
}

/** Thrown for a cell that its declared type cannot hold: an engine never gives one, a foreign cache entry may. */
export class UnexpectedCell extends Error {}

/**
 * The cells of one document as JSON text, made when a selection first needs their column and then kept, so that a
 * response is put together by joining text.
 */
export class ColumnTexts {
  readonly rowCount: number;
  readonly #document: ResultDocument;
  readonly #texts = new Map<string, CellTexts>();
  /** What the texts take in memory, in bytes; only grows. */
  bytes = 0;

  constructor(document: ResultDocument) {
    this.#document = document;
    this.rowCount = document.metadata.rowCount;
  }

  /**
   * @param siblings the other columns of the saved query: cheap ones are made together, for the rows are parsed once
   * @throws UnexpectedCell
   */
  of(format: ColumnFormat, siblings: readonly ColumnFormat[]): CellTexts {
    const known = this.#texts.get(format.column.name);
    if (known !== undefined) return known;
    const rows = parseRows(this.#document);
    for (const sibling of siblings) {
      if (sibling === format || (isCheap(sibling.column) && !this.#texts.has(sibling.column.name))) {
        this.#add(sibling, rows);
      }
    }
    return this.#texts.get(format.column.name) ?? [];
  }

  #add({ column, type }: ColumnFormat, rows: readonly Readonly<Record<string, unknown>>[]): void {
    const write = writerOf(column, type);
    const texts = rows.map((row) => toBinaryText(write(row[column.name])));
    this.#texts.set(column.name, texts);
    this.bytes += texts.reduce((sum, text) => sum + bytesPerText + text.length, 0);
  }
}

/** A string's header and its place in the list. */
const bytesPerText = 24;

/** Records and JSON may be most of a document, and are written only when they are selected. */
const isCheap = ({ type, repeated }: Column): boolean => !repeated && type !== 'record' && type !== 'json';

function writerOf({ type, repeated, required }: Column, leaf: GraphQLLeafType): (value: unknown) => string {
  const write = quickWriters[type] ?? ((value: unknown) => JSON.stringify(leaf.coerceOutputValue(value)));
  const one = (value: unknown): string => {
    try {
      return write(value) ?? unexpected();
    } catch {
      return unexpected();
    }
  };
  const isList = repeated && type !== 'record';
  return (value) => {
    if (value === undefined || value === null) return required ? unexpected() : 'null';
    if (!isList) return one(value);
    // A list of the schema holds no nulls.
    if (!Array.isArray(value) || value.some((item) => item === null)) return unexpected();
    return `[${value.map(one).join(',')}]`;
  };
}

function unexpected(): never {
  throw new UnexpectedCell('A cell does not fit its declared type');
}

/** The same text as the type's serialiser gives, for the types that most cells have; undefined for other values. */
const quickWriters: Partial<Record<Column['type'], (value: unknown) => string | undefined>> = {
  string: (value) => (typeof value === 'string' ? JSON.stringify(value) : undefined),
  integer: (value) => (Number.isSafeInteger(value) ? String(value) : undefined),
  timestamp: (value) => (typeof value === 'number' ? `"${isoText(value)}"` : undefined),
};
