import { mapExpression, mapExpressions } from '../../tree/map.ts';
import type { Column, Expression, Query } from '../../tree/nodes.ts';
import { simplify } from './simplify.ts';

/** Gives the expression to write for a column of an item in FROM; undefined leaves the column as it is. */
export type Substitution = (column: Column) => Expression | undefined;

/** Replaces columns everywhere in a query; aliases are used once, so that no scope has to be regarded. */
export const substitute = <Q extends Query>(query: Q, replace: Substitution): Q =>
  mapExpressions(query, replacement(replace));

/** Replaces columns everywhere in an expression. */
export const substituteIn = (expression: Expression, replace: Substitution): Expression =>
  mapExpression(expression, replacement(replace));

const replacement = (replace: Substitution) => (part: Expression) =>
  part.kind === 'column' ? (replace(part) ?? part) : simplify(part);
