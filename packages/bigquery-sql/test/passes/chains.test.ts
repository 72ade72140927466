import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { servedTextOf, textOf } from '../../conformance/depth/plans.ts';
import { planProblem } from '../../src/duckdb/plan-problem.ts';
import { type DialectDatabase, openDialectDatabase } from '../support/dialect-database.ts';

/** A chain of queries, each of which computes a column from that of the one before. */
function chain(first: string, step: string, length: number): string {
  const tables = Array.from(
    { length },
    (_, at) => `t${at + 1} AS (SELECT ${step.replaceAll('$', 'a')} AS a FROM t${at})`,
  );
  return `WITH t0 AS (SELECT IF(x > 1, ${first}, ${first}) AS a FROM UNNEST([1, 2]) AS x), ${tables.join(', ')} SELECT a FROM t${length}`;
}

let database: DialectDatabase;
beforeAll(async () => {
  database = await openDialectDatabase({ threads: '1' });
  await database.connection.run("SET explain_output = 'all'");
});
afterAll(() => database.close());

/** How many words the plan of a query has that DuckDB's optimizer takes. */
async function planSize(sql: string): Promise<number> {
  const explained = await database.connection.runAndReadAll(`EXPLAIN (FORMAT JSON) ${servedTextOf(sql)}`);
  const [, plan] = explained.getRows().find(([stage]) => stage === 'logical_plan') ?? [];
  return String(plan).match(/\w+/g)?.length ?? 0;
}

describe('a chain of computed columns is planned in proportion to its length', () => {
  test.each([
    ['1', '$ + 1'],
    ["DATE '2024-01-31'", 'DATE_ADD($, INTERVAL 1 MONTH)'],
    ["'abc'", "REGEXP_REPLACE($, 'a', 'aa')"],
    ["'abc'", "LPAD($, 5, 'x')"],
    ["'1'", 'CAST(CAST($ AS INT64) AS STRING)'],
    ['1', 'IF($ BETWEEN 1 AND 3, 1, 2)'],
    ['1.5', 'ROUND($, 1) + 1'],
  ])('from %s by %s', async (first, step) => {
    const [short, long] = [await planSize(chain(first, step, 6)), await planSize(chain(first, step, 12))];
    expect(long / short).toBeLessThan(3);
  });

  test('as many as the parts that read one another can be', async () => {
    const prepared = await database.connection.prepare(servedTextOf(chain('1', '$ + 1', 200)));
    prepared.destroySync();
  });
});

test('a chain of any length stays a few common tables, each of a bounded depth', () => {
  const tables = servedTextOf(chain('1', '$ + 1', 2_000)).match(/"t\d+" AS \(/g) ?? [];
  expect(tables.length).toBeGreaterThan(1);
  expect(tables.length).toBeLessThan(10);
});

test('a long chain of || is planned at once', async () => {
  const digits = Array.from({ length: 400 }, (_, at) => String(at % 10));
  const chain = digits.map((digit) => `'${digit}'`).join(' || ');
  const sql = `SELECT ${chain} || x AS v, x || ${chain} || y AS n FROM UNNEST(['a']) AS x, UNNEST([CAST(NULL AS STRING)]) AS y`;
  const before = process.cpuUsage();
  const answer = await database.connection.runAndReadAll(textOf(sql));
  expect(process.cpuUsage(before).user).toBeLessThan(1_500_000);
  expect(answer.getRows()).toEqual([[`${digits.join('')}a`, null]]);
});

test.each([
  ['queries', chain('1', '$ + 1', 2_000)],
  ['operators', `SELECT ${Array(200).fill('x').join(' + ')} FROM UNNEST([1]) AS x`],
])('a chain of %s that is too long for DuckDB is refused in words of its author', async (_, sql) => {
  const error = await database.connection.prepare(textOf(sql)).catch((error: unknown) => error);
  expect(planProblem({ sql, source: { file: 'a.sql', line: 1 } }, error)).toEqual({
    file: 'a.sql',
    line: 1,
    message:
      'its operators or queries are inside one another too deeply for DuckDB, or its queries read one another in too long a chain: divide long operations in halves by parentheses, and compute more in each query',
  });
});
