import type { Alias, Identifier, Node } from 'sql-parser-cst';
import { columnSql } from '../passes/shredded.ts';
import {
  findRange,
  findRelation,
  type Range,
  type Relation,
  type Scope,
  type SubqueryStep,
  type UnnestTarget,
} from '../scope.ts';
import type { Translator } from '../translator.ts';
import { quote } from '../types.ts';
import { Unsupported } from '../unsupported.ts';
import { join } from './joins.ts';
import { pivot, unpivot } from './pivot.ts';
import { tableSample } from './table-sample.ts';
import { type Unnest, unnestItem } from './unnest.ts';

/** One FROM item, or several joined. Its text is made last: later UNNESTs may be folded into it. */
export interface FromItem {
  readonly ranges: readonly Range[];
  readonly merged: Scope['merged'];
  /** The items whose rows may be multiplied in place without changing the meaning of the joins around them. */
  readonly unnestTargets: readonly UnnestTarget[];
  /** True where it is no join: then no parentheses may stand around it. */
  readonly isSingle?: true;
  text(): string;
}

/** The scope for what stands beside or behind a FROM item. */
export const within = (scope: Scope, item: FromItem): Scope => ({
  ...scope,
  ranges: item.ranges,
  merged: item.merged,
});

/** A FROM item; `scope` holds what it may be correlated with. */
export function fromItem(node: Node, scope: Scope, tr: Translator): FromItem {
  const unnest = asUnnest(node, scope);
  if (unnest) return unnestItem(unnest, scope, tr);
  switch (node.type) {
    case 'join_expr':
      return join(node, scope, tr);
    case 'alias':
      return aliased(node, scope, tr);
    case 'identifier':
    case 'member_expr':
    case 'bigquery_quoted_member_expr':
      return table(node, undefined, scope, tr);
    case 'paren_expr':
      return parenthesized(node.expr, undefined, scope, tr);
    case 'tablesample_expr':
      return tableSample(node, scope, tr);
    case 'pivot_expr':
      return pivot(node, scope, tr);
    case 'unpivot_expr':
      return unpivot(node, scope, tr);
    default:
      throw new Unsupported(node, `${node.type.replaceAll('_', ' ')} is not supported in FROM`);
  }
}

/** The UNNEST that a FROM item is: written so, or as a path of a name that FROM already has. */
export function asUnnest(node: Node, scope: Scope): Unnest | undefined {
  if (node.type === 'alias') {
    const unnest = asUnnest(node.expr as Node, scope);
    if (!unnest) return undefined;
    const name = node.alias.name;
    return (node.expr as Node).type === 'unnest_with_offset_expr'
      ? { ...unnest, offset: name }
      : { ...unnest, alias: name };
  }
  if (node.type === 'unnest_with_offset_expr') {
    const unnest = asUnnest(node.unnest, scope);
    return unnest && { ...unnest, offset: 'offset' };
  }
  if (node.type === 'unnest_expr')
    return { node, array: node.expr.expr, alias: undefined, offset: undefined };
  if (node.type === 'member_expr' && node.property.type === 'identifier' && startsAtRange(node, scope)) {
    return { node, array: node, alias: node.property.name, offset: undefined };
  }
  return undefined;
}

function startsAtRange(node: Node, scope: Scope): boolean {
  if (node.type === 'member_expr') return startsAtRange(node.object, scope);
  return node.type === 'identifier' && findRange(scope, node.name) !== undefined;
}

function aliased(node: Alias, scope: Scope, tr: Translator): FromItem {
  const inner = node.expr as Node;
  if (node.columnAliases) throw new Unsupported(node.columnAliases, 'column aliases are not supported');
  if (inner.type === 'paren_expr') return parenthesized(inner.expr, node.alias, scope, tr);
  if (
    inner.type === 'identifier' ||
    inner.type === 'member_expr' ||
    inner.type === 'bigquery_quoted_member_expr'
  ) {
    return table(inner, node.alias, scope, tr);
  }
  throw new Unsupported(inner, `${inner.type.replaceAll('_', ' ')} is not supported in FROM`);
}

function table(node: Node, alias: Identifier | undefined, scope: Scope, tr: Translator): FromItem {
  const path = pathOf(node);
  const name = path.at(-1) ?? '';
  const relation = findRelation(scope, name);
  if (!relation) {
    return tr.attempt(
      () => {
        throw new Unsupported(node, `no table is named ${path.join('.')}`);
      },
      unknownItem(alias?.name ?? name),
    );
  }
  return relationItem(relation, alias?.name ?? name, tr);
}

/** Stands where a table was refused. */
export const unknownItem = (name: string | undefined): FromItem => ({
  ranges: [{ name, columns: [], acceptsAnyColumn: true }],
  merged: [],
  unnestTargets: [],
  text: () => '',
});

/** `project.dataset.table`, in whatever way it is quoted. */
function pathOf(node: Node): readonly string[] {
  switch (node.type) {
    case 'identifier':
      return node.name.split('.');
    case 'bigquery_quoted_member_expr':
      return pathOf(node.expr);
    case 'member_expr':
      return [...pathOf(node.object), ...pathOf(node.property)];
    default:
      throw new Unsupported(node, 'a table name is wanted here');
  }
}

function parenthesized(node: Node, alias: Identifier | undefined, scope: Scope, tr: Translator): FromItem {
  if (node.type === 'select_stmt' || node.type === 'compound_select_stmt') {
    const query = tr.relation(node, scope);
    return relationItem({ ...query, text: `(${query.text})` }, alias?.name, tr);
  }
  if (node.type === 'paren_expr') return parenthesized(node.expr, alias, scope, tr);
  if (alias) throw new Unsupported(alias, 'a join in parentheses takes no alias');
  const inner = fromItem(node, scope, tr);
  return inner.isSingle ? inner : { ...inner, text: () => `(${inner.text()})` };
}

/** A table, common table expression or subquery, as a FROM item that UNNESTs can be folded into. */
export function relationItem(relation: Relation, alias: string | undefined, tr: Translator): FromItem {
  const name = alias ?? tr.fresh('subquery');
  const unnestTarget: UnnestTarget = {
    name,
    steps: [],
    usedNames: new Set(relation.columns.map((column) => column.name.toLowerCase())),
  };
  const columns = relation.columns.map((column) => ({
    ...columnSql(quote(name), column.name, column, relation.table),
    name: column.name,
  }));
  const [only] = columns;
  const range: Range =
    relation.value && only
      ? { name: alias, columns: [], value: only, unnestTarget }
      : { name: alias, columns, unnestTarget };
  return {
    ranges: [range],
    merged: [],
    unnestTargets: [unnestTarget],
    isSingle: true,
    text: () =>
      unnestTarget.steps.reduce(
        (inner, fold) => `(${applyStep(inner, fold)}) AS ${quote(name)}`,
        `${relation.text} AS ${quote(name)}`,
      ),
  };
}

/**
 * Takes from the items what their rows must meet in the end, for WHERE to say: DuckDB plans that sooner than a subquery
 * of its own.
 */
export const takeConditions = ({ unnestTargets }: FromItem): readonly string[] =>
  unnestTargets.flatMap(({ steps }) => {
    const last = steps.at(-1);
    if (!last || !('condition' in last)) return [];
    steps.pop();
    return [last.condition];
  });

const applyStep = (inner: string, fold: SubqueryStep) =>
  'columns' in fold
    ? `SELECT *, ${fold.columns} FROM ${inner}`
    : `SELECT * FROM ${inner} WHERE ${fold.condition}`;
