import type { DuckDBConnection } from '@duckdb/node-api';
import { parseLake } from '@querygate/duckdb-import';
import { columnType, sessionSettings } from '@querygate/bigquery-sql/duckdb';
import type { TableSchema } from '@querygate/bigquery-sql/table-schema';
import { quote } from '@querygate/bigquery-sql/types';
import type { AnalyzedCatalog } from '../../catalog-analysis/analyze-catalog.ts';
import type { SavedQuery } from '../../catalog/model/saved-query.ts';
import type { Problem } from '../../errors.ts';
import type { DuckdbSettings } from './duckdb-options.ts';
import { type DatabaseSettings, openDatabase } from './open-database.ts';
import { prepareCatalog, prepareQueries } from './prepare/prepare-catalog.ts';
import { buildDefineMacros } from './run/define-macros.ts';

type CheckSettings = DatabaseSettings & Pick<DuckdbSettings, 'dataDir'>;

/** True if tables can be read as they were at other times. */
export const hasSnapshots = ({ dataDir = '' }: Pick<DuckdbSettings, 'dataDir'>): boolean =>
  parseLake(dataDir) !== undefined;

/** The problems of every query of the catalog that DuckDB cannot run, over empty tables. */
export function checkQueries(catalog: AnalyzedCatalog, settings: CheckSettings): Promise<readonly Problem[]> {
  return withEmptyTables(catalog.tables, settings, async (connection) => {
    const { problems } = await prepareQueries(connection, {
      ...{ ...catalog, planAll: true, hasSnapshots: hasSnapshots(settings) },
      defineMacros: buildDefineMacros(connection, new Set()),
    });
    return [...problems.values()].flat();
  });
}

/** The SQL that DuckDB runs for any values of the query's parameters. @throws StartError if it cannot run the query */
export function generatedSql(
  query: SavedQuery,
  catalog: AnalyzedCatalog,
  settings: CheckSettings,
): Promise<string> {
  return withEmptyTables(catalog.tables, settings, async (connection) => {
    const prepared = await prepareCatalog(connection, {
      ...catalog,
      queries: [query],
      hasSnapshots: hasSnapshots(settings),
      defineMacros: buildDefineMacros(connection, new Set()),
    });
    return prepared.get(query)?.prepared().generic ?? '';
  });
}

/** Runs a step on a database that has the tables, without rows. */
export async function withEmptyTables<T>(
  tables: readonly TableSchema[],
  settings: DatabaseSettings,
  work: (connection: DuckDBConnection) => Promise<T>,
): Promise<T> {
  const database = await openDatabase(settings);
  try {
    const connection = await database.connect();
    await connection.run(sessionSettings.join(';'));
    await createTables(connection, tables);
    return await work(connection);
  } finally {
    database.close();
  }
}

/** Creates tables without rows, and replaces those of these names. */
export async function createTables(
  connection: DuckDBConnection,
  tables: readonly TableSchema[],
): Promise<void> {
  for (const { name, fields } of tables) {
    const columns = fields.map((field) => `${quote(field.name)} ${columnType(field)}`);
    await connection.run(`CREATE OR REPLACE TABLE ${quote(name)} (${columns.join(', ')})`);
  }
}
