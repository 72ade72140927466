import type { DuckDBConnection } from '@duckdb/node-api';
import type { BatchLimits } from './read/lines-writer.ts';
import { ComparedBytes } from './scan/fingerprint.ts';
import { UnreadableFiles } from './scan/unreadable-files.ts';
import { buildShapes } from './store/files/placed-file.ts';
import type { ImportStore } from './store/import-tables.ts';
import { isRemote } from './store/remote-path.ts';
import { loadManifest, type Manifest } from './store/manifest.ts';

/** The progress of a sync. */
export interface ImportProgress {
  /** Of which the last rows were; undefined if no file had rows. */
  readonly file: string | undefined;
  readonly rows: number;
  readonly bytes: number;
  readonly totalBytes: number;
}

/** The reports of the import of local data to the operator. */
interface ImportEvents {
  /** A problem that the operator should fix: a file that cannot be read, rejected rows, a full disk. */
  problem(message: string): void;
  progress?(progress: ImportProgress): void;
}

/** The data that an import reads, the store for its rows, and the receiver of its reports. */
export interface ImportOptions extends ImportStore {
  readonly dataDir: string;
  readonly events: ImportEvents;
  readonly signal: AbortSignal;
  /** True if the tables have rows that this import does not bring. */
  readonly hasOtherRows?: boolean;
  /** The most that one transaction stores. */
  readonly batchLimits?: BatchLimits;
}

/** The state of an import between two syncs. */
export interface ImportState {
  readonly options: ImportOptions;
  readonly connection: DuckDBConnection;
  /** The connection for copies, opened when it is first needed. */
  readonly connectForCopies: () => Promise<DuckDBConnection>;
  readonly manifest: Manifest;
  readonly unreadable: UnreadableFiles;
  /** Why files of a table cannot be read, by the table's name. */
  readonly problems: Map<string, string>;
  /** Why Parquet files are imported, and not read where they are, by name. */
  readonly doubts: Map<string, string>;
  /** Why files wait for which the last sync had too little memory, by name. */
  readonly short: Map<string, string>;
  readonly shapeOf: ReturnType<typeof buildShapes>;
  /** False until the first sync has ended: nothing reads the rows. */
  isServing: boolean;
  /** Tables that were reset; the caller goes on with their old rows until a sync has imported everything. */
  readonly reset: Set<string>;
  /** Messages of the last sync: the same message is not reported again. */
  reported: ReadonlySet<string>;
  /** Numbers of the files that the last sync did not find. */
  missing: ReadonlySet<number>;
  /** The rejects of files that an earlier process has imported and reported, until the first sync has counted them. */
  earlierRejects: ReadonlyMap<number, number>;
  readonly nextNumber: () => number;
  readonly compared: ComparedBytes;
  /** Closes the connections; may be called twice. */
  readonly close: () => void;
}

export async function openState(options: ImportOptions): Promise<ImportState> {
  const connections: DuckDBConnection[] = [];
  const connect = async () => {
    const connection = await options.connect();
    connections.push(connection);
    return connection;
  };
  const connection = await connect();
  let copies: Promise<DuckDBConnection> | undefined;
  // It knows a file by the time of its modification alone, and would give an earlier footer.
  if (!isRemote(options.dataDir)) await connection.run('SET enable_external_file_cache = false');
  const manifest = await loadManifest(connection);
  const { entries } = manifest;
  let lastNumber = entries.keys().reduce((last, number) => Math.max(last, number), 0);
  return {
    ...{ options, connection, manifest },
    connectForCopies: () => (copies ??= connect()),
    unreadable: new UnreadableFiles(),
    problems: new Map(),
    doubts: new Map(),
    short: new Map(),
    shapeOf: buildShapes(connection, { isRemote: isRemote(options.dataDir) }),
    isServing: false,
    reset: new Set(),
    reported: new Set(),
    missing: new Set(),
    earlierRejects: new Map([...entries.values()].map(({ number, rejected }) => [number, rejected])),
    nextNumber: () => ++lastNumber,
    compared: new ComparedBytes(),
    close() {
      for (const open of connections.splice(0)) open.closeSync();
    },
  };
}
