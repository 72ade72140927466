import { describe, expect, test } from 'vitest';
import { functionNames } from '@querygate/bigquery-sql/syntax';
import { didYouMean } from '@querygate/text';
import { settingsByKey } from '../../src/cli/settings/setting-keys.ts';

const functions = [...functionNames].map((name) => name.toUpperCase());
const settings = [...settingsByKey.keys()];
const tables = [
  'orders',
  'order_lines',
  'visits',
  'visitors',
  'edge_logs',
  'auth_logs',
  'function_edge_logs',
];
const columns = [
  ...['id', 'timestamp', 'event_message', 'project', 'page', 'quantity', 'price', 'country', 'customer_id'],
  ...['created_at', 'updated_at', 'execution_time_ms', 'status_code', 'description', 'amount', 'visits'],
];
const types = ['string', 'integer', 'float', 'numeric', 'boolean', 'date', 'datetime', 'timestamp', 'json'];

/** What people write, and what they mean. */
const misspellings: Readonly<Record<string, readonly [names: readonly string[], ...(readonly string[])]>> = {
  functions: [
    functions,
    ...['cnt COUNT', 'cout COUNT', 'COUTN COUNT', 'SAFE_DEVIDE SAFE_DIVIDE', 'safedivide SAFE_DIVIDE'],
    ...[
      'DATEDIFF DATE_DIFF',
      'DATE_DIF DATE_DIFF',
      'DATETRUNC DATE_TRUNC',
      'TIMESTMAP_TRUNC TIMESTAMP_TRUNC',
    ],
    ...['LENGHT LENGTH', 'LENTH LENGTH', 'SUBSTRNG SUBSTRING', 'SUBSRT SUBSTR', 'UPER UPPER', 'LOWR LOWER'],
    ...['REGEX_CONTAINS REGEXP_CONTAINS', 'REGEXP_EXTRAT REGEXP_EXTRACT', 'JSON_VAL JSON_VALUE'],
    ...['STRING_AG STRING_AGG', 'ARRAY_LEN ARRAY_LENGTH', 'COALESE COALESCE'],
    ...['COALESC COALESCE', 'GENERATE_UIID GENERATE_UUID', 'ROWNUMBER ROW_NUMBER', 'CONCATE CONCAT'],
    ...[
      'FORMAT_TIMESTAP FORMAT_TIMESTAMP',
      'PARSE_TIMESTMP PARSE_TIMESTAMP',
      'GRETEST GREATEST',
      'ROUDN ROUND',
    ],
    ...['FRIST_VALUE FIRST_VALUE', 'UNIX_SECOND UNIX_SECONDS', 'APPROX_QUANTILE APPROX_QUANTILES', 'MX MAX'],
  ],
  columns: [
    columns,
    ...['pgae page', 'pge page', 'qty quantity', 'quantiy quantity', 'amt amount', 'timestmp timestamp'],
    ...['time_stamp timestamp', 'createdat created_at', 'created created_at', 'customerid customer_id'],
    ...['custmer_id customer_id', 'desc description', 'contry country', 'cntry country', 'prices price'],
    ...['proyect project', 'evnt_message event_message', 'statuscode status_code', 'visit visits'],
  ],
  tables: [
    tables,
    ...[
      'order orders',
      'odrers orders',
      'ordrs orders',
      'orderlines order_lines',
      'vists visits',
      'edge_log edge_logs',
    ],
    ...['auth_lgs auth_logs'],
  ],
  settings: [settings, ...['prot port', 'data_dri data_dir', 'datadir data_dir', 'cacheurl cache_url']],
  types: [types, ...['int integer', 'bool boolean', 'str string', 'timestap timestamp', 'flaot float']],
};

describe.each(Object.entries(misspellings))('%s', (_, [names, ...lines]) => {
  test.each(lines.map((line) => line.split(' ')))('%s is probably %s', (text = '', meant = '') => {
    expect(didYouMean(text, names)).toBe(`; did you mean ${meant}?`);
  });
});

test('the table has many misspellings', () => {
  const lines = Object.values(misspellings).flatMap(([, ...list]) => list);
  expect(lines.length).toBeGreaterThanOrEqual(60);
});

test.each([
  ['2hr', 'hourly'],
  ['1h', 'hourly'],
  ['hr', 'hourly'],
  ['hours', 'hourly'],
  ['60 hrs', 'hourly'],
  ['15m', 'minutely'],
  ['5min', 'minutely'],
  ['mins', 'minutely'],
  ['1d', 'daily'],
  ['7days', 'daily'],
  ['dialy', 'daily'],
  ['dayly', 'daily'],
  ['houly', 'hourly'],
  ['HOURLY', 'hourly'],
])('of minutely, hourly and daily, %s means %s', (text, meant) => {
  expect(didYouMean(text, ['minutely', 'hourly', 'daily'])).toBe(`; did you mean ${meant}?`);
});

test.each([
  ['qtty', ['qtty']],
  ['zzz', functions],
  ['pg_sleep', functions],
  ['elsewhere', tables],
])('%s is nothing that is known', (text, names) => {
  expect(didYouMean(text, names)).toBe('');
});
