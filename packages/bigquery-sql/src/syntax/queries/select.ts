import { parseWindowClause } from '../expressions/windows.ts';
import { parsePath } from '../names.ts';
import type { Expression, Select, SelectAs, SelectModifier } from '../nodes.ts';
import { parseOptions } from '../option-list.ts';
import type { Parser } from '../parser.ts';
import { parseGroupBy } from './grouping.ts';
import { parseFrom } from './joins.ts';
import { parseSelectItems } from './select-items.ts';

export function parseSelect(p: Parser): Select {
  const { start } = p;
  p.expect('SELECT');
  const modifier = p.at('WITH') && !p.at('WITH', '(') ? parseModifier(p) : undefined;
  const distinct = parseDistinct(p);
  const as = parseSelectAs(p);
  const items = parseSelectItems(p);
  const from = p.at('FROM') ? parseFrom(p) : undefined;
  if (!from && p.atOneOf(clausesOfRows)) {
    p.fail(`"FROM" before "${p.token.key}"`);
  }
  const where = parseCondition(p, 'WHERE');
  const groupBy = p.at('GROUP') ? parseGroupBy(p) : undefined;
  const having = parseCondition(p, 'HAVING');
  const qualify = parseCondition(p, 'QUALIFY');
  const windows = parseWindowClause(p);
  return {
    kind: 'Select',
    start,
    end: p.end,
    modifier,
    distinct,
    as,
    items,
    from,
    where,
    groupBy,
    having,
    qualify,
    windows,
  };
}

/** The clauses that need rows to work on. */
const clausesOfRows: ReadonlySet<string> = new Set(['WHERE', 'GROUP', 'HAVING', 'QUALIFY', 'WINDOW']);

function parseCondition(p: Parser, keyword: string): Expression | undefined {
  return p.accept(keyword) ? p.expression() : undefined;
}

/** `[ALL | DISTINCT]`. */
export const parseDistinct = (p: Parser): boolean => p.acceptOneOf(['ALL', 'DISTINCT']) === 'DISTINCT';

/** `[AS {STRUCT | VALUE | typename}]`. */
export function parseSelectAs(p: Parser): SelectAs | undefined {
  const { start } = p;
  if (!p.accept('AS')) return undefined;
  const mode = p.acceptOneOf(['STRUCT', 'VALUE']) ?? 'TYPE';
  const typeName = mode === 'TYPE' ? parsePath(p, '"STRUCT", "VALUE" or the name of a type') : undefined;
  return { kind: 'SelectAs', start, end: p.end, mode, typeName };
}

function parseModifier(p: Parser): SelectModifier {
  p.expect('WITH');
  const name = p.name();
  const options = parseOptions(p);
  return { kind: 'SelectModifier', start: name.start, end: p.end, name, options };
}
