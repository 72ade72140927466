import type { Expression, Query, Tuple } from '../nodes.ts';
import type { Parser } from '../parser.ts';

/** True if a query comes next, and an expression cannot; a parenthesis may start either. */
export function startsQuery(p: Parser): boolean {
  return p.at('SELECT') || p.at('FROM') || (p.at('WITH') && !p.at('WITH', '('));
}

const queryClauses: ReadonlySet<string> = new Set(['UNION', 'INTERSECT', 'EXCEPT', 'ORDER', 'LIMIT', '|>']);
const columnModes: ReadonlySet<string> = new Set(['FULL', 'LEFT', 'INNER', 'OUTER']);

/** True if a query in parentheses gets an alias for the pipe operators after it. */
export const startsPipesOfAlias = (p: Parser): boolean => p.at('AS') && p.atName(1) && p.peek(2).key === '|>';

/** True if the tokens after a query in parentheses make a larger query of it. */
export function continuesQuery(p: Parser): boolean {
  if (startsPipesOfAlias(p)) return true;
  let ahead = 0;
  while (p.atOneOf(columnModes, ahead) && ahead < 2) ahead += 1;
  return p.atOneOf(queryClauses, ahead);
}

/** `(…)` as an expression: an expression, a tuple, or a query as a value. */
export function parseParenthesized(p: Parser): Expression {
  const { start } = p;
  p.expect('(');
  const inner = insideParentheses(p);
  if (inner.kind === 'Query') {
    p.expect(')');
    return { kind: 'ScalarSubquery', start, end: p.end, query: inner };
  }
  return parseTupleAfter(p, start, inner);
}

/** The rest of `(first, …)`; one expression alone is not a tuple. */
function parseTupleAfter(p: Parser, start: number, first: Expression): Expression {
  if (!p.at(',')) {
    p.close();
    return first;
  }
  const elements = [first];
  while (p.accept(',')) elements.push(p.expression());
  p.close();
  return { kind: 'Tuple', start, end: p.end, elements } satisfies Tuple;
}

/**
 * The content of parentheses: a query, or the first expression. After `((SELECT 1)` it depends on what follows: an
 * operator makes the query an operand, UNION a part of a larger query.
 */
export const insideParentheses = (p: Parser): Query | Expression =>
  p.nested(() => {
    const { start } = p;
    if (startsQuery(p)) return p.query();
    if (!p.accept('(')) return p.expression();
    const inner = insideParentheses(p);
    if (inner.kind !== 'Query') return p.expressionAfter(start, parseTupleAfter(p, start, inner));
    p.expect(')');
    if (p.at(')')) return inner;
    if (continuesQuery(p)) return p.queryAfter(start, inner);
    return p.expressionAfter(start, { kind: 'ScalarSubquery', start, end: p.end, query: inner });
  });
