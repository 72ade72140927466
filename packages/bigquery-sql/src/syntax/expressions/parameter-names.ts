import { pathAfter } from '../names.ts';
import type { NamedParameter, PositionalParameter, SystemVariable } from '../nodes.ts';
import type { Parser } from '../parser.ts';

export function parseNamedParameter(p: Parser): NamedParameter {
  const { start } = p;
  p.expect('@');
  const name = p.anyName('the name of a parameter after "@"');
  return { kind: 'NamedParameter', start, end: p.end, name };
}

export function parsePositionalParameter(p: Parser): PositionalParameter {
  const { start, end } = p.next();
  return { kind: 'PositionalParameter', start, end, position: p.nextPosition() };
}

export function parseSystemVariable(p: Parser): SystemVariable {
  const { start } = p;
  p.expect('@@');
  const name = pathAfter(p, p.anyName('the name of a system variable after "@@"'));
  return { kind: 'SystemVariable', start, end: p.end, name };
}
