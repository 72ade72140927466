import type * as Syntax from '../../syntax/nodes.ts';
import { someExpression } from '../../tree/map.ts';
import type { Expression, Query } from '../../tree/nodes.ts';
import { arrayOf, scalar, type Type, unknown } from '../../types.ts';
import type { Context, ResolvedQuery, Rule } from '../context.ts';
import { isPath } from '../../tree/query-parts.ts';
import { asKey } from '../queries/after-grouping.ts';
import type { Scope } from '../scope.ts';
import { type Place, Unsupported } from '../unsupported.ts';

export const scalarSubquery: Rule<Syntax.ScalarSubquery> = (node, scope, context) => {
  const { query, type } = withOneColumn(node, node.query, scope, context);
  return valueWithoutFrom(query) ?? { kind: 'subquery', form: 'scalar', query, type };
};

/**
 * `(SELECT value)`: DuckDB would compute the subquery in branches, too, that are not taken. The value of a column is not
 * that column: GROUP BY of several sets has both as keys.
 */
function valueWithoutFrom(query: Query): Expression | undefined {
  if (query.kind !== 'select') return undefined;
  const { columns, from, where, having, qualify, groupBy, limit, offset } = query;
  const conditions = [...where, ...having, ...qualify];
  const [only] = columns;
  if (!only || from || groupBy || limit || offset || conditions.length > 0) return undefined;
  if (someExpression(only.value, ({ kind }) => kind === 'aggregate')) return undefined;
  return isPath(only.value) ? asKey(only.value) : only.value;
}

/** `ARRAY(SELECT …)`, in the order of the subquery. */
export const arraySubquery: Rule<Syntax.ArraySubquery> = (node, scope, context): Expression => {
  const { query, type } = withOneColumn(node, node.query, scope, context);
  if (type.kind === 'array')
    throw new Unsupported(node, 'an array cannot contain arrays: use SELECT AS STRUCT');
  return { kind: 'subquery', form: 'array', query, type: arrayOf(type) };
};

export const exists: Rule<Syntax.Exists> = (node, scope, context) => ({
  kind: 'subquery',
  form: 'exists',
  query: context.query(node.query, scope).query,
  type: scalar('BOOL'),
});

function withOneColumn(
  place: Place,
  node: Syntax.Query,
  scope: Scope,
  context: Context,
): ResolvedQuery & { readonly type: Type } {
  const resolved = context.query(node, scope);
  if (resolved.columns.length > 1)
    throw new Unsupported(
      place,
      'a subquery that is a value must have one column: use SELECT AS STRUCT for several',
    );
  return { ...resolved, type: resolved.columns[0]?.type ?? unknown };
}
