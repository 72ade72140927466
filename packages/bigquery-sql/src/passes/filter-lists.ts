import { hasSubquery } from '../macros/macros.ts';
import {
  and,
  boolLiteral,
  call,
  caseWhen,
  castTo,
  compareWith,
  element,
  integerLiteral,
  list,
  newLocal,
  operation,
  textLiteral,
} from '../tree/build.ts';
import { mapExpressions, someNode } from '../tree/map.ts';
import type { Expression, Lambda, Node, Select, Subquery, Unnest } from '../tree/nodes.ts';
import { isVolatile } from '../tree/volatile.ts';
import { duckdbType, isScalar, scalar, type Type, unknown } from '../types.ts';
import type { Pass } from './pass.ts';
import { substituteIn } from './rewriting/substitute.ts';

/**
 * Computes a subquery over the elements of one array as a function of the list: DuckDB plans a correlated UNNEST as a join
 * with all distinct arrays. The subquery may be EXISTS, ARRAY, a value or COUNT(*), with a condition.
 */
export const filterLists: Pass = (query) =>
  mapExpressions(query, (node) => (node.kind === 'subquery' ? (overList(node) ?? node) : node));

function overList(node: Subquery): Expression | undefined {
  const { query, form } = node;
  if (query.kind !== 'select' || !isFilterOnly(query) || query.from?.kind !== 'unnest') return undefined;
  const [column, another] = query.columns;
  const { from } = query;
  if (!column || !isCorrelated(from) || [from.array, ...query.where].some(cannotMove)) return undefined;
  const isCount = isCountOfRows(column.value);
  if (form === 'exists') return isAggregate(column.value) ? undefined : existsIn(from, query.where);
  if (another) return undefined;
  if (form === 'scalar' && isCount) return countOf(filtered(from, query.where));
  if (isAggregate(column.value) || cannotMove(column.value)) return undefined;
  const values = valuesOf(from, query.where, column.value);
  if (values === undefined) return undefined;
  if (form === 'scalar') return onlyElement(values, node.type);
  return form === 'array' ? orEmpty(values, node.type) : undefined;
}

const isFilterOnly = ({ distinct, groupBy, having, windows, qualify, orderBy, limit, offset }: Select) =>
  !distinct &&
  !groupBy &&
  !limit &&
  !offset &&
  [having, windows, qualify, orderBy].every((clause) => clause.length === 0);

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

const filtered = (from: Unnest, where: readonly Expression[]): Expression =>
  where.length === 0
    ? from.array
    : call('list_filter', [from.array, lambdaOf(from, and(where))], from.array.type);

/**
 * The list of the values that the subquery selects; undefined if they depend on the offsets of elements that a
 * condition chooses.
 */
function valuesOf(from: Unnest, where: readonly Expression[], value: Expression): Expression | undefined {
  const kept = filtered(from, where);
  if (value.kind === 'column' && value.from === from.alias && value.name === 'value') return kept;
  const readsOffset = someNode(
    value,
    (part) => part.kind === 'column' && part.from === from.alias && part.name === 'offset',
  );
  if (readsOffset && where.length > 0) return undefined;
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
