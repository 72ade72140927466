import { LRUCache } from 'lru-cache';
import type { DerivedStore } from '../../../results/memory-store.ts';
import type { ResultDocument } from '../../../results/result-document.ts';
import { ColumnTexts } from './column-texts.ts';
import { RenderedResponse } from './rendered-response.ts';

/** What was made of results to answer GraphQL faster, kept in their memory. */
export interface DerivedCache {
  /** A number for each document, unique in the process. */
  idOf(document: ResultDocument): number;
  /** The cells of a document as text, kept for the next selection. */
  withColumns<T>(document: ResultDocument, write: (columns: ColumnTexts) => T): T;
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
  return {
    idOf,
    withColumns(document, write) {
      const key = `columns ${idOf(document)}`;
      const known = store.get(key);
      const columns = known instanceof ColumnTexts ? known : new ColumnTexts(document);
      const { bytes } = columns;
      const written = write(columns);
      if (known === undefined || columns.bytes > bytes) store.set(key, columns, columns.bytes);
      return written;
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
