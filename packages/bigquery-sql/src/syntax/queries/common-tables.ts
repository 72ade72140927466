import { startsQuery } from '../expressions/parentheses.ts';
import type { CommonTable, With } from '../nodes.ts';
import type { Parser } from '../parser.ts';

/** `WITH [RECURSIVE] name AS (query), …`. */
export function parseWith(p: Parser): With {
  const { start } = p;
  p.expect('WITH');
  const recursive = p.accept('RECURSIVE');
  const tables = p.list(() => parseCommonTable(p));
  return { kind: 'With', start, end: p.end, recursive, tables };
}

function parseCommonTable(p: Parser): CommonTable {
  const name = p.name('the name of a common table');
  p.expect('AS');
  p.expect('(');
  if (!startsQuery(p) && !p.at('(')) p.fail('a query');
  const query = p.query();
  p.expect(')');
  return { kind: 'CommonTable', start: name.start, end: p.end, name, query };
}
