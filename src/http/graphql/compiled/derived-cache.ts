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
  /** Also called when a response that is kept has grown. @returns false if it is not kept */
  setRendered(key: string, rendered: RenderedResponse): boolean;
}

/**
 * A larger response is kept when it is rendered a second time. Most are sent once, and those that are kept for a while
 * move to V8's old space, whose garbage stays in memory for long.
 */
const keptAtOnceBytes = 1_000_000;

export function buildDerivedCache(limitBytes: number): DerivedCache {
  const entries = new LRUCache<string, RenderedResponse | ColumnTexts>({ maxSize: limitBytes });
  const ids = new WeakMap<ResultDocument, number>();
  let lastId = 0;

  const largeKeys = new LRUCache<string, true>({ max: 1_000 });
  const wasRendered = (key: string): boolean => {
    const isKnown = largeKeys.has(key);
    largeKeys.set(key, true);
    return isKnown;
  };
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
      if (renderedBytes(rendered) > keptAtOnceBytes && !entries.has(key) && !wasRendered(key)) {
        return false;
      }
      entries.set(key, rendered, { size: 2 * key.length + renderedBytes(rendered) });
      return entries.has(key);
    },
  };
}
