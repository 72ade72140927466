import { duckdbText } from '@querygate/bigquery-sql/passes';
import { openSandbox, type TableRead } from '@querygate/bigquery-sql/sandbox';
import type { TableSchema } from '@querygate/bigquery-sql/table-schema';
import { printExpression } from '@querygate/bigquery-sql/tree';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isCastable } from '../../src/sandbox/condition-of.ts';
import { literal } from '../../src/tree/build.ts';
import { scalar } from '../../src/types.ts';
import { createTable, type DialectDatabase, openDialectDatabase } from '../support/dialect-database.ts';

const field = (name: string, type: 'STRING' | 'INTEGER' | 'TIMESTAMP') =>
  ({ name, type, mode: 'NULLABLE' }) as const;
const events: TableSchema = {
  name: 'events',
  fields: [
    field('tenant', 'STRING'),
    field('id', 'INTEGER'),
    field('moment', 'TIMESTAMP'),
    field('text', 'STRING'),
  ],
};
const others: TableSchema = { name: 'others', fields: [field('id', 'INTEGER'), field('text', 'STRING')] };

let database: DialectDatabase;
beforeAll(async () => {
  database = await openDialectDatabase();
  for (const table of [events, others]) await database.connection.run(createTable(table));
  await database.connection.run(
    "insert into events values ('a', 1, now(), '1'), ('a', 2, now(), 'no number'), ('b', 3, now(), 'no number')",
  );
  await database.connection.run("insert into others values (1, 'x')");
});
afterAll(() => database.close());

/** What DuckDB runs for the rows of the common table `own` for which `comparison` holds. */
function textFor(saved: string, ...comparison: readonly TableRead['where'][number][number][]): string {
  const sandbox = openSandbox(
    {
      sql: `with ${saved} select 1 as n from own`,
      source: { file: 'own.sql', line: 1 },
      parameters: [{ name: 'tenant' }, { name: 'days', bind: 'INT64' }],
      tenant: { parameter: 'tenant' },
    },
    [events, others],
  );
  const own = sandbox.exportTables().find(({ outline }) => outline.name === 'own');
  const where = comparison.length > 0 ? [comparison] : [];
  const read: TableRead = { table: 'own', columns: ['id'], where, orderBy: [], limit: undefined };
  return duckdbText(own?.query(read, { tenant: 'a', days: '1' }) ?? never());
}

const idIs = (id: number) =>
  ({ operator: '=', operands: [{ column: 'id' }, { type: 'INT64', value: String(id) }] }) as const;

async function outcomeOf(sql: string): Promise<unknown> {
  try {
    return (await database.connection.runAndReadAll(sql)).getRowsJson();
  } catch {
    return 'failed';
  }
}

describe('a common table whose own conditions can fail does so whatever a text compares', () => {
  test.each([
    'own as (select id from events where tenant = @tenant and cast(text as int64) > 0)',
    'own as (select id from events where upper(tenant) = upper(@tenant) and cast(text as int64) > 0)',
    'a as (select * from events where tenant = @tenant), own as (select id from a where div(1, id - 2) < 5)',
    'own as (select e.id from events e left join others o on o.id = cast(e.text as int64) where e.tenant = @tenant)',
    'a as (select id, cast(text as int64) as n from events where tenant = @tenant), own as (select id from a where n > 0)',
  ])('%s', async (saved) => {
    expect(await outcomeOf(textFor(saved))).toBe('failed');
    for (const id of [1, 2, 3])
      expect([id, await outcomeOf(textFor(saved, idIs(id)))]).toEqual([id, 'failed']);
  });
});

test.each([
  'own as (select id, upper(text) as loud from events where tenant = @tenant)',
  'own as (select id from events where tenant = @tenant and moment > timestamp_sub(current_timestamp(), interval @days day))',
  'own as (select id from events where tenant = @tenant and (text is null or text not in ("x", "y")))',
  'own as (select e.id from events e join others o on o.id = e.id where e.tenant = @tenant)',
])('what a text compares is left to the scan where nothing else can fail: %s', (saved) => {
  expect(textFor(saved, idIs(1))).not.toMatch(/LIMIT|FROM \(/);
});

test('the constants of a comparison are those that DuckDB can cast', async () => {
  const types = ['INT64', 'FLOAT64', 'NUMERIC', 'DATE', 'DATETIME', 'TIMESTAMP', 'BYTES'] as const;
  const digits = fc.string({ unit: fc.constantFrom(...'0123456789.-+:eE TZinf'), maxLength: 22 });
  const moments = fc
    .tuple(fc.nat(9999), fc.nat(13), fc.nat(32), fc.nat(24), fc.nat(60), fc.nat(60))
    .map(([year, ...parts]) => {
      const [month, day, hour, minute, second] = parts.map((part) => String(part).padStart(2, '0'));
      return `${String(year).padStart(4, '0')}-${month}-${day} ${hour}:${minute}:${second}`;
    });
  const texts = fc.oneof(
    digits,
    moments,
    moments.map((text) => text.slice(0, 10)),
    fc.double().map(String),
    fc.bigInt().map(String),
  );
  const values = fc.sample(fc.tuple(fc.constantFrom(...types), texts), { numRuns: 5_000, seed: 1 });
  const edges = [
    '1e-400',
    '1e400',
    '1e999',
    '5.',
    '.5',
    '-inf',
    '9223372036854775808',
    '0001-01-01',
    '9999-12-31',
  ];
  const accepted = [...values, ...types.flatMap((type) => edges.map((text) => [type, text] as const))].filter(
    ([type, text]) => isCastable(type, text),
  );
  expect(new Set(accepted.map(([type]) => type))).toEqual(new Set(types));
  const columns = accepted.map(([type, text]) => printExpression(literal(scalar(type), text)));
  await database.connection.run(`select ${columns.map((one) => `(${one}) is null`).join(', ')}`);
});

function never(): never {
  throw new Error('no common table');
}
