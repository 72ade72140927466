import { join } from 'node:path';
import type { TableSchema } from '@querygate/bigquery-sql/table-schema';
import { changeFiles, type ImportState, timesOfChange } from '../import-state.ts';
import { describeFileProblem } from '../reject/describe-problem.ts';
import type { DataFile } from '../scan/data-files.ts';
import type { Change } from '../scan/find-changes.ts';
import { isRemote, isUnreachable } from '../store/remote-path.ts';
import { hasChanged } from '../slices.ts';
import type { ManifestEntry } from '../store/manifest.ts';
import type { Footer, PlacedFile } from '../store/files/placed-file.ts';
import { countRows, examineColumns, readColumns, readPartition } from './read-footer.ts';

/** The files of an earlier process, from the manifest. Those whose columns this DuckDB does not know are examined again. */
export async function restoreFiles(state: ImportState): Promise<void> {
  const { manifest } = state;
  const placed: { readonly table: string; readonly file: PlacedFile }[] = [];
  for (const [number, text] of manifest.footers) {
    const entry = manifest.entries.get(number);
    if (entry === undefined) continue;
    const file = await placedFile(state, entry, JSON.parse(text)).catch(() => undefined);
    if (file === undefined) manifest.entries.delete(number);
    else placed.push({ table: entry.table, file });
  }
  for (const [table, ofTable] of Map.groupBy(placed, (one) => one.table)) {
    const files = ofTable.map(({ file }) => file);
    await changeFiles(
      state,
      table,
      { files, hasImported: hasImportedRows(state, table) },
      {
        statements: [],
        changed: undefined,
      },
    );
  }
}

async function placedFile(state: ImportState, entry: ManifestEntry, footer: Footer): Promise<PlacedFile> {
  const { number, name, identity, size, mtime } = entry;
  const { dataDir } = state.options;
  const path = isRemote(dataDir) ? `${dataDir.replace(/\/*$/, '')}/${name}` : join(dataDir, name);
  return { ...footer, ...(await state.shapeOf(footer)), number, name, path, identity, size, mtime };
}

/** True if rows of a table are in the store. */
const hasImportedRows = (
  { manifest, options }: ImportState,
  table: string,
  removed: ReadonlySet<number> = new Set(),
): boolean =>
  options.hasOtherRows === true ||
  manifest.entries
    .values()
    .some(({ number, ...of }) => of.table === table && !manifest.footers.has(number) && !removed.has(number));

/** A changed file that was examined. */
interface Examined {
  readonly change: Change;
  readonly footer?: Footer;
  readonly rows?: number;
  readonly error?: unknown;
}

/**
 * Examines the Parquet files among the changed ones, and lets queries read those where they are of which every value is
 * one of the declared type.
 *
 * @returns the changes that are left to import
 */
export async function placeFiles(state: ImportState, changes: readonly Change[]): Promise<readonly Change[]> {
  const schemas = state.schemas();
  const left: Change[] = [];
  for (const [table, ofTable] of Map.groupBy(changes, ({ file }) => file.table)) {
    const schema = schemas.get(table);
    if (schema !== undefined) left.push(...(await placeFilesOf(state, schema, ofTable)));
  }
  return left;
}

async function placeFilesOf(
  state: ImportState,
  schema: TableSchema,
  changes: readonly Change[],
): Promise<readonly Change[]> {
  const { manifest, options, problems, unreadable } = state;
  const examined: Examined[] = [];
  for (const change of changes) {
    options.signal.throwIfAborted();
    examined.push(await examine(state, schema, change));
  }
  const isPlaced = (number: number) => manifest.footers.has(number);
  const placed = examined.filter(({ footer }) => footer !== undefined);
  const removed = new Set<number>(placed.flatMap(({ change }) => former(change)));
  for (const { change, error, footer } of examined) {
    if (footer !== undefined) continue;
    const { file } = change;
    const lost = former(change).filter(isPlaced);
    for (const number of error === undefined ? lost : former(change)) removed.add(number);
    // Before the rows are gone.
    if (error !== undefined) problems.set(file.table, describeFileProblem(file, error));
    else if (lost.length > 0)
      problems.set(file.table, `${file.name}: is not imported yet: it has just been changed`);
    if (error !== undefined) unreadable.add(file, error);
  }
  if (placed.length > 0 || removed.size > 0) await replaceFiles(state, schema, placed, removed);
  return examined
    .filter(
      ({ change, error, footer }) =>
        !isRemote(change.file.path) && footer === undefined && error === undefined,
    )
    .map(({ change }) => withoutPlaced(change, removed));
}

const former = ({ knownEntry, replaces }: Change): readonly number[] =>
  knownEntry === undefined ? replaces : [...replaces, knownEntry.number];

const withoutPlaced = (change: Change, removed: ReadonlySet<number>): Change => ({
  file: change.file,
  knownEntry: change.knownEntry && removed.has(change.knownEntry.number) ? undefined : change.knownEntry,
  replaces: change.replaces.filter((number) => !removed.has(number)),
});

async function examine(state: ImportState, schema: TableSchema, change: Change): Promise<Examined> {
  const { connection, doubts } = state;
  const { file } = change;
  if (file.format !== 'parquet' || file.compression !== undefined) return { change };
  try {
    const columns = await readColumns(connection, file.path);
    const given = await readPartition(connection, file, schema);
    if ('doubt' in given) return inDoubt(doubts, change, given.doubt);
    const footer: Footer = { columns, repeatedPaths: [], ...given };
    const { sources } = await state.shapeOf(footer);
    const own = schema.fields.filter(({ name }) => file.partition[name.toLowerCase()] === undefined);
    const found = await examineColumns(connection, file, own, columns, sources);
    if ('doubt' in found) return inDoubt(doubts, change, found.doubt);
    if (given.partition.length > 0 && sources.has('file_index'))
      return inDoubt(doubts, change, 'file_index is a column of it');
    const rows = await countRows(connection, file.path);
    // It is examined by the next sync.
    if (await hasChanged(file)) return { change };
    const bounds = { ...found.bounds, ...given.bounds };
    return { change, rows, footer: { ...footer, bounds, repeatedPaths: found.repeatedPaths } };
  } catch (error) {
    return isUnreachable(error) || (await hasChanged(file)) ? { change } : { change, error };
  }
}

function inDoubt(doubts: Map<string, string>, change: Change, doubt: string): Examined {
  // It would have to be imported.
  if (isRemote(change.file.path)) return { change, error: new Error(doubt) };
  doubts.set(change.file.name, doubt);
  return { change };
}

/** In one transaction, files take the place of others, or of imported rows. */
async function replaceFiles(
  state: ImportState,
  { name: table }: TableSchema,
  placed: readonly Examined[],
  removed: ReadonlySet<number>,
): Promise<void> {
  const { manifest, options } = state;
  const { tables } = options;
  const repeated = new Set(placed.flatMap(({ footer }) => footer?.repeatedPaths ?? []));
  for (const path of repeated.difference(tables.get(table).repeatedPaths))
    await options.onRepeatedRecord(table, path);
  if (placed.length > 0 && state.isServing) await openFilesOf(state, table);
  const files: PlacedFile[] = [];
  const entries: ManifestEntry[] = [];
  for (const { change, footer, rows = 0 } of placed) {
    if (footer === undefined) continue;
    const entry = entryOf(change.file, state.nextNumber(), rows);
    entries.push(entry);
    files.push(await placedFile(state, entry, footer));
  }
  const footers = files.map(({ number, columns, partition, bounds, repeatedPaths }) => {
    const footer: Footer = { columns, partition, bounds, repeatedPaths };
    return { number, text: JSON.stringify(footer) };
  });
  const next = {
    files: [...tables.files.of(table).files.filter(({ number }) => !removed.has(number)), ...files],
    hasImported: hasImportedRows(state, table, removed),
  };
  const statements = [
    ...(removed.size > 0 ? [tables.deleteSql(table, [...removed])] : []),
    ...manifest.remove([...removed]),
    ...manifest.put(entries),
    ...footers.map(({ number, text }) => manifest.putFooter(number, text)),
  ];
  const changed = await timesOfChange(state, table, removed, files);
  await changeFiles(state, table, next, { statements, changed });
  for (const number of removed) {
    manifest.entries.delete(number);
    manifest.footers.delete(number);
  }
  for (const entry of entries) manifest.entries.set(entry.number, entry);
  for (const { number, text } of footers) manifest.footers.set(number, text);
}

/** Lets queries read the files of a table that has some, once it is known which are readable. */
export async function openFilesOf({ options }: ImportState, table: string): Promise<void> {
  const old = await options.tables.openFiles(table);
  if (old !== undefined) await options.onOpened?.(old, options.tables.get(table));
}

const entryOf = (
  { table, name, identity, size, mtime }: DataFile,
  number: number,
  rows: number,
): ManifestEntry => ({
  ...{ number, table, name, identity, size, mtime, rows },
  ...{ head: '', headBytes: 0, tail: '', offset: 0, lines: 0, rejected: 0, done: true },
});
