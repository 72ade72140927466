import type { Expression, Subscript, SubscriptMode } from '../nodes.ts';
import type { Parser } from '../parser.ts';
import { parsePrimary } from './primary.ts';

/** A primary expression with the fields and elements that are taken of it. */
export function parsePostfix(p: Parser): Expression {
  const { start } = p;
  return postfixAfter(p, start, parsePrimary(p));
}

/** `.*` stays unread: only a select list takes it. */
export function postfixAfter(p: Parser, start: number, primary: Expression): Expression {
  let operand = primary;
  for (;;) {
    if (p.at('[')) operand = parseSubscript(p, start, operand);
    else if (p.at('.') && !p.at('.', '*')) {
      p.next();
      const field = p.anyName('the name of a field after "."');
      operand = { kind: 'FieldAccess', start, end: p.end, operand, field };
    } else return operand;
  }
}

const modes: ReadonlySet<string> = new Set<SubscriptMode>([
  'OFFSET',
  'SAFE_OFFSET',
  'ORDINAL',
  'SAFE_ORDINAL',
  'KEY',
  'SAFE_KEY',
]);

function parseSubscript(p: Parser, start: number, operand: Expression): Subscript {
  p.expect('[');
  const isMode = p.atOneOf(modes) && p.peek(1).key === '(';
  const mode = isMode ? (p.next().key as SubscriptMode) : 'PLAIN';
  if (isMode) p.expect('(');
  const index = p.expression();
  if (isMode) p.expect(')');
  p.expect(']');
  return { kind: 'Subscript', start, end: p.end, operand, mode, index };
}
