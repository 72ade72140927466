import type { DuckDBConnection } from '@duckdb/node-api';
import type { Catalog, SavedQuery } from '../../catalog/saved-query.ts';
import type { TableSchema } from '../../catalog/tables/table-schema.ts';
import { buildExclusive } from '../../concurrency/exclusive.ts';
import { VersionedRef } from '../../concurrency/versioned-ref.ts';
import type { CatalogUpdates } from '../engine.ts';
import type { LocalData } from './open-data.ts';
import {
  equalityColumnsOf,
  prepareCatalog,
  prepareQueries,
  type Runnable,
} from './prepare/prepare-catalog.ts';
import type { DefineMacros } from './run/define-macros.ts';
import type { RunnableQueries } from './run/run-query.ts';
import { definitionOf, type StoredTables, type TableInStore } from './store/stored-tables.ts';

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

interface Version {
  readonly queries: readonly SavedQuery[];
  /** What its queries read. */
  tables: readonly TableInStore[];
}

interface VersionsOptions {
  /** Used for nothing else from then on. */
  readonly connection: DuckDBConnection;
  readonly catalog: Catalog;
  readonly tables: StoredTables;
  readonly defineMacros: DefineMacros;
  /** Aborted when the engine closes. */
  readonly closing: AbortSignal;
}

/** @throws StartError with the problems of all queries */
export async function openVersions({
  connection,
  catalog,
  tables,
  defineMacros,
  closing,
}: VersionsOptions): Promise<Versions> {
  /** The latest form of each query, as long as anything refers to the query. */
  const known = new WeakMap<SavedQuery, Runnable>();
  const prepare = { defineMacros, known };
  let current: Version = { queries: catalog.queries, tables: tables.all };
  /** Versions that requests in flight may still use. */
  const earlier = new Set<Version>();
  /** New and changed tables that the data does not have yet. */
  let staged: readonly TableInStore[] = [];
  /** Every table that is stored. */
  const stored = new Set(tables.all);
  /** Whether the rows of tables are not complete, because to fill them has failed. */
  let isFilling = false;
  // Work in it must not wait for the data, because work on the data may wait for `onRebuilt`.
  const exclusive = buildExclusive();

  const first = await prepareCatalog(connection, { ...prepare, ...current });
  const runnable = new VersionedRef(withSortColumns(first));

  function withSortColumns(all: ReadonlyMap<SavedQuery, Runnable>): RunnableQueries {
    tables.setSortColumns((table) => equalityColumnsOf(table, all.values()));
    return { get: (query) => all.get(query) ?? known.get(query) };
  }

  /** The queries of all versions; one that several have runs as in the latest. */
  const prepareAll = async (): Promise<RunnableQueries> => {
    const all = new Map<SavedQuery, Runnable>();
    for (const version of [...earlier, current]) {
      const prepared = await prepareQueries(connection, { ...prepare, ...version, inTurns: closing });
      for (const [query, one] of prepared.runnable) all.set(query, one);
    }
    return withSortColumns(all);
  };

  /** The table of a schema: one that there is if it has the same definition, otherwise an empty one. */
  const tableFor = async (schema: TableSchema): Promise<TableInStore> => {
    const isRight = (table: TableInStore) =>
      table.name === schema.name && definitionOf(table) === definitionOf(schema);
    const found = tables.all.find(isRight) ?? staged.find(isRight);
    if (found !== undefined) return found;
    const made = await tables.stage(schema);
    stored.add(made);
    return made;
  };

  /** Drops the tables that no version uses any more. */
  const dropUnused = async (data: TableData) => {
    const used = new Set([
      ...tables.all,
      ...staged,
      ...[current, ...earlier].flatMap((version) => version.tables),
    ]);
    const unused = [...stored].filter((table) => !used.has(table));
    if (unused.length === 0) return;
    for (const table of unused) stored.delete(table);
    await runnable.drained();
    await data.dropTables(unused);
  };

  const updates = (data: TableData): CatalogUpdates => ({
    async check(next) {
      const problems = await exclusive(async () => {
        const found: TableInStore[] = [];
        for (const schema of next.tables) found.push(await tableFor(schema));
        staged = found.filter((table) => !tables.all.includes(table));
        const options = { ...prepare, queries: next.queries, tables: found };
        return (await prepareQueries(connection, { ...options, planAll: true, inTurns: closing })).problems;
      });
      // It may have to wait for an import; what is not dropped is dropped with the next version.
      dropUnused(data).catch(() => {});
      return problems;
    },
    async replace(next) {
      const names = new Set(next.tables.map(({ name }) => name));
      const removed = tables.all.map(({ name }) => name).filter((name) => !names.has(name));
      if (staged.length > 0 || removed.length > 0 || isFilling) {
        isFilling = true;
        await data.replaceTables({ staged, removed });
        isFilling = false;
      }
      return exclusive(async () => {
        const previous = current;
        earlier.add(previous);
        staged = [];
        // Those that were staged may have been rebuilt while they were filled.
        current = { queries: next.queries, tables: next.tables.map(({ name }) => tables.get(name)) };
        runnable.replace(await prepareAll());
        return async () => {
          await exclusive(async () => {
            earlier.delete(previous);
            runnable.replace(await prepareAll());
          });
          await dropUnused(data);
        };
      });
    },
  });

  return {
    runnable,
    async onRebuilt(old, rebuilt) {
      await exclusive(async () => {
        stored.delete(old);
        stored.add(rebuilt);
        const inPlace = (table: TableInStore) => (table === old ? rebuilt : table);
        staged = staged.map(inPlace);
        const readers = [current, ...earlier].filter((version) => version.tables.includes(old));
        for (const version of readers) version.tables = version.tables.map(inPlace);
        if (readers.length > 0) runnable.replace(await prepareAll());
      });
      await runnable.drained();
    },
    updates,
    idle: () => exclusive(async () => {}),
  };
}
