import type { TableSchema } from '@querygate/bigquery-sql/table-schema';
import { columnTypes, readParts } from 'querygate/catalog';
import { duckdb } from 'querygate/duckdb';
import { describeSql } from '../../src/proposals/describe-sql.ts';
import { tenantColumns } from '../../src/proposals/tenant-columns.ts';

const engine = duckdb({ threads: 1 });
const limits = { concurrency: 1, queueLength: 0, timeoutMs: 30_000 };

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
    name: 'orders',
    fields: [
      { name: 'n', type: 'INT64', mode: 'NULLABLE' },
      { name: 'Customer Account', type: 'STRING', mode: 'NULLABLE' },
      { name: 'accountId', type: 'STRING', mode: 'NULLABLE' },
      { name: 'Twitter Account', type: 'STRING', mode: 'NULLABLE' },
      { name: '顧客', type: 'STRING', mode: 'NULLABLE' },
      { name: 'Net (€)', type: 'INT64', mode: 'NULLABLE' },
      { name: 'Order Month', type: 'STRING', mode: 'NULLABLE' },
    ],
  },
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

/** Describes SQL over the tables `logs`, `users`, `orders` and `events_…`. @param parts files by their paths */
export const describeText = (
  sql: string,
  chosen: readonly string[] = [],
  tenants: ReadonlySet<string> = tenantColumns([]),
  parts: Readonly<Record<string, string>> = {},
) =>
  describeSql({
    name: 'a',
    sql,
    parts: readParts('', new Map(Object.entries(parts).map(([path, text]) => [path, { text }]))),
    chosen,
    source,
    tables,
    tenantColumns: tenants,
    hasOpenTables: false,
    columnTypes,
    resultColumns: async (linked, parameters) =>
      (await engine.columnsOf?.(linked.sql, { source: linked.source, tables, parameters, limits })) ?? [],
  });
