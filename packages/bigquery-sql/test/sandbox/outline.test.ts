import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { bindingsOf, planByOutline } from '@querygate/bigquery-sql/duckdb';
import { duckdbText } from '@querygate/bigquery-sql/passes';
import { judgeByOutline, openSandbox, type TableRead } from '@querygate/bigquery-sql/sandbox';
import type { Field } from '@querygate/bigquery-sql/table-schema';
import { layoutColumns, printExpression } from '@querygate/bigquery-sql/tree';
import { scalar } from '@querygate/bigquery-sql/types';
import { expect, test } from 'vitest';

const field = (name: string, type: Field['type'], more: Partial<Field> = {}): Field => ({
  name,
  type,
  mode: 'NULLABLE',
  ...more,
});
const table = {
  name: 'events',
  fields: [
    field('tenant', 'STRING'),
    field('id', 'INTEGER'),
    field('moment', 'TIMESTAMP'),
    field('text', 'STRING'),
    field('detail', 'RECORD', {
      mode: 'REPEATED',
      fields: [field('kind', 'STRING'), field('size', 'INTEGER')],
    }),
  ],
};
/** As the store has it: the record is shredded. */
const stored = { ...table, columns: layoutColumns(table.fields, () => true) };
const tenant = { name: 'tenant' };
const sandbox = openSandbox(
  {
    sql: 'with own as (select id, moment, text, detail, upper(text) as loud from events where tenant = @tenant) select id from own',
    source: { file: 'own.sql', line: 1 },
    parameters: [tenant],
    tenant: { parameter: 'tenant' },
  },
  [table],
).over([stored]);
const exported = sandbox.exportTables();
const outline = sandbox.outline(exported);
const judge = judgeByOutline(outline);

function readsOf(sql: string): readonly TableRead[] {
  const { query, columns } = judge(sql);
  return planByOutline(outline, query, {
    columns: columns.map(({ column, type }) => ({ name: column, type, select: (value) => value })),
    maxRows: 100,
    known: {},
    bindings: bindingsOf({ tenant: 'a' }, new Date('2026-03-10T12:00:00Z')),
  }).reads;
}

test('the outline has neither the SQL of the saved query nor its tables', () => {
  expect(JSON.stringify(outline)).not.toMatch(/events|upper/);
  expect([...(outline.tables[0]?.plain ?? [])]).not.toContain('loud');
});

test('scripts and table functions are neither in SQL of callers nor, as scripts, in what they can read', () => {
  expect(() => judge('declare x int64; select id from own')).toThrow('sql is one SELECT, found "declare"');
  expect(() => judge("select id from gap_fill(table own, 'moment', interval 1 day)")).toThrow(
    'table functions are not available in sql',
  );
  const saved = { sql: 'declare x int64; with own as (select 1 as id) select id from own', parameters: [] };
  expect(() => openSandbox({ ...saved, source: { file: 'own.sql', line: 1 } }, [])).toThrow(
    'a sandbox does not work with a script',
  );
});

test.each<readonly [sql: string, read: Partial<TableRead>]>([
  ['select id from own', { columns: ['id'], limit: 101, where: [], orderBy: [] }],
  [
    "select id from own where text = 'x' and id > 3 order by moment desc limit 5",
    {
      limit: 5,
      orderBy: [{ column: 'moment', descending: true, nulls: 'LAST' }],
      where: [
        [
          { operator: '=', operands: [{ column: 'text' }, { type: 'STRING', value: 'x' }] },
          { operator: '>', operands: [{ column: 'id' }, { type: 'INT64', value: '3' }] },
        ],
      ],
    },
  ],
  [
    'select text from own where moment > timestamp_sub(current_timestamp(), interval 1 hour)',
    {
      where: [
        [
          {
            operator: '>',
            operands: [{ column: 'moment' }, { type: 'TIMESTAMP', value: '2026-03-10 11:00:00.000000+00' }],
          },
        ],
      ],
    },
  ],
  ['select text from own where @tenant = text', { limit: 101 }],
  // What can fail, or is computed, is not for the engine.
  ["select id from own where cast(text as int64) = 1 and text != 'y'", { limit: undefined }],
  ["select id from own where loud = 'X'", { where: [], limit: undefined }],
  ['select count(*) as n from own', { limit: undefined }],
  ['select id, row_number() over () as n from own', { limit: undefined }],
  ['select d.kind from own, unnest(detail) as d', { columns: ['detail', 'detail.kind'] }],
  ['select a.id from own a join own b on a.id = b.id where a.id = 1', { limit: undefined, where: [] }],
])('%s reads', (sql, read) => {
  const [found, ...others] = readsOf(sql);
  expect(others).toEqual([]);
  expect({ ...found, columns: found?.columns.toSorted() }).toMatchObject(read);
});

test('what is read becomes a query over the rows of the tenant, with the columns that were named', () => {
  const [read] = readsOf("select id from own where text = 'x'");
  if (read === undefined) throw new Error('nothing is read');
  const text = duckdbText(exported[0]?.query(read, {}) ?? never());
  expect(text).toMatch(/WHERE \("events_\d"."tenant" = .*\$tenant/);
  expect(text).not.toContain('detail');
});

const yes = { type: 'BOOL', value: true };
const nested = (depth: number): object =>
  depth === 0 ? yes : { operator: 'NOT', operands: [nested(depth - 1)] };

const hostile: readonly Partial<Record<keyof TableRead, unknown>>[] = [
  { columns: ['tenant'] },
  { columns: ['id"; drop table events; --'] },
  { columns: ['loud'], where: [[{ column: 'loud' }]] },
  { where: [[{ operator: 'OR 1=1 --', operands: [] }]] },
  { where: [[{ type: 'STRING', parameter: 'x' }]] },
  { where: [[{ type: 'INT64', value: '1) or (1=1' }]] },
  { where: [[{ type: 'STRING', value: 'x' }]] },
  { where: [[{ column: 'text' }]] },
  ...[
    { type: 'BYTES', value: "') or true or from_hex('" },
    { type: 'BYTES', value: 'abc' },
    { type: 'BYTES); --', value: '00' },
    { type: 'toString', value: 'x' },
    { type: 'STRING', value: 1 },
    { type: 'STRING', value: ['x'] },
    { type: 'BOOL', value: 'true' },
    { type: 'INT64', value: true },
    { type: 'INT64', value: '9223372036854775808' },
    { type: 'FLOAT64', value: '1e' },
    { type: 'TIMESTAMP', value: '2026-02-30 00:00:00' },
    { type: 'JSON', value: '{' },
    { type: 'STRING', value: 'x', operator: '=', operands: 'no list' },
  ].map((operand) => ({ where: [[{ operator: '=', operands: [operand, operand] }]] })),
  ...(
    [
      ['NOT', [{ column: 'text' }]],
      ['NOT', []],
      ['NOT', [yes, yes]],
      ['IS TRUE', [{ column: 'id' }]],
      ['IS NULL', []],
      ['AND', [yes]],
      ['OR', [yes, { column: 'text' }]],
      ['=', [{ column: 'text' }]],
      ['<', [{ column: 'id' }, { column: 'id' }, { column: 'id' }]],
      ['=', [{ column: 'text' }, { type: 'INT64', value: '1' }]],
      ['=', [{ column: 'id' }, { type: 'INT64', parameter: 'tenant' }]],
      ['BETWEEN', [{ column: 'id' }, { type: 'INT64', value: '1' }]],
      ['IN', [{ column: 'id' }]],
      ['IN', [{ column: 'id' }, { type: 'INT64', value: '1' }, { type: 'STRING', value: '1' }]],
      ['+', [{ column: 'id' }, { column: 'id' }]],
    ] as const
  ).map(([operator, operands]) => ({ where: [[{ operator, operands }]] })),
  { limit: Number.NaN },
  { orderBy: [{ column: 'tenant', descending: true, nulls: 'LAST' }] },
];

test('a read is bounded also where the text names one table often, and compares with very many values', () => {
  const many = Array.from({ length: 150 }, (_, at) => at).join(', ');
  const one = `(select id from own where id in (${many}))`;
  expect(readsOf(`select a.id from ${one} a join ${one} b on a.id = b.id`)).toMatchObject([{ where: [] }]);
  const both = readsOf(`select id from own where id in (${many}) and id + 0 > 1 and id not in (${many})`);
  expect(both).toMatchObject([{ where: [[{ operator: 'IN' }]], limit: undefined }]);
  expect(() => both.map((read) => exported[0]?.query(read, {}))).not.toThrow();
});

test('a read with very many parts, or very deep ones, is refused', () => {
  const [read] = readsOf('select id from own');
  const many = { operator: 'IN', operands: Array.from({ length: 300 }, () => ({ column: 'id' })) };
  for (const where of [[[many]], [[nested(60)]], Array.from({ length: 300 }, () => [yes])])
    expect(() => exported[0]?.query({ ...read, where } as TableRead, {})).toThrow('too many parts');
});

test('BYTES of a read are quoted', () => {
  const [read] = readsOf("select id from own where text = 'x'");
  const bytes = { type: 'BYTES', value: '00ff' } as const;
  const where = [[{ operator: '=', operands: [bytes, bytes] }]] as const;
  if (read === undefined) throw new Error('nothing is read');
  expect(() => exported[0]?.query({ ...read, where }, {})).not.toThrow();
  const injected = { kind: 'literal', type: scalar('BYTES'), value: "') or (''='" } as const;
  expect(printExpression(injected)).toBe("from_hex(''') or (''''=''')");
});

test.each(hostile)('a read that names what the common table does not have is refused: %j', (change) => {
  const [read] = readsOf('select id from own');
  const changed = { ...read, limit: undefined, ...change } as TableRead;
  expect(() => exported[0]?.query(changed, {})).toThrow();
});

function never(): never {
  throw new Error('no table');
}

test('intervals in arrays and structs keep their microseconds in the file of rows', async () => {
  const withSpans = openSandbox(
    {
      sql: 'with own as (select [interval 1 microsecond] as a, [struct(interval 1000001 microsecond as b, 1 as c)] as d) select 1 as n from own',
      source: { file: 'own.sql', line: 1 },
      parameters: [],
    },
    [],
  );
  const [own] = withSpans.exportTables();
  const read = { table: 'own', columns: ['a', 'd'], where: [], orderBy: [], limit: undefined };
  const text = duckdbText(own?.query(read, {}) ?? never());
  const folder = mkdtempSync(join(tmpdir(), 'querygate-intervals-'));
  const instance = await DuckDBInstance.create();
  const connection = await instance.connect();
  try {
    const file = join(folder, 'rows.parquet');
    await connection.run(`COPY (${text}) TO '${file}' (FORMAT parquet)`);
    const result = await connection.runAndReadAll(
      `SELECT CAST(c0 AS INTERVAL[])::VARCHAR, CAST(c1 AS STRUCT("b" INTERVAL, "c" BIGINT)[])::VARCHAR FROM '${file}'`,
    );
    expect(result.getRows()).toEqual([["['00:00:00.000001']", "[{'b': '00:00:01.000001', 'c': 1}]"]]);
  } finally {
    connection.closeSync();
    instance.closeSync();
    rmSync(folder, { recursive: true });
  }
});

test('a collation of a common table holds in SQL of callers, and is no part of its result', () => {
  const saved = {
    sql: "with own as (select collate(text, 'und:ci') as text from events where tenant = @tenant) select text from own",
    source: { file: 'own.sql', line: 1 },
    parameters: [tenant],
    tenant: { parameter: 'tenant' },
  };
  const own = openSandbox(saved, [table]);
  const { query, columns } = judgeByOutline(own.outline(own.exportTables()))(
    "select text from own where text = 'a'",
  );
  expect(duckdbText(query)).toContain(`bq.collation_key("own"."text") = bq.collation_key('a')`);
  expect(columns.map(({ type }) => type)).toEqual([scalar('STRING')]);
});
