import { LRUCache } from 'lru-cache';
import type { DerivedStore } from '../../../results/result-store.ts';
import type { ResultDocument } from '../../../results/result-document.ts';
import { bytesOfBlock, type CellBlock, DocumentCells } from './rows/cell-blocks.ts';

/** What was made of results to answer GraphQL faster, kept in their memory. */
export interface DerivedCache {
  /** The cells of a document as text: those that were kept, or none yet. */
  cellsOf(document: ResultDocument): DocumentCells;
  /** Keeps cells for the next selection. */
  keepCells(document: ResultDocument, cells: DocumentCells): void;
  /** What a selection in a record gives for a document; undefined if it was not kept. */
  selectedCells(document: ResultDocument, selection: string): CellBlock | undefined;
  /** Keeps it from its second time on. */
  keepSelectedCells(document: ResultDocument, selection: string, block: CellBlock): void;
  /**
   * Whether a response was rendered before. It is kept from its second time on: most selections that are new are sent once,
   * and would take the place of results.
   */
  isRepeated(key: string): boolean;
}

/** Keys of responses that were rendered once, and of selections; longer ago counts as never. */
const maxRenderedOnce = 1_000;

export function buildDerivedCache(store: DerivedStore): DerivedCache {
  const renderedOnce = new LRUCache<string, true>({ max: maxRenderedOnce });

  const cellsKey = ({ id }: ResultDocument) => `cells ${id}`;
  const selectionKey = ({ id }: ResultDocument, selection: string) => `selection ${id} ${selection}`;
  const isRepeated = (key: string) => {
    if (renderedOnce.has(key)) return true;
    renderedOnce.set(key, true);
    return false;
  };
  return {
    selectedCells: (document, selection) =>
      store.get(selectionKey(document, selection)) as CellBlock | undefined,
    keepSelectedCells(document, selection, block) {
      const key = selectionKey(document, selection);
      if (isRepeated(key)) store.set(key, block, bytesOfBlock(block));
    },
    cellsOf(document) {
      const known = store.get(cellsKey(document));
      return known instanceof DocumentCells ? known : new DocumentCells(document);
    },
    keepCells(document, cells) {
      store.set(cellsKey(document), cells, cells.bytes);
    },
    isRepeated,
  };
}
