import { LRUCache } from 'lru-cache';
import type { Owner } from '../../../concurrency/fair-share.ts';
import type { LoopTurns } from '../../../concurrency/loop-turns.ts';
import { PerOwnerQueue } from '../../../concurrency/per-owner-queue.ts';
import { memoize } from '../../../memoize.ts';
import type { DerivedStore } from '../../../results/result-store.ts';
import type { ResultDocument } from '../../../results/result-document.ts';
import { bytesOfBlock, type CellBlock, type Cells, DocumentCells } from './cell-blocks.ts';
import type { RowSelection } from './row-selection.ts';

/**
 * Makes the cells that a selection needs of a document, in turns; they are kept in the memory of results. Many of an owner
 * that need those of one document wait for the first of them: each would have its own in memory.
 *
 * @returns a promise unless all of them are kept
 * @throws GatewayError QUERY_TOO_EXPENSIVE
 */
export type MakeCells = (
  document: ResultDocument,
  selection: RowSelection,
  owner: Owner,
) => Cells | Promise<Cells>;

/** Selections in records that were made once; longer ago counts as never. */
const maxMadeOnce = 1_000;

export function buildMakeCells(store: DerivedStore, turns: LoopTurns): MakeCells {
  const madeOnce = new LRUCache<string, true>({ max: maxMadeOnce });
  const queueOf = memoize((_: ResultDocument) => new PerOwnerQueue());
  function* make(document: ResultDocument, { groups, selected }: RowSelection): Generator<void, Cells> {
    const key = `cells ${document.id}`;
    const known = store.get(key);
    const kept = known instanceof DocumentCells ? known : new DocumentCells(document);
    const { bytes } = kept;
    const keyOf = (selection: string) => `selection ${document.id} ${selection}`;
    const ofRecords = new Map(
      selected.map(({ group, selection }) => [group, store.get(keyOf(selection)) as CellBlock | undefined]),
    );
    const cells = yield* kept.make(groups, ofRecords);
    if (kept.bytes > bytes) store.set(key, kept, kept.bytes);
    for (const { group, selection } of selected) {
      if (ofRecords.get(group) !== undefined) continue;
      // From the second time on: most selections that are new are sent once, and would take the place of results.
      if (madeOnce.has(keyOf(selection))) {
        const block = cells.block(group);
        store.set(keyOf(selection), block, bytesOfBlock(block));
      } else madeOnce.set(keyOf(selection), true);
    }
    return cells;
  }
  return (document, selection, owner) => {
    const { done, value } = make(document, selection).next();
    if (done) return value;
    return queueOf(document).run(owner, () => turns.compute(owner, make(document, selection)));
  };
}
