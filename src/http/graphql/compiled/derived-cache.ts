import { LRUCache } from 'lru-cache';
import type { ResultDocument } from '../../../results/result-document.ts';
import { ColumnTexts } from './column-texts.ts';
import { type RenderedResponse, renderedBytes } from './rendered-response.ts';

/** What was made of results to answer GraphQL faster, bounded in bytes; the least recently used is evicted first. */
export interface DerivedCache {
  /** A number for each document, unique in the process. */
  idOf(document: ResultDocument): number;
  /** The cells of a document as text, kept for the next selection. */
  withColumns<T>(document: ResultDocument, write: (columns: ColumnTexts) => T): T;
  rendered(key: string): RenderedResponse | undefined;
  /** Also called when a response that is kept has grown. */
  setRendered(key: string, rendered: RenderedResponse): void;
}

export function buildDerivedCache(limitBytes: number): DerivedCache {
  const entries = new LRUCache<string, RenderedResponse | ColumnTexts>({ maxSize: limitBytes });
  const ids = new WeakMap<ResultDocument, number>();
  let lastId = 0;

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
      const known = entries.get(key);
      const columns = known instanceof ColumnTexts ? known : new ColumnTexts(document);
      const { bytes } = columns;
      const written = write(columns);
      if (known === undefined || columns.bytes > bytes) {
        entries.set(key, columns, { size: 2 * key.length + columns.bytes + 1 });
      }
      return written;
    },
    rendered(key) {
      const known = entries.get(key);
      return known instanceof ColumnTexts ? undefined : known;
    },
    setRendered(key, rendered) {
      entries.set(key, rendered, { size: 2 * key.length + renderedBytes(rendered) });
    },
  };
}
