import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { answerOf } from '../../conformance/local/answer.ts';
import { changesOf } from '../../conformance/optimizers/changes.ts';
import { buildForms } from '../../conformance/optimizers/forms.ts';
import { judgeChange, type Side } from '../../conformance/optimizers/judge-change.ts';
import { shrink } from '../../conformance/optimizers/shrink.ts';
import { type Answer, scalar } from '../../conformance/values.ts';
import { compile } from '../../src/compile.ts';
import type { Query } from '../../src/tree/nodes.ts';
import { printQuery } from '../../src/tree/print.ts';
import { type DialectDatabase, openDialectDatabase } from '../support/dialect-database.ts';

const queryOf = (sql: string): Query => compile({ sql, source: { file: 'x', line: 1 } }, []).query;

const numbers = (...values: readonly number[]): Answer => ({
  columns: ['x'],
  rows: values.map((value) => [scalar('INT64', String(value))]),
});

/** @param others the answer to other queries: the sort keys of the rows, or the rows without LIMIT */
const side = (sql: string, answer: Answer, others = answer): Side => ({
  query: queryOf(sql),
  answer,
  run: async () => others,
});

const verdict = (sql: string, one: Answer, other: Answer) => judgeChange(side(sql, one), side(sql, other));

test('rows without ORDER BY may be in any order, and rows with it may not', async () => {
  expect(await verdict('SELECT x FROM UNNEST([1, 2]) AS x', numbers(1, 2), numbers(2, 1))).toBe('same');
  const ordered = 'SELECT x FROM UNNEST([1, 2]) AS x ORDER BY x';
  expect(await verdict(ordered, numbers(1, 2), numbers(2, 1))).toBe('differs');
});

test('LIMIT may take other rows, but not fewer, and none that are not there', async () => {
  const sql = 'SELECT x FROM UNNEST([1, 2]) AS x LIMIT 1';
  const taken = (one: Answer, other: Answer) =>
    judgeChange(side(sql, one, numbers(1, 2)), side(sql, other, numbers(1, 2)));
  expect(await taken(numbers(1), numbers(2))).toMatch(/^LIMIT takes any/);
  expect(await taken({ columns: ['x'], rows: [] }, numbers(2))).toBe('differs');
  expect(await taken({ columns: ['x'], rows: [[null]] }, numbers(2))).toBe('differs');
});

test('an error that only the optimizer causes differs', async () => {
  const failed: Answer = { error: 'Overflow', stage: 'evaluation' };
  expect(await verdict('SELECT 1 AS x', failed, numbers(1))).toBe('differs');
  expect(await verdict('SELECT 1 AS x', numbers(1), failed)).toBe('DuckDB fails: Overflow');
  expect(await verdict('SELECT 1 AS x', failed, failed)).toBe('same');
});

test('a query is made smaller as long as a test holds', async () => {
  const query = queryOf(
    "WITH a AS (SELECT x, x + 1 AS y FROM UNNEST([1, 2]) AS x) SELECT x, UPPER('b') AS z FROM a WHERE y > 1 ORDER BY x LIMIT 3",
  );
  const smallest = await shrink(query, async (smaller) => printQuery(smaller).includes("'b'"));
  expect(printQuery(smallest)).toBe(`SELECT 'b' AS "z"`);
});

describe('on DuckDB', () => {
  let database: DialectDatabase;
  beforeAll(async () => {
    database = await openDialectDatabase();
  });
  afterAll(() => database.close());

  test('a common table is run with each hint, and a query with each optimizer disabled', async () => {
    const { connection } = database;
    const { single } = await changesOf(connection);
    expect(single.map(({ name }) => name)).toContain('without cte_inlining');
    const query = queryOf('WITH a AS (SELECT 1 AS x), b AS (SELECT x FROM a) SELECT x FROM b');
    const hints = single.flatMap(({ disabled, apply }) => (disabled === undefined ? apply(query) : []));
    expect(hints.map((hinted) => /"\w+" AS (?:NOT )?MATERIALIZED/.exec(printQuery(hinted))?.[0])).toEqual([
      '"a" AS MATERIALIZED',
      '"b" AS MATERIALIZED',
      '"a" AS NOT MATERIALIZED',
      '"b" AS NOT MATERIALIZED',
    ]);
  });

  test('a statement is run as it is compiled, and with passes and computed constants', async () => {
    const { connection } = database;
    const forms = buildForms(connection, [], new Date(0));
    const sql = 'SELECT x FROM UNNEST(GENERATE_ARRAY(1, LENGTH(@p))) AS x WHERE x > 0';
    const found = await forms.of({ subject: '', sql, parameters: { p: 'ab' }, isExpression: false });
    const answers = await Promise.all(found.map(({ query, bindings }) => forms.run(query, bindings)));
    expect(answers).toEqual([numbers(1, 2), numbers(1, 2)]);
    expect(printQuery(found[1]?.query ?? queryOf('SELECT 1'))).toContain('$querygate_constant_1');
    expect(await forms.of({ subject: '', sql: 'SELECT y', parameters: {}, isExpression: false })).toEqual([]);
    expect(await answerOf(() => connection.run('SELECT 1 AS x'))).toMatchObject({ rows: [[{ text: '1' }]] });
  });
});
