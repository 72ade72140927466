import type { Node, SelectStmt, SubSelect } from 'sql-parser-cst';
import type { Macro } from './macros/parse-macros.ts';
import { assemble } from './passes/assemble.ts';
import { markConstant, withoutMarks } from './passes/hoist-constants.ts';
import type { Origin } from './passes/shredded.ts';
import type { TimeExpression } from './passes/time-expressions.ts';
import type { Relation, Scope, Sql } from './scope.ts';
import { isScalar, unknown } from './types.ts';
import { Unsupported } from './unsupported.ts';

/** The name under which rewritten SQL binds the moment that CURRENT_TIMESTAMP() means. */
export const nowParameter = 'current_timestamp';

/** Turns one kind of expression node into DuckDB text, or throws a Refusal. */
export type Rule<N extends Node = Node> = (node: N, scope: Scope, tr: Translator) => Sql;

/** A rule for each kind of node that is understood. What has none is refused. */
export type Rules = { readonly [Type in Node['type']]?: Rule<Extract<Node, { type: Type }>> };

/** What rules call to translate the parts of their node, and where they leave what they found. */
export interface Translator {
  expr(node: Node, scope: Scope): Sql;
  /** A query as DuckDB text without parentheses, with the columns it yields, each of them one. */
  query(node: SubSelect, scope: Scope): Relation;
  /** Like `query`, for what can read shredded records: FROM and WITH. */
  relation(node: SubSelect, scope: Scope): Relation;
  /** Runs a step whose failure must not hide the problems of the other steps. */
  attempt<T>(step: () => T, otherwise: T): T;
  /** NULLS FIRST or LAST as it is written behind the sort key that ends at this offset. */
  nullOrder(offset: number): 'FIRST' | 'LAST' | undefined;
  /** The text to use for a bound parameter. */
  parameter(name: string): string;
  /** A column is compared with a parameter for equality. */
  addEqualityColumn(column: Origin): void;
  /** The value of a parameter that is known while the query is translated. */
  known(name: string): string | undefined;
  /** What is being translated is not the same for all rows. */
  markRowDependent(): void;
  /** A name nothing in the query has. */
  fresh(prefix: string): string;
  readonly macros: ReadonlyMap<string, readonly Macro[]>;
}

interface Findings {
  readonly parameters: Set<string>;
  readonly equalityColumns: Origin[];
  readonly unsupported: Unsupported[];
  /** Values that are known once the time of the run is, by their text. */
  readonly timeExpressions: Map<string, TimeExpression>;
}

export function translator(
  rules: Rules,
  query: (node: SubSelect | SelectStmt, scope: Scope, tr: Translator) => Relation,
  macros: ReadonlyMap<string, readonly Macro[]>,
  nullOrders: ReadonlyMap<number, 'FIRST' | 'LAST'>,
  known: Readonly<Record<string, string>>,
): { readonly tr: Translator; readonly found: Findings } {
  const found: Findings = {
    parameters: new Set(),
    equalityColumns: [],
    unsupported: [],
    timeExpressions: new Map(),
  };
  let names = 0;
  let variations = 0;

  const tr: Translator = {
    macros,
    expr(node, scope) {
      const before = variations;
      const sql = tr.attempt(() => ruleFor(rules, node)(node, scope, tr), errorValue);
      if (sql.timeExpression && isOfTime(sql))
        found.timeExpressions.set(withoutMarks(sql.text), sql.timeExpression);
      return variations === before ? markConstant(sql) : sql;
    },
    query: (node, scope) => assemble(tr.relation(node, scope), tr),
    relation(node, scope) {
      tr.markRowDependent();
      return query(node, scope, tr);
    },
    attempt(step, otherwise) {
      try {
        return step();
      } catch (error) {
        if (!(error instanceof Unsupported)) throw error;
        found.unsupported.push(error);
        return otherwise;
      }
    },
    parameter(name) {
      found.parameters.add(name);
      return `$${name}`;
    },
    addEqualityColumn(column) {
      found.equalityColumns.push(column);
    },
    known: (name) => (Object.hasOwn(known, name) ? known[name] : undefined),
    markRowDependent() {
      variations += 1;
    },
    nullOrder: (offset) => nullOrders.get(offset),
    fresh: (prefix) => `${prefix}_${++names}`,
  };
  return { tr, found };
}

/** A whole number is a moment to those that are counted from it only. */
const isOfTime = ({ type }: Sql) => isScalar(type.kind === 'array' ? type.element : type, 'TIMESTAMP');

/** Stands where an expression was refused, so that the rest can still be checked. */
const errorValue: Sql = { text: 'NULL', type: unknown };

function ruleFor(rules: Rules, node: Node): Rule {
  const rule = rules[node.type] as Rule | undefined;
  if (rule) return rule;
  throw new Unsupported(node, `${node.type.replaceAll('_', ' ')} is not supported here`);
}
