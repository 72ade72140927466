import {
  buildCompute,
  explainStatement,
  type Outcome,
  type RunLimits,
  runStatement,
  sessionSettings,
  type Statement,
  type StatementContext,
} from '@querygate/bigquery-sql/duckdb';
import type { TableSchema } from '@querygate/bigquery-sql/table-schema';
import type { EngineListener } from '../../engine-contract/engine.ts';
import { hasSnapshots } from './check-queries.ts';
import { type DuckdbOptions, withDefaults } from './duckdb-options.ts';
import type { LocalData } from './data/local-data.ts';
import { openData, requireDataDir } from './open-data.ts';
import { asStartError, openDatabase } from './open-database.ts';
import { globalSettings, lockdown } from './open-duckdb.ts';
import { sqlOverFiles } from './run/over-files.ts';
import { ProblemError } from '@querygate/bigquery-sql/problem';
import { InvalidSnapshotTime, openStore, openTables, type Store } from '@querygate/duckdb-import';
import { onOrphaned } from '../../process/connect-to-parent.ts';

/** Runs statements that are not saved, one at a time, on the same data as the service. */
export interface Session {
  /** Does not throw. */
  run(statement: Statement, limits: RunLimits): Promise<Outcome>;
  /** Does not throw. */
  explain(statement: Statement): Promise<Outcome>;
  tables(): readonly TableSchema[];
  /** Why rows of a table are missing, by its name. */
  readonly dataProblems: ReadonlyMap<string, string>;
  close(): Promise<void>;
}

interface SessionOptions {
  readonly duckdb: DuckdbOptions;
  readonly tables: readonly TableSchema[];
  /** False if no statement will read a table: their rows are not loaded. */
  readonly withRows: boolean;
  readonly now: () => Date;
  readonly listener: EngineListener;
}

/** @throws StartError if DuckDB or the data cannot be opened */
export async function openSession(options: SessionOptions): Promise<Session> {
  const { listener, now, withRows } = options;
  const settings = withDefaults(options.duckdb);
  if (withRows) requireDataDir(settings);
  const database = await openDatabase(settings);
  let store: Store | undefined;
  let data: LocalData | undefined;
  const close = async () => {
    await data?.close();
    database.close();
    await store?.close();
  };
  try {
    const connection = await database.connect();
    await connection.run(globalSettings);
    await connection.run(sessionSettings.join(';'));
    store = await openStore(connection, withRows ? settings.storeFile : ':memory:', onOrphaned);
    const tables = await openTables(await database.connect(), options.tables);
    if (withRows) {
      data = await openData({
        ...database,
        ...{ settings, store, tables, onRebuilt: async () => {}, now, listener },
      });
      // A last line counts as not finished once a second scan finds nothing more of it.
      await data.refresh();
    }
    await connection.run(lockdown(store, data ?? { folders: [], paths: [] }));
    const context: StatementContext = {
      connection,
      compute: buildCompute(connection, (sql) => connection.prepare(sql)),
      tables: () => tables.all,
      hasSnapshots: withRows && hasSnapshots(settings),
      now,
      sqlOverFiles: (plan, bindings) =>
        sqlOverFiles(plan, bindings, tables.files.read(tables.all.map(({ name }) => name))).catch(asProblem),
      definedMacros: new Set(),
    };
    return {
      run: (statement, limits) => runStatement(context, statement, limits),
      explain: (statement) => explainStatement(context, statement),
      tables: context.tables,
      dataProblems: data?.problems ?? new Map(),
      close,
    };
  } catch (error) {
    await close();
    throw asStartError(error, settings);
  }
}

function asProblem(error: unknown): never {
  if (!(error instanceof InvalidSnapshotTime)) throw error;
  throw new ProblemError('A statement reads no snapshot', [{ message: error.message }]);
}
