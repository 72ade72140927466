import { Unsupported } from '../rules/unsupported.ts';
import { tokenize } from '../syntax/lexer/tokenize.ts';
import { type Names, tablesOf } from './check-syntax.ts';

/** How much of a word a message shows. */
const longestShown = 40;

/**
 * Says what SQL is to be if a text begins as something else: the parser, which is made for saved queries, would offer more.
 *
 * @throws Unsupported
 */
export function requireSelect(sql: string, names: Names): void {
  const first = tokenize(sql).find(({ key }) => key !== '(');
  if (first === undefined || first.kind === 'invalid' || ['SELECT', 'WITH', 'FROM'].includes(first.key))
    return;
  const found =
    first.kind === 'end'
      ? 'nothing'
      : `"${sql.slice(first.start, Math.min(first.end, first.start + longestShown))}"`;
  throw new Unsupported(first, `sql is one SELECT, found ${found}; ${tablesOf(names)}`);
}
