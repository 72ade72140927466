import { describe, expect, test } from 'vitest';
import { dump, dumpQuery, itemOf } from './dump.ts';

const one = 'Select(items: [SelectExpression(expression: 1)])';
const two = 'Select(items: [SelectExpression(expression: 2)])';

describe('select lists', () => {
  test.each([
    ['a AS b', 'SelectExpression(expression: a alias: b)'],
    ['a b', 'SelectExpression(expression: a alias: b)'],
    ['a `select`', 'SelectExpression(expression: a alias: `select`)'],
    ['a,', 'SelectExpression(expression: a)'],
    ['*', 'Star()'],
    [
      '* EXCEPT (a, b) REPLACE (1 AS c)',
      'Star(except: [a b] replace: [ReplacedColumn(expression: 1 name: c)])',
    ],
    ['t.*', 'DotStar(operand: t)'],
    ['a.b.* EXCEPT (c)', 'DotStar(operand: a.b except: [c])'],
    [
      'ARRAY_AGG(a)[OFFSET(0)].*',
      'DotStar(operand: Subscript(operand: FunctionCall(name: ARRAY_AGG args: [a]) mode: OFFSET index: 0))',
    ],
    ['(a).*', 'DotStar(operand: a)'],
  ])('SELECT %s', (text, tree) => {
    expect(dump(itemOf(text))).toBe(tree);
  });

  test.each([
    ['SELECT DISTINCT 1', 'Select(distinct: true items: [SelectExpression(expression: 1)])'],
    ['SELECT ALL 1', one],
    ['SELECT AS STRUCT 1', 'Select(as: SelectAs(mode: STRUCT) items: [SelectExpression(expression: 1)])'],
    [
      'SELECT DISTINCT AS VALUE 1',
      'Select(distinct: true as: SelectAs(mode: VALUE) items: [SelectExpression(expression: 1)])',
    ],
    [
      'SELECT AS a.b 1',
      'Select(as: SelectAs(mode: TYPE typeName: a.b) items: [SelectExpression(expression: 1)])',
    ],
    [
      'SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (epsilon = 1) 1',
      'Select(modifier: SelectModifier(name: DIFFERENTIAL_PRIVACY options: [Option(name: epsilon value: 1)]) items: [SelectExpression(expression: 1)])',
    ],
  ])('%s is parsed as %s', (sql, tree) => {
    expect(dumpQuery(sql)).toBe(`Query(body: ${tree})`);
  });
});

describe('clauses', () => {
  const select = (clauses: string) => `Query(body: Select(items: [Star()] from: Table(path: t) ${clauses}))`;
  test.each([
    ['WHERE a', 'where: a'],
    ['GROUP BY ALL', 'groupBy: GroupBy(all: true)'],
    ['GROUP BY a, ()', 'groupBy: GroupBy(items: [GroupingExpression(expression: a) GroupingList()])'],
    [
      'GROUP BY ROLLUP (a, (b, c)), CUBE (a)',
      'groupBy: GroupBy(items: [Rollup(items: [GroupingList(expressions: [a]) GroupingList(expressions: [b c])]) Cube(items: [GroupingList(expressions: [a])])])',
    ],
    [
      'GROUP BY GROUPING SETS ((a, b), a, (), ROLLUP (a))',
      'groupBy: GroupBy(items: [GroupingSets(sets: [GroupingList(expressions: [a b]) GroupingList(expressions: [a]) GroupingList() Rollup(items: [GroupingList(expressions: [a])])])])',
    ],
    [
      'GROUP BY a HAVING b QUALIFY c',
      'groupBy: GroupBy(items: [GroupingExpression(expression: a)]) having: b qualify: c',
    ],
    [
      'WINDOW w AS (ORDER BY a), v AS w',
      'windows: [NamedWindow(name: w window: Window(orderBy: [OrderByItem(expression: a)])) NamedWindow(name: v window: Window(base: w))]',
    ],
  ])('SELECT * FROM t %s has %s', (clauses, tree) => {
    expect(dumpQuery(`SELECT * FROM t ${clauses}`)).toBe(select(tree));
  });

  test('ORDER BY and LIMIT', () => {
    expect(dumpQuery("SELECT 1 ORDER BY a COLLATE 'und:ci' DESC NULLS LAST, b LIMIT @n OFFSET 2")).toBe(
      `Query(body: ${one} orderBy: [OrderByItem(expression: a collation: "und:ci" order: (direction: DESC nulls: LAST)) OrderByItem(expression: b)] limit: Limit(count: NamedParameter(name: n) offset: 2))`,
    );
  });
});

describe('set operations, WITH and parentheses', () => {
  test.each([
    [
      'SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 1 ORDER BY 1',
      `Query(body: SetOperation(operator: UNION quantifier: ALL inputs: [${one} ${two} ${one}]) orderBy: [OrderByItem(expression: 1)])`,
    ],
    [
      '(SELECT 1 EXCEPT DISTINCT SELECT 2) INTERSECT DISTINCT SELECT 1',
      `Query(body: SetOperation(operator: INTERSECT quantifier: DISTINCT inputs: [Query(body: SetOperation(operator: EXCEPT quantifier: DISTINCT inputs: [${one} ${two}])) ${one}]))`,
    ],
    [
      'SELECT 1 UNION ALL BY NAME SELECT 2',
      `Query(body: SetOperation(operator: UNION quantifier: ALL match: ColumnMatch(spelling: BY NAME) inputs: [${one} ${two}]))`,
    ],
    [
      'SELECT 1 LEFT OUTER UNION ALL BY NAME ON (a) SELECT 2',
      `Query(body: SetOperation(operator: UNION quantifier: ALL match: ColumnMatch(spelling: BY NAME mode: LEFT columns: [a]) inputs: [${one} ${two}]))`,
    ],
    [
      'SELECT 1 UNION ALL STRICT CORRESPONDING BY (a, b) SELECT 2',
      `Query(body: SetOperation(operator: UNION quantifier: ALL match: ColumnMatch(spelling: CORRESPONDING mode: STRICT columns: [a b]) inputs: [${one} ${two}]))`,
    ],
    ['((SELECT 1))', `Query(body: ${one})`],
    [
      '(SELECT 1 LIMIT 2) LIMIT 1',
      `Query(body: Query(body: ${one} limit: Limit(count: 2)) limit: Limit(count: 1))`,
    ],
    [
      'WITH RECURSIVE a AS (SELECT 1), b AS (SELECT 2) SELECT 1',
      `Query(with: With(recursive: true tables: [CommonTable(name: a query: Query(body: ${one})) CommonTable(name: b query: Query(body: ${two}))]) body: ${one})`,
    ],
  ])('%s is parsed as %s', (sql, tree) => {
    expect(dumpQuery(sql)).toBe(tree);
  });
});
