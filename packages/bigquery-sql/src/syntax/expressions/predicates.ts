import type { Expression, ExpressionList, ValueSet } from '../nodes.ts';
import type { Parser } from '../parser.ts';
import { insideParentheses } from './parentheses.ts';

const predicates: ReadonlySet<string> = new Set(['LIKE', 'IN', 'BETWEEN', 'IS', 'NOT']);

/** True if a comparison in words comes next. */
export const isPredicate = (p: Parser): boolean => p.atOneOf(predicates);

/** LIKE, IN, BETWEEN and IS with what follows them. */
export function parsePredicate(p: Parser, start: number, operand: Expression): Expression {
  if (p.accept('IS')) return parseIs(p, start, operand);
  const negated = p.accept('NOT');
  switch (p.expectOneOf(['IN', 'LIKE', 'BETWEEN'])) {
    case 'IN': {
      const values = parseValueSet(p);
      return { kind: 'In', start, end: p.end, operand, negated, values };
    }
    case 'LIKE':
      return parseLike(p, start, operand, negated);
    case 'BETWEEN': {
      const low = p.operand();
      p.expect('AND', '"AND" of BETWEEN');
      const high = p.operand();
      return { kind: 'Between', start, end: p.end, operand, negated, low, high };
    }
  }
}

function parseLike(p: Parser, start: number, operand: Expression, negated: boolean): Expression {
  const quantifier = p.acceptOneOf(['ANY', 'SOME', 'ALL']);
  if (quantifier === undefined) {
    const pattern = p.operand();
    return { kind: 'Like', start, end: p.end, operand, negated, pattern };
  }
  const patterns = parseValueSet(p);
  return { kind: 'QuantifiedLike', start, end: p.end, operand, negated, quantifier, patterns };
}

function parseIs(p: Parser, start: number, operand: Expression): Expression {
  const negated = p.accept('NOT');
  if (p.accept('DISTINCT', 'FROM')) {
    const right = p.at('NOT') ? p.negation() : p.operand();
    return { kind: 'IsDistinctFrom', start, end: p.end, left: operand, negated, right };
  }
  const value = p.acceptOneOf(['NULL', 'TRUE', 'FALSE', 'UNKNOWN']);
  if (value === undefined) return p.fail('"NULL", "TRUE", "FALSE", "UNKNOWN" or "DISTINCT FROM"');
  return { kind: 'Is', start, end: p.end, operand, negated, value };
}

function parseValueSet(p: Parser): ValueSet {
  const { start } = p;
  if (p.accept('UNNEST')) {
    p.expect('(');
    const array = p.expression();
    p.expect(')');
    return { kind: 'UnnestedValues', start, end: p.end, array };
  }
  p.expect('(', '"(" or "UNNEST"');
  const first = insideParentheses(p);
  if (first.kind === 'Query') {
    p.expect(')');
    return first;
  }
  const items = [first];
  while (p.accept(',')) items.push(p.expression());
  p.close();
  return { kind: 'ExpressionList', start, end: p.end, items } satisfies ExpressionList;
}
