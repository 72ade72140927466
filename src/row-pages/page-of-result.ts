import { splitObject, splitObjects, textOf } from '@querygate/text';
import type { PageKey } from '../catalog/model/saved-query.ts';
import type { Owner } from '../concurrency/fair-share.ts';
import type { LoopTurns } from '../concurrency/loop-turns.ts';
import type { CachedResult } from '../results/get-result.ts';
import type { DerivedStore } from '../results/result-store.ts';
import { type ResultDocument, sizeOf } from '../results/result-document.ts';
import { rowTexts } from '../engine-contract/rows-document.ts';
import { gatherRows } from '../row-arguments/gather-rows.ts';
import { type RowKey, writeCursor } from './cursor.ts';
import type { BoundPage } from './page-request.ts';

/** The rows of a page in the order of the query, as a result of their own. */
export interface Page {
  readonly result: CachedResult;
  /** Of each row, in the same order. */
  readonly cursors: readonly string[];
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;
}

/** Makes the page of what a bound page has returned. */
export type PageOfResult = (result: CachedResult, page: BoundPage, owner: Owner) => Promise<Page>;

/** @param derived keeps pages of results, in their memory */
export function buildPageOfResult({
  derived,
  turns,
}: {
  readonly derived: DerivedStore;
  readonly turns: LoopTurns;
}): PageOfResult {
  return async (result, page, owner) => {
    const { document, caching } = result;
    // The texts of cursors depend on the parameters that were sent; the rows do not.
    const key = `page ${document.id} ${page.scope.parameters}`;
    const known = caching === 'disabled' ? undefined : derived.get(key);
    const made = known instanceof PageRows ? known : await turns.run(owner, pageRows(document, page));
    if (caching !== 'disabled' && made !== known) derived.set(key, made, made.bytes);
    const { after, before, isBackward } = page.request;
    return {
      result: { ...result, document: made.document },
      cursors: made.cursors,
      hasNextPage: isBackward ? before !== undefined : made.hasMore,
      hasPreviousPage: isBackward ? made.hasMore : after !== undefined,
    };
  };
}

class PageRows {
  readonly document: ResultDocument;
  readonly cursors: readonly string[];
  /** True if there are rows beyond those of the page. */
  readonly hasMore: boolean;

  constructor(document: ResultDocument, cursors: readonly string[], hasMore: boolean) {
    this.document = document;
    this.cursors = cursors;
    this.hasMore = hasMore;
  }

  get bytes(): number {
    return sizeOf(this.document) + this.cursors.reduce((sum, { length }) => sum + 32 + length, 1_024);
  }
}

/** Bytes of rows that are read at once: about a millisecond of work. */
const partBytes = 64 * 1024;

/** In front of the rows of a document. */
const firstRow = '{"result":['.length;

/** The rows up to the size of the page, in the order of the query: those of a page backwards come in the opposite one. */
function* pageRows(
  document: ResultDocument,
  { scope, request: { size, isBackward } }: BoundPage,
): Generator<void, PageRows> {
  const keys = scope.query.pages?.keys ?? [];
  const places = new Map(keys.map(({ column }, at) => [column, at]));
  const spans: [number, number][] = [];
  const cursors: string[] = [];
  let from = firstRow;
  let rowCount = 0;
  for (const text of rowTexts(document.encodings.identity, partBytes)) {
    for (const row of splitObjects(text)) {
      const to = from + Buffer.byteLength(row);
      rowCount += 1;
      if (rowCount <= size) {
        spans.push([from, to]);
        const cells = splitObject(row, places, keys.length);
        cursors.push(writeCursor(scope, keyOf(keys, cells)));
      }
      // Between two rows is a comma.
      from = to + 1;
    }
    yield;
  }
  if (isBackward) {
    spans.reverse();
    cursors.reverse();
  }
  const gathered = yield* gatherRows(document, { spans: Uint32Array.from(spans.flat()) });
  const { ofRows: _, ...metadata } = gathered.metadata;
  return new PageRows({ ...gathered, metadata: { ...metadata, truncated: false } }, cursors, rowCount > size);
}

const keyOf = (keys: readonly PageKey[], cells: readonly (string | undefined)[]): RowKey =>
  keys.map(({ type }, at) => {
    const cell = cells[at];
    if (cell === undefined || cell === 'null') return null;
    return type === 'integer' || type === 'timestamp' ? cell : textOf(cell);
  });
