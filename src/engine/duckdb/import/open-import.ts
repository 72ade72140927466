import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import type { StoredTables } from '../store/stored-tables.ts';
import { type Batch, type FileFailure, readBatches } from './batches.ts';
import { isOutOfSpace, outOfSpaceMessage, requireSpace } from './disk-space.ts';
import { loadBatch } from './load-batch.ts';
import type { BatchLimits } from './read/lines-writer.ts';
import { prefetch } from './read/prefetch.ts';
import { describeFileProblem, describeReject } from './reject/describe-problem.ts';
import { type DataFile, findDataFiles, type TableFiles } from './scan/data-files.ts';
import { findChanges } from './scan/find-changes.ts';
import { type ManifestEntry, openManifest, type Reject } from './scan/manifest.ts';

export interface ImportOptions {
  /** Connections for the import alone, ready to use: session settings done, search path on the store. */
  readonly connect: () => Promise<DuckDBConnection>;
  /** The folder that the store grows in, whose disk must have room; undefined where it is in memory. */
  readonly storeFolder?: string;
  readonly dataDir: string;
  /** An existing empty folder for copies. */
  readonly scratch: string;
  readonly tables: StoredTables;
  /** A record had a second element: rebuilds the table to allow it; then the batch is tried again. */
  readonly onRepeatedRecord: (table: string, path: string) => Promise<void>;
  /** Told once of whatever is wrong: a file that cannot be read, rows that cannot, a full disk. */
  readonly onProblem: (message: string) => void;
  readonly onProgress?: (progress: ImportProgress) => void;
  readonly signal: AbortSignal;
  /** What one transaction takes at most. */
  readonly batchLimits?: BatchLimits;
}

/** How far a look has come. */
export interface ImportProgress {
  readonly rows: number;
  readonly bytes: number;
  readonly totalBytes: number;
}

/** What one look has taken in. */
export interface ImportSummary {
  readonly rows: number;
  readonly rejected: number;
  readonly bytes: number;
  /** Whether everything there is has been taken in; not where the disk is full. */
  readonly isComplete: boolean;
}

export interface Import {
  /** Takes in what has changed in the data folder; never twice at once. */
  sync(): Promise<ImportSummary>;
  /** What is wrong with a table's files, by the table's name, as of the last look. */
  readonly problems: ReadonlyMap<string, string>;
  /** Closes its connections; a look that runs is ended by the signal. */
  close(): Promise<void>;
}

/** Two of DuckDB's row groups: odd sizes are written twice, to the log and at the checkpoint. */
const defaultBatchLimits: BatchLimits = { rows: 245_760, bytes: 512 << 20 };
const maxReasons = 1000;
const unfinished = 'not JSON: the last line is not finished';

/** Takes the files of a data folder into the store, and remembers what it has taken: each row once. */
export async function openImport(options: ImportOptions): Promise<Import> {
  const { signal, tables } = options;
  const connections: DuckDBConnection[] = [];
  const connect = async () => {
    const connection = await options.connect();
    connections.push(connection);
    return connection;
  };
  const connection = await connect();
  let copying: Promise<DuckDBConnection> | undefined;
  const ledger = openManifest();
  const entries = new Map((await ledger.load(connection)).map((entry) => [entry.number, entry]));
  /** Files whose last line was told to be unfinished. */
  const noted = new Set(await ledger.rejectedFor(connection, unfinished));
  const byName = new Map(tables.all.map((table) => [table.name, table]));
  /** Files that could not be read, as they were then. */
  const broken = new Map<string, Broken>();
  const problems = new Map<string, string>();
  const told = new Set<string>();
  let missed = new Set<number>();
  let lastNumber = Math.max(0, ...entries.keys());
  let running: Promise<unknown> = Promise.resolve();

  const tell = (messages: ReadonlySet<string>) => {
    for (const message of messages) if (!told.has(message)) options.onProblem(message);
    told.clear();
    for (const message of messages) told.add(message);
  };

  const transaction = async (statements: readonly string[]) => {
    if (statements.length === 0) return;
    await connection.run('BEGIN');
    try {
      for (const sql of statements) await connection.run(sql);
      await connection.run('COMMIT');
    } catch (error) {
      await connection.run('ROLLBACK').catch(() => undefined);
      throw error;
    }
  };

  const forget = async (numbers: readonly number[]) => {
    const known = numbers.flatMap((number) => entries.get(number) ?? []);
    const deletes = [...Map.groupBy(known, ({ table }) => table)].flatMap(([name, ofTable]) => {
      return byName.has(name)
        ? [
            tables.deleteSql(
              name,
              ofTable.map(({ number }) => number),
            ),
          ]
        : [];
    });
    await transaction([...deletes, ...ledger.remove(known.map(({ number }) => number))]);
    for (const { number } of known) {
      entries.delete(number);
      noted.delete(number);
    }
  };

  /** A last line that nobody has gone on with since the last look. */
  const noteUnfinished = async (unchanged: readonly ManifestEntry[]) => {
    const open = unchanged.filter(
      ({ number, offset, size, tail }) => offset < size && tail !== '' && !noted.has(number),
    );
    await transaction(
      open.flatMap(({ number, lines }) =>
        ledger.addRejects(number, [{ line: lines + 1, reason: unfinished }]),
      ),
    );
    for (const { name, number, lines } of open) {
      noted.add(number);
      options.onProblem(`${name}:${lines + 1}: ${unfinished}; it is left out until it is`);
    }
  };

  const take = async (portion: Batch) => {
    await requireSpace(
      options.storeFolder,
      portion.slices.reduce((sum, { lineBytes }) => sum + lineBytes, 0),
    );
    const taken = await loadBatch(portion, {
      connection,
      ledger,
      tables,
      onRepeatedRecord: options.onRepeatedRecord,
      entryOf: (number) => entries.get(number),
      also: (parts) =>
        parts
          .filter(({ entry }) => noted.has(entry.number))
          .map(({ entry }) => ledger.removeRejects(entry.number, unfinished)),
      maxReasons,
      signal,
    });
    for (const number of taken.replaced) entries.delete(number);
    for (const entry of taken.entries) {
      entries.set(entry.number, entry);
      noted.delete(entry.number);
    }
    return taken;
  };

  const fail = async ({ error, file, numbers }: FileFailure) => {
    await forget(numbers);
    if (error === undefined) return;
    broken.set(keyOf(file), { state: stateOf(file), problem: describeFileProblem(file, error) });
  };

  const look = async (): Promise<ImportSummary> => {
    const found = await findDataFiles(options.dataDir, tables.all).catch((error: Error) => error);
    if (found instanceof Error) {
      const code = 'code' in found ? String(found.code) : found.message;
      tell(new Set([`the data folder cannot be read: ${code}`]));
      return { rows: 0, rejected: 0, bytes: 0, isComplete: false };
    }
    const files = [...found.values()].flatMap((table) => table.files);
    forgetMended(broken, files);
    const { changed, missing, unchanged } = findChanges(files, [...entries.values()]);
    // A file that is being renamed may be seen under neither name: only the second look believes it.
    const gone = missing.filter(({ table }) => found.get(table)?.problem === undefined);
    await forget(gone.filter(({ number }) => missed.has(number)).map(({ number }) => number));
    missed = new Set(gone.map(({ number }) => number));
    await noteUnfinished(unchanged);

    const todo = changed.filter(({ file }) => broken.get(keyOf(file))?.state !== stateOf(file));
    const totals = { rows: 0, rejected: 0, bytes: 0, isComplete: true };
    const totalBytes = todo.reduce((sum, { file, known }) => sum + file.size - (known?.offset ?? 0), 0);
    const rejected = new Map<DataFile, Reject[]>();
    const messages = new Set<string>();
    const unstorable = new Set<number>();
    const items = prefetch(
      readBatches(todo, {
        tables: byName,
        scratch: options.scratch,
        connect: () => {
          copying ??= connect();
          return copying;
        },
        limits: options.batchLimits ?? defaultBatchLimits,
        nextNumber: () => ++lastNumber,
      }),
    );
    try {
      for await (const item of items) {
        signal.throwIfAborted();
        if ('failure' in item) {
          await fail(item.failure);
          continue;
        }
        // Nothing more of a file of which a part could not be stored.
        const parts = item.portion.slices.filter(({ entry }) => !unstorable.has(entry.number));
        const portion = { ...item.portion, parts };
        const taken = await take(portion);
        totals.rows += taken.rows;
        for (const { file, rejects } of taken.rejects) {
          rejected.set(file, [...(rejected.get(file) ?? []), ...rejects]);
          totals.rejected += rejects.length;
        }
        for (const { error, part } of taken.failures) {
          unstorable.add(part.entry.number);
          await fail({ file: part.file, numbers: [part.entry.number, ...part.replaces], error });
        }
        totals.bytes += portion.parts.reduce((sum, { bytes }) => sum + bytes, 0);
        options.onProgress?.({ rows: totals.rows, bytes: totals.bytes, totalBytes });
        await rm(portion.folder, { recursive: true, force: true });
      }
    } catch (error) {
      if (!isOutOfSpace(error) || signal.aborted) throw error;
      messages.add(outOfSpaceMessage(error));
      totals.isComplete = false;
    } finally {
      await items.return(undefined);
      await empty(options.scratch);
    }
    for (const [file, rejects] of rejected) options.onProblem(rejectMessage(file, rejects));
    settleProblems(problems, found, broken);
    tell(new Set([...messages, ...problems.values()]));
    return totals;
  };

  return {
    problems,
    sync() {
      const looking = running.then(look);
      running = looking.catch(() => undefined);
      return looking;
    },
    async close() {
      await running;
      for (const open of connections.splice(0)) open.closeSync();
    },
  };
}

interface Broken {
  readonly state: string;
  readonly problem: string;
}

const keyOf = ({ name, table }: DataFile) => JSON.stringify([table, name]);
const stateOf = ({ ctime, identity, size }: DataFile) => JSON.stringify([identity, size, String(ctime)]);

/** What has been changed since is tried again. */
function forgetMended(broken: Map<string, Broken>, files: readonly DataFile[]): void {
  const states = new Map(files.map((file) => [keyOf(file), stateOf(file)]));
  for (const [key, { state }] of broken) if (states.get(key) !== state) broken.delete(key);
}

function settleProblems(
  problems: Map<string, string>,
  found: ReadonlyMap<string, TableFiles>,
  broken: ReadonlyMap<string, Broken>,
): void {
  problems.clear();
  for (const [name, { files, problem }] of found) {
    const first = problem ?? files.map((file) => broken.get(keyOf(file))?.problem).find(Boolean);
    if (first !== undefined) problems.set(name, first);
  }
}

function rejectMessage(file: DataFile, rejects: readonly Reject[]): string {
  const first = rejects
    .slice(0, 1)
    .map((reject) => describeReject(file, reject))
    .join('');
  return rejects.length === 1
    ? first
    : `${file.name}: ${rejects.length} rows cannot be read, the first: ${first}`;
}

async function empty(folder: string): Promise<void> {
  for (const name of await readdir(folder)) await rm(join(folder, name), { recursive: true, force: true });
}
