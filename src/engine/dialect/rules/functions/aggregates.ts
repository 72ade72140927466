import type * as Syntax from '../../syntax/nodes.ts';
import {
  aggregate as aggregateNode,
  call,
  caseWhen,
  castTo,
  compareWith,
  field,
  integerLiteral,
  lambda,
  list,
  nullLiteral,
  operation,
  struct,
  textLiteral,
  transformList,
} from '../../tree/build.ts';
import { isEqual } from '../../tree/equal.ts';
import { mapExpression } from '../../tree/map.ts';
import type { Expression, SortKey, Window } from '../../tree/nodes.ts';
import { arrayOf, describeType, isScalar, scalar, type Type, unknown } from '../../types.ts';
import { bindValues } from '../bind-values.ts';
import { convert, distance } from '../coercion.ts';
import type { Context } from '../context.ts';
import { compare } from '../expressions/comparison.ts';
import { rowLimit } from '../expressions/parameters.ts';
import { requireOrderable, sortKeys } from '../expressions/sort-keys.ts';
import { argumentsOfOwnQuery } from '../own-aggregate.ts';
import { isGroupable } from '../queries/grouping.ts';
import type { Scope } from '../scope.ts';
import { type Place, Unsupported } from '../unsupported.ts';
import type { Aggregate, Clause, Rows } from './aggregates/aggregate.ts';
import { resolveWindow, windowNamed } from './windows.ts';

/** A call of an aggregate or window function. */
export function aggregateCall(
  node: Syntax.FunctionCall,
  name: string,
  aggregate: Aggregate,
  scope: Scope,
  context: Context,
): Expression {
  const shown = name.toUpperCase();
  requireAllowed(node, shown, aggregate);
  const given = argumentsOf(node, shown, aggregate, scope, context);
  const args = node.over ? given : argumentsOfOwnQuery(given, scope);
  if (args.some(({ type }) => type.kind === 'unknown' && !aggregate.window) && name !== 'count')
    return nullLiteral(aggregate.result(args));
  const build = (rows: Rows, given: readonly Expression[]) => aggregate.build(rows, given, node);
  if (node.having) return extremeRows(node, node.having, args, build, scope, context);
  const over = node.over && windowOf(node.over, shown, aggregate, node, scope, context);
  return build(callRows(node, over, scope, context), args);
}

function argumentsOf(
  node: Syntax.FunctionCall,
  shown: string,
  { arity: [least, most], takes }: Aggregate,
  scope: Scope,
  context: Context,
): readonly Expression[] {
  const nodes = node.args.flatMap((arg) => {
    if (arg.kind === 'NamedArgument') throw new Unsupported(arg, `${shown} takes no named arguments`);
    if (arg.kind === 'StarArgument' && shown !== 'COUNT') throw new Unsupported(arg, `${shown} takes no *`);
    return arg.kind === 'StarArgument' ? [] : [arg];
  });
  if (shown === 'COUNT' && node.args.length !== 1) throw new Unsupported(node, 'COUNT takes one argument');
  const args = nodes.map((arg) => context.expression(arg, scope));
  const fits = args.length >= least && args.length <= most;
  if (!fits || (takes && args.some((arg) => distance(arg, takes) === undefined))) {
    const types = args.map(({ type }) => describeType(type)).join(', ');
    throw new Unsupported(node, `${shown} does not take (${types})`);
  }
  const repeated = node.distinct ? args.find(({ type }) => !isGroupable(type)) : undefined;
  if (repeated) throw new Unsupported(node, `DISTINCT does not take ${describeType(repeated.type)}`);
  if (takes) return args.map((arg) => convert(arg, takes));
  const nullAs = scalar(shown === 'STRING_AGG' ? 'STRING' : 'INT64');
  // A bare NULL is of the first type that the function takes.
  return args.map((arg) => (arg.type.kind === 'null' ? convert(arg, nullAs) : arg));
}

function requireAllowed(node: Syntax.FunctionCall, shown: string, aggregate: Aggregate): void {
  const { allows = [], window } = aggregate;
  const [firstKey] = node.orderBy;
  const clauses: readonly (readonly [Clause, Place | undefined, string])[] = [
    ['distinct', node.distinct ? node : undefined, 'DISTINCT'],
    ['order', firstKey, 'ORDER BY'],
    ['limit', node.limit, 'LIMIT'],
    ['having', node.having, 'HAVING'],
    ['nulls', node.nulls && node, `${node.nulls} NULLS`],
  ];
  for (const [clause, place, written] of clauses)
    if (place && !allows.includes(clause)) throw new Unsupported(place, `${shown} takes no ${written}`);
  if (node.distinct && node.args.some(({ kind }) => kind === 'StarArgument'))
    throw new Unsupported(node, 'COUNT(DISTINCT *) is not supported');
  if (window && !node.over) throw new Unsupported(node, `${shown} needs OVER`);
  const inside = firstKey ?? node.limit ?? node.having;
  if (node.over && inside)
    throw new Unsupported(inside, `${shown} with OVER takes no ORDER BY, LIMIT or HAVING inside`);
}

function windowOf(
  over: Syntax.Identifier | Syntax.Window,
  shown: string,
  { windowOrder, noFrame }: Aggregate,
  node: Syntax.FunctionCall,
  scope: Scope,
  context: Context,
): Window {
  const window = over.kind === 'Identifier' ? windowNamed(over, scope) : resolveWindow(over, scope, context);
  const isOrdered = window.orderBy.length > 0;
  if (windowOrder === 'required' && !isOrdered)
    throw new Unsupported(over, `${shown} needs ORDER BY in its window`);
  if (isOrdered && (windowOrder === 'refused' || node.distinct))
    throw new Unsupported(
      over,
      `${node.distinct ? `${shown} with DISTINCT` : shown} takes no ORDER BY in its window`,
    );
  if (noFrame && window.frame) throw new Unsupported(over, `${shown} takes no frame in its window`);
  return window;
}

/** The rows of a group or a window. */
function callRows(node: Syntax.FunctionCall, over: Window | undefined, scope: Scope, context: Context): Rows {
  const orderBy = sortKeys(node.orderBy, scope, context);
  const limit = node.limit && rowLimit(node.limit.count, 'LIMIT', scope, context);
  const isWindow = over !== undefined;
  const aggregateOf = (
    name: string,
    args: readonly Expression[],
    type: Type,
    clauses: { distinct?: boolean; orderBy?: readonly SortKey[]; filter?: Expression; ignoreNulls?: boolean },
  ): Expression => {
    const value = aggregateNode(name, args, type, { ...clauses, ...(over && { over }) });
    // DuckDB counts −1 rows in a frame that ends before it begins.
    const mayBeReversed = name === 'count' && over?.frame !== undefined;
    return mayBeReversed ? call('greatest', [value, integerLiteral(0)], type) : value;
  };
  const main = (name: string, args: readonly Expression[], type: Type, skipNulls: boolean): Expression => {
    const [first = nullLiteral()] = args;
    const filter = skipNulls ? { filter: operation('IS NOT NULL', [first]) } : {};
    if (node.distinct && orderBy.length > 0) {
      requireOrderByArgument(node, args, orderBy);
      const values = aggregateOf(name, args, type, {
        distinct: true,
        ...(orderBy.length === 1 && { orderBy }),
        ...filter,
      });
      return limited(orderBy.length === 1 ? values : sortedFloats(node, values, orderBy), limit);
    }
    const clauses = {
      ...(node.distinct && { distinct: true }),
      ...(orderBy.length > 0 && { orderBy }),
      ...filter,
    };
    return limited(aggregateOf(name, args, type, clauses), limit);
  };
  const ignoresNulls = node.nulls === 'IGNORE';
  return {
    nulls: node.nulls,
    isDistinct: node.distinct,
    isWindow,
    main(name, args, type = unknown) {
      if (isWindow && ignoresNulls && navigationFunctions.includes(name))
        return aggregateOf(name, args, type, { ignoreNulls: true });
      return main(name, args, type, ignoresNulls);
    },
    withoutNulls: (name, args, type = unknown) => main(name, args, type, true),
    distinct: (name, args, type = unknown) => aggregateOf(name, args, type, { distinct: true }),
    other: (name, args, type = unknown) => aggregateOf(name, args, type, {}),
  };
}

const navigationFunctions: readonly string[] = ['first_value', 'last_value', 'nth_value', 'lag', 'lead'];

function requireOrderByArgument(
  node: Syntax.FunctionCall,
  [first]: readonly Expression[],
  orderBy: readonly SortKey[],
): void {
  const key = orderBy.at(-1)?.value;
  const [item, another] = node.orderBy;
  if (another || !first || !key || !isEqual(key, first))
    throw new Unsupported(another ?? item ?? node, 'with DISTINCT, ORDER BY takes the argument only');
}

/** DuckDB orders distinct values by the values only, so that NaN would come last. */
function sortedFloats(
  node: Syntax.FunctionCall,
  values: Expression,
  orderBy: readonly SortKey[],
): Expression {
  const key = orderBy.at(-1);
  const isUsual = key?.nulls === (key?.descending ? 'LAST' : 'FIRST');
  if (!isUsual) throw new Unsupported(node, 'NULLS FIRST and LAST are not supported with DISTINCT here');
  const sorted = call('bq.sorted_floats', [values], values.type);
  return key?.descending ? call('list_reverse', [sorted], values.type) : sorted;
}

/** The first elements of a list; NULL with LIMIT 0. */
function limited(value: Expression, limit: Expression | undefined): Expression {
  if (limit === undefined) return value;
  const sliced = call('list_slice', [value, integerLiteral(1), limit], value.type);
  if (limit.kind !== 'literal') return caseWhen(compareWith('>', limit, integerLiteral(0)), sliced);
  const isZero = limit.value === 0n;
  // The aggregate must stay, because it makes one row of the group.
  return isZero ? call('nullif', [sliced, castTo(list([]), value.type)], value.type) : sliced;
}

/**
 * `AGG(x HAVING MAX y)`: the aggregate over the rows with the greatest y. No aggregate can be limited to rows that
 * another one finds, so the rows are collected in a list and its elements are aggregated.
 */
function extremeRows(
  node: Syntax.FunctionCall,
  having: Syntax.HavingExtreme,
  args: readonly Expression[],
  build: (rows: Rows, args: readonly Expression[]) => Expression,
  scope: Scope,
  context: Context,
): Expression {
  const by = context.expression(having.by, scope);
  requireOrderable(having.by, by.type);
  const keys = sortKeys(node.orderBy, scope, context);
  const limit = node.limit && rowLimit(node.limit.count, 'LIMIT', scope, context);
  const members = [{ name: 'by', value: by }, ...args.map((value, at) => ({ name: `arg${at}`, value }))];
  const all = aggregateNode('list', [struct(members)], unknown, keys.length > 0 ? { orderBy: keys } : {});
  return bindValues([all, extremeOf(having, by)], (rows = all, edge = by) => {
    const isKept = lambda([unknown], (row = nullLiteral() as never) =>
      compare(having, '=', field(row, 'by', by.type), edge),
    );
    const kept = call('list_filter', [rows, isKept]);
    const isConstant = (value: Expression) => value.kind === 'literal' || value.kind === 'parameter';
    const inRow = args.map(
      (value, at): Expression =>
        isConstant(value) ? value : { kind: 'field', of: rowOf, name: `arg${at}`, type: value.type },
    );
    return build(listRows(node, kept, limit), inRow);
  });
}

/** A placeholder for one row in the arguments, until the list is transformed. */
const rowOf: Expression = { kind: 'local', id: 0, type: unknown };

/** The greatest or smallest value; NaN if there is one, so that no row has it. */
function extremeOf({ extreme }: Syntax.HavingExtreme, by: Expression): Expression {
  const value = aggregateNode(extreme === 'MAX' ? 'max' : 'min', [by], by.type);
  if (extreme === 'MAX' || !isScalar(by.type, 'FLOAT64')) return value;
  const hasNaN = aggregateNode('bool_or', [call('isnan', [by], scalar('BOOL'))], scalar('BOOL'));
  return caseWhen(hasNaN, nullLiteral(by.type), value);
}

/** The rows of a list. */
function listRows(node: Syntax.FunctionCall, kept: Expression, limit: Expression | undefined): Rows {
  const columnOf = (value: Expression | undefined, skipNulls: boolean, distinct: boolean): Expression => {
    if (value === undefined) return kept;
    const values = transformList(kept, unknown, (row) => withRow(value, row), arrayOf(value.type));
    const present = skipNulls
      ? call(
          'list_filter',
          [values, lambda([value.type], (item = nullLiteral() as never) => operation('IS NOT NULL', [item]))],
          values.type,
        )
      : values;
    return distinct ? call('list_distinct', [present], present.type) : present;
  };
  const aggregated = (
    name: string,
    args: readonly Expression[],
    type: Type,
    skipNulls: boolean,
    distinct: boolean,
  ) => {
    const [value, ...rest] = args;
    if (rest.some((arg) => arg.kind !== 'literal' && arg.kind !== 'list'))
      throw new Unsupported(node, 'HAVING MAX and MIN are not supported for aggregates of several arguments');
    if (distinct && node.orderBy.length > 0)
      throw new Unsupported(node, 'DISTINCT with ORDER BY is not supported beside HAVING MAX and MIN');
    const values = columnOf(value, skipNulls, distinct);
    const isEmpty = compareWith('=', call('len', [values], scalar('INT64')), integerLiteral(0));
    if (name === 'list') return caseWhen(isEmpty, nullLiteral(type), limited(values, limit), type);
    if (name === 'count') {
      const present = value ? columnOf(value, true, distinct) : kept;
      return call('coalesce', [call('len', [present], type), integerLiteral(0)], type);
    }
    return call('list_aggregate', [values, textLiteral(name), ...rest], type);
  };
  const ignoresNulls = node.nulls === 'IGNORE';
  return {
    nulls: node.nulls,
    isDistinct: node.distinct,
    isWindow: false,
    main: (name, args, type = unknown) => aggregated(name, args, type, ignoresNulls, node.distinct),
    withoutNulls: (name, args, type = unknown) => aggregated(name, args, type, true, node.distinct),
    distinct: (name, args, type = unknown) => aggregated(name, args, type, false, true),
    other: (name, args, type = unknown) => aggregated(name, args, type, false, false),
  };
}

/** An expression over a row, with the row itself in it. */
const withRow = (value: Expression, row: Expression): Expression =>
  mapExpression(value, (part) => (part === rowOf ? row : part));
