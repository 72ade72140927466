import { parsePath, pathAfter } from '../names.ts';
import type { Expression, FunctionCall, Path, Subscript, SubscriptMode } from '../nodes.ts';
import type { Parser } from '../parser.ts';
import { parseCall } from './calls.ts';
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
      operand = p.at('(') ? callOn(p, start, operand, parenthesizedPath(p)) : fieldOrCall(p, start, operand);
    } else return operand;
  }
}

function fieldOrCall(p: Parser, start: number, operand: Expression): Expression {
  const field = p.anyName('the name of a field after "."');
  if (p.at('(')) return callOn(p, start, operand, pathAfter(p, field));
  return { kind: 'FieldAccess', start, end: p.end, operand, field };
}

/** `(value).(SAFE.LEFT)(…)`: a name with dots needs parentheses. */
function parenthesizedPath(p: Parser): Path {
  p.expect('(');
  const path = parsePath(p, 'the name of a function');
  p.expect(')');
  return path;
}

/** `(value).function(…)`: the value is the first argument. */
function callOn(p: Parser, start: number, operand: Expression, path: Path): FunctionCall {
  const call = parseCall(p, path, true);
  const star = call.args.find(({ kind }) => kind === 'StarArgument');
  if (star) p.problem(star.start, 'expected an argument of a chained call, found "*"');
  return { ...call, start, args: [operand, ...call.args] };
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
