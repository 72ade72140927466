import { parseSortOrder } from '../expressions/ordering.ts';
import type {
  Cube,
  GroupBy,
  GroupingExpression,
  GroupingItem,
  GroupingList,
  GroupingSets,
  Rollup,
} from '../nodes.ts';
import type { Parser } from '../parser.ts';
import { listWithTrailingComma } from './select-items.ts';

/** `GROUP BY …` of a SELECT. */
export function parseGroupBy(p: Parser): GroupBy {
  const { start } = p;
  p.expect('GROUP');
  p.expect('BY');
  if (p.accept('ALL')) return { kind: 'GroupBy', start, end: p.end, all: true, items: [] };
  const items = p.list(() => parseGroupingItem(p, parseExpressionItem));
  return { kind: 'GroupBy', start, end: p.end, all: false, items };
}

/** The list after `GROUP [AND ORDER] BY` of a pipe's AGGREGATE, where items have names and an order. */
export function parsePipeGroupBy(p: Parser, start: number): GroupBy {
  const items = listWithTrailingComma(p, () => parseGroupingItem(p, parsePipeItem));
  return { kind: 'GroupBy', start, end: p.end, all: false, items };
}

function parseGroupingItem(p: Parser, expressionItem: (p: Parser) => GroupingExpression): GroupingItem {
  if (p.at('ROLLUP')) return parseRollup(p);
  if (p.at('CUBE')) return parseCube(p);
  if (p.at('GROUPING', 'SETS')) return parseGroupingSets(p);
  if (p.at('(', ')')) return parseGrandTotal(p);
  return expressionItem(p);
}

function parseExpressionItem(p: Parser): GroupingExpression {
  const { start } = p;
  const expression = p.expression();
  const order = { direction: undefined, nulls: undefined };
  return { kind: 'GroupingExpression', start, end: p.end, expression, alias: undefined, order };
}

function parsePipeItem(p: Parser): GroupingExpression {
  const { start } = p;
  const expression = p.expression();
  const { alias, order } = parseAliasAndOrder(p);
  return { kind: 'GroupingExpression', start, end: p.end, expression, alias, order };
}

/** `[AS name] [ASC | DESC]`. */
export function parseAliasAndOrder(p: Parser): Pick<GroupingExpression, 'alias' | 'order'> {
  const alias = p.alias();
  return { alias, order: parseSortOrder(p) };
}

function parseRollup(p: Parser): Rollup {
  const { start } = p;
  p.expect('ROLLUP');
  const items = p.parenthesizedList(() => parseGroupingList(p));
  return { kind: 'Rollup', start, end: p.end, items };
}

function parseCube(p: Parser): Cube {
  const { start } = p;
  p.expect('CUBE');
  const items = p.parenthesizedList(() => parseGroupingList(p));
  return { kind: 'Cube', start, end: p.end, items };
}

function parseGroupingSets(p: Parser): GroupingSets {
  const { start } = p;
  p.expect('GROUPING');
  p.expect('SETS');
  const sets = p.parenthesizedList(() => parseGroupingSet(p));
  return { kind: 'GroupingSets', start, end: p.end, sets };
}

function parseGroupingSet(p: Parser): GroupingList | Rollup | Cube {
  if (p.at('ROLLUP')) return parseRollup(p);
  if (p.at('CUBE')) return parseCube(p);
  return p.at('(', ')') ? parseGrandTotal(p) : parseGroupingList(p);
}

/** `()`: all rows together. */
function parseGrandTotal(p: Parser): GroupingList {
  const { start } = p;
  p.expect('(');
  p.expect(')');
  return { kind: 'GroupingList', start, end: p.end, expressions: [] };
}

/** `a`, `(a, b)`. Parentheses around several expressions make a list, not a struct. */
function parseGroupingList(p: Parser): GroupingList {
  const { start } = p;
  const expression = p.expression();
  const expressions = expression.kind === 'Tuple' ? expression.elements : [expression];
  return { kind: 'GroupingList', start, end: p.end, expressions };
}
