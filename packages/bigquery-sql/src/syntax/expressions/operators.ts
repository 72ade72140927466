import type { BinaryOperator, ComparisonOperator, Expression } from '../nodes.ts';
import type { Parser } from '../parser.ts';
import { parsePostfix, postfixAfter } from './postfix.ts';
import { isPredicate, parsePredicate } from './predicates.ts';

/** How tightly an operator binds. Concatenation binds between multiplication and addition, as in BigQuery. */
const binding = {
  or: 1,
  and: 2,
  not: 3,
  comparison: 4,
  bitOr: 5,
  bitXor: 6,
  bitAnd: 7,
  shift: 8,
  addition: 9,
  concatenation: 10,
  multiplication: 11,
} as const;

const bindingOf: ReadonlyMap<string, number> = new Map([
  ['OR', binding.or],
  ['AND', binding.and],
  ...['=', '!=', '<>', '<', '<=', '>', '>=', 'LIKE', 'IN', 'BETWEEN', 'IS', 'NOT'].map(
    (key) => [key, binding.comparison] as const,
  ),
  ['|', binding.bitOr],
  ['^', binding.bitXor],
  ['&', binding.bitAnd],
  ['<<', binding.shift],
  ['+', binding.addition],
  ['-', binding.addition],
  ['||', binding.concatenation],
  ['*', binding.multiplication],
  ['/', binding.multiplication],
]);

export const parseExpression = (p: Parser): Expression => parseOperators(p, binding.or);

/** An operand of a comparison. */
export const parseOperand = (p: Parser): Expression => parseOperators(p, binding.comparison + 1);

export const parseExpressionAfter = (p: Parser, start: number, operand: Expression): Expression =>
  parseOperatorsAfter(p, start, postfixAfter(p, start, operand), binding.or);

function parseOperators(p: Parser, lowest: number): Expression {
  const { start } = p;
  const operand = lowest <= binding.not && p.at('NOT') ? parseNot(p) : parseSigned(p);
  return parseOperatorsAfter(p, start, operand, lowest);
}

/** Precedence climbing: reads operators that bind at least as tightly as `lowest`. */
function parseOperatorsAfter(p: Parser, start: number, operand: Expression, lowest: number): Expression {
  let left = operand;
  for (;;) {
    const next = nextBinding(p);
    if (next === undefined || next < lowest) return left;
    switch (next) {
      case binding.or:
      case binding.and:
        left = parseLogical(p, start, left, next);
        break;
      case binding.comparison:
        left = parseComparison(p, start, left);
        if ((nextBinding(p) ?? 0) >= binding.comparison) failChain(p);
        break;
      case binding.concatenation:
        left = parseConcatenation(p, start, left);
        break;
      default: {
        const operator = readOperator(p);
        const right = parseOperators(p, next + 1);
        left = { kind: 'Binary', start, end: p.end, operator, left, right };
      }
    }
  }
}

/** A comparison is not an operand of an operator that binds as tightly or tighter: `a = b = c`, `a IS NULL + 1`. */
const failChain = (p: Parser) =>
  p.problem(p.start, `expected parentheses around the comparison before an operator, found "${p.token.key}"`);

function nextBinding(p: Parser): number | undefined {
  if (p.at('>') && isShiftRight(p)) return binding.shift;
  if (p.at('NOT') && !p.atOneOf(negatable, 1)) return undefined;
  return bindingOf.get(p.token.key);
}

const negatable: ReadonlySet<string> = new Set(['IN', 'LIKE', 'BETWEEN']);

/** Two signs without a blank; the lexer does not join them, because they also end `ARRAY<RANGE<DATE>>`. */
const isShiftRight = (p: Parser) => p.peek(1).key === '>' && p.peek(1).start === p.token.end;

function readOperator(p: Parser): BinaryOperator {
  if (p.accept('>', '>')) return '>>';
  return p.next().key as BinaryOperator;
}

function parseLogical(p: Parser, start: number, first: Expression, level: number): Expression {
  const operator = level === binding.or ? 'OR' : 'AND';
  const operands = [first];
  while (p.accept(operator)) operands.push(parseOperators(p, level + 1));
  return { kind: 'Logical', start, end: p.end, operator, operands };
}

function parseConcatenation(p: Parser, start: number, first: Expression): Expression {
  const operands = [first];
  while (p.accept('||')) operands.push(parseOperators(p, binding.concatenation + 1));
  return { kind: 'Concatenation', start, end: p.end, operands };
}

function parseComparison(p: Parser, start: number, left: Expression): Expression {
  if (isPredicate(p)) return parsePredicate(p, start, left);
  const { key } = p.next();
  const operator = (key === '<>' ? '!=' : key) as ComparisonOperator;
  const right = p.operand();
  return { kind: 'Comparison', start, end: p.end, operator, left, right };
}

export function parseNot(p: Parser): Expression {
  const { start } = p;
  p.expect('NOT');
  const operand = p.nested(() => parseOperators(p, binding.not));
  return { kind: 'Not', start, end: p.end, operand };
}

/** Each sign is a level of nesting, so that a million of them are a problem and not a full stack. */
function parseSigned(p: Parser): Expression {
  const { start } = p;
  const operator = p.acceptOneOf(['-', '+', '~']);
  if (operator === undefined) return parsePostfix(p);
  const operand = p.nested(parseSigned);
  return { kind: 'Unary', start, end: p.end, operator, operand };
}
