import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { unfilteredTables } from '../src/analysis/tenant-filter.ts';
import { compile } from '../src/compile.ts';
import { openSession, type Session } from '../src/index.ts';
import type { Field, TableSchema } from '../src/table-schema.ts';

const field = (name: string, type: Field['type'], more: Partial<Field> = {}): Field => ({
  ...{ name, type, mode: 'NULLABLE' },
  ...more,
});

const tables: readonly TableSchema[] = [
  {
    name: 'orders',
    fields: [
      field('id', 'INTEGER', { mode: 'REQUIRED' }),
      field('price', 'NUMERIC', { parameters: '10, 2' }),
      field('items', 'RECORD', {
        mode: 'REPEATED',
        fields: [field('sku', 'STRING', { parameters: '8' }), field('tags', 'STRING', { mode: 'REPEATED' })],
      }),
      field('at', 'STRUCT', { fields: [field('lat', 'FLOAT'), field('ok', 'BOOLEAN')] }),
    ],
  },
  { name: "it's", fields: [field('columns', 'JSON')] },
  { name: 'tables', fields: [field('own', 'INT64')] },
];

const instance = await DuckDBInstance.create(':memory:');
const connection = await instance.connect();
let session: Session;
beforeAll(async () => {
  await connection.run(`CREATE TABLE orders AS SELECT 1::BIGINT AS id FROM range(3); CREATE TABLE "it's" (columns JSON);
    CREATE TABLE tables AS SELECT 1::BIGINT AS own`);
  session = await openSession(connection, { tables });
});
afterAll(() => {
  connection.closeSync();
  instance.closeSync();
});

/** The rows, or why it failed. */
async function rowsOf(sql: string, on = session): Promise<unknown> {
  const outcome = await on.run(sql);
  return 'rows' in outcome ? outcome.rows : JSON.stringify(outcome);
}

/** The columns of BigQuery's reference. */
const published = {
  TABLES:
    'table_catalog table_schema table_name table_type managed_table_type is_insertable_into is_fine_grained_mutations_enabled is_typed is_change_history_enabled creation_time base_table_catalog base_table_schema base_table_name snapshot_time_ms replica_source_catalog replica_source_schema replica_source_name replication_status replication_error ddl default_collation_name sync_status upsert_stream_apply_watermark',
  COLUMNS:
    'table_catalog table_schema table_name column_name ordinal_position is_nullable data_type is_generated generation_expression is_stored is_hidden is_updatable is_system_defined is_partitioning_column clustering_ordinal_position collation_name column_default rounding_mode policy_tags',
  PARTITIONS:
    'table_catalog table_schema table_name partition_id total_rows total_logical_bytes last_modified_time storage_tier',
};

describe('INFORMATION_SCHEMA', () => {
  test.each(Object.entries(published))('%s has the columns that BigQuery has', async (view, names) => {
    const outcome = await session.run(`SELECT * FROM INFORMATION_SCHEMA.${view}`);
    if (!('rows' in outcome)) throw new Error(JSON.stringify(outcome));
    expect(outcome.columns.map(({ name }) => name).join(' ')).toBe(names);
    const compiled = compile(
      { sql: `SELECT * FROM INFORMATION_SCHEMA.${view}`, source: { file: '', line: 1 } },
      tables,
    );
    expect(compiled.columns.map(({ name }) => name).join(' ')).toBe(names);
  });

  test('has the types of columns as BigQuery writes them, with the parameters that are declared', async () => {
    expect(
      await rowsOf(
        'SELECT column_name, ordinal_position, is_nullable, data_type FROM INFORMATION_SCHEMA.COLUMNS WHERE table_name = "orders"',
      ),
    ).toEqual([
      ['id', '1', 'NO', 'INT64'],
      ['price', '2', 'YES', 'NUMERIC(10, 2)'],
      ['items', '3', 'NO', 'ARRAY<STRUCT<sku STRING(8), tags ARRAY<STRING>>>'],
      ['at', '4', 'YES', 'STRUCT<lat FLOAT64, ok BOOL>'],
    ]);
  });

  test('counts the rows of each table, which is one partition', async () => {
    expect(
      await rowsOf(
        'SELECT table_name, partition_id, total_rows FROM INFORMATION_SCHEMA.PARTITIONS ORDER BY 1',
      ),
    ).toEqual([
      ["it's", null, '0'],
      ['orders', null, '3'],
      ['tables', null, '1'],
    ]);
  });

  test.each([
    ['INFORMATION_SCHEMA.TABLES', '', ''],
    ['information_schema.tables', '', ''],
    ['`INFORMATION_SCHEMA.TABLES`', '', ''],
    ['sales.INFORMATION_SCHEMA.TABLES', '', 'sales'],
    ['`sales.Information_Schema`.`TABLES`', '', 'sales'],
    ['my-project.sales.INFORMATION_SCHEMA.TABLES', 'my-project', 'sales'],
    ['`my-project.sales.INFORMATION_SCHEMA.TABLES`', 'my-project', 'sales'],
    ['`region-us`.INFORMATION_SCHEMA.TABLES', '', ''],
    ['`my-project`.`region-us`.INFORMATION_SCHEMA.TABLES', 'my-project', ''],
  ])('is read by %s', async (path, project, dataset) => {
    expect(
      await rowsOf(
        `SELECT DISTINCT t.table_catalog, table_schema, (SELECT COUNT(*) FROM ${path}) FROM ${path} AS t`,
      ),
    ).toEqual([[project, dataset, '3']]);
  });

  test.each([
    ['JOBS', 'INFORMATION_SCHEMA.JOBS is not supported; its views here are COLUMNS, PARTITIONS, TABLES'],
    ['orders', 'INFORMATION_SCHEMA.orders is not supported'],
    ['TABLES.x', 'INFORMATION_SCHEMA.TABLES.x is not supported'],
    ['TABLES FOR SYSTEM_TIME AS OF CURRENT_TIMESTAMP()', 'FOR SYSTEM_TIME AS OF is of a table'],
  ])('has no %s', async (view, message) => {
    expect(await rowsOf(`SELECT 1 FROM d.INFORMATION_SCHEMA.${view}`)).toContain(message);
  });

  test('is neither a table nor a common table of the same name, nor in a wildcard', async () => {
    expect(
      await rowsOf('WITH columns AS (SELECT 7 AS x) SELECT COUNT(*) FROM INFORMATION_SCHEMA.COLUMNS'),
    ).toEqual([['6']]);
    expect(
      await rowsOf(
        'WITH `INFORMATION_SCHEMA.TABLES` AS (SELECT 7 AS x) SELECT COUNT(table_name) FROM INFORMATION_SCHEMA.TABLES',
      ),
    ).toEqual([['3']]);
    expect(await rowsOf('SELECT own FROM tables')).toEqual([['1']]);
    expect(await rowsOf('SELECT own FROM d.tables')).toEqual([['1']]);
    expect(await rowsOf('SELECT 1 FROM `inf*`')).toContain('no table is named inf*');
  });

  test('has no rows without tables, and joins', async () => {
    const empty = await openSession(await instance.connect(), { tables: [] });
    for (const view of Object.keys(published))
      expect(await rowsOf(`SELECT * FROM INFORMATION_SCHEMA.${view}`, empty)).toEqual([]);
    expect(
      await rowsOf(
        'SELECT COUNT(*) FROM d.INFORMATION_SCHEMA.TABLES JOIN d.INFORMATION_SCHEMA.COLUMNS USING (table_catalog, table_schema, table_name)',
      ),
    ).toEqual([['6']]);
  });

  test('is of all tenants, with each form of its name, whatever it is compared with', () => {
    const unfiltered = (from: string) =>
      unfilteredTables(
        compile({ sql: `SELECT table_name FROM ${from}`, source: { file: '', line: 1 } }, tables).query,
        { name: 'tenant', isPattern: false, isList: false },
      ).map(({ name }) => name);
    expect(unfiltered('INFORMATION_SCHEMA.TABLES')).toEqual(['INFORMATION_SCHEMA.TABLES']);
    expect(unfiltered('d.INFORMATION_SCHEMA.PARTITIONS')).toEqual(['INFORMATION_SCHEMA.PARTITIONS']);
    for (const view of ['TABLES', 'COLUMNS', 'PARTITIONS'])
      expect(unfiltered(`d.INFORMATION_SCHEMA.${view} WHERE table_name = @tenant`)).toEqual([
        `INFORMATION_SCHEMA.${view}`,
      ]);
  });

  test('is of any columns where tables are not known, also beside a table with the name of a view', () => {
    const sql = 'SELECT any_name FROM d.INFORMATION_SCHEMA.TABLES, `region-us`.INFORMATION_SCHEMA.JOBS';
    const { tables: read } = compile({ sql, source: { file: '', line: 1 } }, tables, { hasOpenTables: true });
    expect(read).toEqual(['INFORMATION_SCHEMA.TABLES', 'INFORMATION_SCHEMA.JOBS']);
  });
});
