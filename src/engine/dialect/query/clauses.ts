import type { SelectStmt } from 'sql-parser-cst';
import type { FromItem, Scope } from '../scope.ts';
import { noFrom } from './from-item.ts';
import type { Output } from './select-list.ts';
import type { CommonTables } from './with.ts';

export type Clause = SelectStmt['clauses'][number];
export type ClauseOf<T extends Clause['type']> = Extract<Clause, { type: T }>;

/** The clause of that kind, if the SELECT has one. */
export const clauseOf = <T extends Clause['type']>(node: SelectStmt, type: T): ClauseOf<T> | undefined =>
  node.clauses.find((clause): clause is ClauseOf<T> => clause.type === type);

export const isDistinct = (node: SelectStmt): boolean =>
  clauseOf(node, 'select_clause')?.modifiers.some(({ type }) => type === 'select_distinct') ?? false;

/** The parts of a SELECT, translated. */
export interface Clauses {
  readonly ctes: CommonTables;
  readonly item: FromItem;
  readonly columns: readonly Output[];
  /** True if the one column is the row itself: SELECT AS STRUCT and AS VALUE. */
  readonly value: boolean;
  /** The names that ORDER BY may use. */
  readonly outputScope: Scope;
  readonly where: readonly string[];
  readonly groupBy: string;
  readonly having: readonly string[];
  readonly windows: string;
  readonly qualify: readonly string[];
  readonly orderAndLimit: string;
}

/** The keyword and the conjunction of the conditions; empty without conditions. */
export const conditionClause = (keyword: string, conditions: readonly string[]): string =>
  conditions.length === 0 ? '' : ` ${keyword} ${conditions.join(' AND ')}`;

/** FROM and WHERE, with additional conditions. */
export function fromAndWhere({ item, where }: Clauses, additional: readonly string[] = []): string {
  const source = item === noFrom ? '' : ` FROM ${item.text()}`;
  return `${source}${conditionClause('WHERE', [...where, ...additional])}`;
}
