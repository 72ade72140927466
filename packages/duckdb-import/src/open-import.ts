import { type ImportOptions, type ImportState, openState } from './import-state.ts';
import { type Blamed, blameFile } from './load/blame-file.ts';
import { loadBatches } from './load/load-batches.ts';
import { openFiles, placeFiles, restoreFiles } from './load/place-files.ts';
import { readBatches } from './read/read-batches.ts';
import { lookAgain } from './record/look-again.ts';
import { forgetFilesOf, recordScan } from './record/record-files.ts';
import { recordTables } from './record/record-tables.ts';
import { type ImportSummary, reportSync, reportUnreadable } from './report/report-sync.ts';
import { scanFolder } from './scan/scan-folder.ts';
import { buildExclusive } from './store/exclusive.ts';
import type { PlacedFile } from './store/files/placed-file.ts';

/** The import of a data folder, as `openImport` opens it. */
export interface Import {
  /** Imports the changes of the data folder. A second call waits for the first. */
  sync(): Promise<ImportSummary>;
  /** Does some work while no sync runs, after which the rows of some tables are no longer there: the next sync imports them. */
  reset(tables: readonly string[], work: () => Promise<void>): Promise<void>;
  /**
   * Finds the file that made a query fail, among those that it has read where they are: it is unreadable until it changes.
   *
   * @returns false if none did; the file and the reason if it is not, as only queries fail that read the same column
   */
  blame(files: readonly PlacedFile[], error: unknown): Promise<boolean | Blamed>;
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
    sync: () => exclusive(() => importChanges(state)),
    reset: (tables, work) =>
      exclusive(async () => {
        await work();
        for (const table of tables) forgetFilesOf(state, table);
      }),
    blame: (files, error) => exclusive(() => blameFile(state, files, error)),
    close: () => exclusive(async () => state.close()),
  };
}

/** The five steps of an import: scan, read, load, record, report. Batches are read while others are loaded. */
async function importChanges(state: ImportState): Promise<ImportSummary> {
  const { connection, manifest, options, unreadable } = state;
  const { batchLimits: limits, dataDir, scratch } = options;
  const tables = options.tables.all;
  state.short.clear();

  const scan = await scanFolder({ connection, dataDir, tables, manifest, unreadable }, !state.isServing);
  if ('error' in scan) return reportUnreadable(state, scan.error);
  const recordedChanges = await recordScan(state, scan);

  const changed = [...recordedChanges, ...(await lookAgain(state, scan.touched))];
  const { left: changes, interruption } = await placeFiles(state, changed);
  const { compared, connectForCopies: connect, nextNumber } = state;
  const batches = readBatches(changes, { tables, scratch, connect, limits, nextNumber, compared });
  const loaded = await loadBatches(state, batches, changes);
  loaded.interruption ??= interruption;
  await openFiles(state);

  const recorded = await recordTables(state, { ...scan, changed }, loaded.interruption);
  return reportSync(state, { ...scan, changed }, loaded, recorded);
}
