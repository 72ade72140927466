import { buildExclusive } from './exclusive.ts';
import {
  forgetFiles,
  forgetFilesOf,
  type ImportOptions,
  type ImportState,
  incompleteLine,
  openState,
  runTransaction,
} from './import-state.ts';
import { type LoadedChanges, loadChanges } from './load-changes.ts';
import { describeRejects } from './reject/describe-problem.ts';
import { type ImportWarnings, importWarnings } from './import-warnings.ts';
import type { DataFile, DataFolder, TableFiles } from './scan/data-files.ts';
import { findFiles } from './scan/remote-files.ts';
import { type Changes, findChanges } from './scan/find-changes.ts';
import type { ManifestEntry } from './store/manifest.ts';
import { findWaiting, updateCompleteTables } from './waiting-files.ts';
import { blameFile } from './place/blame-file.ts';
import { openFilesOf, placeFiles, restoreFiles } from './place/place-files.ts';
import type { PlacedFile } from './store/files/placed-file.ts';

/** The outcome of one sync. */
interface ImportSummary extends Partial<ImportWarnings> {
  readonly rows: number;
  readonly rejected: number;
  readonly bytes: number;
  /** True if the store has all rows of the folder; false if the disk is full, for example. */
  readonly isComplete: boolean;
  /** When the oldest of the files that wait was written, in milliseconds since the epoch; undefined if none waits. */
  readonly waitingSince?: number | undefined;
}

/** The import of a data folder, as `openImport` opens it. */
export interface Import {
  /** Imports the changes of the data folder. A second call waits for the first. */
  sync(): Promise<ImportSummary>;
  /** Does some work while no sync runs, after which the rows of some tables are no longer there: the next sync imports them. */
  reset(tables: readonly string[], work: () => Promise<void>): Promise<void>;
  /**
   * Finds the file that made a query fail, among those that it has read where they are: it is unreadable until it changes.
   *
   * @returns false if none did
   */
  blame(files: readonly PlacedFile[], error: unknown): Promise<boolean>;
  /** Why files of a table cannot be read, by the table's name, as of the last sync. */
  readonly problems: ReadonlyMap<string, string>;
  /** Waits for a running sync, which the signal ends, and closes the connections. */
  close(): Promise<void>;
}

/** Imports the files of a data folder into the store and follows their changes; every row is imported once. */
export async function openImport(options: ImportOptions): Promise<Import> {
  const state = await openState(options);
  await restoreFiles(state);
  const exclusive = buildExclusive();
  return {
    problems: state.problems,
    sync: () => exclusive(() => sync(state)),
    reset: (tables, work) =>
      exclusive(async () => {
        await work();
        for (const table of tables) forgetFilesOf(state, table);
      }),
    blame: (files, error) => exclusive(() => blameFile(state, files, error)),
    close: () => exclusive(async () => state.close()),
  };
}

async function sync(state: ImportState): Promise<ImportSummary> {
  const first = await scanDataDir(state);
  // A file that is being renamed may be found under neither name, and one that is read where it is cannot be read then.
  const again = 'missing' in first && first.missing.some(({ number }) => state.manifest.footers.has(number));
  const scan = again ? await scanDataDir(state) : first;
  if ('problem' in scan) {
    reportProblems(state, [scan.problem]);
    const unreadableTables = state.problems.size;
    return { rows: 0, rejected: 0, bytes: 0, isComplete: false, unreadableTables };
  }
  await forgetMissing(state, scan);
  await rejectIncompleteLines(state, scan.unchanged);
  const loaded = await loadChanges(state, await placeFiles(state, scan.changed));
  await openFiles(state);
  reportRejects(state, loaded);
  updateTableProblems(state, scan.folder.tables);
  countEarlierRejects(state);
  const { interruption } = loaded;
  reportProblems(state, [...(interruption === undefined ? [] : [interruption]), ...state.problems.values()]);
  const waiting = findWaiting(state, filesOf(scan.folder));
  await updateCompleteTables(state, scan.changed, waiting, interruption);
  const { rows, rejected, bytes } = loaded;
  const { manifest, options, problems } = state;
  const names = options.tables.all.map(({ name }) => name);
  const warnings = importWarnings(scan.folder, names, manifest.entries.values(), { problems, waiting });
  const waitingSince =
    waiting.length === 0 ? undefined : Math.min(...waiting.map(({ mtime }) => Number(mtime / 1_000_000n)));
  warnings.warnings.push(...importedParquet(state));
  return { rows, rejected, bytes, isComplete: interruption === undefined, waitingSince, ...warnings };
}

/** The Parquet files that are imported, because their values have to be looked at. */
function importedParquet({ doubts, manifest }: ImportState): readonly string[] {
  const names = new Set(manifest.entries.values().map(({ name }) => name));
  const [first, ...more] = [...doubts].filter(([name]) => names.has(name));
  if (first === undefined) return [];
  const others = more.length === 0 ? '' : `, and so are ${more.length} more`;
  return [`${first[0]} is imported and not read where it is, because ${first[1]}${others}`];
}

/** Once it is known which files can be read. */
async function openFiles(state: ImportState): Promise<void> {
  const { all, files } = state.options.tables;
  for (const { name } of all) if (files.of(name).files.length > 0) await openFilesOf(state, name);
  state.isServing = true;
}

interface Scan extends Changes {
  readonly folder: DataFolder;
}

async function scanDataDir(state: ImportState): Promise<Scan | { readonly problem: string }> {
  const { manifest, options, unreadable } = state;
  const folder = await findFiles(state.connection, options.dataDir, options.tables.all).catch(
    (error: Error) => error,
  );
  if (folder instanceof Error) {
    const code = 'code' in folder ? String(folder.code) : folder.message;
    return { problem: `the data folder cannot be read: ${code}` };
  }
  const files = filesOf(folder);
  unreadable.keepUnchanged(files);
  const changes = findChanges(files, [...manifest.entries.values()]);
  const changed = changes.changed.filter(({ file }) => unreadable.problemOf(file) === undefined);
  return { ...changes, changed, folder };
}

const filesOf = ({ tables }: DataFolder): readonly DataFile[] =>
  [...tables.values()].flatMap(({ files }) => files);

/** A file that is being renamed may be found under neither name: it is forgotten when two syncs have not found it. */
async function forgetMissing(state: ImportState, { folder, missing }: Scan): Promise<void> {
  const numbers = missing
    .filter(({ table }) => folder.tables.get(table)?.problem === undefined)
    .map(({ number }) => number);
  await forgetFiles(
    state,
    numbers.filter((number) => state.missing.has(number) || state.manifest.footers.has(number)),
  );
  state.missing = new Set(numbers);
}

/** Rejects a last line that is incomplete and has not been continued since the last sync. */
async function rejectIncompleteLines(state: ImportState, unchanged: readonly ManifestEntry[]): Promise<void> {
  const { connection, incomplete, manifest, options } = state;
  const entries = unchanged.filter(
    ({ number, offset, size, tail }) => offset < size && tail !== '' && !incomplete.has(number),
  );
  await runTransaction(
    connection,
    entries.flatMap(({ number, lines }) =>
      manifest.addRejects(number, [{ line: lines + 1, reason: incompleteLine }]),
    ),
  );
  for (const { name, number, lines } of entries) {
    incomplete.add(number);
    options.events.problem(`${name}:${lines + 1}: ${incompleteLine}; it is imported once it is complete`);
  }
}

function reportRejects({ options }: ImportState, { rejects }: LoadedChanges): void {
  for (const [file, ofFile] of rejects) {
    const [first] = ofFile;
    if (first === undefined) continue;
    options.events.problem(describeRejects(file, first, ofFile.length));
  }
}

/** The rows that were left out by an earlier process: their reasons are in its log, and in the store. */
function countEarlierRejects(state: ImportState): void {
  const { earlierRejects, manifest, options } = state;
  state.earlierRejects = new Map();
  const left = [...earlierRejects].flatMap(([number, rejected]) => {
    const name = manifest.entries.get(number)?.name;
    return name === undefined || rejected === 0 ? [] : [{ name, rejected }];
  });
  const [first, ...others] = left;
  if (first === undefined) return;
  const rows = left.reduce((sum, { rejected }) => sum + rejected, 0);
  options.events.problem(
    `${first.name}${others.length > 0 ? ` and ${others.length} more` : ''}: ${rows} rows that could not be read were left out by an earlier import; import.rejects of the store has the reasons`,
  );
}

function updateTableProblems(
  { problems, unreadable }: ImportState,
  found: ReadonlyMap<string, TableFiles>,
): void {
  problems.clear();
  for (const [table, { files, problem }] of found) {
    const first = problem ?? files.map((file) => unreadable.problemOf(file)).find(Boolean);
    if (first !== undefined) problems.set(table, first);
  }
}

function reportProblems(state: ImportState, messages: readonly string[]): void {
  const reported = new Set(messages);
  for (const message of reported) {
    if (!state.reported.has(message)) state.options.events.problem(message);
  }
  state.reported = reported;
}
