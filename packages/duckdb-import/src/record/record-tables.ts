import type { ImportState } from '../import-state.ts';
import { notImportedYet } from '../read/describe-problem.ts';
import type { DataFile } from '../scan/data-files.ts';
import { type Change, findChanges } from '../scan/find-changes.ts';
import type { Scan } from '../scan/scan-folder.ts';
import { inTransaction, runAll } from '../store/statements.ts';
import { isOutOfSpace } from '../store/disk-space.ts';

/** The tables after an import. */
export interface Recorded {
  /** Why files cannot be read. */
  readonly problems: readonly string[];
  /** The files that the store still does not have as they are, because the import was interrupted or they are being written. */
  readonly waiting: readonly DataFile[];
}

/**
 * Records which tables are complete, and the problems of the others: one that has a waiting file would give answers that look
 * right without its rows.
 *
 * @param interruption why the import has ended early
 */
export async function recordTables(
  state: ImportState,
  { changed, files, folder }: Scan,
  interruption: string | undefined,
): Promise<Recorded> {
  const { connection, manifest, problems, reset, short, unreadable } = state;
  problems.clear();
  for (const [table, { files: ofTable, problem }] of folder.tables) {
    const first = problem ?? ofTable.map((file) => unreadable.problemOf(file)).find(Boolean);
    if (first !== undefined) problems.set(table, first);
  }
  const found = [...problems.values()];
  const waiting = findChanges(files, [...manifest.entries.values()])
    .changed.map(({ file }) => file)
    .filter((file) => unreadable.problemOf(file) === undefined);
  const firstWaiting = new Map(waiting.toReversed().map((file) => [file.table, file]));
  const areOthers = updateCompleteTables(state, changed, firstWaiting);
  const isComplete = interruption === undefined && short.size === 0;
  for (const table of reset) if (isComplete || !firstWaiting.has(table)) reset.delete(table);
  // Queries run while the store is written.
  for (const [table, file] of firstWaiting) {
    if (manifest.completeTables.has(table) || problems.has(table) || reset.has(table)) continue;
    problems.set(table, notImportedYet(file, short.get(file.name) ?? interruption));
  }
  if (areOthers) {
    const statements = manifest.putCompleteTables();
    await inTransaction(connection, () => runAll(connection, statements)).catch((error: unknown) => {
      if (!isOutOfSpace(error)) throw error;
    });
  }
  return { problems: found, waiting };
}

/** @returns true if others are complete than before */
function updateCompleteTables(
  { manifest: { completeTables, entries }, options, problems }: ImportState,
  changed: readonly Change[],
  waiting: ReadonlyMap<string, DataFile>,
): boolean {
  const before = new Set(completeTables);
  const stored = new Set(entries.values().map(({ table }) => table));
  // The rows of a file are removed with the first that replace them.
  const lost = new Set(
    changed
      .filter(({ knownEntry, replaces }) =>
        [...replaces, knownEntry?.number].some((number) => number !== undefined && !entries.has(number)),
      )
      .map(({ file }) => file.table),
  );
  for (const { name } of options.tables.all) {
    const waits = waiting.has(name);
    if (!stored.has(name) || problems.has(name) || (waits && lost.has(name))) completeTables.delete(name);
    else if (!waits) completeTables.add(name);
  }
  return before.symmetricDifference(completeTables).size > 0;
}
