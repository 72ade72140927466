import { describe, expect, test } from 'vitest';
import { unfilteredTables } from '../../src/analysis.ts';
import { type Compiled, compile } from '../../src/compile.ts';
import { describeProblem, ProblemError } from '../../src/problem.ts';

describe('a query over tables whose columns are not known has no problem', () => {
  test.each([
    ['with * EXCEPT', 'SELECT * EXCEPT (a), b AS c FROM t'],
    [
      'with a column that EXCEPT leaves out and another column gives',
      'SELECT x FROM (SELECT * EXCEPT (x), a AS x FROM t)',
    ],
    ['with * REPLACE', 'SELECT a, b FROM (SELECT * REPLACE (1 AS a) FROM t)'],
    ['with the fields of a value', 'SELECT a FROM (SELECT payload.* EXCEPT (b) FROM t)'],
    ['with the fields of a row', 'SELECT a FROM (SELECT IF(t.b, t, u).* FROM t JOIN u USING (id))'],
    [
      'with a row of all fields',
      'SELECT r.a FROM (SELECT (SELECT AS STRUCT p.* REPLACE (1 AS b)) AS r FROM t)',
    ],
    ['with the elements of an array', 'SELECT (SELECT SUM(a) FROM (SELECT * FROM UNNEST(items))) FROM t'],
    ['with UNION ALL of * and columns', 'SELECT a FROM (SELECT * FROM t UNION ALL SELECT a, b FROM u)'],
    [
      'with UNION ALL BY NAME',
      'SELECT a, b FROM (SELECT * FROM t UNION ALL BY NAME SELECT *, 1 AS a FROM u)',
    ],
    ['with positions of unknown columns', 'SELECT * FROM t ORDER BY 3'],
    ['with aggregates of unknown columns', 'SELECT MAX(a) FROM t HAVING SUM(b) > 1'],
    ['with PIVOT', "SELECT * FROM (SELECT a, b FROM t) PIVOT (MAX(a) FOR b IN ('x', 'y'))"],
    [
      'with a name that another item surely has',
      'SELECT u.n, COUNT(*) FROM t, (SELECT COUNT(*) AS n FROM t) AS u GROUP BY n',
    ],
  ])('%s', (_, sql) => {
    expect(problemsOf(sql)).toEqual([]);
  });
});

test('a column that EXCEPT leaves out is not one of the query around it', () => {
  expect(problemsOf('SELECT a FROM (SELECT * EXCEPT (a) FROM t UNION ALL SELECT * FROM u)')).toEqual([
    'no column is named a',
  ]);
  expect(problemsOf('SELECT a FROM (SELECT * EXCEPT (a) FROM t)')).toEqual(['no column is named a']);
  expect(problemsOf('SELECT a FROM (SELECT * FROM (SELECT * EXCEPT (a) FROM t))')).toEqual([
    'no column is named a',
  ]);
});

const own = 'FROM t WHERE tenant = @tenant';
const yesterday = "FOR SYSTEM_TIME AS OF TIMESTAMP '2026-11-29'";

describe('only a column of the table restricts it to a tenant', () => {
  test.each([
    ['SELECT * FROM (SELECT * EXCEPT (a) FROM t) WHERE tenant = @tenant', []],
    ["SELECT * FROM (SELECT * REPLACE ('x' AS tenant) FROM t) WHERE tenant = @tenant", ['t']],
    ["SELECT * FROM (SELECT * FROM (SELECT * REPLACE (a AS tenant) FROM t)) WHERE tenant = 'x'", ['t']],
    ["SELECT * FROM (SELECT * FROM (SELECT * REPLACE ('x' AS tenant) FROM t)) WHERE tenant = @tenant", ['t']],
    ['SELECT * FROM (SELECT * EXCEPT (tenant) FROM t), u WHERE tenant = @tenant', ['t']],
    ['SELECT t.a, (SELECT u FROM u LIMIT 1).* FROM t WHERE tenant = @tenant', ['u']],
    [
      'SELECT u.a FROM (SELECT * EXCEPT (tenant) FROM t UNION ALL SELECT * FROM u) AS u, v WHERE tenant = @tenant',
      ['t', 'u'],
    ],
    ['SELECT a FROM (SELECT a, tenant FROM t UNION ALL SELECT * FROM u) WHERE tenant = @tenant', ['u']],
    ['SELECT MAX((SELECT a FROM u LIMIT 1)) FROM t WHERE tenant = @tenant', ['u']],
    // A bare name that no other item or query can have.
    ['SELECT a FROM t JOIN (SELECT 1 AS k) AS j USING (k) WHERE tenant = @tenant', []],
    ['SELECT (SELECT COUNT(*) FROM t WHERE tenant = @tenant) AS a', []],
    ['SELECT (SELECT COUNT(*) FROM t WHERE tenant = @tenant) AS a FROM (SELECT 1 AS b)', []],
    ['SELECT (SELECT COUNT(*) FROM t WHERE t.tenant = @tenant) AS a FROM (SELECT @tenant AS tenant)', []],
    // BigQuery reads these from the query around, if the table has no such column.
    ['SELECT (SELECT COUNT(*) FROM t WHERE tenant = @tenant) AS a FROM (SELECT @tenant AS tenant)', ['t']],
    ['SELECT (SELECT COUNT(*) FROM t WHERE tenant = @tenant) AS a FROM UNNEST([@tenant]) AS tenant', ['t']],
    [
      'SELECT (SELECT COUNT(*) FROM t WHERE r.tenant = @tenant) AS a FROM (SELECT STRUCT(@tenant AS tenant) AS r)',
      ['t'],
    ],
    ['SELECT (SELECT COUNT(*) FROM t WHERE r.x = @tenant) AS a FROM (SELECT @tenant AS x) AS r', ['t']],
    [
      'SELECT a FROM t WHERE tenant = @tenant AND a IN (SELECT a FROM (SELECT * FROM u) WHERE tenant = @tenant)',
      ['u'],
    ],
    ['SELECT a FROM t WHERE tenant = @tenant AND a IN (SELECT a FROM u WHERE u.tenant = @tenant)', []],
    // A table that is read within its own reader has the column in both, or in neither.
    [`SELECT a FROM t WHERE tenant = @tenant AND a = (SELECT MAX(a) ${own})`, []],
    [`SELECT COUNT(*) / (SELECT COUNT(*) ${own}) FROM t WHERE tenant = @tenant`, []],
    [
      `SELECT tenant, COUNT(*) FROM t WHERE tenant = @tenant GROUP BY tenant HAVING MAX(a) > (SELECT AVG(a) ${own})`,
      [],
    ],
    [
      'SELECT a FROM t AS o WHERE tenant = @tenant AND NOT EXISTS (SELECT 1 FROM t AS b WHERE tenant = @tenant AND b.a > o.a)',
      [],
    ],
    [`WITH o AS (SELECT * FROM t) SELECT a FROM o WHERE tenant = @tenant AND a = (SELECT MAX(a) ${own})`, []],
    [
      'WITH o AS (SELECT * FROM t) SELECT a FROM t WHERE tenant = @tenant AND a = (SELECT MAX(a) FROM o WHERE tenant = @tenant)',
      [],
    ],
    [
      `WITH o AS (SELECT * FROM t UNION ALL SELECT * FROM t)
        SELECT a FROM o WHERE tenant = @tenant AND a = (SELECT MAX(a) FROM o WHERE tenant = @tenant)`,
      [],
    ],
    [`SELECT a FROM t JOIN u USING (tenant) WHERE tenant = @tenant AND t.a = (SELECT MAX(a) ${own})`, []],
    [`SELECT a FROM t WHERE tenant = @tenant AND a IN (SELECT a ${own} AND a IN (SELECT a ${own}))`, []],
    [
      `SELECT a FROM t ${yesterday} WHERE tenant = @tenant AND a = (SELECT MAX(a) FROM t ${yesterday} WHERE tenant = @tenant)`,
      [],
    ],
    [
      `SELECT a FROM t WHERE tenant = @tenant AND a = (SELECT MAX(a) FROM t ${yesterday} WHERE tenant = @tenant)`,
      ['t'],
    ],
    [
      'SELECT a FROM d.t WHERE tenant = @tenant AND a = (SELECT MAX(a) FROM e.t WHERE tenant = @tenant)',
      ['t'],
    ],
    [`SELECT a FROM (SELECT *, b AS tenant FROM t) WHERE a = (SELECT MAX(a) ${own})`, ['t', 't']],
    [
      `SELECT b AS tenant FROM t WHERE t.tenant = @tenant GROUP BY b HAVING b > (SELECT MAX(a) ${own})`,
      ['t'],
    ],
    [
      `SELECT (SELECT MAX(a) FROM t WHERE tenant = @tenant AND a IN (SELECT a ${own})) FROM (SELECT @tenant AS tenant)`,
      ['t', 't'],
    ],
    [`SELECT a FROM t AS tenant WHERE tenant.tenant = @tenant AND a = (SELECT MAX(a) ${own})`, ['t']],
    [
      `SELECT t.a FROM t JOIN u USING (k) WHERE t.tenant = @tenant AND t.a = (SELECT MAX(a) ${own})`,
      ['t', 'u'],
    ],
    [
      `SELECT a FROM e WHERE _TABLE_SUFFIX = @tenant
        AND a = (SELECT MAX(a) FROM (SELECT * FROM e) WHERE _TABLE_SUFFIX = @tenant)`.replaceAll(
        ' e',
        ' `e_*`',
      ),
      ['e_*'],
    ],
    // Only one of two tables has the column.
    ['SELECT t.a FROM t JOIN u ON t.k = u.k AND u.q = @tenant WHERE tenant = @tenant', ['t']],
    ['SELECT t.a FROM u JOIN t ON t.k = u.k AND u.q = @tenant WHERE tenant = @tenant', ['t']],
    ['SELECT t.a FROM u JOIN t ON t.k = u.k AND u.q = @tenant WHERE t.tenant = @tenant', []],
    ['SELECT a FROM (SELECT a, tenant FROM t JOIN u ON u.q = @tenant) WHERE tenant = @tenant', ['t']],
    ['SELECT t.a FROM t JOIN u ON u.q = @tenant JOIN v USING (tenant) WHERE tenant = @tenant', ['t', 'v']],
    ['SELECT i.a FROM t JOIN u ON u.q = @tenant, UNNEST(items) AS i WHERE i.tenant = @tenant', ['t']],
    ['DECLARE tenant STRING DEFAULT @tenant; SELECT a FROM t WHERE tenant = @tenant', ['t']],
  ])('%s: %j are not restricted', (sql, names) => {
    const found = unfilteredTables(compileOpen(sql).query, {
      name: 'tenant',
      isPattern: false,
      isList: false,
    });
    expect(found.map(({ name }) => name).sort()).toEqual(names);
  });
});

function problemsOf(sql: string): readonly string[] {
  try {
    compileOpen(sql);
    return [];
  } catch (error) {
    if (error instanceof ProblemError)
      return error.problems.map(({ message }) => describeProblem({ message }));
    throw error;
  }
}

function compileOpen(sql: string): Compiled {
  return compile({ sql, source: { file: 'sql', line: 1 } }, [], { hasOpenTables: true });
}
