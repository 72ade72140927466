import type { SelectStmt } from 'sql-parser-cst';

export type Clause = SelectStmt['clauses'][number];
export type ClauseOf<T extends Clause['type']> = Extract<Clause, { type: T }>;

/** The clause of that kind; undefined where the SELECT has none. */
export const clauseOf = <T extends Clause['type']>(node: SelectStmt, type: T): ClauseOf<T> | undefined =>
  node.clauses.find((clause): clause is ClauseOf<T> => clause.type === type);

export const isDistinct = (node: SelectStmt): boolean =>
  clauseOf(node, 'select_clause')?.modifiers.some(({ type }) => type === 'select_distinct') ?? false;
