import type { Node, SelectStmt, SubSelect } from 'sql-parser-cst';
import { markConstant, withoutMarks } from './passes/hoist-constants.ts';
import { assemble, type Origin } from './passes/shredded.ts';
import type { TimeExpression } from './passes/time-expressions.ts';
import type { FromItem, Relation, Scope, Sql } from './scope.ts';
import { isScalar, unknown } from './types.ts';
import { Unsupported } from './unsupported.ts';

/** The name under which rewritten SQL binds the value of CURRENT_TIMESTAMP(). */
export const nowParameter = 'current_timestamp';

/** Translates one kind of expression node into DuckDB text, or throws Unsupported. */
export type Rule<N extends Node = Node> = (node: N, scope: Scope, tr: Translator) => Sql;

/** The rules of a dialect; the translator calls them recursively. */
export interface Rules {
  /** One rule for each kind of expression node that is supported. */
  readonly expressions: { readonly [Type in Node['type']]?: Rule<Extract<Node, { type: Type }>> };
  readonly query: (node: SubSelect | SelectStmt, scope: Scope, tr: Translator) => Relation;
  readonly from: (node: Node, scope: Scope, tr: Translator) => FromItem;
}

/** Rules call it to translate the parts of their node and to record facts about the query. */
export interface Translator {
  expr(node: Node, scope: Scope): Sql;
  /** A query as DuckDB text without parentheses; each of its columns is one DuckDB column. */
  query(node: SubSelect, scope: Scope): Relation;
  /** Like `query`, for FROM and WITH, where records may stay shredded. */
  relation(node: SubSelect, scope: Scope): Relation;
  /** A FROM item; `scope` holds the names to which it may be correlated. */
  from(node: Node, scope: Scope): FromItem;
  /** Runs a step whose failure must not hide the problems of the other steps. */
  attempt<T>(step: () => T, otherwise: T): T;
  /** NULLS FIRST or LAST after the sort key that ends at this offset. */
  nullOrder(offset: number): 'FIRST' | 'LAST' | undefined;
  /** The text to use for a bound parameter. */
  parameter(name: string): string;
  /** Records that a column is compared with a parameter for equality. */
  addEqualityColumn(column: Origin): void;
  /** The value of a parameter, if it is known during translation. */
  known(name: string): string | undefined;
  /** Records that the expression being translated may differ from row to row. */
  markRowDependent(): void;
  /** A name that occurs nowhere else in the query. */
  fresh(prefix: string): string;
}

interface Findings {
  readonly parameters: Set<string>;
  readonly equalityColumns: Origin[];
  readonly unsupported: Unsupported[];
  /** Time expressions by their DuckDB text. */
  readonly timeExpressions: Map<string, TimeExpression>;
}

export function buildTranslator(
  rules: Rules,
  nullOrders: ReadonlyMap<number, 'FIRST' | 'LAST'>,
  known: Readonly<Record<string, string>>,
): { readonly tr: Translator; readonly findings: Findings } {
  const findings: Findings = {
    parameters: new Set(),
    equalityColumns: [],
    unsupported: [],
    timeExpressions: new Map(),
  };
  let names = 0;
  let rowDependencies = 0;

  const tr: Translator = {
    expr(node, scope) {
      const before = rowDependencies;
      const sql = tr.attempt(() => ruleFor(rules, node)(node, scope, tr), errorValue);
      if (sql.timeExpression && isTimestamp(sql))
        findings.timeExpressions.set(withoutMarks(sql.text), sql.timeExpression);
      return rowDependencies === before ? markConstant(sql) : sql;
    },
    query: (node, scope) => assemble(tr.relation(node, scope), tr.fresh),
    relation(node, scope) {
      tr.markRowDependent();
      return rules.query(node, scope, tr);
    },
    from: (node, scope) => rules.from(node, scope, tr),
    attempt(step, otherwise) {
      try {
        return step();
      } catch (error) {
        if (!(error instanceof Unsupported)) throw error;
        findings.unsupported.push(error);
        return otherwise;
      }
    },
    parameter(name) {
      findings.parameters.add(name);
      return `$${name}`;
    },
    addEqualityColumn(column) {
      findings.equalityColumns.push(column);
    },
    known: (name) => (Object.hasOwn(known, name) ? known[name] : undefined),
    markRowDependent() {
      rowDependencies += 1;
    },
    nullOrder: (offset) => nullOrders.get(offset),
    fresh: (prefix) => `${prefix}_${++names}`,
  };
  return { tr, findings };
}

/** Only timestamps are hoisted: an INT64 has the meaning of a time only within its expression. */
const isTimestamp = ({ type }: Sql) => isScalar(type.kind === 'array' ? type.element : type, 'TIMESTAMP');

/** Replaces an unsupported expression, so that the rest can still be checked. */
const errorValue: Sql = { text: 'NULL', type: unknown };

function ruleFor({ expressions }: Rules, node: Node): Rule {
  const rule = expressions[node.type] as Rule | undefined;
  if (rule) return rule;
  throw new Unsupported(node, `${node.type.replaceAll('_', ' ')} is not supported here`);
}
