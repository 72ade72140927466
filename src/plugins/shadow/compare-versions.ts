import type { BoundQuery } from '../../catalog/binding/bind.ts';
import { rebind } from '../../catalog/binding/rebind.ts';
import type { SavedQuery } from '../../catalog/model/saved-query.ts';
import { computingOwner, type LoopTurns } from '../../concurrency/loop-turns.ts';
import type { Engine } from '../../engine-contract/engine.ts';
import { rowTexts } from '../../engine-contract/rows-document.ts';
import type { ResultDocument } from '../../results/result-document.ts';
import { diffRows } from './diff-rows.ts';
import { differingColumns } from './differing-columns.ts';
import { type ComparedColumns, compareColumns, type HashedRows, hashRows } from './hash-rows.ts';

/** The difference between the rows of two versions, without their values. */
export interface Difference {
  readonly rows: number;
  readonly shadowRows: number;
  /** Rows that only the version in use has, and that only the other one has. */
  readonly onlyOld: number;
  readonly onlyNew: number;
  /** The names of the columns in which these rows differ. */
  readonly columns: readonly string[];
  /** Rows that changed between two runs of the version in use. */
  readonly unstable: number;
  /** The first of the rows of each side; only if the log may have values. */
  readonly examples: { readonly old: string | undefined; readonly new: string | undefined } | undefined;
}

export type Comparison =
  | { readonly outcome: 'equal' | 'unstable' | 'incomparable' }
  | { readonly outcome: 'differs'; readonly difference: Difference };

export interface CompareOptions {
  readonly run: Engine['run'];
  readonly turns: LoopTurns;
  /** True if the log may have values: then the rows are kept in memory for that time. */
  readonly withExamples: boolean;
}

interface ComparedRows extends HashedRows {
  /** The rows as text; empty without examples. */
  readonly texts: readonly string[];
}

/**
 * Runs another version with the parameters of a bound query, and compares the rows. If they differ, the query itself is run
 * once more: what differs between its own runs is new data.
 *
 * @param document the rows of the query, if they were computed just now; otherwise it is run before the other version
 * @throws GatewayError as the engine's `run` does
 */
export async function compareVersions(
  options: CompareOptions,
  bound: BoundQuery,
  other: SavedQuery,
  document: ResultDocument | undefined,
  signal: AbortSignal,
): Promise<Comparison> {
  const columns = compareColumns(bound.query.columns, other.columns);
  const otherBound = rebind(bound, other);
  if (otherBound === undefined || columns.exact.length + columns.floats.length === 0) {
    return { outcome: 'incomparable' };
  }
  const run = (query: BoundQuery) => runAndHash(options, query, columns, signal);
  const diff = (a: HashedRows, b: HashedRows) => options.turns.run(owner, diffRows(a, b));

  const before = document === undefined ? await run(bound) : await hashDocument(options, document, columns);
  const shadow = await run(otherBound);
  const first = await diff(before, shadow);
  if (first.onlyA.length + first.onlyB.length === 0) return { outcome: 'equal' };

  const after = await run(bound);
  const second = await diff(after, shadow);
  if (second.onlyA.length + second.onlyB.length === 0) return { outcome: 'equal' };
  const own = await diff(before, after);
  const unstable = Math.max(own.onlyA.length, own.onlyB.length);
  const appeared = new Set(own.onlyB);
  const inNeither = new Set(first.onlyB);
  const onlyOld = second.onlyA.filter((row) => !appeared.has(row));
  const newRows = second.onlyB.filter((row) => inNeither.has(row));
  // A row that changed between the two runs of the query may have had a third value when the other version ran.
  const onlyNew = Math.max(0, newRows.length - unstable);
  if (onlyOld.length + onlyNew === 0) return { outcome: 'unstable' };
  return {
    outcome: 'differs',
    difference: {
      rows: after.count,
      shadowRows: shadow.count,
      onlyOld: onlyOld.length,
      onlyNew,
      columns: await options.turns.run(owner, differingColumns(after, onlyOld, shadow, newRows)),
      unstable,
      examples: options.withExamples
        ? { old: after.texts[onlyOld[0] ?? -1], new: shadow.texts[newRows[0] ?? -1] }
        : undefined,
    },
  };
}

const owner = computingOwner(undefined);

async function runAndHash(
  { run, turns, withExamples }: CompareOptions,
  bound: BoundQuery,
  columns: ComparedColumns,
  signal: AbortSignal,
): Promise<ComparedRows> {
  const { rows, truncated } = await run(bound, { signal });
  const hashed = await turns.run(owner, hashRows(rows, rows.length, truncated, columns));
  return { ...hashed, texts: withExamples ? rows : [] };
}

function hashDocument(
  { turns }: CompareOptions,
  { encodings, metadata }: ResultDocument,
  columns: ComparedColumns,
): Promise<HashedRows> {
  const { rowCount, truncated } = metadata;
  const texts = rowTexts(encodings.identity, oneRow);
  return turns.run(owner, hashRows(texts, rowCount, truncated, columns));
}

/** Bytes of a part that has one row. */
const oneRow = 0;
