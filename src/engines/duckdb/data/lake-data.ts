import { isRemote, type Lake, type LakeLocation, openLake } from '@querygate/duckdb-import';
import { openRepeat } from '../../../concurrency/repeat.ts';
import { GatewayError, StartError } from '../../../errors.ts';
import { openBucket, requireReachable } from './bucket.ts';
import { loadExtensions } from '../extensions.ts';
import { adoptTables, type DataOptions, type LocalData } from './local-data.ts';

/** Keeps the tables of the catalog at the newest snapshot of a lake. */
export async function openLakeData(
  options: DataOptions,
  location: LakeLocation,
  hideOld: () => Promise<void>,
): Promise<LocalData> {
  const { connect, settings, store, tables, onRebuilt, listener } = options;
  const connection = await connect();
  const { extension, file } = location;
  const extensions = [...(extension === undefined ? [] : [extension]), 'ducklake'] as const;
  await loadExtensions(connection, settings.extensionsDir, extensions, 'a lake');
  const { scratch } = store;
  const past = await connect();
  const lake = await openLake({ connection, past, location, scratch, tables, onRebuilt }).catch(
    (error: unknown) => {
      throw new StartError('The lake cannot be opened', [{ message: `dataDir: ${reasonOf(error)}` }]);
    },
  );
  const renewal = isRemote(lake.dataPath) ? await openBucket(options, lake.dataPath) : undefined;
  const report = buildReport(options, lake);
  let hasChanged = false;
  const refresh = async () => {
    hasChanged = (await lake.refresh()) || hasChanged;
    await hideOld();
    report.read();
    if (!hasChanged) return;
    hasChanged = false;
    listener.dataChanged?.();
  };
  await hideOld();
  report.read();
  const repeat = openRepeat({
    everyMs: settings.refreshSeconds * 1000,
    work: refresh,
    onError: (error) => report.failure(`The lake is not up to date: ${reasonOf(error)}`),
  });
  const renewing = renewal && openRepeat(renewal);
  return {
    problems: lake.problems,
    files: tables.files,
    source: `ducklake ${lake.identity}`,
    folders: [lake.dataPath],
    paths: file === undefined ? [] : [file, `${file}.wal`],
    refresh: () =>
      refresh().catch((cause: unknown) => {
        throw unreachable(cause);
      }),
    async blame(_, error) {
      const text = error instanceof Error ? error.message : '';
      // It has expired meanwhile.
      if (text.includes('No snapshot found at')) return true;
      const file = fileIn(text, lake.dataPath)?.file;
      // Files of before are removed when they have been merged: the newest snapshot has others.
      if (file !== undefined && !(await lake.hasFile(file).catch(() => true))) return true;
      if (isRemote(lake.dataPath)) requireReachable(error, report.failure);
      const isOfFile = text.includes(lake.dataPath) || isOfReader.test(text);
      if (!isOfFile && isOfCatalog.test(text)) throw unreachable(error);
      if (!isOfFile) return false;
      report.failure(`${describeFailure(text, lake.dataPath)}; restore it, or delete it from the lake`);
      throw new GatewayError('DATA_UNREADABLE', 'A file of the lake cannot be read; the log says which one', {
        cause: error,
      });
    },
    replaceTables: (change) => lake.replace(() => adoptTables(tables, change)),
    async dropTables(old) {
      for (const table of old) await tables.drop(table);
    },
    async close() {
      await Promise.all([repeat.close(), renewing?.close()]);
    },
  };
}

const unreachable = (cause: unknown) =>
  new GatewayError('ENGINE_UNAVAILABLE', 'The catalog of the lake cannot be read; try again in a moment', {
    retryAfterSeconds: 5,
    cause: new Error(reasonOf(cause)),
  });

/** The path of a file below the folder of a lake, and why it failed. Not between quotes, which are for values: the log leaves them out. */
function fileIn(text: string, dataPath: string): { file: string; reason: string } | undefined {
  const [start = '', rest] = text.split(dataPath);
  const file = rest && /^[^"']*/.exec(rest)?.[0];
  if (rest === undefined || file === undefined) return undefined;
  return { file, reason: `${start.replace(/[^:]*$/, '')} ${firstLine(rest.slice(file.length + 1))}` };
}

function describeFailure(text: string, dataPath: string): string {
  const found = fileIn(text, dataPath);
  if (found === undefined) return `A file of the lake cannot be read: ${firstLine(text)}`;
  return `${found.file}, a file of the lake, cannot be read: ${found.reason}`;
}

const firstLine = (text: string) => text.split('\n', 1)[0];

const isOfCatalog = /DuckLake|Postgres|SQLite|Could not set lock/i;

/** Of a reader of Parquet: it does not name the file. */
const isOfReader = /^(?:Invalid|TProtocol\w*|Snappy|ZSTD)\w* Error: /i;

/** Reports what is new: the same failure comes back with every look at the lake. */
function buildReport({ listener }: DataOptions, { problems }: Lake) {
  let last = '';
  let shown: readonly string[] = [];
  return {
    failure(message: string) {
      if (message !== last) listener.problem(message);
      last = message;
    },
    read() {
      const found = [...problems.values()];
      for (const problem of found) if (!shown.includes(problem)) listener.problem(problem);
      shown = found;
      last = '';
      const unreadableTables = problems.size;
      listener.imported?.({ rows: 0, rejected: 0, isComplete: true, emptyTables: 0, unreadableTables });
    },
  };
}

/** Why a catalog cannot be read, and what would be right; without the text that names it, which may have a password. */
function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  if (/Could not set lock/.test(text))
    return 'the catalog is locked by a process that writes to it; let that one end, or keep the catalog in Postgres';
  const connection = /Unable to connect to Postgres at ".*": ([^\n]*)/s.exec(text)?.[1];
  if (connection !== undefined)
    return `the database of the catalog cannot be reached: ${answerIn(connection)}`;
  if (/does not exist/.test(text)) return 'there is no lake yet; the process that writes to it makes it';
  return `the catalog cannot be read: ${text.split('\n', 1)[0]?.replace(/ at path \+? ?"[^"]*"/, '')}`;
}

/** The answer of a server; or what the client says, up to where it quotes the text that may have a password. */
const answerIn = (text: string): string =>
  /^connection to server .*? failed: (?:FATAL: +)?(.*)/.exec(text)?.[1] ?? text.replace(/".*/, '…');
