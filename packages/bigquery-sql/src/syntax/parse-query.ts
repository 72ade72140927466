import { parseExpression, parseExpressionAfter, parseNot, parseOperand } from './expressions/operators.ts';
import { tokenize } from './lexer/tokenize.ts';
import type { Assert, CreateFunction, CreateView, Statement } from './nodes.ts';
import { type Grammar, Parser } from './parser.ts';
import { parseFromItem } from './queries/joins.ts';
import { parseQueryAfter, parseQuery as parseQueryExpression } from './queries/query.ts';
import { parseAssertList, parseDefinitionList, parseStatement } from './statements.ts';
import { SyntaxProblem } from './syntax-problem.ts';
import { checkTreeDepth } from './tree-depth.ts';
import { parseType } from './type-names.ts';

const grammar: Grammar = {
  expression: parseExpression,
  operand: parseOperand,
  negation: parseNot,
  expressionAfter: parseExpressionAfter,
  type: parseType,
  query: parseQueryExpression,
  queryAfter: parseQueryAfter,
  fromItem: parseFromItem,
};

/** The first line of a query in legacy SQL, in which the same words may have another meaning. */
const legacyPragma = /^\s*(?=#legacysql\b)/i;

/**
 * The tree of one query as BigQuery's dialect of GoogleSQL writes it, with the temporary functions before it.
 *
 * @throws SyntaxProblem and nothing else, whatever the text is
 */
export function parseQuery(sql: string): Statement {
  const pragma = legacyPragma.exec(sql);
  if (pragma !== null)
    throw new SyntaxProblem(pragma[0].length, 'legacy SQL is not supported: write the query in GoogleSQL');
  const statement = parseStatement(new Parser(tokenize(sql), grammar));
  checkTreeDepth(statement);
  return statement;
}

/**
 * The views and functions that a text defines.
 *
 * @throws SyntaxProblem and nothing else, whatever the text is
 */
export function parseDefinitions(sql: string): readonly (CreateFunction | CreateView)[] {
  const definitions = parseDefinitionList(new Parser(tokenize(sql), grammar));
  for (const definition of definitions) checkTreeDepth(definition);
  return definitions;
}

/**
 * The ASSERT statements of a text.
 *
 * @throws SyntaxProblem and nothing else, whatever the text is
 */
export function parseAsserts(sql: string): readonly Assert[] {
  const asserts = parseAssertList(new Parser(tokenize(sql), grammar));
  for (const one of asserts) checkTreeDepth(one);
  return asserts;
}
