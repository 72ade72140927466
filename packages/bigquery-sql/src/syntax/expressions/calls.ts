import { splitPath } from '../names.ts';
import type { Argument, FunctionCall, HavingExtreme, Limit, NamedArgument, Path } from '../nodes.ts';
import type { Parser } from '../parser.ts';
import { parseOrderBy } from './ordering.ts';
import { parseOver } from './windows.ts';

/**
 * A call whose name has been read; what an aggregate or a window function takes comes last.
 *
 * @param hasInput whether its first argument has been read, as in `(x).COUNT(DISTINCT)`
 */
export function parseCall(p: Parser, path: Path, hasInput = false): FunctionCall {
  p.expect('(');
  const distinct = p.accept('DISTINCT');
  const isEmpty = hasInput ? p.atOneOf(afterArguments) : p.at(')') && !distinct;
  const args = isEmpty ? [] : parseArguments(p);
  if (p.at('GROUP', 'BY'))
    p.problem(p.start, 'GROUP BY in a function is not supported: group in a subquery first');
  if (p.at('WHERE'))
    p.problem(p.start, 'WHERE in a function is not supported: write IF(condition, value, NULL), or COUNTIF');
  const nulls = parseNulls(p);
  const having = parseHavingExtreme(p);
  const orderBy = parseOrderBy(p);
  const limit = parseCallLimit(p);
  p.expect(')', limit || orderBy.length > 0 || having || nulls ? '")"' : '")" or ","');
  if (p.at('FILTER', '('))
    p.problem(p.start, 'FILTER is not supported: write IF(condition, value, NULL), or COUNTIF');
  const over = p.accept('OVER') ? parseOver(p) : undefined;
  return {
    kind: 'FunctionCall',
    start: path.start,
    end: p.end,
    name: splitPath(p, path),
    distinct,
    args,
    nulls,
    having,
    orderBy,
    limit,
    over,
  };
}

const afterArguments: ReadonlySet<string> = new Set([')', 'IGNORE', 'RESPECT', 'HAVING', 'ORDER', 'LIMIT']);

function parseArguments(p: Parser): readonly Argument[] {
  if (!p.at('*')) return p.list(() => parseArgument(p));
  const { start, end } = p.next();
  const star: Argument = { kind: 'StarArgument', start, end };
  return p.accept(',') ? [star, ...p.list(() => parseArgument(p))] : [star];
}

function parseArgument(p: Parser): Argument {
  if (p.at('MODEL') && p.atName(1)) p.problem(p.start, 'MODEL is not supported: there are no models here');
  return parseNamedArgument(p) ?? p.expression();
}

/** `name => value`, if one comes next. */
export function parseNamedArgument(p: Parser): NamedArgument | undefined {
  if (!p.atName() || p.peek(1).key !== '=>') return undefined;
  const name = p.anyName();
  p.expect('=>');
  const value = p.expression();
  return { kind: 'NamedArgument', start: name.start, end: p.end, name, value };
}

function parseNulls(p: Parser): 'IGNORE' | 'RESPECT' | undefined {
  const nulls = p.acceptOneOf(['IGNORE', 'RESPECT']);
  if (nulls) p.expect('NULLS');
  return nulls;
}

function parseHavingExtreme(p: Parser): HavingExtreme | undefined {
  const { start } = p;
  if (!p.accept('HAVING')) return undefined;
  const extreme = p.expectOneOf(['MAX', 'MIN']);
  const by = p.expression();
  return { kind: 'HavingExtreme', start, end: p.end, extreme, by };
}

function parseCallLimit(p: Parser): Limit | undefined {
  const { start } = p;
  if (!p.accept('LIMIT')) return undefined;
  const count = p.expression();
  return { kind: 'Limit', start, end: p.end, count, offset: undefined };
}
