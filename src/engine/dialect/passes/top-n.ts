import { column, compareWith, select } from '../tree/build.ts';
import { withFreshAliases } from '../tree/fresh-aliases.ts';
import { someNode } from '../tree/map.ts';
import type { Aggregate, CommonTable, Expression, Literal, Select, Subquery } from '../tree/nodes.ts';
import { isScalar } from '../types.ts';
import type { Pass, PassOptions } from './pass.ts';

/**
 * For `ORDER BY key … LIMIT n` over wide rows: a condition that holds only for rows whose key is among the first n. The
 * keys are read first and separately, so that the wide columns are read for those rows only. It is left out where the
 * key may be NULL.
 */
export const topNFirst: Pass = (query, options) => {
  if (query.kind === 'select') return withThreshold(query, [], options) ?? query;
  if (query.kind !== 'with' || query.body.kind !== 'select') return query;
  const body = withThreshold(query.body, query.tables, options);
  return body ? { ...query, body } : query;
};

/** @param tables the common tables that the query may read: the threshold is computed before the query */
function withThreshold(
  query: Select,
  tables: readonly CommonTable[],
  { fresh }: PassOptions,
): Select | undefined {
  const { orderBy, limit, offset, from, where } = query;
  const [key] = orderBy;
  const count = rowCount(limit, offset);
  if (!key || count === undefined || !from || !isFilterOnly(query) || !isWide(query)) return undefined;
  const value = key.value.kind === 'position' ? query.columns[key.value.index - 1]?.value : key.value;
  // NaN is the smallest number in BigQuery, and the greatest in DuckDB.
  if (value?.kind !== 'column' || !value.required || isScalar(value.type, 'FLOAT64')) return undefined;

  const alias = fresh('first');
  const first = select({
    columns: [{ name: 'key', value }],
    from,
    where,
    orderBy: [{ value, descending: key.descending, nulls: key.nulls }],
    limit: { kind: 'literal', type: count.type, value: count.value },
  });
  const extreme: Aggregate = {
    kind: 'aggregate',
    function: key.descending ? 'min' : 'max',
    args: [column(alias, 'key', value.type)],
    type: value.type,
  };
  const body = select({
    columns: [{ name: 'key', value: extreme }],
    from: { kind: 'derived', alias, query: first },
  });
  const threshold: Subquery = {
    kind: 'subquery',
    form: 'scalar',
    type: value.type,
    runFirst: true,
    query: withFreshAliases(tables.length > 0 ? { kind: 'with', tables, body } : body, fresh),
  };
  return { ...query, where: [...where, compareWith(key.descending ? '>=' : '<=', value, threshold)] };
}

/** LIMIT plus OFFSET, if both are literals. */
function rowCount(limit: Expression | undefined, offset: Expression | undefined): Literal | undefined {
  const isNumber = (node: Expression | undefined): node is Literal & { readonly value: bigint } =>
    node?.kind === 'literal' && typeof node.value === 'bigint';
  if (!isNumber(limit) || (offset && !isNumber(offset))) return undefined;
  return { ...limit, value: limit.value + (isNumber(offset) ? offset.value : 0n) };
}

const isFilterOnly = ({ distinct, groupBy, having, windows, qualify, columns, from }: Select): boolean =>
  !distinct &&
  !groupBy &&
  [having, windows, qualify].every((clause) => clause.length === 0) &&
  (from?.kind === 'table' || from?.kind === 'derived' || from?.kind === 'reference') &&
  !columns.some(({ value }) => someNode(value, ({ kind }) => kind === 'aggregate'));

/** Whether the columns are so many or so large that reading them for all rows costs more than reading the key twice. */
const isWide = ({ columns }: Select): boolean =>
  columns.some(({ value }) => someNode(value, ({ kind }) => kind === 'record'));
