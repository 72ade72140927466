import type { Limit, OrderByItem, SortOrder } from '../nodes.ts';
import type { Parser } from '../parser.ts';
import { parseString } from './literals.ts';
import { parseNamedParameter, parsePositionalParameter } from './parameter-names.ts';

/** `ORDER BY …`, if it comes next. */
export function parseOrderBy(p: Parser): readonly OrderByItem[] {
  if (!p.accept('ORDER')) return [];
  p.expect('BY');
  return p.list(() => parseOrderByItem(p));
}

export function parseOrderByItem(p: Parser): OrderByItem {
  const { start } = p;
  const expression = p.expression();
  const collation = parseCollation(p);
  const order = parseSortOrder(p);
  return { kind: 'OrderByItem', start, end: p.end, expression, collation, order };
}

function parseCollation(p: Parser): OrderByItem['collation'] {
  if (!p.accept('COLLATE')) return undefined;
  if (p.at('@')) return parseNamedParameter(p);
  if (p.at('?')) return parsePositionalParameter(p);
  return parseString(p, 'a string or a parameter after COLLATE');
}

/** `[ASC | DESC] [NULLS {FIRST | LAST}]`. */
export function parseSortOrder(p: Parser): SortOrder {
  const direction = p.acceptOneOf(['ASC', 'DESC']);
  const nulls = p.accept('NULLS') ? p.expectOneOf(['FIRST', 'LAST']) : undefined;
  return { direction, nulls };
}

/** `LIMIT count [OFFSET offset]`, if it comes next. */
export function parseLimit(p: Parser): Limit | undefined {
  const { start } = p;
  if (!p.accept('LIMIT')) return undefined;
  const count = p.expression();
  const offset = p.accept('OFFSET') ? p.expression() : undefined;
  return { kind: 'Limit', start, end: p.end, count, offset };
}
