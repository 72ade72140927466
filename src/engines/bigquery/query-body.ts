import type { BoundQuery, BoundValue } from '../../catalog/binding/bind.ts';
import { asLabelValue } from '../../names/label-names.ts';
import type { Parameter, SavedQuery } from '../../catalog/model/saved-query.ts';
import type { BigqueryOptions } from './bigquery-options.ts';
import { emulatorSql } from './api/emulator-sql.ts';

/**
 * The fields of jobs.query's body that runs and dry runs share: the saved SQL, unchanged, and every parameter.
 *
 * @param given the text to run, if it is not that of the saved query
 * @see https://cloud.google.com/bigquery/docs/reference/rest/v2/jobs/query#QueryRequest
 */
export function buildQueryBody(
  bound: BoundQuery,
  {
    projectId,
    dataset,
    location,
    maximumBytesBilled,
    apiEndpoint,
    definitions,
    reservation: ofAll,
  }: BigqueryOptions,
  given: string = bound.query.sql,
) {
  const { query, labels } = bound;
  const { reservation = ofAll } = query;
  const sql = definitions === 'stored' ? withStored(given, query) : given;
  return {
    query: apiEndpoint === undefined ? sql : emulatorSql(sql, bound),
    useLegacySql: false,
    ...(query.parameters.length === 0
      ? {}
      : {
          parameterMode: 'NAMED',
          queryParameters: queryParameters(bound),
        }),
    defaultDataset: { projectId, datasetId: dataset },
    ...(location === undefined ? {} : { location }),
    ...(maximumBytesBilled === undefined ? {} : { maximumBytesBilled: String(maximumBytesBilled) }),
    ...(reservation === undefined ? {} : { reservation }),
    labels: { ...labels, endpoint: asLabelValue(query.name) },
    formatOptions: { useInt64Timestamp: true },
  };
}

/** SQL whose views and functions are those that BigQuery has. */
const withStored = (sql: string, { definitions = [] }: SavedQuery): string =>
  definitions.reduce((text, { text: own, stored }) => text.replace(own, () => stored), sql);

/** A query parameter as BigQuery's REST API takes it. */
interface QueryParameter {
  readonly name: string;
  readonly parameterType: { readonly type: string; readonly arrayType?: { readonly type: string } };
  /** Without a value it is NULL. */
  readonly parameterValue: {
    readonly value?: string;
    readonly arrayValues?: readonly { readonly value: string }[];
  };
}

/** Every parameter of a bound query, each with the type that its header binds it as. */
const queryParameters = ({ query, parameters }: BoundQuery): readonly QueryParameter[] =>
  query.parameters.map((parameter) =>
    queryParameter(parameter, parameters[parameter.name] ?? (parameter.repeated ? [] : '')),
  );

function queryParameter({ name, bind: type = 'STRING' }: Parameter, value: BoundValue): QueryParameter {
  if (typeof value !== 'string') {
    const arrayValues = value.map((element) => ({ value: element }));
    return { name, parameterType: { type: 'ARRAY', arrayType: { type } }, parameterValue: { arrayValues } };
  }
  const isNull = type !== 'STRING' && value === '';
  return { name, parameterType: { type }, parameterValue: isNull ? {} : { value } };
}
