import type { BoundQuery } from '../../catalog/binding/bind.ts';
import { asLabelValue } from '../../catalog/labels.ts';
import type { BigqueryConfig } from '../../config.ts';

/**
 * The fields of jobs.query's body that runs and dry runs share: the saved SQL, unchanged, and every parameter as a
 * STRING.
 *
 * @param sql the text to run, if it is not that of the saved query
 * @see https://cloud.google.com/bigquery/docs/reference/rest/v2/jobs/query#QueryRequest
 */
export function buildQueryBody(
  { query, parameters, labels }: BoundQuery,
  { project, dataset, location, maximumBytesBilled }: BigqueryConfig,
  sql: string = query.sql,
) {
  return {
    query: sql,
    useLegacySql: false,
    ...(query.parameters.length === 0
      ? {}
      : {
          parameterMode: 'NAMED',
          queryParameters: query.parameters.map(({ name }) => ({
            name,
            parameterType: { type: 'STRING' },
            parameterValue: { value: parameters[name] ?? '' },
          })),
        }),
    defaultDataset: { projectId: project, datasetId: dataset },
    ...(location === undefined ? {} : { location }),
    ...(maximumBytesBilled === undefined ? {} : { maximumBytesBilled: String(maximumBytesBilled) }),
    labels: { ...labels, endpoint: asLabelValue(query.name) },
    formatOptions: { useInt64Timestamp: true },
  };
}
