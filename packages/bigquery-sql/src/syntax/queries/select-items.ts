import type { Identifier, ReplacedColumn, SelectItem, StarModifiers } from '../nodes.ts';
import type { Parser } from '../parser.ts';

/** The list after SELECT and the like; a comma after its last item is allowed. */
export function parseSelectItems(p: Parser): readonly SelectItem[] {
  if (p.atOneOf(afterList)) p.failName('a column');
  return listWithTrailingComma(p, parseSelectItem);
}

export function listWithTrailingComma<Item>(p: Parser, item: (p: Parser) => Item): readonly Item[] {
  const items = [item(p)];
  while (p.accept(',') && p.token.kind !== 'end' && (!p.atOneOf(afterList) || p.atUnquotedName()))
    items.push(item(p));
  return items;
}

/** Tokens that may follow a list, and start none of its items. */
const afterList: ReadonlySet<string> = new Set(
  'FROM WHERE GROUP HAVING QUALIFY WINDOW ORDER LIMIT UNION INTERSECT EXCEPT |> ) ;'.split(' '),
);

export function parseSelectItem(p: Parser): SelectItem {
  const { start } = p;
  if (p.accept('*')) {
    const modifiers = parseStarModifiers(p);
    return { kind: 'Star', start, end: p.end, ...modifiers };
  }
  const expression = p.expression();
  if (p.accept('.', '*')) {
    const modifiers = parseStarModifiers(p);
    return { kind: 'DotStar', start, end: p.end, operand: expression, ...modifiers };
  }
  const hasAs = p.at('AS');
  const alias = p.alias();
  // `a COUNT(*)`: not an alias, but a column whose comma is missing.
  if (alias && !hasAs && p.at('('))
    p.problem(alias.start, `expected a comma, "FROM" or the end of the query, found "${alias.name}"`);
  return { kind: 'SelectExpression', start, end: p.end, expression, alias };
}

/** `[EXCEPT (…)] [REPLACE (…)]`. EXCEPT without a parenthesis is the set operator. */
function parseStarModifiers(p: Parser): StarModifiers {
  const except: readonly Identifier[] = p.at('EXCEPT', '(') ? parseExcept(p) : [];
  const replace = p.at('REPLACE', '(') ? parseReplace(p) : [];
  return { except, replace };
}

function parseExcept(p: Parser): readonly Identifier[] {
  p.expect('EXCEPT');
  return p.parenthesizedList(() => p.name('the name of a column'));
}

function parseReplace(p: Parser): readonly ReplacedColumn[] {
  p.expect('REPLACE');
  return p.parenthesizedList(() => {
    const { start } = p;
    const expression = p.expression();
    p.accept('AS');
    const name = p.name('"AS" and the name of a column');
    return { kind: 'ReplacedColumn', start, end: p.end, expression, name };
  });
}
