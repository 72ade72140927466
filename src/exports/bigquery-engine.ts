/** The engine of Google. @module */
export { type BigqueryOptions, bigquery } from '../engines/bigquery/bigquery.ts';
