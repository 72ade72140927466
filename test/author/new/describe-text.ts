import { describeSql, tenantColumns } from '@querygate/bigquery-sql/proposals';
import type { TableSchema } from '@querygate/bigquery-sql/table-schema';
import { columnTypes } from '../../../src/catalog/model/saved-query.ts';
import { readConfig } from '../../../src/config.ts';
import { describeColumns } from '../../../src/engines/duckdb/describe-columns.ts';
import { limitsOf } from '../../../src/engines/checked-engine.ts';

const config = readConfig({ DUCKDB_THREADS: '1' });

const tables: readonly TableSchema[] = [
  {
    name: 'logs',
    fields: [
      { name: 'ts', type: 'TIMESTAMP', mode: 'REQUIRED', description: 'When it happened.' },
      { name: 'project', type: 'STRING', mode: 'NULLABLE' },
      { name: 'status', type: 'INT64', mode: 'NULLABLE' },
      { name: 'cost', type: 'FLOAT64', mode: 'NULLABLE' },
      { name: 'day', type: 'DATE', mode: 'NULLABLE' },
      { name: 'tags', type: 'STRING', mode: 'REPEATED' },
      {
        name: 'request',
        type: 'RECORD',
        mode: 'NULLABLE',
        fields: [{ name: 'path', type: 'STRING', mode: 'NULLABLE', description: 'Path of the URL.' }],
      },
    ],
  },
  { name: 'users', fields: [{ name: 'id', type: 'STRING', mode: 'REQUIRED' }] },
  {
    name: 'events_20260131',
    fields: [
      { name: 'event_name', type: 'STRING', mode: 'NULLABLE' },
      {
        name: 'event_params',
        type: 'RECORD',
        mode: 'REPEATED',
        fields: [
          { name: 'key', type: 'STRING', mode: 'NULLABLE' },
          { name: 'value', type: 'STRING', mode: 'NULLABLE' },
        ],
      },
    ],
  },
];

const source = { file: 'a.sql', line: 1 };

/** Describes SQL over the tables `logs`, `users` and `events_…`. */
export const describeText = (
  sql: string,
  chosen: readonly string[] = [],
  tenants: ReadonlySet<string> = tenantColumns([]),
) =>
  describeSql({
    sql,
    chosen,
    source,
    tables,
    tenantColumns: tenants,
    hasOpenTables: false,
    columnTypes,
    resultColumns: (converted, parameters) =>
      describeColumns(converted, { source, tables, parameters, limits: limitsOf(config) }, config.duckdb),
  });
