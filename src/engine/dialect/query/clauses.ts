import type { SelectStmt } from 'sql-parser-cst';
import type { Scope } from '../scope.ts';
import type { FromItem } from './from.ts';
import type { Output } from './select-list.ts';
import type { CommonTables } from './with.ts';

export type Clause = SelectStmt['clauses'][number];
export type ClauseOf<T extends Clause['type']> = Extract<Clause, { type: T }>;

/** The clause of that kind; undefined where the SELECT has none. */
export const clauseOf = <T extends Clause['type']>(node: SelectStmt, type: T): ClauseOf<T> | undefined =>
  node.clauses.find((clause): clause is ClauseOf<T> => clause.type === type);

export const isDistinct = (node: SelectStmt): boolean =>
  clauseOf(node, 'select_clause')?.modifiers.some(({ type }) => type === 'select_distinct') ?? false;

/** The parts of a SELECT, translated. */
export interface Clauses {
  readonly ctes: CommonTables;
  readonly item: FromItem;
  readonly columns: readonly Output[];
  /** True where the one column is the row: SELECT AS STRUCT and AS VALUE. */
  readonly value: boolean;
  /** What ORDER BY may name. */
  readonly outputScope: Scope;
  readonly where: readonly string[];
  readonly groupBy: string;
  readonly having: readonly string[];
  readonly windows: string;
  readonly qualify: readonly string[];
  readonly orderAndLimit: string;
}

/** No FROM. */
export const noFrom: FromItem = { ranges: [], merged: [], unnestTargets: [], text: () => '' };

/** Conditions that all must hold, behind their keyword; nothing where there are none. */
export const conditionClause = (keyword: string, conditions: readonly string[]): string =>
  conditions.length === 0 ? '' : ` ${keyword} ${conditions.join(' AND ')}`;

/** FROM and WHERE, with further conditions. */
export function fromAndWhere({ item, where }: Clauses, further: readonly string[] = []): string {
  const source = item === noFrom ? '' : ` FROM ${item.text()}`;
  return `${source}${conditionClause('WHERE', [...where, ...further])}`;
}
