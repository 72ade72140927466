import type { Owner } from '../../../concurrency/fair-share.ts';
import type { LoopTurns } from '../../../concurrency/loop-turns.ts';
import { PerOwnerQueue } from '../../../concurrency/per-owner-queue.ts';
import type { CachedResult } from '../../../results/get-result.ts';
import type { ReadRows } from '../../../row-arguments/row-reader.ts';
import { callerOf, type RowOutcome, type RowTask } from '../../../row-arguments/row-task.ts';
import type { ByteBudget } from '../../message/byte-budget.ts';
import { httpLimits } from '../../message/http-limits.ts';
import { rowListBytes } from '../document/row-size.ts';
import type { Piece } from './compile-selection.ts';
import type { DerivedCache } from './derived-cache.ts';
import type { OperationRequest } from './operation-request.ts';
import type { EntitiesField, QueryField, RootMember } from './prepare-operation.ts';
import type { RowOutcomes } from './row-tasks.ts';
import { type BinaryText, toBinaryText } from './rows/binary-text.ts';
import { type Cells, copyMargin } from './rows/cell-blocks.ts';
import { UnexpectedCell } from './rows/cell-writers.ts';

export interface RenderOptions {
  readonly derived: DerivedCache;
  readonly readRows: ReadRows;
  readonly budget: ByteBudget;
  /** Renders a large response in pieces, with turns of the event loop in between. */
  readonly turns: LoopTurns;
}

const { maxExecutorBytes } = httpLimits;

/** What one response is made of. */
interface Rendering {
  readonly request: OperationRequest;
  /** One for each root field; undefined for those that are null. */
  readonly results: readonly (CachedResult | undefined)[];
  /** What became of the row tasks of each of them. */
  readonly outcomes?: readonly RowOutcomes[];
  /** Gives the JSON text of the errors; called once, and only if every cell fits its type. */
  readonly errors: (() => BinaryText) | undefined;
  readonly owner: Owner;
  /** Who waits for it. */
  readonly head: { readonly signal: AbortSignal };
  /** Gives the memory of the body; it must be given back when the body is not read any more. */
  readonly allocate: (byteLength: number) => Buffer;
}

/**
 * Renders the body of a response.
 *
 * @returns undefined if a cell does not fit its type
 * @throws GatewayError OVERLOADED; UnexpectedCell in place of undefined if there are too many rows for an executor
 */
export type RenderBody = (rendering: Rendering) => Promise<Buffer | undefined>;

export function buildRenderBody({ derived, readRows, budget, turns }: RenderOptions): RenderBody {
  const largeOnes = new PerOwnerQueue();
  const renderInTurns = (rendering: Rendering): Promise<Buffer> =>
    turns.run(rendering.owner, render(rendering, derived));
  const renderLarge = async (rendering: Rendering, bytes: number): Promise<Buffer> => {
    const charge = budget.reserve(rendering.owner, bytes);
    try {
      const body = await renderInTurns(rendering);
      budget.settle(charge, body);
      return body;
    } finally {
      // By then all requests that await the body have begun to send it, and hold it.
      setImmediate(() => charge.release());
    }
  };
  return async (rendering) => {
    const { owner } = rendering;
    const bytes = estimateBytes(rendering);
    try {
      const complete = rendering.request.fields.some(({ rowTasks }) => rowTasks.length > 0)
        ? { ...rendering, outcomes: await outcomesOf(rendering, readRows) }
        : rendering;
      if (bytes > budget.largeBytes) return await largeOnes.run(owner, () => renderLarge(complete, bytes));
      return await renderInTurns(complete);
    } catch (error) {
      // The executor says which cell it is, of few enough rows.
      if (error instanceof UnexpectedCell && bytes <= maxExecutorBytes) return undefined;
      throw error;
    }
  };
}

/** One result after another: what the first task reads of the rows, the others need not read again. */
async function outcomesOf(
  { request, results, owner, head }: Rendering,
  readRows: ReadRows,
): Promise<readonly RowOutcomes[]> {
  const readOf = async (result: CachedResult, task: RowTask) => {
    try {
      return await readRows(result, task, callerOf(head, owner));
    } catch (error) {
      if (error instanceof TypeError) throw new UnexpectedCell();
      throw error;
    }
  };
  const outcomes: (RowOutcome | undefined)[][] = [];
  for (const [at, { rowTasks }] of request.fields.entries()) {
    const result = results[at];
    const ofField: (RowOutcome | undefined)[] = [];
    for (const task of result === undefined ? [] : rowTasks)
      ofField.push(task && result && (await readOf(result, task)));
    outcomes.push(ofField);
  }
  return outcomes;
}

/** Renders a response in steps of some milliseconds. @throws UnexpectedCell */
function* render(rendering: Rendering, derived: DerivedCache): Generator<void, Buffer> {
  const pieces: Piece[] = [];
  yield* collectPieces(rendering, derived, pieces);
  if (rendering.errors !== undefined) pieces.unshift(`{"errors":${rendering.errors()},`);
  else pieces.unshift('{');
  const byteLength = pieces.reduce((sum, piece) => sum + byteLengthOf(piece), 0);
  const bytes = rendering.allocate(byteLength + copyMargin);
  const out = { bytes, view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength) };
  let at = 0;
  for (const piece of pieces) {
    if (typeof piece === 'string') at += bytes.write(piece, at, 'latin1');
    else {
      yield* piece.write(out, at);
      at += piece.byteLength;
    }
  }
  if (at !== byteLength) throw new Error('a body that is not as long as was counted');
  return bytes.subarray(0, byteLength);
}

const byteLengthOf = (piece: Piece): number => (typeof piece === 'string' ? piece.length : piece.byteLength);

/** The pieces of `data` in order, with the cells that its rows are made of. */
function* collectPieces(
  { request, results, outcomes = [] }: Rendering,
  derived: DerivedCache,
  pieces: Piece[],
): Generator<void> {
  let field = 0;
  function* collect(members: readonly RootMember[]): Generator<void> {
    for (const [at, member] of members.entries()) {
      pieces.push(`${at > 0 ? ',' : '{'}${JSON.stringify(member.responseKey)}:`);
      if ('endpoint' in member) {
        const result = results[field];
        const ofField = outcomes[field] ?? [];
        field += 1;
        if (result === undefined) pieces.push('null');
        else {
          const cells = yield* makeCells(result, member, derived);
          member.writer.write(result, cells, pieces, ofField);
        }
      } else if ('entities' in member) {
        pieces.push('[');
        for (const [index, entity] of member.entities.entries()) {
          if (index > 0) pieces.push(',');
          yield* collect(entity);
        }
        pieces.push(']');
      } else {
        yield* collectConstant(member, pieces);
      }
    }
    pieces.push(members.length > 0 ? '}' : '{}');
  }
  pieces.push('"data":');
  yield* collect(request.members);
  pieces.push('}');
}

function* makeCells(
  { document }: CachedResult,
  { writer }: QueryField,
  derived: DerivedCache,
): Generator<void, Cells> {
  const kept = derived.cellsOf(document);
  const { bytes } = kept;
  const selected = new Map(
    writer.selected.map(({ group, selection }) => [group, derived.selectedCells(document, selection)]),
  );
  const cells = yield* kept.make(writer.groups, selected);
  if (kept.bytes > bytes) derived.keepCells(document, kept);
  for (const { group, selection } of writer.selected) {
    if (selected.get(group) === undefined) derived.keepSelectedCells(document, selection, cells.block(group));
  }
  return cells;
}

/** `__typename`, or the schema, which may have text that is not ASCII. */
function* collectConstant(
  member: Exclude<RootMember, QueryField | EntitiesField>,
  pieces: Piece[],
): Generator<void> {
  if ('text' in member) {
    pieces.push(member.text);
    return;
  }
  const texts = yield* member.introspect();
  if (texts === undefined) throw new UnexpectedCell();
  for (const text of texts) {
    pieces.push(toBinaryText(text));
    yield;
  }
}

function estimateBytes({ request, results }: Rendering): number {
  return results.reduce((sum, result, at) => {
    const field = request.fields[at];
    return result === undefined || field === undefined ? sum : sum + rowBytes(field, result);
  }, 0);
}

/** About the bytes of all rows that a root field returns. */
export function rowBytes(
  { writer, rowTasks }: Pick<QueryField, 'writer' | 'rowTasks'>,
  { document }: CachedResult,
): number {
  return writer.rowLists.reduce((sum, { size, taskAt }) => {
    const first = taskAt === undefined ? undefined : rowTasks[taskAt]?.arguments.first;
    const share = first === undefined ? 1 : Math.min(1, first / Math.max(1, document.metadata.rowCount));
    return sum + share * rowListBytes(size, document);
  }, 0);
}
