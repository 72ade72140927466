import { isOutOfSpace } from './disk-space.ts';
import { type ImportState, runTransaction } from './import-state.ts';
import type { DataFile } from './scan/data-files.ts';
import { type Change, findChanges } from './scan/find-changes.ts';

/** The files that the store still does not have as they are, because the import was interrupted or they are being written. */
export function findWaiting(
  { manifest, unreadable }: ImportState,
  files: readonly DataFile[],
): readonly DataFile[] {
  return findChanges(files, [...manifest.entries.values()])
    .changed.map(({ file }) => file)
    .filter((file) => unreadable.problemOf(file) === undefined);
}

/**
 * Records which tables are complete, and adds a problem for each of the others that has a waiting file: without its rows, an
 * answer would look right.
 *
 * @param changed as they were found before the import
 * @param interruption why the import has ended early
 */
export async function updateCompleteTables(
  state: ImportState,
  changed: readonly Change[],
  waiting: readonly DataFile[],
  interruption: string | undefined,
): Promise<void> {
  const { connection, manifest, options, problems, reset } = state;
  const { completeTables, entries } = manifest;
  const stored = new Set([...entries.values()].map(({ table }) => table));
  const firstWaiting = new Map(waiting.toReversed().map((file) => [file.table, file]));
  // The rows of a file are removed with the first that replace them.
  const lost = new Set(
    changed.filter((change) => hasLostRows(change, entries)).map(({ file }) => file.table),
  );
  const before = new Set(completeTables);
  for (const { name } of options.tables.all) {
    const waits = firstWaiting.has(name);
    if (!stored.has(name) || problems.has(name) || (waits && lost.has(name))) completeTables.delete(name);
    else if (!waits) completeTables.add(name);
  }
  if (before.symmetricDifference(completeTables).size > 0) {
    await runTransaction(connection, manifest.putCompleteTables()).catch((error: unknown) => {
      if (!isOutOfSpace(error)) throw error;
    });
  }
  if (interruption === undefined) reset.clear();
  for (const [table, { name }] of firstWaiting) {
    if (completeTables.has(table) || problems.has(table) || reset.has(table)) continue;
    problems.set(table, `${name}: is not imported yet: ${interruption ?? 'it has just been changed'}`);
  }
}

const hasLostRows = ({ knownEntry, replaces }: Change, entries: ReadonlyMap<number, unknown>): boolean =>
  [...replaces, ...(knownEntry === undefined ? [] : [knownEntry.number])].some(
    (number) => !entries.has(number),
  );
