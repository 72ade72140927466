import type { TableSchema } from '@querygate/bigquery-sql/table-schema';
import { expect, test } from 'vitest';
import { withFixtures } from '../../../src/engines/bigquery/fixtures/with-fixtures.ts';

test('a test on BigQuery does not sample its rows', () => {
  const sql = 'SELECT id FROM t TABLESAMPLE SYSTEM (10 PERCENT)';
  const source = { file: 'q.sql', line: 3 };
  const tables: TableSchema[] = [{ name: 't', fields: [{ name: 'id', type: 'INTEGER', mode: 'NULLABLE' }] }];
  expect(() => withFixtures({ sql, source, parameters: [], tables, rows: {}, now: new Date(0) })).toThrow(
    "q.sql:3 a test on BigQuery can't sample rows: run it on DuckDB",
  );
});

test('a test on BigQuery does not read the INFORMATION_SCHEMA of a data set', () => {
  const sql = 'SELECT table_name FROM d.INFORMATION_SCHEMA.TABLES';
  const source = { file: 'q.sql', line: 3 };
  expect(() => withFixtures({ sql, source, parameters: [], tables: [], rows: {}, now: new Date(0) })).toThrow(
    "q.sql:3 a test on BigQuery can't replace INFORMATION_SCHEMA.TABLES: run it on DuckDB",
  );
});
