import { column, compareWith, select } from '../tree/build.ts';
import { withFreshAliases } from '../tree/fresh-aliases.ts';
import { forEachNode, mapSelects, someNode } from '../tree/map.ts';
import type {
  Aggregate,
  CommonTable,
  Expression,
  Literal,
  Node,
  Query,
  Select,
  Subquery,
} from '../tree/nodes.ts';
import { isVolatile } from '../tree/volatile.ts';
import { isScalar } from '../types.ts';
import type { Pass, PassOptions } from './pass.ts';

/**
 * For `ORDER BY key … LIMIT n` over wide rows: a condition that holds only for rows whose key is among the first n. The
 * keys are read first and separately, so that the wide columns are read for those rows only. It is left out where the
 * key may be NULL.
 */
export const topNFirst: Pass = (query, options) => {
  const context = { ...options, commonTables: commonTablesOf(query) };
  return mapSelects(query, (node) => withThreshold(node, context));
};

function withThreshold(query: Select, context: Context): Select {
  const { fresh } = context;
  const { orderBy, limit, offset, from, where } = query;
  const [key] = orderBy;
  const count = rowCount(limit, offset);
  if (!key || count === undefined || !from || !isFilterOnly(query) || !isWide(query)) return query;
  const value = key.value.kind === 'position' ? query.columns[key.value.index - 1]?.value : key.value;
  // NaN is the smallest number in BigQuery, and the greatest in DuckDB.
  if (value?.kind !== 'column' || !value.required || isScalar(value.type, 'FLOAT64')) return query;
  if (!isRepeatable(query, context)) return query;

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
    isThreshold: true,
    query: withFreshAliases(body, fresh),
  };
  return { ...query, where: [...where, compareWith(key.descending ? '>=' : '<=', value, threshold)] };
}

/** LIMIT plus OFFSET, if both are literals and the sum is not absurdly large. */
function rowCount(limit: Expression | undefined, offset: Expression | undefined): Literal | undefined {
  const isNumber = (node: Expression | undefined): node is Literal & { readonly value: bigint } =>
    node?.kind === 'literal' && typeof node.value === 'bigint';
  if (!isNumber(limit) || (offset && !isNumber(offset))) return undefined;
  const value = limit.value + (isNumber(offset) ? offset.value : 0n);
  return value <= BigInt(Number.MAX_SAFE_INTEGER) ? { ...limit, value } : undefined;
}

const isFilterOnly = ({ distinct, groupBy, having, qualify, columns, from }: Select): boolean =>
  !distinct &&
  !groupBy &&
  [having, qualify].every((clause) => clause.length === 0) &&
  (from?.kind === 'table' || from?.kind === 'derived' || from?.kind === 'reference') &&
  !columns.some(({ value }) => someNode(value, ({ kind }) => kind === 'aggregate'));

interface Context extends PassOptions {
  /** All common tables of the query, wherever they are defined. */
  readonly commonTables: readonly CommonTable[];
}

function commonTablesOf(query: Query): readonly CommonTable[] {
  const tables: CommonTable[] = [];
  forEachNode(query, (node) => {
    if (node.kind === 'with') tables.push(...node.tables);
  });
  return tables;
}

/** True if the rows of FROM and WHERE are the same when they are read twice. */
function isRepeatable({ from, where }: Select, { commonTables }: Context): boolean {
  const parts: readonly Node[] = [...(from ? [from] : []), ...where];
  const hasReference = parts.some((part) => someNode(part, ({ kind }) => kind === 'reference'));
  const read = hasReference ? [...parts, ...commonTables.map(({ query }) => query)] : parts;
  return !read.some((part) => someNode(part, isUnrepeatable) || isVolatile(part));
}

/** The rows of a LIMIT may be others each time, and so may the numbers that windows give to equal rows. */
const isUnrepeatable = (node: Node): boolean =>
  (node.kind === 'select' && (node.limit ?? node.offset) !== undefined) ||
  (node.kind === 'aggregate' && node.over !== undefined) ||
  node.kind === 'sample';

/** So many columns cost no more to read for all rows than their key twice. */
const fewColumns = 4;

/** True if the columns are so many or so large that reading them for all rows costs more than reading the key twice. */
const isWide = ({ columns }: Select): boolean =>
  columns.length > fewColumns ||
  columns.some(({ value }) => someNode(value, ({ kind }) => kind === 'record'));
