import type { Statement } from './nodes.ts';
import { SyntaxProblem } from './syntax-problem.ts';

/**
 * The tree of one query as BigQuery's dialect of GoogleSQL writes it, with the temporary functions before it.
 *
 * @throws SyntaxProblem and nothing else, whatever the text is
 */
export function parseQuery(sql: string): Statement {
  throw new SyntaxProblem(sql.length, 'the parser is not written yet');
}
