import type { Closers } from '../concurrency/closers.ts';
import { type LoopTurns, runSteps } from '../concurrency/loop-turns.ts';
import { GatewayError } from '../errors.ts';
import type { CachedResult } from '../results/get-result.ts';
import type { DerivedStore } from '../results/result-store.ts';
import { likeCost } from './like-pattern.ts';
import type { Condition } from './row-arguments.ts';
import { RowTable } from './row-table.ts';
import { type RowCaller, type RowOutcome, type RowTask, runRowTask } from './row-task.ts';
import { RowThread } from './row-thread.ts';

/**
 * Finds rows of a result: on the event loop in steps if it is small, otherwise in a thread.
 *
 * @returns not a promise if the columns were read before, the work is little, and no turn of the event loop is due for it
 * @throws GatewayError QUERY_TOO_EXPENSIVE; OVERLOADED; CANCELLED
 */
export type ReadRows = (
  result: CachedResult,
  task: RowTask,
  caller: RowCaller,
) => RowOutcome | Promise<RowOutcome>;

/** Bytes of a document that are read on the event loop at most. */
const maxLoopBytes = 256 * 1024;

/** Comparisons on the event loop at most: those of cells, and those of characters with patterns. */
const maxLoopComparisons = 2_000_000;

/** Comparisons at most: some seconds of work, for as long as which the caller has the thread in turn with others. */
const maxComparisons = 2_000_000_000;

/** Work that is done at once if the columns were read before: about a millisecond. */
const maxStepComparisons = 100_000;

/**
 * @param derived keeps what was read of results, in their memory
 * @param closers end the thread
 */
export function openReadRows(
  { derived, turns, timeoutMs }: { derived: DerivedStore; turns: LoopTurns; timeoutMs: number },
  closers: Closers,
): ReadRows {
  const thread = new RowThread({ turns, timeoutMs });
  closers.push(() => thread.close());
  return ({ document, caching }, task, caller) => {
    const { identity } = document.encodings;
    const comparisons = comparisonsOf(task, document.metadata.rowCount, identity.byteLength);
    if (comparisons > maxComparisons) throw tooManyComparisons();
    if (identity.byteLength > maxLoopBytes || comparisons > maxLoopComparisons)
      return thread.run(document, task, caller);
    const key = `rows ${document.id}`;
    const kept = derived.get(key);
    const table = kept instanceof RowTable ? kept : new RowTable();
    const steps = runRowTask(task, table, identity);
    const isRead = table.has(task.columns.map(({ name }) => name));
    if (isRead && comparisons <= maxStepComparisons) {
      // An operation has hundreds of them.
      const turn = turns.next(caller.owner);
      return turn === undefined ? runSteps(steps) : turn.then(() => runSteps(steps));
    }
    return turns.run(caller.owner, steps).then((outcome) => {
      // No later request gets the rows of a query that is not cached.
      if (caching !== 'disabled' && !isRead) derived.set(key, table, table.bytes);
      return outcome;
    });
  };
}

const tooManyComparisons = (): GatewayError =>
  new GatewayError(
    'QUERY_TOO_EXPENSIVE',
    'To filter these rows takes too many comparisons of characters; use fewer conditions with like, or fewer rows',
  );

function comparisonsOf(
  { arguments: { where, orderBy }, aggregates }: RowTask,
  rowCount: number,
  bytes: number,
): number {
  const count = (condition: Condition): number => {
    if ('conditions' in condition)
      return condition.conditions.reduce((sum, one) => sum + count(one), rowCount);
    if ('condition' in condition) return rowCount + count(condition.condition);
    if (condition.kind !== 'like') return rowCount;
    return rowCount + bytes * likeCost(condition.pattern);
  };
  return rowCount * (1 + orderBy.length + aggregates.length) + (where === undefined ? 0 : count(where));
}
