import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Node } from '../../src/syntax/nodes.ts';
import { parseQuery } from '../../src/syntax/parse-query.ts';
import { walk } from '../../src/syntax/walk.ts';
import { dump, expressionOf, misplaced } from './dump.ts';

const sources = [
  ...globSync('queries/*.sql').map((file) => readFileSync(file, 'utf8')),
  'SELECT (a + b) * c, (a).b.c, ((1)), ((SELECT 1) + 2), -(a), (a, b)[0] FROM t',
  'SELECT a IN (1, 2) AND b NOT BETWEEN (1) AND (2), f(DISTINCT a, b => 1 ORDER BY c LIMIT 1) OVER (w ROWS 1 PRECEDING) FROM my-project.`a.b` AS t',
  'SELECT * FROM (a JOIN b ON (x)) JOIN c JOIN d ON x ON y CROSS JOIN UNNEST(t.a) WITH OFFSET o',
  'FROM t |> AGGREGATE SUM(a) AS b GROUP AND ORDER BY c DESC |> FULL UNION ALL BY NAME (SELECT 1)',
];

const nodesOf = (sql: string): readonly Node[] => {
  const nodes: Node[] = [];
  walk(parseQuery(sql), (node) => nodes.push(node));
  return nodes;
};

test.each(sources)('nodes lie within each other, and start and end at a token: %s', (sql) => {
  expect(misplaced(parseQuery(sql))).toEqual([]);
  for (const { kind, start, end } of nodesOf(sql)) {
    const text = sql.slice(start, end);
    expect(text, kind).toBe(text.trim());
    expect(text, kind).not.toBe('');
  }
});

/** Kinds of expressions; the text of each, in parentheses or not, is the same expression. */
const expressions: ReadonlySet<string> = new Set(
  `FieldAccess Subscript NullLiteral BooleanLiteral IntegerLiteral FloatLiteral StringLiteral TypedLiteral IntervalLiteral
  NamedParameter ArrayConstructor StructConstructor Tuple Unary Binary Concatenation Comparison Logical Not Is Between In
  Case Cast Extraction FunctionCall ScalarSubquery ArraySubquery Exists`.split(/\s+/),
);

test.each(sources)('the text of an expression parses to the same expression: %s', (sql) => {
  for (const node of nodesOf(sql)) {
    if (!expressions.has(node.kind)) continue;
    expect(dump(expressionOf(sql.slice(node.start, node.end)))).toBe(dump(node));
  }
});

test.each(sources)('the text of a query parses to the same query: %s', (sql) => {
  for (const node of nodesOf(sql)) {
    if (node.kind !== 'Query') continue;
    expect(dump(parseQuery(sql.slice(node.start, node.end)).query)).toBe(dump(node));
  }
});

test('the parts of a quoted table name have their own places', () => {
  const sql = 'SELECT * FROM `my-project.ds.t`';
  const names = nodesOf(sql).filter(({ kind }) => kind === 'Identifier');
  expect(names.map(({ start, end }) => sql.slice(start, end))).toEqual(['my-project', 'ds', 't']);
});

test('a dashed name ends before its dot, also after digits', () => {
  const sql = 'SELECT * FROM my-project-12.ds.t';
  const names = nodesOf(sql).filter(({ kind }) => kind === 'Identifier');
  expect(names.map(({ start, end }) => sql.slice(start, end))).toEqual(['my-project-12', 'ds', 't']);
});
