import type { TokenAt } from './foreign-syntax.ts';
import { isReserved } from './lexer/keywords.ts';

/** True if the reserved word at 0 is used as a name: the next token goes on with an operand, or ends it. */
export const isUsedAsName = (at: TokenAt): boolean => {
  const next = at(1);
  return isWord(at) && next !== undefined && (next.kind === 'end' || goesOn.has(next.key));
};

/** True if the reserved word at 0, where a name can be, begins no clause, and links no parts of an expression. */
export const mayBeName = (at: TokenAt): boolean => isWord(at) && !parts.has(at(0)?.key ?? '');

function isWord(at: TokenAt): boolean {
  const token = at(0);
  if (token?.kind !== 'word' || !isReserved(token.key) || ['ALL', 'AND', 'OR'].includes(token.key))
    return false;
  return !ofCase.has(token.key) || !isInCase(at);
}

function isInCase(at: TokenAt): boolean {
  let depth = 0;
  for (let distance = -1; ; distance -= 1) {
    const before = at(distance);
    if (before === undefined) return false;
    if (before.key === 'END') depth += 1;
    else if (before.key === 'CASE' && depth === 0) return true;
    else if (before.key === 'CASE') depth -= 1;
  }
}

const ofCase: ReadonlySet<string> = new Set(['WHEN', 'THEN', 'ELSE', 'END']);

/** Tokens that follow an operand, and never a word with which a clause begins. */
const goesOn: ReadonlySet<string> = new Set([
  ...[',', ';', ')', ']', '.', '=', '!=', '<>', '<', '<=', '>', '>=', '*', '/', '||'],
  ...['AS', 'ASC', 'BETWEEN', 'DESC', 'FROM', 'IN', 'IS', 'LIKE'],
]);

/** Words with which parts of a query begin: where another word is found, one of them is perhaps misspelled. */
export const clauseWords: readonly string[] = [
  ...['SELECT', 'FROM', 'WHERE', 'GROUP', 'HAVING', 'QUALIFY', 'WINDOW', 'ORDER', 'LIMIT', 'OFFSET', 'WITH'],
  ...['JOIN', 'CROSS', 'INNER', 'LEFT', 'RIGHT', 'FULL', 'UNION', 'INTERSECT', 'EXCEPT', 'USING'],
];

const parts: ReadonlySet<string> = new Set([...clauseWords, 'ON', 'AS', 'BETWEEN', 'IN', 'IS', 'LIKE']);
