import type { EngineFactory } from '../../engine-contract/engine-factory.ts';
import { checkDuckdbOptions, type DuckdbOptions, withDefaults } from './duckdb-options.ts';

/**
 * The engine on one machine: an embedded DuckDB over a folder of data files, which it imports and follows, or over demo
 * rows. It compiles BigQuery's SQL. DuckDB itself is loaded when the engine is opened, in a process of its own.
 *
 * @throws StartError with every option of a wrong name or kind
 */
export function duckdb(options: DuckdbOptions = {}): EngineFactory {
  checkDuckdbOptions(options);
  const settings = withDefaults(options);
  return {
    name: 'duckdb',
    sql: 'bigquery',
    flags: { enforcesTenants: true },
    open: async (host) =>
      settings.isolate
        ? (await import('./open-isolated.ts')).openIsolated(host, settings)
        : (await import('./open-duckdb.ts')).openDuckdb(host, settings),
    check: async (catalog) => (await import('./check-queries.ts')).checkQueries(catalog, settings),
    columnsOf: async (sql, given) =>
      (await import('./describe-columns.ts')).describeColumns(sql, given, settings),
    sqlOf: async (query, catalog) =>
      (await import('./check-queries.ts')).generatedSql(query, catalog, settings),
    openFixtures: async (host, fixtures) =>
      (await import('./open-fixtures.ts')).openFixtures(host, fixtures, settings),
  };
}
