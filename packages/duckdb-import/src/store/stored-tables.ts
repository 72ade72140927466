import type { DuckDBConnection } from '@duckdb/node-api';
import { describeSource, type SourceValue, shreddedColumns } from '@querygate/bigquery-sql/duckdb';
import { ProblemError } from '@querygate/bigquery-sql/problem';
import { fileColumn, type TableSchema } from '@querygate/bigquery-sql/table-schema';
import { printExpression, quoteText, storedValue } from '@querygate/bigquery-sql/tree';
import { quote } from '@querygate/bigquery-sql/types';
import { addedTimes, type Changed, ChangedTimes, timesOfFiles, timesOfPlaced } from './changed-times.ts';
import { buildExclusive } from './exclusive.ts';
import type { ImportTables, RowChange, SourceRelation } from './import-tables.ts';
import { rowsOf, type SortColumns, sortedRows, valuesOf } from './inserted-rows.ts';
import { forgetTables } from './manifest.ts';
import { storeName } from './open-store.ts';
import { inTransaction, readRows, runAll } from './statements.ts';
import {
  definitionOf,
  isOfFiles,
  generationOf,
  relationName,
  type TableInStore,
  tableInStore,
  viewOfFiles,
} from './table-in-store.ts';
import { FilesInPlace } from './files/files-in-place.ts';

interface Rebuilt {
  readonly old: TableInStore;
  drop(): Promise<void>;
}

/**
 * Opens the tables of the store. A table is empty if the store does not have it, or with another definition.
 *
 * @param connection that only the tables use
 */
export async function openTables(
  connection: DuckDBConnection,
  schemas: readonly TableSchema[],
): Promise<StoredTables> {
  await connection.run(`CREATE SCHEMA IF NOT EXISTS ${storeName}.stored;
    DROP SCHEMA IF EXISTS ${storeName}.in_place CASCADE; CREATE SCHEMA ${storeName}.in_place`);
  await connection.run(`CREATE TABLE IF NOT EXISTS ${layouts} ("table" VARCHAR PRIMARY KEY, relation VARCHAR,
    plural VARCHAR[], definition VARCHAR)`);
  const kept = await keptTables(connection, schemas);
  const tables = schemas.map(
    (schema) => kept.get(schema.name) ?? tableInStore(schema, relationName(schema.name, 1), new Set()),
  );
  for (const table of kept.values()) await createView(connection, table);
  await createTables(
    connection,
    tables.filter(({ name }) => !kept.has(name)),
  );
  await dropLeftovers(connection, tables);
  return new StoredTables(connection, tables);
}

/** The tables of the store. Rows are sorted by day, then by the column that queries compare for equality, then by time. */
export class StoredTables implements ImportTables {
  readonly #connection: DuckDBConnection;
  readonly #tables: Map<string, TableInStore>;
  /** The latest by table, without case: a number is used once, also if its table is no longer there. */
  readonly #generations: Map<string, number>;
  /** The connection has one transaction at a time. */
  readonly #exclusive = buildExclusive();
  #sortColumns: SortColumns = () => [];
  /** The files that are read where they are. */
  readonly files = new FilesInPlace();
  /** Of which times rows have changed. */
  readonly changedTimes = new ChangedTimes();
  /** How often rows have changed, and the changes that are being made. */
  #changes = 0;
  readonly #changing = new Set<Promise<unknown>>();

  constructor(connection: DuckDBConnection, tables: readonly TableInStore[]) {
    this.#connection = connection;
    this.#tables = new Map(tables.map((table) => [table.name, table]));
    this.#generations = new Map(
      tables.map(({ name, relation }) => [name.toLowerCase(), generationOf(relation)]),
    );
  }

  get all(): readonly TableInStore[] {
    return [...this.#tables.values()];
  }

  get(name: string): TableInStore {
    const table = this.#tables.get(name);
    if (table === undefined) throw new Error(`no table ${name}`);
    return table;
  }

  /** A statement that reads the store: a transaction sees its rows as they are when it does so first. */
  readonly firstRead = `FROM ${layouts} LIMIT 1`;

  /** A number that is another one after each change of rows; undefined while one is being made. */
  version(): number | undefined {
    return this.#changing.size === 0 ? this.#changes : undefined;
  }

  /** Resolves when no change is being made. */
  async unchanging(): Promise<void> {
    while (this.#changing.size > 0) await Promise.allSettled(this.#changing);
  }

  /**
   * Changes the rows that statements see from then on: all that does so has to be done in it.
   *
   * @param changed of which times, by table
   */
  async change<T>(work: () => Promise<T>, changed: ReadonlyMap<string, Changed>): Promise<T> {
    const running = work().finally(() => {
      // Also after a failure: it is not known how far it came.
      for (const [table, times] of changed) this.changedTimes.record(table, times);
      this.#changes += 1;
      this.#changing.delete(running);
    });
    this.#changing.add(running);
    return running;
  }

  async replaceRows(connection: DuckDBConnection, change: RowChange): Promise<void> {
    const { added, placed = [], record, removed, table: name } = change;
    const table = this.get(name);
    const before = this.files.of(name);
    const gone = before.files.filter(({ number }) => removed.has(number));
    const left = before.files.filter(({ number }) => !removed.has(number));
    const hasImported = added !== undefined || (change.hasImported ?? before.hasImported);
    const next = { ...before, files: [...left, ...placed], hasImported };
    const isNewView = gone.length + placed.length > 0 || hasImported !== before.hasImported;
    await inTransaction(
      connection,
      async () => {
        const deleted = await timesOfFiles(connection, table, removed);
        if (removed.size > 0) await connection.run(`DELETE FROM ${table.rows} WHERE ${isOfFiles(removed)}`);
        const rows = added ? (await connection.run(this.#insertInto(table, added))).rowsChanged : 0;
        const inserted = await addedTimes(connection, table, rows);
        await runAll(connection, record(rows));
        if (table.isInFiles && isNewView) await connection.run(this.files.viewSql(table, next));
        const inPlace = timesOfPlaced([...gone, ...placed], table.time);
        return deleted && inserted && inPlace && [...deleted, ...inserted, ...inPlace];
      },
      (commit, changed) =>
        this.change(() => this.files.change(new Map([[name, next]]), commit), new Map([[name, changed]])),
    );
  }

  /** INSERT of a few rows that are already in the order of time: they are appended unsorted. */
  appendSql(name: string, sourceColumns: ReadonlyMap<string, SourceValue>, source: string): string {
    const table = this.get(name);
    return `INSERT INTO ${table.rows} ${rowsOf(valuesOf(table, sourceColumns, 'NULL'), `${source} AS r`)}`;
  }

  /** Sets the columns that queries compare for equality; rows that are written from now on are sorted by the first. */
  setSortColumns(columnsOf: SortColumns): void {
    this.#sortColumns = columnsOf;
  }

  /** Writes a table again, sorted and in another layout. Statements may read the old table until `drop`. */
  async rebuild(name: string, repeatedPaths: ReadonlySet<string>): Promise<Rebuilt> {
    const old = this.get(name);
    const rows = this.#nextRelation(name);
    const rebuilt = { ...tableInStore(old, rows, repeatedPaths), ...(old.isInFiles && inFiles(rows)) };
    await this.#inTransaction(async (connection) => {
      await create(connection, rebuilt);
      if (rebuilt.isInFiles) await connection.run(this.files.viewSql(rebuilt));
      const source = `(SELECT ${declaredList(old, 'o')}, ${quote(fileColumn)} FROM ${old.rows} AS o)`;
      const found = await describeSource(connection, source);
      const columns = new Map([...found].map(([key, value]) => [key, { ...value, isStored: true as const }]));
      await connection.run(
        this.#insertInto(rebuilt, { source, columns, fileNumber: `r.${quote(fileColumn)}` }),
      );
    });
    this.#tables.set(name, rebuilt);
    this.files.setLayout(rebuilt);
    return { old, drop: () => this.drop(old) };
  }

  async openFiles(name: string): Promise<TableInStore | undefined> {
    const old = this.get(name);
    if (old.isInFiles) return undefined;
    const opened = { ...old, ...inFiles(old.rows) };
    await this.#inTransaction(async (connection) => {
      await connection.run(this.files.viewSql(opened));
      await createView(connection, opened);
    });
    this.#tables.set(name, opened);
    this.files.setLayout(opened);
    return old;
  }

  /** Leaves out rows of files from before a time. */
  async hideBefore(time: Date): Promise<void> {
    const views = this.files.hideBefore(time);
    await this.#inTransaction((connection) => runAll(connection, views));
  }

  /** Makes an empty table for a new or changed schema beside the current one. The store has no record of it before `adopt`. */
  async stage(schema: TableSchema): Promise<TableInStore> {
    const staged = tableInStore(schema, this.#nextRelation(schema.name), new Set());
    await this.#exclusive(() => createRelation(this.#connection, staged));
    return staged;
  }

  /** Makes a staged table the current one of its name. */
  async adopt(staged: TableInStore): Promise<void> {
    await this.#inTransaction(async (connection) => {
      await record(connection, [staged]);
      await createView(connection, staged);
      await forgetTables(connection, [staged.name]);
    });
    this.#tables.set(staged.name, staged);
    this.changedTimes.record(staged.name, undefined);
  }

  /** Ends a table: it is no longer one of `all`. Statements may read it until `drop`. */
  async remove(name: string): Promise<void> {
    await this.#inTransaction((connection) => forgetLayouts(connection, [name]));
    this.#tables.delete(name);
    this.changedTimes.record(name, undefined);
  }

  /** Drops a table that is not a current one. */
  async drop({ rows }: TableInStore): Promise<void> {
    this.files.forgetLayout(viewOfFiles(rows));
    await this.#exclusive(async () => {
      await this.#connection.run(`DROP VIEW IF EXISTS ${viewOfFiles(rows)}`);
      await this.#connection.run(`DROP TABLE IF EXISTS ${rows}`);
    });
  }

  /** Rows are inserted in the order in which they are stored. */
  #insertInto(table: TableInStore, { columns, fileNumber, source }: SourceRelation): string {
    const values = valuesOf(table, columns, fileNumber);
    return `INSERT INTO ${table.rows} ${sortedRows(table, this.#sortColumns, values, `${source} AS r`)}`;
  }

  #nextRelation(name: string): string {
    const key = name.toLowerCase();
    const generation = (this.#generations.get(key) ?? 0) + 1;
    this.#generations.set(key, generation);
    return relationName(name, generation);
  }

  #inTransaction(work: (connection: DuckDBConnection) => Promise<void>): Promise<void> {
    return this.#exclusive(() => inTransaction(this.#connection, () => work(this.#connection)));
  }
}

const inFiles = (rows: string) => ({ relation: viewOfFiles(rows), isInFiles: true });

const layouts = `${storeName}.querygate_layouts`;

/** The tables that the store has with the definition of their schema. */
async function keptTables(
  connection: DuckDBConnection,
  schemas: readonly TableSchema[],
): Promise<ReadonlyMap<string, TableInStore>> {
  const rows = await readRows(connection, `SELECT "table", definition, relation, plural FROM ${layouts}`);
  const stored = new Map(rows.map(([table, ...layout]) => [table, layout]));
  const existing = await storedRelations(connection);
  return new Map(
    schemas.flatMap((schema) => {
      const [definition, relation, plural] = stored.get(schema.name) ?? [];
      // Earlier releases kept the record of a table that they had dropped.
      if (definition !== definitionOf(schema) || !existing.includes(String(relation))) return [];
      const repeatedPaths = Array.isArray(plural) ? plural.map(String) : [];
      return [[schema.name, tableInStore(schema, String(relation), new Set(repeatedPaths))]];
    }),
  );
}

/** Makes tables empty, and records them at once: DuckDB takes as long to plan the record of one as of all. */
async function createTables(connection: DuckDBConnection, tables: readonly TableInStore[]): Promise<void> {
  if (tables.length === 0) return;
  await inTransaction(connection, async () => {
    for (const table of tables) {
      await connection.run(`DROP TABLE IF EXISTS ${table.rows}`);
      await createRelation(connection, table);
      await createView(connection, table);
    }
    await record(connection, tables);
    await forgetTables(
      connection,
      tables.map(({ name }) => name),
    );
  });
}

async function create(connection: DuckDBConnection, table: TableInStore): Promise<void> {
  await createRelation(connection, table);
  await record(connection, [table]);
  await createView(connection, table);
}

async function createRelation(connection: DuckDBConnection, table: TableInStore): Promise<void> {
  const columns = shreddedColumns(table, table.columns).map(({ name, type }) => `${quote(name)} ${type}`);
  const sql = `CREATE TABLE ${table.rows} (${columns.join(', ')}, ${quote(fileColumn)} INTEGER)`;
  await connection.run(sql).catch((error: unknown) => {
    const [, reason] = /^Catalog Error: (.*)/.exec(error instanceof Error ? error.message : '') ?? [];
    if (reason === undefined) throw error;
    throw new ProblemError('The tables cannot be stored', [{ message: `${table.name}: ${reason}` }], {
      cause: error,
    });
  });
}

/** Records which relations are the tables, for the next start. */
async function record(connection: DuckDBConnection, tables: readonly TableInStore[]): Promise<void> {
  const rows = tables.map((table) => {
    const repeatedPaths = [...table.repeatedPaths].map(quoteText).join(', ');
    return `(${quoteText(table.name)}, ${quoteText(table.rows)}, [${repeatedPaths}]::VARCHAR[],
      ${quoteText(definitionOf(table))})`;
  });
  await connection.run(`INSERT OR REPLACE INTO ${layouts} VALUES ${rows.join(', ')}`);
}

/** A view of the table with the declared columns, for people who open the store's file with DuckDB. */
async function createView(connection: DuckDBConnection, table: TableInStore): Promise<void> {
  await connection.run(
    `CREATE OR REPLACE VIEW ${viewOf(table.name)} AS SELECT ${declaredList(table, 'o')} FROM ${table.relation} AS o`,
  );
}

const viewOf = (name: string) => `${storeName}.main.${quote(name)}`;

const declaredList = ({ columns }: TableInStore, alias: string) =>
  columns
    .map((column) => `${printExpression(storedValue(alias, column.name, column))} AS ${quote(column.name)}`)
    .join(', ');

/** Drops tables that are no longer declared, and those that were left by a process that was killed during a rebuild. */
async function dropLeftovers(connection: DuckDBConnection, tables: readonly TableInStore[]): Promise<void> {
  const names = new Set(tables.map(({ name }) => name));
  const recorded = await readRows(connection, `SELECT "table" FROM ${layouts}`);
  const undeclared = recorded.map(([name]) => String(name)).filter((name) => !names.has(name));
  if (undeclared.length > 0) await inTransaction(connection, () => forgetLayouts(connection, undeclared));
  for (const relation of await storedRelations(connection))
    if (!tables.some(({ rows }) => rows === relation)) await connection.run(`DROP TABLE ${relation}`);
}

async function forgetLayouts(connection: DuckDBConnection, names: readonly string[]): Promise<void> {
  await connection.run(`DELETE FROM ${layouts} WHERE "table" IN (${names.map(quoteText).join(', ')})`);
  // To DuckDB, names that differ in case are one.
  const kept = (await readRows(connection, `SELECT lower("table") FROM ${layouts}`)).flat();
  for (const name of names)
    if (!kept.includes(name.toLowerCase())) await connection.run(`DROP VIEW IF EXISTS ${viewOf(name)}`);
  await forgetTables(connection, names);
}

async function storedRelations(connection: DuckDBConnection): Promise<readonly string[]> {
  const stored = `SELECT table_name FROM duckdb_tables() WHERE database_name = '${storeName}' AND schema_name = 'stored'`;
  const names = await readRows(connection, stored);
  return names.map(([name]) => `${storeName}.stored.${quote(String(name))}`);
}
