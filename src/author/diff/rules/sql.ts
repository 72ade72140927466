import { type Rules, rule } from './rule.ts';

/** Changes of the SQL, the tables that it reads, and its cost. */
export const sqlRules = {
  'sql-changed': rule(
    'dangerous',
    'dangerous',
    'the SQL is changed',
    'rows may differ: `querygate test` shows whether they do',
  ),
  'sql-layout': rule('safe', 'safe', 'comments or blanks of the SQL are changed', 'nothing'),
  'table-changed': rule(
    'dangerous',
    'dangerous',
    'a table, or a field that the SQL names, is removed or has another type',
    'rows may differ',
  ),
  'table-extended': rule(
    'safe',
    'safe',
    'a table that the SQL reads has a new field, or a wildcard finds a new table',
    'nothing',
  ),
  'bytes-read': rule('safe', 'safe', 'a run reads more or fewer bytes', 'other cost'),
  'bytes-over-ratio': rule(
    'breaking',
    'breaking',
    'a run reads more bytes than `--max-bytes-ratio` allows',
    'nothing but cost: the option decides',
  ),
  'bytes-over-maximum': rule(
    'breaking',
    'breaking',
    'a run reads more bytes than `BIGQUERY_MAXIMUM_BYTES_BILLED`, and did not before',
    'requests get 422 `QUERY_TOO_EXPENSIVE`',
  ),
} as const satisfies Rules;
