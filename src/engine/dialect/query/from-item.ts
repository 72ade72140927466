import type { Node } from 'sql-parser-cst';
import { columnSql } from '../passes/shredded.ts';
import {
  type FromItem,
  findRange,
  type Range,
  type Relation,
  type Scope,
  type SubqueryStep,
  type UnnestTarget,
} from '../scope.ts';
import type { Translator } from '../translator.ts';
import { quote } from '../types.ts';

/** One UNNEST in FROM. */
export interface Unnest {
  readonly node: Node;
  readonly array: Node;
  readonly alias: string | undefined;
  /** The name of the offset; undefined without WITH OFFSET. */
  readonly offset: string | undefined;
}

/** A SELECT without FROM. */
export const noFrom: FromItem = { ranges: [], merged: [], unnestTargets: [], text: () => '' };

/** Replaces an unsupported FROM item. */
export const unknownItem = (name: string | undefined): FromItem => ({
  ranges: [{ name, columns: [], acceptsAnyColumn: true }],
  merged: [],
  unnestTargets: [],
  text: () => '',
});

/** The scope of expressions that may use the columns of a FROM item. */
export const within = (scope: Scope, item: FromItem): Scope => ({
  ...scope,
  ranges: item.ranges,
  merged: item.merged,
});

/** A table, common table expression or subquery, as a FROM item that allows UNNEST in place. */
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
        (inner, step) => `(${applyStep(inner, step)}) AS ${quote(name)}`,
        `${relation.text} AS ${quote(name)}`,
      ),
  };
}

const applyStep = (inner: string, step: SubqueryStep) =>
  'columns' in step
    ? `SELECT *, ${step.columns} FROM ${inner}`
    : `SELECT * FROM ${inner} WHERE ${step.condition}`;

/** Moves the last conditions of the items to WHERE, which DuckDB plans faster than a subquery for each. */
export const takeConditions = ({ unnestTargets }: FromItem): readonly string[] =>
  unnestTargets.flatMap(({ steps }) => {
    const last = steps.at(-1);
    if (!last || !('condition' in last)) return [];
    steps.pop();
    return [last.condition];
  });

/** A FROM item as an UNNEST: written with UNNEST, or as a path that starts with a name in FROM. */
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
