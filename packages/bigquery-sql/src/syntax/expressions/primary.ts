import { isReserved } from '../lexer/keywords.ts';
import { parsePath, pathAfter } from '../names.ts';
import type { Expression } from '../nodes.ts';
import type { Parser } from '../parser.ts';
import { parseCall } from './calls.ts';
import { parseArray, parseStruct } from './constructors.ts';
import {
  parseBytes,
  parseFloat64,
  parseInteger,
  parseInterval,
  parseRangeLiteral,
  parseString,
  parseTypedLiteral,
} from './literals.ts';
import { parseNamedParameter, parsePositionalParameter, parseSystemVariable } from './parameter-names.ts';
import { parseParenthesized } from './parentheses.ts';
import { parseCase, parseCast, parseExists, parseExtract, parseWithExpression } from './special-forms.ts';

type Rule = (p: Parser) => Expression;

/** An expression that starts with neither an operator nor another expression. */
export function parsePrimary(p: Parser): Expression {
  const { token } = p;
  switch (token.kind) {
    case 'word':
      return parseWord(p, token.key);
    case 'quoted name':
      return parsePathOrCall(p);
    case 'integer':
      return parseInteger(p);
    case 'float':
      return parseFloat64(p);
    case 'string':
      return parseString(p);
    case 'bytes':
      return parseBytes(p);
    default:
      return (symbolRules.get(token.key) ?? failExpression)(p);
  }
}

const failExpression: Rule = (p) => p.failName('an expression');

const symbolRules: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ['(', parseParenthesized],
  ['[', parseArray],
  ['@', parseNamedParameter],
  ['?', parsePositionalParameter],
  ['@@', parseSystemVariable],
]);

/** A word starts a form of its own, a literal of a type, a call, or a path. */
function parseWord(p: Parser, key: string): Expression {
  const constant = constantRules.get(key);
  if (constant) return constant(p);
  const form = formRules.get(key);
  if (form && (!p.atUnquotedName() || (withElements.has(key) && p.at(key, '<')))) return form(p);
  if (p.peek(1).kind === 'string') {
    const literal = parseTypedLiteral(p, key);
    if (literal) return literal;
  }
  if (p.at('SAFE_CAST', '(')) return parseCast(p);
  if (!isReserved(key)) return parsePathOrCall(p);
  if (reservedFunctions.has(key) && p.at(key, '(')) {
    return parseCall(p, pathAfter(p, p.anyName()));
  }
  return key === 'UNNEST'
    ? p.problem(p.start, 'expected an expression, found "UNNEST", which is allowed in FROM and after IN')
    : failExpression(p);
}

const constantRules: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ['NULL', parseNull],
  ['TRUE', parseBoolean],
  ['FALSE', parseBoolean],
]);

const formRules: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ['CASE', parseCase],
  ['CAST', parseCast],
  ['EXTRACT', parseExtract],
  ['EXISTS', parseExists],
  ['ARRAY', parseArray],
  ['STRUCT', parseStruct],
  ['INTERVAL', parseInterval],
  ['RANGE', parseRange],
  ['WITH', parseWithExpression],
]);

const withElements: ReadonlySet<string> = new Set(['ARRAY', 'STRUCT', 'RANGE']);

/** Reserved words that are also the names of functions. */
const reservedFunctions: ReadonlySet<string> = new Set([
  'IF',
  'LEFT',
  'RIGHT',
  'COLLATE',
  'GROUPING',
  'RANGE',
]);

function parsePathOrCall(p: Parser): Expression {
  const path = parsePath(p);
  return p.at('(') ? parseCall(p, path) : path;
}

function parseRange(p: Parser): Expression {
  return p.at('RANGE', '(') ? parseCall(p, pathAfter(p, p.anyName())) : parseRangeLiteral(p);
}

function parseNull(p: Parser): Expression {
  const { start, end } = p.next();
  return { kind: 'NullLiteral', start, end };
}

function parseBoolean(p: Parser): Expression {
  const { start, end, key } = p.next();
  return { kind: 'BooleanLiteral', start, end, value: key === 'TRUE' };
}
