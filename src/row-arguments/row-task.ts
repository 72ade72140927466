import type { Column } from '../catalog/model/saved-query.ts';
import type { Owner } from '../concurrency/fair-share.ts';
import { aggregateRows } from './aggregate-rows.ts';
import { type Aggregate, columnsOf, type RowArguments } from './row-arguments.ts';
import type { RowTable } from './row-table.ts';
import { selectRows } from './select-rows.ts';

/** The rows and aggregates to be found in a document. Plain data. */
export interface RowTask {
  readonly arguments: RowArguments;
  /** Over the selected rows. */
  readonly aggregates: readonly Aggregate[];
  /** True if the places of the rows in the document are also needed. */
  readonly withSpans: boolean;
  /** All columns that it names. */
  readonly columns: readonly Pick<Column, 'name' | 'type'>[];
}

export interface RowOutcome {
  /** The places of the rows in the document, in their order. */
  readonly rows: Uint32Array;
  /** Where they are in it, as `RowTable` gives it; empty if the task does not need it. */
  readonly spans: Uint32Array;
  /** The values of the aggregates as JSON texts; undefined for NULL. */
  readonly aggregates: readonly (string | undefined)[];
}

/** Who waits for the rows. */
export interface RowCaller {
  readonly owner: Owner;
  /** Aborted when no caller waits any longer. The getter is read only if a thread does the work. */
  readonly signal: AbortSignal;
}

/** @param head its getter is not read yet */
export const callerOf = (head: { readonly signal: AbortSignal }, owner: Owner): RowCaller => ({
  owner,
  get signal() {
    return head.signal;
  },
});

export function rowTask(
  columns: readonly Column[],
  given: RowArguments,
  aggregates: readonly Aggregate[] = [],
  withSpans = aggregates.length === 0,
): RowTask {
  const names = new Set([...columnsOf(given), ...aggregates.map(({ column }) => column)]);
  const needed = columns.filter(({ name }) => names.has(name)).map(({ name, type }) => ({ name, type }));
  return { arguments: given, aggregates, withSpans, columns: needed };
}

/** Does it in steps of some milliseconds at most. @param identity the document without a coding */
export function* runRowTask(task: RowTask, table: RowTable, identity: Buffer): Generator<void, RowOutcome> {
  yield* table.read(identity, task.columns);
  const rows = yield* selectRows(task.arguments, table.column, table.rowCount);
  const types = new Map(task.columns.map(({ name, type }) => [name, type]));
  const typeOf = (name: string) => types.get(name) ?? 'string';
  const aggregates: (string | undefined)[] = [];
  for (const aggregate of task.aggregates) {
    yield;
    aggregates.push(...aggregateRows([aggregate], rows, table.column, typeOf));
  }
  return { rows, spans: task.withSpans ? table.spansOf(rows) : new Uint32Array(), aggregates };
}
