import type { EngineFactory } from '../../engine-contract/engine-factory.ts';
import { type BigqueryOptions, checkBigqueryOptions } from './bigquery-options.ts';

/**
 * The engine for more data than one machine holds: BigQuery over its REST API. CURRENT_TIMESTAMP() is BigQuery's own.
 * The client of Google's API is loaded when the engine is opened.
 *
 * @throws StartError with every option of a wrong name or kind
 */
export function bigquery(options: BigqueryOptions): EngineFactory {
  checkBigqueryOptions(options);
  return {
    name: 'bigquery',
    sql: 'bigquery',
    flags: { reportsBytes: true, hasClock: true, isService: true, hasOwnTables: true, approximates: true },
    maximumBytes: options.maximumBytesBilled,
    open: async (host) => (await import('./open-bigquery.ts')).openBigquery(host, options),
    check: async (catalog, given) =>
      (await import('./check-queries.ts')).checkQueries(catalog, given, options),
    columnsOf: async (sql, given) =>
      (await import('./describe-columns.ts')).describeColumns(sql, given, options),
    openFixtures: async (host, fixtures) =>
      (await import('./fixtures/open-fixtures.ts')).openFixtures(host, fixtures, options),
  };
}
