import { hasSubquery } from '../macros/macros.ts';
import {
  and,
  boolLiteral,
  call,
  caseWhen,
  castTo,
  compareWith,
  computeFirst,
  element,
  integerLiteral,
  list,
  newLocal,
  nullLiteral,
  operation,
  textLiteral,
} from '../tree/build.ts';
import { isEqual } from '../tree/equal.ts';
import { mapExpressions, someNode } from '../tree/map.ts';
import type { Expression, Lambda, Member, Node, Select, SortKey, Subquery, Unnest } from '../tree/nodes.ts';
import { isVolatile, mayFail } from '../tree/volatile.ts';
import { arrayOf, duckdbType, isScalar, scalar, type Type, unknown } from '../types.ts';
import type { Pass } from './pass.ts';
import { substituteIn } from './rewriting/substitute.ts';

/**
 * Computes a subquery over the elements of one array as a function of the list: DuckDB plans a correlated UNNEST as a join
 * with all distinct arrays. The subquery may be EXISTS, ARRAY, a value or COUNT(*), with a condition.
 */
export const filterLists: Pass = (query) =>
  mapExpressions(query, (node) => (node.kind === 'subquery' ? (overList(node) ?? node) : node));

function overList(node: Subquery): Expression | undefined {
  const { form } = node;
  const read = node.query.kind === 'select' ? readOf(node.query) : undefined;
  if (read === undefined) return undefined;
  const { from, where, columns, distinct, order, limit } = read;
  const [column, another] = columns;
  if (!column || !isCorrelated(from) || [from.array, ...where].some(cannotMove)) return undefined;
  const isPlain = !distinct && !order && limit === undefined;
  const isCount = isCountOfRows(column.value);
  if (form === 'exists') return !isPlain || isAggregate(column.value) ? undefined : existsIn(from, where);
  if (another) return undefined;
  if (form === 'scalar' && isCount) return isPlain ? countOf(filtered(from, where)) : undefined;
  if (isAggregate(column.value) || cannotMove(column.value)) return undefined;
  const values = arranged(read, column.value);
  if (values === undefined) return undefined;
  if (form === 'scalar') return limit === 1n ? element(values, 1, node.type) : onlyElement(values, node.type);
  return form === 'array' ? orEmpty(values, node.type) : undefined;
}

/** A subquery's read of the elements of an array. */
interface ListRead {
  readonly from: Unnest;
  readonly where: readonly Expression[];
  readonly columns: readonly Member[];
  readonly distinct: boolean;
  /** The order of the values, or of their offsets. */
  readonly order: (Pick<SortKey, 'descending' | 'nulls'> & { readonly by: 'value' | 'offset' }) | undefined;
  readonly limit: bigint | undefined;
}

function readOf(query: Select): ListRead | undefined {
  const distinct = distinctBelow(query);
  const { from, where, columns } = distinct ?? query;
  const [key, second] = query.orderBy;
  const limit = query.limit && literalCount(query.limit);
  if (!isFilterOnly(query) || from?.kind !== 'unnest' || second) return undefined;
  if (query.limit && limit === undefined) return undefined;
  const by = key && orderedBy(key.value, query, from);
  if (key && by === undefined) return undefined;
  const order = key && by && { by, descending: key.descending, nulls: key.nulls };
  return { from, where, columns, distinct: (distinct ?? query).distinct, order, limit };
}

/** `SELECT DISTINCT … ORDER BY` is compiled to an ordered query over a distinct one. */
function distinctBelow({ from, where, columns: [column, another] }: Select): Select | undefined {
  if (from?.kind !== 'derived' || from.query.kind !== 'select' || where.length > 0) return undefined;
  const { query, alias } = from;
  const [inner] = query.columns;
  const isSame =
    column?.value.kind === 'column' && column.value.from === alias && column.value.name === inner?.name;
  const isOnly = isSame && !another && query.columns.length === 1;
  return isOnly && query.distinct && query.orderBy.length === 0 && !query.limit && isFilterOnly(query)
    ? query
    : undefined;
}

const literalCount = (limit: Expression): bigint | undefined =>
  limit.kind === 'literal' && typeof limit.value === 'bigint' ? limit.value : undefined;

function orderedBy(
  key: Expression,
  { columns: [column] }: Select,
  from: Unnest,
): 'value' | 'offset' | undefined {
  if (key.kind === 'column' && key.from === from.alias && key.name === 'offset') return 'offset';
  const isValue = key.kind === 'position' || (column !== undefined && isEqual(key, column.value));
  return isValue ? 'value' : undefined;
}

/** The types whose equal values are the same, and are sorted in the same order by lists of DuckDB. */
const isSortable = (type: Type): boolean =>
  isScalar(type, 'INT64', 'NUMERIC', 'STRING', 'BYTES', 'BOOL', 'DATE', 'DATETIME', 'TIME', 'TIMESTAMP');

/** The values without repeated ones, in their order, up to the limit; undefined if that needs more than functions of lists. */
function arranged(read: ListRead, value: Expression): Expression | undefined {
  const { from, where, distinct, order, limit } = read;
  const sorts = distinct || order?.by === 'value';
  if (sorts && (!isSortable(value.type) || order?.by === 'offset')) return undefined;
  const elements = filtered(from, where);
  const isReversed = order?.by === 'offset' && order.descending;
  const kept = isReversed ? call('list_reverse', [elements], elements.type) : elements;
  const values = valuesOf(read, sorts ? kept : firstOf(kept, limit), value, where.length > 0 || isReversed);
  if (!sorts || values === undefined) return values;
  const type = arrayOf(value.type);
  const all = distinct ? distinctOf(values, type) : values;
  const sorted =
    order === undefined
      ? all
      : call(
          'list_sort',
          [all, ...[order.descending ? 'DESC' : 'ASC', `NULLS ${order.nulls}`].map(textLiteral)],
          type,
        );
  return firstOf(sorted, limit);
}

const firstOf = (items: Expression, limit: bigint | undefined): Expression =>
  limit === undefined
    ? items
    : call('list_slice', [items, integerLiteral(1), integerLiteral(limit)], items.type);

/** DuckDB leaves out NULLs, of which one stays. */
const distinctOf = (values: Expression, type: Type): Expression => {
  const once = (items: Expression) => {
    const others = call('list_distinct', [items], type);
    const hasNull = compareWith(
      '<',
      call('list_count', [items], scalar('INT64')),
      call('len', [items], scalar('INT64')),
    );
    return caseWhen(hasNull, call('list_append', [others, nullLiteral()], type), others, type);
  };
  return values.kind === 'column' ? once(values) : computeFirst([values], (items = values) => once(items));
};

const isFilterOnly = ({ groupBy, having, qualify, offset }: Select) =>
  !groupBy && !offset && [having, qualify].every((clause) => clause.length === 0);

/** An array that depends on no row is unnested once. */
const isCorrelated = ({ array }: Unnest): boolean => someNode(array, ({ kind }) => kind === 'column');

const isAggregate = (value: Expression): boolean => someNode(value, ({ kind }) => kind === 'aggregate');

const isCountOfRows = (value: Expression): boolean =>
  value.kind === 'aggregate' &&
  value.function === 'count' &&
  value.args.every(({ kind }) => kind === 'literal') &&
  !value.args.some((arg) => arg.kind === 'literal' && arg.value === null) &&
  !value.filter &&
  !value.distinct &&
  !value.over;

/** True if an expression has a part that DuckDB does not allow in a lambda, or a new value each time. */
const cannotMove = (value: Expression): boolean => isVolatile(value) || someNode(value, isForbidden);

const isForbidden = (part: Node): boolean =>
  part.kind === 'subquery' ||
  part.kind === 'aggregate' ||
  (part.kind === 'call' && (part.function === 'unnest' || hasSubquery(part.function)));

/** A lambda of an element, and of its index if the body reads the offset. */
function lambdaOf({ alias, array }: Unnest, body: Expression): Lambda {
  const item = newLocal(array.type.kind === 'array' ? array.type.element : unknown);
  const index = newLocal(scalar('INT64'));
  let readsOffset = false;
  const replaced = substituteIn(body, (part) => {
    if (part.from !== alias) return undefined;
    if (part.name !== 'offset') return item;
    readsOffset = true;
    return operation('-', [index, integerLiteral(1)], index.type);
  });
  const parameters = readsOffset ? [item.id, index.id] : [item.id];
  return { kind: 'lambda', parameters, body: replaced, type: unknown };
}

/** In a lambda, DuckDB computes all operands of AND and OR; in a condition of CASE as in WHERE, none behind one that decides. */
const lazily = (condition: Expression): Expression =>
  condition.kind === 'operation' && ['AND', 'OR'].includes(condition.operator) && mayFail(condition)
    ? caseWhen(condition, boolLiteral(true))
    : condition;

const filtered = (from: Unnest, where: readonly Expression[]): Expression =>
  where.length === 0
    ? from.array
    : call('list_filter', [from.array, lambdaOf(from, lazily(and(where)))], from.array.type);

/** The values of elements; undefined if they depend on the offsets of elements that are not where they were. */
function valuesOf(
  { from }: ListRead,
  kept: Expression,
  value: Expression,
  isMoved: boolean,
): Expression | undefined {
  if (value.kind === 'column' && value.from === from.alias && value.name === 'value') return kept;
  const readsOffset = someNode(
    value,
    (part) => part.kind === 'column' && part.from === from.alias && part.name === 'offset',
  );
  if (readsOffset && isMoved) return undefined;
  return call('list_transform', [kept, lambdaOf(from, value)]);
}

const countOf = (items: Expression): Expression =>
  call('coalesce', [call('len', [items], scalar('INT64')), integerLiteral(0)], scalar('INT64'));

function existsIn(from: Unnest, where: readonly Expression[]): Expression {
  const [only, another] = where;
  const value = only && !another ? equalTo(from, only) : undefined;
  if (value === undefined) return compareWith('>', countOf(filtered(from, where)), integerLiteral(0));
  const found = call('list_contains', [from.array, value], scalar('BOOL'));
  return call('coalesce', [found, boolLiteral(false)], scalar('BOOL'));
}

/** The value that `=` compares an element with, if it depends on no element. FLOAT64's NaN is equal to nothing. */
function equalTo({ alias }: Unnest, condition: Expression): Expression | undefined {
  if (condition.kind !== 'operation' || condition.operator !== '=') return undefined;
  const isElement = (side: Expression) =>
    side.kind === 'column' && side.from === alias && side.name === 'value';
  const [left, right] = condition.operands;
  const [item, value] = left && isElement(left) ? [left, right] : [right, left];
  if (!item || !value || !isElement(item) || !isComparable(item.type, value.type)) return undefined;
  return someNode(value, (part) => part.kind === 'column' && part.from === alias) ? undefined : value;
}

const isComparable = (element: Type, value: Type): boolean =>
  element.kind === 'scalar' &&
  isScalar(value, element.name) &&
  !isScalar(element, 'FLOAT64', 'INTERVAL', 'JSON');

/** No macro, because those of a query are defined before its passes. DuckDB computes the list once. */
const onlyElement = (values: Expression, type: Type): Expression =>
  caseWhen(
    compareWith('>', call('len', [values], scalar('INT64')), integerLiteral(1)),
    call('error', [textLiteral('a subquery that is a value has more than one row')]),
    element(values, 1, type),
    type,
  );

/** DuckDB takes an empty list for one of integers. */
const orEmpty = (values: Expression, type: Type): Expression => {
  const empty = list([]);
  return call('coalesce', [values, duckdbType(type) === undefined ? empty : castTo(empty, type)], type);
};
