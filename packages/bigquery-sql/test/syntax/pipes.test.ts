import { expect, test } from 'vitest';
import { parseQuery } from '../../src/syntax/parse-query.ts';
import { dump, problemOf } from './dump.ts';

const one = 'Query(body: Select(items: [SelectExpression(expression: 1)]))';

test.each([
  [
    'SELECT a, t.*, WINDOW w AS ()',
    'PipeSelect(items: [SelectExpression(expression: a) DotStar(operand: t)] windows: [NamedWindow(name: w window: Window())])',
  ],
  ['SELECT DISTINCT AS STRUCT *', 'PipeSelect(distinct: true as: SelectAs(mode: STRUCT) items: [Star()])'],
  [
    'EXTEND a + 1 AS b,',
    'PipeExtend(items: [SelectExpression(expression: Binary(operator: + left: a right: 1) alias: b)])',
  ],
  [
    'SET a = 1, b = 2',
    'PipeSet(assignments: [PipeAssignment(column: a expression: 1) PipeAssignment(column: b expression: 2)])',
  ],
  ['DROP a, b', 'PipeDrop(columns: [a b])'],
  ['RENAME a AS b, c d', 'PipeRename(columns: [RenamedColumn(from: a to: b) RenamedColumn(from: c to: d)])'],
  ['AS u', 'PipeAs(alias: u)'],
  ['WHERE a', 'PipeWhere(condition: a)'],
  [
    'AGGREGATE COUNT(*) AS n',
    'PipeAggregate(items: [PipeAggregateItem(expression: FunctionCall(name: COUNT args: [StarArgument()]) alias: n)])',
  ],
  [
    'AGGREGATE SUM(a) AS s DESC, GROUP BY b AS c ASC NULLS LAST, ROLLUP (d)',
    'PipeAggregate(items: [PipeAggregateItem(expression: FunctionCall(name: SUM args: [a]) alias: s order: (direction: DESC))] groupBy: GroupBy(items: [GroupingExpression(expression: b alias: c order: (direction: ASC nulls: LAST)) Rollup(items: [GroupingList(expressions: [d])])]))',
  ],
  [
    'AGGREGATE GROUP AND ORDER BY a DESC',
    'PipeAggregate(groupBy: GroupBy(items: [GroupingExpression(expression: a order: (direction: DESC))]) ordered: true)',
  ],
  ['DISTINCT', 'PipeDistinct()'],
  [
    'ORDER BY a DESC, b',
    'PipeOrderBy(items: [OrderByItem(expression: a order: (direction: DESC)) OrderByItem(expression: b)])',
  ],
  ['LIMIT 1 OFFSET 2', 'PipeLimit(limit: Limit(count: 1 offset: 2))'],
  [
    'LEFT JOIN u AS v USING (a)',
    'PipeJoin(type: LEFT right: Table(path: u alias: v) condition: Using(columns: [a]))',
  ],
  ['CROSS JOIN UNNEST(a) AS b', 'PipeJoin(type: CROSS right: Unnest(array: a alias: b))'],
  [
    'UNION ALL (SELECT 1), (SELECT 1)',
    `PipeSetOperation(operator: UNION quantifier: ALL queries: [${one} ${one}])`,
  ],
  [
    'FULL UNION ALL BY NAME (SELECT 1)',
    `PipeSetOperation(operator: UNION quantifier: ALL match: ColumnMatch(spelling: BY NAME mode: FULL) queries: [${one}])`,
  ],
  [
    'TABLESAMPLE SYSTEM (1 PERCENT)',
    'PipeTableSample(spec: SampleSpec(method: SYSTEM size: 1 unit: PERCENT))',
  ],
  [
    'PIVOT (SUM(a) FOR b IN (1)) AS p',
    'PipePivot(spec: PivotSpec(aggregates: [PivotAggregate(expression: FunctionCall(name: SUM args: [a]))] input: b values: [PivotValue(expression: 1)]) alias: p)',
  ],
  [
    'UNPIVOT (a FOR b IN (c))',
    'PipeUnpivot(spec: UnpivotSpec(values: [a] name: b groups: [UnpivotGroup(columns: [c])]))',
  ],
  ['CALL f(1) AS u', 'PipeCall(call: TableFunction(name: f args: [1] alias: u))'],
  [
    'WINDOW SUM(a) OVER () AS s',
    'PipeWindow(items: [SelectExpression(expression: FunctionCall(name: SUM args: [a] over: Window()) alias: s)])',
  ],
  ['WITH c AS (SELECT 1)', `PipeWith(with: With(tables: [CommonTable(name: c query: ${one})]))`],
])('|> %s', (operator, tree) => {
  const { body, pipes } = parseQuery(`FROM t |> ${operator} |> WHERE TRUE`).query;
  expect(dump(body)).toBe('FromQuery(from: Table(path: t))');
  expect(pipes.map(dump)).toEqual([tree, 'PipeWhere(condition: TRUE)']);
});

test('pipes come after any query, and a query may be FROM alone', () => {
  expect(dump(parseQuery('SELECT 1 |> LIMIT 1').query.pipes)).toBe('[PipeLimit(limit: Limit(count: 1))]');
  expect(problemOf('WITH a AS (FROM t) SELECT ARRAY(FROM a), EXISTS((FROM a |> WHERE b))')).toBeUndefined();
});

test.each([
  [
    'FROM t WHERE a',
    '7: expected "|>" before a further clause of a query that starts with FROM, found "WHERE"',
  ],
  ['FROM t |> FOO', '10: expected a pipe operator such as "SELECT", "WHERE" or "AGGREGATE", found "FOO"'],
  ['FROM t |> JOIN u', '16: expected "ON" or "USING", found the end of the text'],
  ['FROM t |> UNION ALL SELECT 1', '20: expected a query in parentheses, found "SELECT"'],
  ['FROM t |> SELECT', '16: expected an expression, found the end of the text'],
  ['FROM t |> AGGREGATE', '19: expected an expression, found the end of the text'],
])('%s is refused', (sql, problem) => {
  expect(problemOf(sql)).toBe(problem);
});

test('a query in parentheses has an alias before pipe operators', () => {
  const named = `FromQuery(from: DerivedTable(query: ${one} alias: t)) pipes: [PipeWhere(condition: a)]`;
  expect(dump(parseQuery('(SELECT 1) AS t |> WHERE a').query)).toBe(`Query(body: ${named})`);
  expect(dump(parseQuery('SELECT ((SELECT 1) AS t |> WHERE a)').query)).toContain(named);
  expect(dump(parseQuery('SELECT * FROM ((SELECT 1) AS t |> WHERE a)').query)).toContain(named);
  expect(problemOf('(SELECT 1) AS t')).toBe('11: expected the end of the query, found "AS"');
});
