import type { ImportState } from '../import-state.ts';
import { type Change, newFiles } from '../scan/find-changes.ts';
import type { Scan } from '../scan/scan-folder.ts';
import { otherKindAdvice } from '../scan/other-kind.ts';
import { incompleteLine } from '../store/manifest.ts';
import { inTransaction, runAll } from '../store/statements.ts';

/** Removes files from the manifest, with their rows. */
export async function forgetFiles(state: ImportState, numbers: readonly number[]): Promise<void> {
  const { connection, manifest } = state;
  const { tables } = state.options;
  const entries = numbers.flatMap((number) => manifest.entries.get(number) ?? []);
  for (const [table, ofTable] of Map.groupBy(entries, (entry) => entry.table)) {
    const removed = new Set(ofTable.map(({ number }) => number));
    const record = () => manifest.remove(removed);
    // Rows of a table that is no longer declared are dropped with the table.
    if (tables.all.some(({ name }) => name === table))
      await tables.replaceRows(connection, { table, removed, record });
    else await inTransaction(connection, () => runAll(connection, record()));
    manifest.forget(removed);
  }
}

/** Forgets the files of a table whose rows have been dropped, after the store has. */
export function forgetFilesOf({ manifest, options, reset, unreadable }: ImportState, table: string): void {
  unreadable.forgetTable(table);
  manifest.completeTables.delete(table);
  reset.add(table);
  options.tables.files.forget(table);
  manifest.forget([...manifest.entries.values()].flatMap((one) => (one.table === table ? one.number : [])));
}

/**
 * Records what a scan has found without reading: files that are gone, and last lines that are not continued.
 *
 * @returns the changes, with the files that are gone and go with one of them
 */
export async function recordScan(state: ImportState, scan: Scan): Promise<readonly Change[]> {
  const changed = await recordMissing(state, scan);
  await recordIncomplete(state, scan);
  return changed;
}

/**
 * While rows are served, a file is forgotten when two syncs have not found it: it may be replaced in a moment. If new files
 * have come in its place, its rows go with the first of them.
 */
async function recordMissing(state: ImportState, scan: Scan): Promise<readonly Change[]> {
  const { changed, folder, gone } = scan;
  const missing = scan.missing.filter(({ table }) => folder.tables.get(table)?.problem === undefined);
  const fresh = Map.groupBy(newFiles(scan), ({ file }) => file.table);
  const replacedBy = new Map<Change, number[]>();
  const forgotten: number[] = [];
  for (const entry of missing) {
    const { footer, number, table } = entry;
    const isPlaced = footer !== undefined;
    const ofTable = state.isServing ? (fresh.get(table) ?? []) : [];
    const parquet = ofTable.find(({ file }) => file.format === 'parquet');
    // Rows that are read where they are do not wait for an import.
    const first = isPlaced ? parquet : (parquet ?? ofTable[0]);
    const isGone = gone.has(entry) && (isPlaced || !state.isServing || first !== undefined);
    if (!isGone && !state.missing.has(number)) continue;
    if (first === undefined) forgotten.push(number);
    else {
      const numbers = replacedBy.get(first) ?? [];
      replacedBy.set(first, numbers);
      numbers.push(number);
    }
  }
  await forgetFiles(state, forgotten);
  state.missing = new Set(missing.map(({ number }) => number));
  return changed.map((change) => {
    const numbers = replacedBy.get(change);
    if (numbers === undefined) return change;
    return { ...change, replaces: [...change.replaces, ...numbers], replacesMissing: true };
  });
}

async function recordIncomplete(state: ImportState, { folder, unchanged }: Scan): Promise<void> {
  const { connection, manifest, options } = state;
  const incomplete = unchanged.filter(
    ({ number, offset, size, tail }) => offset < size && tail !== '' && !manifest.incomplete.has(number),
  );
  if (incomplete.length === 0) return;
  const rejects = incomplete.flatMap(({ number, lines }) =>
    manifest.addRejects(number, [{ line: lines + 1, reason: incompleteLine }]),
  );
  await inTransaction(connection, () => runAll(connection, rejects));
  const files = new Map(
    [...folder.tables.values()].flatMap(({ files }) => files.map((file) => [file.name, file])),
  );
  for (const { name, number, lines } of incomplete) {
    manifest.incomplete.add(number);
    const file = files.get(name);
    const advice = file && (await otherKindAdvice(file, { line: 1, reason: incompleteLine }));
    if (advice === undefined)
      options.events.problem(`${name}:${lines + 1}: ${incompleteLine}; it is imported once it is complete`);
    // Otherwise the lines before have been reported with it.
    else if (lines === 0) options.events.problem(`${name}: a row cannot be read: ${advice}`);
  }
}
