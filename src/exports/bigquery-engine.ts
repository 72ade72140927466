/** The engine over BigQuery's API. @module */
export { bigquery } from '../engines/bigquery/bigquery.ts';
export type { BigqueryOptions } from '../engines/bigquery/bigquery-options.ts';
