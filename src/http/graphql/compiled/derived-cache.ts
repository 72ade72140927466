import { LRUCache } from 'lru-cache';
import type { DerivedStore } from '../../../results/memory-store.ts';
import type { ResultDocument } from '../../../results/result-document.ts';
import { DocumentCells } from './cell-blocks.ts';
import { RenderedResponse } from './rendered-response.ts';

/** What was made of results to answer GraphQL faster, kept in their memory. */
export interface DerivedCache {
  /** A number for each document, unique in the process. */
  idOf(document: ResultDocument): number;
  /** The cells of a document as text: those that were kept, or none yet. */
  cellsOf(document: ResultDocument): DocumentCells;
  /** Keeps cells for the next selection. */
  keepCells(document: ResultDocument, cells: DocumentCells): void;
  rendered(key: string): RenderedResponse | undefined;
  /**
   * Keeps a response from its second time on: most selections that are new are sent once, and would take the place of
   * results. Also called when a response that is kept has grown.
   *
   * @returns whether it is kept
   */
  setRendered(key: string, rendered: RenderedResponse): boolean;
}

/** Keys of responses that were rendered once; longer ago counts as never. */
const maxRenderedOnce = 1_000;

export function buildDerivedCache(store: DerivedStore): DerivedCache {
  const ids = new WeakMap<ResultDocument, number>();
  let lastId = 0;
  const renderedOnce = new LRUCache<string, true>({ max: maxRenderedOnce });

  const idOf = (document: ResultDocument): number => {
    const known = ids.get(document);
    if (known !== undefined) return known;
    lastId += 1;
    ids.set(document, lastId);
    return lastId;
  };
  const cellsKey = (document: ResultDocument) => `cells ${idOf(document)}`;
  return {
    idOf,
    cellsOf(document) {
      const known = store.get(cellsKey(document));
      return known instanceof DocumentCells ? known : new DocumentCells(document);
    },
    keepCells(document, cells) {
      store.set(cellsKey(document), cells, cells.bytes);
    },
    rendered(key) {
      const known = store.get(`response ${key}`);
      return known instanceof RenderedResponse ? known : undefined;
    },
    setRendered(key, rendered) {
      const storeKey = `response ${key}`;
      if (!renderedOnce.has(key) && store.get(storeKey) === undefined) {
        renderedOnce.set(key, true);
        return false;
      }
      store.set(storeKey, rendered, rendered.bytes);
      return true;
    },
  };
}
