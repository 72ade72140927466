import type { BoundQuery } from '../../catalog/binding/bind.ts';
import { asLabelValue } from '../../catalog/labels.ts';
import type { BigqueryConfig } from '../../config.ts';

/**
 * What jobs.query is sent of a question, whether it is to run or to be looked at: the saved SQL as it stands, every
 * parameter a STRING.
 *
 * @see https://cloud.google.com/bigquery/docs/reference/rest/v2/jobs/query#QueryRequest
 */
export function queryBody(
  { query, parameters, labels }: BoundQuery,
  { project, dataset, location, maximumBytesBilled }: BigqueryConfig,
) {
  return {
    query: query.sql,
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
