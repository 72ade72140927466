import type { ApiRequest } from './client.ts';
import type { BigqueryOptions } from '../bigquery-options.ts';

/**
 * Reads what BigQuery knows of a table, a view or a routine, which is free.
 *
 * @param name with the dataset and the project, if they are not those of the options
 * @see https://cloud.google.com/bigquery/docs/reference/rest/v2/tables/get
 * @see https://cloud.google.com/bigquery/docs/reference/rest/v2/routines/get
 */
export function resourceRequest(
  collection: 'tables' | 'routines',
  name: string,
  options: Pick<BigqueryOptions, 'dataset' | 'projectId'>,
): ApiRequest {
  const path = name.split('.');
  const [id = '', dataset = options.dataset] = path.toReversed().slice(0, 2);
  const projectId = path.slice(0, -2).join('.') || options.projectId;
  return {
    method: 'GET',
    path: `/datasets/${encodeURIComponent(dataset)}/${collection}/${encodeURIComponent(id)}`,
    projectId,
  };
}
