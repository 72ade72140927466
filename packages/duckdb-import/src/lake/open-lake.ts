import type { DuckDBConnection } from '@duckdb/node-api';
import { describeSource } from '@querygate/bigquery-sql/duckdb';
import { quote } from '@querygate/bigquery-sql/types';
import { didYouMean } from '@querygate/text';
import { buildExclusive } from '../store/exclusive.ts';
import { examineFields } from '../load/read-footer.ts';
import { hasTimes } from '../store/files/odd-times.ts';
import type { LakeRows, NoRows, PastRows } from '../store/files/files-relation.ts';
import type { FilesOfTable } from '../store/files/files-in-place.ts';
import { type OnRebuilt, rebuildTable } from '../store/import-store.ts';
import { inTransaction, runAll } from '../store/statements.ts';
import type { StoredTables } from '../store/stored-tables.ts';
import type { TableInStore } from '../store/table-in-store.ts';
import { type LakeCatalog, openLakeCatalog } from './lake-catalog.ts';
import type { LakeLocation } from './lake-location.ts';
import {
  type LakeTable,
  changedSince,
  hasFile,
  readLakeColumns,
  SnapshotReader,
  snapshotAt,
  tablesAt,
} from './read-snapshot.ts';

interface LakeOptions {
  /** That only the lake uses. It has the extensions. */
  readonly connection: DuckDBConnection;
  /** The same, for snapshots that queries name. */
  readonly past: DuckDBConnection;
  readonly location: LakeLocation;
  /** The folder for copies of a catalog. */
  readonly scratch: string;
  readonly tables: StoredTables;
  readonly onRebuilt: OnRebuilt;
}

/** Tables that are read from a lake where they are, as of its newest snapshot. */
export interface Lake extends Pick<LakeCatalog, 'dataPath' | 'identity'> {
  /** Why tables cannot be read, by their names. */
  readonly problems: ReadonlyMap<string, string>;
  /**
   * Looks for a newer snapshot. Statements that have begun read the one before to their end.
   *
   * @returns true if rows of a table have changed
   * @throws Error if the catalog cannot be read now
   */
  refresh(): Promise<boolean>;
  /** False for a file that was of the lake, and has been merged with others since. */
  hasFile(path: string): Promise<boolean>;
  /** Does some work on the tables while nothing else does, and looks for their rows. */
  replace(work: () => Promise<void>): Promise<void>;
}

/**
 * Opens the tables of a lake, at a snapshot that follows its newest one.
 *
 * @throws Error if the catalog cannot be read
 */
export async function openLake(options: LakeOptions): Promise<Lake> {
  const { connection, location, scratch } = options;
  const catalog = await openLakeCatalog(connection, location, scratch);
  const { dataPath, identity } = catalog;
  const problems = new Map<string, string>();
  const reader = new SnapshotReader();
  const state: LakeState = { ...options, catalog, problems, reader, known: new Map(), hasChanged: false };
  const exclusive = buildExclusive();
  const refresh = () => readLake(state);
  await refresh();
  return {
    ...{ dataPath, identity, problems },
    refresh: () => exclusive(refresh),
    hasFile: (path) => exclusive(async () => hasFile(connection, await catalog.current(), path)),
    replace: (work) =>
      exclusive(async () => {
        await work();
        state.known.clear();
        // The next look reports it.
        state.hasChanged = await refresh();
      }),
  };
}

interface LakeState extends LakeOptions {
  readonly catalog: LakeCatalog;
  readonly reader: SnapshotReader;
  readonly problems: Map<string, string>;
  /** The source that each table was read from, by its name. */
  readonly known: Map<string, string>;
  /** True if rows have changed, also in a reading that failed after that. */
  hasChanged: boolean;
}

async function readLake(state: LakeState): Promise<boolean> {
  const { catalog, connection, known, problems, reader, tables } = state;
  const database = await catalog.current();
  const inLake = await reader.read(connection, database);
  const next = new Map<string, FilesOfTable>();
  const read = new Map<string, string>();
  for (const { name } of tables.all) {
    const found = findTable(inLake, name);
    const source = JSON.stringify([database, found]);
    if (known.get(name) === source) continue;
    read.set(name, source);
    const rows = 'problem' in found ? found : await readTable(state, database, found, name);
    if ('problem' in rows) problems.set(name, `${name}: ${rows.problem}`);
    next.set(name, 'problem' in rows ? noRows : rows);
  }
  state.hasChanged ||= [...next].some(
    ([name, { lake }]) => tables.files.of(name).lake?.version !== lake?.version,
  );
  await serve(state, database, next);
  for (const [name, source] of read) known.set(name, source);
  for (const [name, { lake }] of next) if (lake) problems.delete(name);
  const { hasChanged } = state;
  state.hasChanged = false;
  return hasChanged;
}

/** Queries of such a table are refused. */
const noRows: FilesOfTable = { files: [], hasImported: true };

/** By its name in the schema `main`, or in the only other schema that has it. */
function findTable(tables: readonly LakeTable[], name: string): LakeTable | NoRows {
  const named = tables.filter((table) => table.name.toLowerCase() === name.toLowerCase());
  const [only, another] = named.toSorted((a, b) => Number(b.schema === 'main') - Number(a.schema === 'main'));
  const names = tables.map((table) => table.name);
  if (only === undefined) return { problem: `the lake has no such table${didYouMean(name, names)}` };
  if (another === undefined || only.schema === 'main') return only;
  return {
    problem: `it is in several schemas of the lake, ${named.map(({ schema }) => schema).join(' and ')}, and not in main`,
  };
}

/** The rows of a table, in the layout that they need. */
async function readTable(
  state: LakeState,
  database: string,
  table: LakeTable,
  name: string,
): Promise<FilesOfTable | NoRows> {
  const { connection, onRebuilt, tables } = state;
  const examined = await examineTable(connection, database, table, tables.get(name));
  if ('problem' in examined) return { problem: `in the lake, ${examined.problem}` };
  const { lake, repeated } = examined;
  const { repeatedPaths } = tables.get(name);
  if (repeated.difference(repeatedPaths).size > 0)
    await rebuildTable(tables, name, repeated.union(repeatedPaths), onRebuilt);
  return {
    ...{ files: [], hasImported: false, lake: watched(state, database, table, lake, tables.get(name)) },
    past: buildPast(state, database, tables.get(name)),
  };
}

/** Others write to a catalog that is not a copy, also while its rows are read. */
const watched = (
  { past, location }: LakeState,
  database: string,
  table: LakeTable,
  rows: LakeRows,
  { fields }: TableInStore,
): LakeRows =>
  location.file === undefined
    ? { ...rows, isUnchanged: async () => (await changedSince(past, database, table, fields)) === undefined }
    : rows;

interface Examined {
  readonly lake: LakeRows;
  readonly repeated: ReadonlySet<string>;
}

async function examineTable(
  connection: DuckDBConnection,
  database: string,
  table: LakeTable,
  { fields }: TableInStore,
): Promise<Examined | NoRows> {
  const { schema, version } = table;
  const from = `${database}.${quote(schema)}.${quote(table.name)} AS r AT (VERSION => ${version})`;
  const found = await describeSource(connection, `(SELECT * FROM ${from})`);
  const sources = new Map(
    [...found].map(([key, value]) => {
      // DuckDB does not see that the times of a file that was added are of a day.
      const checked = hasTimes(value.type) ? {} : { isChecked: true as const };
      return [key, { ...value, isRawJson: true as const, ...checked }];
    }),
  );
  const examined = examineFields(await readLakeColumns(connection, database, table), fields, sources);
  if ('doubt' in examined) return { problem: examined.doubt };
  return { lake: { from, sources, version }, repeated: new Set(examined.repeatedPaths) };
}

/** How many snapshots of a table are kept in mind. */
const maxSnapshots = 64;

/** Reads snapshots of before. It does not wait for a look at the lake, which may wait for queries. */
function buildPast(state: LakeState, database: string, table: TableInStore): PastRows {
  const { past } = state;
  const known = new Map<number, Promise<LakeRows | NoRows>>();
  const read = async (version: number): Promise<LakeRows | NoRows> => {
    const named = findTable(await tablesAt(past, database, version), table.name);
    if ('problem' in named) return { problem: 'its table was not there yet' };
    const found = { ...named, version };
    const changed = await changedSince(past, database, found, table.fields);
    if (changed) return changed;
    const examined = await examineTable(past, database, found, table);
    if ('problem' in examined) return { problem: `at that time, ${examined.problem}` };
    const isReadable = examined.repeated.isSubsetOf(table.repeatedPaths);
    return isReadable
      ? watched(state, database, found, examined.lake, table)
      : { problem: 'its table had other records' };
  };
  return {
    snapshotAt: (micros) => snapshotAt(past, database, micros),
    async rowsAt(version) {
      const before = known.get(version);
      if (before !== undefined) {
        const rows = await before;
        if ('problem' in rows || (await rows.isUnchanged?.()) !== false) return rows;
      }
      if (known.size >= maxSnapshots) known.clear();
      const reading = read(version);
      known.set(version, reading);
      reading.catch(() => known.delete(version));
      return reading;
    },
  };
}

/** Lets statements read tables at other snapshots, all at once. */
async function serve(
  { catalog, connection, onRebuilt, tables }: LakeState,
  database: string,
  next: ReadonlyMap<string, FilesOfTable>,
): Promise<void> {
  if (next.size === 0) return;
  const { all, files } = tables;
  const opened = all.filter(({ name, isInFiles }) => isInFiles && next.has(name));
  const views = opened.map((table) => files.viewSql(table, next.get(table.name)));
  // The hours are not known of which the rows of two snapshots differ.
  const changed = new Map([...next.keys()].map((name) => [name, undefined]));
  const commit = () => inTransaction(connection, () => runAll(connection, views));
  await tables.change(() => files.change(next, commit), changed);
  catalog.serve(database);
  for (const { name, isInFiles } of all) {
    if (isInFiles || !next.get(name)?.lake) continue;
    const old = await tables.openFiles(name);
    if (old !== undefined) await onRebuilt(old, tables.get(name));
    tables.changedTimes.record(name, undefined);
  }
}
