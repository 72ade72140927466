import type { DuckDBConnection } from '@duckdb/node-api';
import type { AnalyzedCatalog } from '../../catalog-analysis/analyze-catalog.ts';
import { queryOfForm } from '../../catalog/model/query-forms.ts';
import type { SavedQuery } from '../../catalog/model/saved-query.ts';
import type { TableSchema } from '@querygate/bigquery-sql/table-schema';
import { VersionedRef } from '../../concurrency/versioned-ref.ts';
import type { CatalogUpdates } from '../../engine-contract/engine.ts';
import type { LocalData } from './data/local-data.ts';
import {
  equalityColumnsOf,
  prepareCatalog,
  prepareQueries,
  type Runnable,
} from './prepare/prepare-catalog.ts';
import type { DefineMacros } from './run/define-macros.ts';
import type { RunnableQueries } from './run/run-query.ts';
import { buildExclusive, definitionOf, type StoredTables, type TableInStore } from '@querygate/duckdb-import';

/** The versions of the catalog that queries run on: the current one, and those that requests in flight began with. */
export interface Versions {
  readonly runnable: VersionedRef<RunnableQueries>;
  /** Prepares queries again, for a table that is stored in another layout. Resolves when nothing reads the old one. */
  onRebuilt(old: TableInStore, rebuilt: TableInStore): Promise<void>;
  updates(data: TableData): CatalogUpdates;
  /** Resolves when the connection is no longer used. */
  idle(): Promise<void>;
}

type TableData = Pick<LocalData, 'replaceTables' | 'dropTables'>;

interface Version extends Pick<AnalyzedCatalog, 'queries' | 'analysisOf'> {
  /** The tables that its queries read. */
  tables: readonly TableInStore[];
}

interface VersionsOptions {
  /** Used for nothing else from then on. */
  readonly connection: DuckDBConnection;
  readonly catalog: AnalyzedCatalog;
  readonly tables: StoredTables;
  readonly defineMacros: DefineMacros;
  /** As `prepareQueries` takes it. */
  readonly hasSnapshots: boolean;
  /** Aborted when the engine closes. */
  readonly closing: AbortSignal;
}

interface State extends Omit<VersionsOptions, 'catalog'> {
  /** The latest form of each query, as long as anything refers to the query. */
  readonly known: WeakMap<SavedQuery, Runnable>;
  readonly runnable: VersionedRef<RunnableQueries>;
  current: Version;
  /** Versions that requests in flight may still use. */
  readonly earlier: Set<Version>;
  /** New and changed tables that the data does not have yet. */
  staged: readonly TableInStore[];
  /** Every table that is stored. */
  readonly stored: Set<TableInStore>;
  /** True while tables are filled, and after that has failed: their rows are not complete. */
  isFilling: boolean;
}

/** @throws StartError with the problems of all queries */
export async function openVersions({ catalog, ...options }: VersionsOptions): Promise<Versions> {
  const state = await firstState(catalog, options);
  const { runnable } = state;
  // Work in it must not wait for the data, because work on the data may wait for `onRebuilt`.
  const exclusive = buildExclusive();
  return {
    runnable,
    async onRebuilt(old, rebuilt) {
      await exclusive(() => replaceTable(state, old, rebuilt));
      await runnable.drained();
    },
    updates: (data) => ({
      async check(next) {
        const problems = await exclusive(() => problemsOf(state, next));
        // It may have to wait for an import; what is not dropped is dropped with the next version.
        dropUnused(state, data).catch(() => {});
        return problems;
      },
      async replace(next) {
        await replaceTables(state, data, next);
        const previous = await exclusive(() => makeCurrent(state, next));
        return async () => {
          await exclusive(() => forget(state, previous));
          await dropUnused(state, data);
        };
      },
    }),
    idle: () => exclusive(async () => {}),
  };
}

async function firstState(
  catalog: AnalyzedCatalog,
  options: Omit<VersionsOptions, 'catalog'>,
): Promise<State> {
  const { connection, tables, defineMacros, hasSnapshots } = options;
  const known = new WeakMap<SavedQuery, Runnable>();
  const { queries, analysisOf } = catalog;
  const current: Version = { queries, analysisOf, tables: tables.all };
  const first = await prepareCatalog(connection, { defineMacros, hasSnapshots, known, ...current });
  return {
    ...options,
    known,
    runnable: new VersionedRef(runnableQueries({ ...options, known }, [current], first)),
    current,
    earlier: new Set(),
    staged: [],
    stored: new Set(tables.all),
    isFilling: false,
  };
}

/** @param given versions with the tables that the queries were prepared for */
function runnableQueries(
  {
    connection,
    tables,
    defineMacros,
    hasSnapshots,
    known,
  }: Pick<State, 'connection' | 'tables' | 'defineMacros' | 'hasSnapshots' | 'known'>,
  given: Iterable<Version>,
  all: ReadonlyMap<SavedQuery, Runnable>,
): RunnableQueries {
  tables.setSortColumns((table) => equalityColumnsOf(table, all.values()));
  // Rebuilt tables take the place of those in a version.
  const versions = [...given].map((version) => ({ ...version }));
  const forms = new WeakMap<SavedQuery, Runnable>();
  return {
    get: (query) => all.get(query) ?? known.get(query),
    async prepareForm(form) {
      const version = versions.findLast(({ queries }) => queries.includes(queryOfForm(form)));
      if (version === undefined) return undefined;
      const options = { defineMacros, hasSnapshots, known: forms, ...version, queries: [form] };
      return (await prepareCatalog(connection, options)).get(form);
    },
  };
}

/** Prepares the queries of all versions again; one that several have runs as in the latest. */
async function prepareAll(state: State): Promise<void> {
  const { connection, defineMacros, hasSnapshots, known, closing, earlier, current } = state;
  const all = new Map<SavedQuery, Runnable>();
  for (const version of [...earlier, current]) {
    const options = { defineMacros, hasSnapshots, known, ...version, inTurns: closing };
    const prepared = await prepareQueries(connection, options);
    for (const [query, one] of prepared.runnable) all.set(query, one);
  }
  state.runnable.replace(runnableQueries(state, [...earlier, current], all));
}

/** The problems of the queries of a catalog, whose new and changed tables are created without rows. */
async function problemsOf(state: State, next: AnalyzedCatalog): ReturnType<CatalogUpdates['check']> {
  const { connection, tables, defineMacros, hasSnapshots, known, closing } = state;
  const found: TableInStore[] = [];
  for (const schema of next.tables) found.push(await tableFor(state, schema));
  state.staged = found.filter((table) => !tables.all.includes(table));
  const version = { ...next, tables: found };
  const options = { defineMacros, hasSnapshots, known, ...version, planAll: true, inTurns: closing };
  return (await prepareQueries(connection, options)).problems;
}

/** The table of a schema: one that there is if it has the same definition, otherwise an empty one. */
async function tableFor({ tables, staged, stored }: State, schema: TableSchema): Promise<TableInStore> {
  const isRight = (table: TableInStore) =>
    table.name === schema.name && definitionOf(table) === definitionOf(schema);
  const found = tables.all.find(isRight) ?? staged.find(isRight);
  if (found !== undefined) return found;
  const made = await tables.stage(schema);
  stored.add(made);
  return made;
}

/** Fills the tables that are new or changed, and removes those that the catalog does not have. */
async function replaceTables(state: State, data: TableData, next: AnalyzedCatalog): Promise<void> {
  const names = new Set(next.tables.map(({ name }) => name));
  const removed = state.tables.all.map(({ name }) => name).filter((name) => !names.has(name));
  if (state.staged.length === 0 && removed.length === 0 && !state.isFilling) return;
  state.isFilling = true;
  await data.replaceTables({ staged: state.staged, removed });
  state.isFilling = false;
}

/** @returns the version that was current */
async function makeCurrent(state: State, next: AnalyzedCatalog): Promise<Version> {
  const previous = state.current;
  state.earlier.add(previous);
  state.staged = [];
  // Those that were staged may have been rebuilt while they were filled.
  const tables = next.tables.map(({ name }) => state.tables.get(name));
  state.current = { queries: next.queries, analysisOf: next.analysisOf, tables };
  await prepareAll(state);
  return previous;
}

async function forget(state: State, version: Version): Promise<void> {
  state.earlier.delete(version);
  await prepareAll(state);
}

async function replaceTable(state: State, old: TableInStore, rebuilt: TableInStore): Promise<void> {
  state.stored.delete(old);
  state.stored.add(rebuilt);
  const inPlace = (table: TableInStore) => (table === old ? rebuilt : table);
  state.staged = state.staged.map(inPlace);
  const readers = [state.current, ...state.earlier].filter((version) => version.tables.includes(old));
  for (const version of readers) version.tables = version.tables.map(inPlace);
  if (readers.length > 0) await prepareAll(state);
}

/** Drops the tables that no version uses any more. */
async function dropUnused(state: State, data: TableData): Promise<void> {
  const { tables, staged, current, earlier, stored, runnable } = state;
  const versions = [current, ...earlier];
  const used = new Set([...tables.all, ...staged, ...versions.flatMap((version) => version.tables)]);
  const unused = [...stored].filter((table) => !used.has(table));
  if (unused.length === 0) return;
  for (const table of unused) stored.delete(table);
  await runnable.drained();
  await data.dropTables(unused);
}
