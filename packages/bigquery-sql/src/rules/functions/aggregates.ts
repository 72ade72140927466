import type * as Syntax from '../../syntax/nodes.ts';
import {
  aggregate as aggregateNode,
  call,
  integerLiteral,
  nullLiteral,
  operation,
} from '../../tree/build.ts';
import { isEqual } from '../../tree/equal.ts';
import type { Expression, SortKey, Window } from '../../tree/nodes.ts';
import {
  describeType,
  isScalar,
  sameName,
  scalar,
  type Type,
  unknown,
  withoutCollation,
} from '../../types.ts';
import { convert, distance } from '../coercion.ts';
import { collationKey, refuseCollations } from '../collation.ts';
import type { Context } from '../context.ts';
import { rowLimit } from '../expressions/constant-values.ts';
import { orderedKey, sortKeys } from '../expressions/sort-order.ts';
import { argumentsOfOwnQuery } from '../own-aggregate.ts';
import { groupableInstead, isGroupableAnywhere } from '../queries/after-grouping.ts';
import { isBareLiteral } from '../queries/grouping.ts';
import { aggregatedScope, refuseCall, type Scope } from '../scope.ts';
import { type Place, Unsupported } from '../unsupported.ts';
import type { Aggregate, Clause, Rows } from './aggregates/aggregate.ts';
import { extremeRows } from './aggregates/having-extreme.ts';
import { limitList } from './aggregates/limit-list.ts';
import { resolveWindow, windowNamed, windowScope } from './windows.ts';

/** A call of an aggregate or window function. */
export function aggregateCall(
  node: Syntax.FunctionCall,
  name: string,
  aggregate: Aggregate,
  scope: Scope,
  context: Context,
): Expression {
  const shown = name.toUpperCase();
  refuseCall(node, node.over ? 'window' : 'aggregate', scope);
  requireAllowed(node, shown, aggregate);
  const rowScope = node.over ? windowScope(scope) : aggregatedScope(scope);
  const given = argumentsOf(node, shown, aggregate, rowScope, context);
  const args = node.over ? given : argumentsOfOwnQuery(given, scope);
  const build = (rows: Rows, given: readonly Expression[]) => aggregate.build(rows, given, node);
  const isUnknown = name !== 'count' && !aggregate.window && args.some(({ type }) => type.kind === 'unknown');
  if (node.having && !isUnknown) return extremeRows(node, node.having, args, build, rowScope, context);
  const over = node.over && windowOf(node.over, shown, aggregate, node, scope, context);
  // The tree depends on the type, which is not known; it still is an aggregate, of all that it reads.
  if (isUnknown) {
    const by = node.having ? [context.expression(node.having.by, rowScope)] : [];
    const orderBy = sortKeys(node.orderBy, rowScope, context);
    return aggregateNode(name, [...args, ...by], aggregate.result(args), {
      ...(orderBy.length > 0 && { orderBy }),
      ...(over && { over }),
    });
  }
  return build(callRows(node, over, rowScope, context), args);
}

/** The aggregates that compare no values of their argument, or by its collation. */
const passedOn: readonly string[] =
  'ANY_VALUE ARRAY_AGG COUNT FIRST_VALUE LAST_VALUE NTH_VALUE LAG LEAD MIN MAX'.split(' ');

function argumentsOf(
  node: Syntax.FunctionCall,
  shown: string,
  { arity: [least, most], named, takes, takesFirst = () => true, unify = (args) => args }: Aggregate,
  scope: Scope,
  context: Context,
): readonly Expression[] {
  const nodes = node.args.flatMap((arg) => {
    if (arg.kind === 'NamedArgument') {
      if (named !== undefined && arg === node.args.at(-1) && sameName(arg.name.name, named))
        return [arg.value];
      throw new Unsupported(
        arg,
        `${shown} takes ${named === undefined ? 'no named arguments' : `the named argument ${named} only, after all others`}`,
      );
    }
    if (arg.kind === 'StarArgument' && shown !== 'COUNT') throw new Unsupported(arg, `${shown} takes no *`);
    return arg.kind === 'StarArgument' ? [] : [arg];
  });
  if (shown === 'COUNT' && node.args.length !== 1) throw new Unsupported(node, 'COUNT takes one argument');
  const given = nodes.map((arg) => context.expression(arg, scope));
  const args = shown === 'COUNT' && node.distinct ? given.map(collationKey) : given;
  const fits = args.length >= least && args.length <= most;
  const [{ type } = nullLiteral()] = args;
  const isTaken = type.kind === 'unknown' || type.kind === 'null' || takesFirst(withoutCollation(type));
  if (!fits || !isTaken || (takes && args.some((arg) => distance(arg, takes) === undefined))) {
    const types = args.map(({ type }) => describeType(type)).join(', ');
    throw new Unsupported(node, `${shown} does not take (${types})`);
  }
  if (!passedOn.includes(shown)) refuseCollations(node, shown, args);
  const repeated = node.distinct ? args.find(({ type }) => !isGroupableAnywhere(type)) : undefined;
  if (repeated)
    throw new Unsupported(
      node,
      `${shown}(DISTINCT …) does not take ${describeType(repeated.type)}${groupableInstead(repeated.type)}`,
    );
  if (takes) return args.map((arg) => convert(arg, takes));
  // A bare NULL is of the first type that the function takes.
  const isBytes = args.some(({ type }) => isScalar(type, 'BYTES'));
  const nullAs = scalar(shown !== 'STRING_AGG' ? 'INT64' : isBytes ? 'BYTES' : 'STRING');
  return unify(args).map((arg) => (arg.type.kind === 'null' ? convert(arg, nullAs) : arg));
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
  const literal = node.orderBy.find(({ expression }) => isBareLiteral(expression));
  if (literal) throw new Unsupported(literal, `in ${shown}, ORDER BY does not take a position or a literal`);
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
  const inOrder = sortKeys(node.orderBy, scope, context, (key) => {
    const [value = nullLiteral()] = argumentsOfOwnQuery([context.expression(key, scope)], scope);
    return { key: value, value };
  });
  const orderBy = node.distinct ? inOrder : inOrder.map((key) => ({ ...key, value: orderedKey(key.value) }));
  const isInterval = node.distinct && orderBy.some(({ value }) => isScalar(value.type, 'INTERVAL'));
  if (isInterval)
    throw new Unsupported(node.orderBy[0] ?? node, 'ORDER BY of INTERVAL is not supported with DISTINCT');
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
      return limitList(orderBy.length === 1 ? values : sortedFloats(node, values, orderBy), limit);
    }
    const clauses = {
      ...(node.distinct && { distinct: true }),
      ...(orderBy.length > 0 && { orderBy }),
      ...filter,
    };
    return limitList(aggregateOf(name, args, type, clauses), limit);
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
