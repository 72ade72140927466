import { describe, expect, test } from 'vitest';
import { dumpFrom, problemOf } from './dump.ts';

const one = 'Query(body: Select(items: [SelectExpression(expression: 1)]))';

describe('tables', () => {
  test.each([
    ['t', 'Table(path: t)'],
    ['t AS a', 'Table(path: t alias: a)'],
    ['ds.t a', 'Table(path: ds.t alias: a)'],
    ['my-project-123.ds.t', 'Table(path: my-project-123.ds.t)'],
    ['my-project-a1.ds', 'Table(path: my-project-a1.ds)'],
    ['`my-project.ds.events_*`', 'Table(path: `my-project`.`ds`.`events_*`)'],
    ['`a.b`.c', 'Table(path: `a`.`b`.c)'],
    ['ds.2024_events', 'Table(path: ds.2024_events)'],
    ['t.arr AS a WITH OFFSET AS o', 'Table(path: t.arr alias: a withOffset: WithOffset(alias: o))'],
    ['t FOR SYSTEM_TIME AS OF ts', 'Table(path: t systemTime: ts)'],
    [
      'UNNEST([1]) a WITH OFFSET',
      'Unnest(array: ArrayConstructor(elements: [1]) alias: a withOffset: WithOffset())',
    ],
    ['(SELECT 1) AS a', `DerivedTable(query: ${one} alias: a)`],
    ['((SELECT 1))', `DerivedTable(query: ${one})`],
    [
      'ML.f(MODEL m, TABLE ds.t, x => 1) AS a',
      'TableFunction(name: ML.f args: [ModelArgument(path: m) Table(path: ds.t) NamedArgument(name: x value: 1)] alias: a)',
    ],
    [
      't TABLESAMPLE SYSTEM (10 PERCENT)',
      'TableSample(source: Table(path: t) spec: SampleSpec(method: SYSTEM size: 10 unit: PERCENT))',
    ],
    ['t PIVOT', 'Table(path: t alias: PIVOT)'],
  ])('FROM %s is parsed as %s', (text, tree) => {
    expect(dumpFrom(text)).toBe(tree);
  });

  test('the places of the parts of a quoted name are within it', () => {
    expect(problemOf('SELECT * FROM `a..b`')).toBe(
      '14: expected a name on each side of a dot, found nothing',
    );
  });
});

describe('joins', () => {
  const [a, b, c] = ['Table(path: a)', 'Table(path: b)', 'Table(path: c)'];
  test.each([
    ['a, b', `Join(left: ${a} type: COMMA right: ${b})`],
    ['a CROSS JOIN b', `Join(left: ${a} type: CROSS right: ${b})`],
    ['a JOIN b ON x', `Join(left: ${a} type: INNER right: ${b} condition: On(condition: x))`],
    [
      'a FULL OUTER JOIN b USING (x, y)',
      `Join(left: ${a} type: FULL right: ${b} condition: Using(columns: [x y]))`,
    ],
    ['a LEFT JOIN UNNEST(x)', `Join(left: ${a} type: LEFT right: Unnest(array: x))`],
    ['a JOIN a.arr', `Join(left: ${a} type: INNER right: Table(path: a.arr))`],
    [
      'a JOIN b ON x RIGHT JOIN c ON y',
      `Join(left: Join(left: ${a} type: INNER right: ${b} condition: On(condition: x)) type: RIGHT right: ${c} condition: On(condition: y))`,
    ],
    [
      'a JOIN b JOIN c ON x ON y',
      `Join(left: ${a} type: INNER right: Join(left: ${b} type: INNER right: ${c} condition: On(condition: x)) condition: On(condition: y))`,
    ],
    [
      'a JOIN b CROSS JOIN c JOIN d ON x ON y',
      `Join(left: ${a} type: INNER right: Join(left: Join(left: ${b} type: CROSS right: ${c}) type: INNER right: Table(path: d) condition: On(condition: x)) condition: On(condition: y))`,
    ],
    [
      'a JOIN (b JOIN c ON x) ON y',
      `Join(left: ${a} type: INNER right: Join(left: ${b} type: INNER right: ${c} condition: On(condition: x)) condition: On(condition: y))`,
    ],
    [
      '((SELECT 1) AS s CROSS JOIN c)',
      `Join(left: DerivedTable(query: ${one} alias: s) type: CROSS right: ${c})`,
    ],
    [
      '((a CROSS JOIN b) CROSS JOIN c)',
      `Join(left: Join(left: ${a} type: CROSS right: ${b}) type: CROSS right: ${c})`,
    ],
  ])('FROM %s is parsed as %s', (text, tree) => {
    expect(dumpFrom(text)).toBe(tree);
  });

  test.each([
    ['a JOIN b', '22: expected "ON" or "USING" after the join, found none'],
    ['a CROSS JOIN b ON x', '29: expected no condition after CROSS JOIN, found "ON"'],
    ['a CROSS JOIN UNNEST(b) ON x ON y', '42: expected no condition after CROSS JOIN, found "ON"'],
    ['a JOIN b ON x ON y', '28: expected a join for this condition, found none'],
    ['a JOIN b JOIN c JOIN d ON x ON y', '22: expected "ON" or "USING" after the join, found none'],
    [
      'a, b JOIN c JOIN d ON x ON y',
      '17: expected parentheses around joins with several conditions in a row, found a comma',
    ],
    ['(t)', '16: expected a join within the parentheses, found ")"'],
    ['(a, b)', '16: expected a join within the parentheses, found ","'],
    ['a NATURAL JOIN b', '16: expected the end of the query, found "NATURAL": write JOIN … USING (columns)'],
    ['a LEFT b', '21: expected "JOIN" or "OUTER JOIN", found "b"'],
    ['my -project.ds.t', '17: expected the end of the query, found "-"'],
  ])('%s is refused', (text, problem) => {
    expect(problemOf(`SELECT * FROM ${text}`)).toBe(problem);
  });
});

describe('PIVOT and UNPIVOT', () => {
  test.each([
    [
      "t AS a PIVOT (SUM(x) AS s, COUNT(*) c FOR y IN ('p' AS one, 2)) AS b",
      'Pivot(source: Table(path: t alias: a) spec: PivotSpec(aggregates: [PivotAggregate(expression: FunctionCall(name: SUM args: [x]) alias: s) PivotAggregate(expression: FunctionCall(name: COUNT args: [StarArgument()]) alias: c)] input: y values: [PivotValue(expression: "p" alias: one) PivotValue(expression: 2)]) alias: b)',
    ],
    [
      't UNPIVOT INCLUDE NULLS (v FOR n IN (a AS 1, b.c))',
      'Unpivot(source: Table(path: t) spec: UnpivotSpec(nulls: INCLUDE values: [v] name: n groups: [UnpivotGroup(columns: [a] label: 1) UnpivotGroup(columns: [b.c])]))',
    ],
    [
      "(SELECT 1) UNPIVOT ((v, w) FOR n IN ((a, b) AS 'x', (c, d))) u",
      `Unpivot(source: DerivedTable(query: ${one}) spec: UnpivotSpec(values: [v w] name: n groups: [UnpivotGroup(columns: [a b] label: "x") UnpivotGroup(columns: [c d])]) alias: u)`,
    ],
  ])('FROM %s is parsed as %s', (text, tree) => {
    expect(dumpFrom(text)).toBe(tree);
  });
});
