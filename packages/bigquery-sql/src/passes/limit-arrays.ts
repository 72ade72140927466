import {
  aggregate,
  and,
  call,
  caseWhen,
  compareWith,
  integerLiteral,
  isNull,
  operation,
} from '../tree/build.ts';
import { mapExpressions, someNode } from '../tree/map.ts';
import type { Aggregate, Expression, SortKey } from '../tree/nodes.ts';
import { isVolatile } from '../tree/volatile.ts';
import { isScalar, scalar } from '../types.ts';
import type { Pass } from './pass.ts';
import { arrayRead } from './rewriting/array-reads.ts';

/**
 * Makes `ARRAY_AGG(x ORDER BY key LIMIT n)` keep n rows of each group instead of sorting all of them, and only one row
 * where it is read as `ARRAY_AGG(x ORDER BY key LIMIT 1)[OFFSET(0)]`.
 */
export const limitArrays: Pass = (query) =>
  mapExpressions(query, (node) => {
    const first = firstRead(node);
    if (first) return first;
    const limited = limitedArray(node);
    return limited ? (firstRows(limited) ?? node) : node;
  });

interface Limited {
  readonly array: Aggregate;
  readonly count: bigint;
  readonly key: SortKey;
}

/** Beyond so many rows of each group, a heap is no cheaper than a sorted list. */
const mostRows = 100n;

/** `list_slice(list(x ORDER BY key), 1, n)`. */
function limitedArray(node: Expression): Limited | undefined {
  if (node.kind !== 'call' || node.function !== 'list_slice') return undefined;
  const [array, start, end] = node.args;
  if (array?.kind !== 'aggregate' || array.function !== 'list' || array.distinct || array.over)
    return undefined;
  if (start?.kind !== 'literal' || start.value !== 1n || end?.kind !== 'literal') return undefined;
  const key = onlyKey(array.orderBy ?? []);
  const isSmall = typeof end.value === 'bigint' && end.value > 0n && end.value <= mostRows;
  if (!key || !isSmall || isVolatile(array) || someNode(array, ({ kind }) => kind === 'subquery'))
    return undefined;
  return { array, count: end.value as bigint, key };
}

/** The one key; of a FLOAT64 there are two, of which the first one is whether it is NaN. */
function onlyKey([first, second, third]: readonly SortKey[]): SortKey | undefined {
  if (!first || third) return undefined;
  if (!second) return isScalar(first.value.type, 'FLOAT64') ? undefined : first;
  const { value } = first;
  const isNaNFirst = value.kind === 'call' && value.function === 'isnan' && value.args[0] === second.value;
  if (!isNaNFirst || !isScalar(second.value.type, 'FLOAT64')) return undefined;
  const pair = call('row', [operation('NOT', [value]), second.value]);
  return { ...second, value: caseWhen(operation('IS NOT NULL', [second.value]), pair) };
}

/** `array[OFFSET(0)]` of an array with one element. */
function firstRead(node: Expression): Expression | undefined {
  const read = arrayRead(node);
  if (read?.offset !== 0n) return undefined;
  const limited = limitedArray(read.array);
  return limited?.count === 1n ? firstOf(limited) : onlyOf(read.array);
}

/** The value of an array that `firstRows` has limited to one row: DuckDB has the function for a value, too. */
function onlyOf(array: Expression): Expression | undefined {
  if (array.kind !== 'aggregate' || array.type.kind !== 'array') return undefined;
  const [value, key, count] = array.args;
  const isFirst = count?.kind === 'literal' && count.value === 1n && array.function.endsWith('_nulls_last');
  return value && key && isFirst ? { ...array, args: [value, key], type: array.type.element } : undefined;
}

const isRequired = ({ value }: SortKey): boolean => value.kind === 'column' && value.required === true;

/** The value of the first row, where rows whose key is NULL come first: DuckDB's functions leave them out. */
function firstOf({ array, key }: Limited): Expression {
  const [value] = array.args;
  if (!value || array.type.kind !== 'array') return array;
  const { element } = array.type;
  const over = (name: string, args: readonly Expression[], type = element, filter = array.filter) =>
    aggregate(name, args, type, filter && { filter });
  const int64 = scalar('INT64');
  const isAbsent = compareWith('<', over('count', [key.value], int64), over('count', [], int64));
  const withoutKey = and([...(array.filter ? [array.filter] : []), isNull(key.value)]);
  const extreme = over(key.descending ? 'arg_max_null' : 'arg_min_null', [value, key.value]);
  return caseWhen(isAbsent, over('first', [value], element, withoutKey), extreme, element);
}

/** The values of the first rows; undefined if rows whose key is NULL come first. */
function firstRows({ array, count, key }: Limited): Expression | undefined {
  const [value] = array.args;
  if (!value || (key.nulls === 'FIRST' && !isRequired(key))) return undefined;
  const name = key.descending ? 'arg_max_nulls_last' : 'arg_min_nulls_last';
  const { filter, type } = array;
  return aggregate(name, [value, key.value, integerLiteral(count)], type, filter && { filter });
}
