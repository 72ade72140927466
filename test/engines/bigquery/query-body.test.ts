import { describe, expect, test } from 'vitest';
import { bind, plainParameters } from '../../../src/catalog/binding/bind.ts';
import { readConfig } from '../../../src/config.ts';
import { buildQueryBody } from '../../../src/engines/bigquery/query-body.ts';
import { draftQuery } from '../../support/queries.ts';

const env = { ENGINE: 'bigquery', BIGQUERY_PROJECT: 'our-project', BIGQUERY_DATASET: 'logs' };
const { bigquery } = readConfig(env);
const { bigquery: emulator } = readConfig({ ...env, BIGQUERY_API_ENDPOINT: 'http://127.0.0.1:9050' });

const parameters = {
  text: 'string',
  n: '{ type: integer, bind: INT64, description: N. }',
  day: '{ type: date, bind: DATE, description: Day. }',
  codes: '{ type: integer, repeated: true, description: Codes. }',
  names: '{ type: string, repeated: true, description: Names. }',
};
const sql =
  "select @text as x, '@codes' as y from t where @n is null and day = @day and a in unnest(@codes) and b in unnest(@names)";
const query = draftQuery({ columns: { x: 'string', y: 'string' }, parameters, sql });
const values = { text: 'a', n: '5', day: '2026-01-31', codes: ['200', '404'], names: ['x'] };

describe('the parameters of a request to BigQuery', () => {
  test('have the types that the header binds them as, and the SQL is as it was written', () => {
    const body = buildQueryBody(bind(query, plainParameters(values)), bigquery);
    expect(body.query).toBe(query.sql);
    expect(body.queryParameters).toEqual([
      { name: 'text', parameterType: { type: 'STRING' }, parameterValue: { value: 'a' } },
      { name: 'n', parameterType: { type: 'INT64' }, parameterValue: { value: '5' } },
      { name: 'day', parameterType: { type: 'DATE' }, parameterValue: { value: '2026-01-31' } },
      {
        name: 'codes',
        parameterType: { type: 'ARRAY', arrayType: { type: 'INT64' } },
        parameterValue: { arrayValues: [{ value: '200' }, { value: '404' }] },
      },
      {
        name: 'names',
        parameterType: { type: 'ARRAY', arrayType: { type: 'STRING' } },
        parameterValue: { arrayValues: [{ value: 'x' }] },
      },
    ]);
  });

  test('that are absent are empty text, NULL or an empty list', () => {
    const { queryParameters } = buildQueryBody(bind(query, new Map()), bigquery);
    expect(queryParameters?.map(({ parameterValue }) => parameterValue)).toEqual([
      { value: '' },
      {},
      {},
      { arrayValues: [] },
      { arrayValues: [] },
    ]);
  });

  test('are written as casts where an emulator would read another type', () => {
    const body = buildQueryBody(bind(query, plainParameters(values)), emulator);
    const list =
      'ARRAY(SELECT CAST(querygate_item AS INT64) FROM UNNEST(@codes) AS querygate_item WITH OFFSET AS querygate_at ORDER BY querygate_at)';
    expect(body.query.trim()).toBe(
      `select @text as x, '@codes' as y from t where @n is null and day = CAST(@day AS DATE) and a in unnest(${list}) and b in unnest(@names)`,
    );
    expect(buildQueryBody(bind(query, new Map()), emulator).query).toContain('CAST(@n AS INT64) is null');
    const untyped = { ...query, sql: 'no query', parameters: query.parameters.slice(0, 1) };
    expect(buildQueryBody(bind(untyped, new Map()), emulator).query).toBe('no query');
    expect(buildQueryBody(bind({ ...query, sql: 'no query' }, new Map()), emulator).query).toBe('no query');
  });
});
