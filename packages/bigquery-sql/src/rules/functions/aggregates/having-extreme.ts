import type * as Syntax from '../../../syntax/nodes.ts';
import {
  aggregate as aggregateNode,
  call,
  caseWhen,
  castTo,
  compareWith,
  field,
  integerLiteral,
  lambda,
  literal,
  nullLiteral,
  operation,
  struct,
  textLiteral,
  transformList,
} from '../../../tree/build.ts';
import { mapExpression } from '../../../tree/map.ts';
import type { Expression } from '../../../tree/nodes.ts';
import { isVolatile } from '../../../tree/volatile.ts';
import { arrayOf, isScalar, scalar, type Type, unknown } from '../../../types.ts';
import { bindValues } from '../../bind-values.ts';
import { refuseCollations } from '../../collation.ts';
import type { Context } from '../../context.ts';
import { compare } from '../../expressions/comparison.ts';
import { rowLimit } from '../../expressions/constant-values.ts';
import { orderedKey, requireOrderable, sortKeys } from '../../expressions/sort-order.ts';
import { argumentsOfOwnQuery } from '../../own-aggregate.ts';
import type { Scope } from '../../scope.ts';
import { Unsupported } from '../../unsupported.ts';
import { functionName } from '../function-name.ts';
import type { Rows } from './aggregate.ts';
import { limitList } from './limit-list.ts';

/**
 * `AGG(x HAVING MAX y)`: the aggregate over the rows with the greatest y. No aggregate can be limited to rows that
 * another one finds, so the rows are collected in a list and its elements are aggregated.
 */
export function extremeRows(
  node: Syntax.FunctionCall,
  having: Syntax.HavingExtreme,
  args: readonly Expression[],
  build: (rows: Rows, args: readonly Expression[]) => Expression,
  scope: Scope,
  context: Context,
): Expression {
  const [by = nullLiteral()] = argumentsOfOwnQuery([context.expression(having.by, scope)], scope);
  requireOrderable(having.by, by.type);
  refuseCollations(having.by, 'HAVING', [by]);
  const [value = nullLiteral()] = args;
  if (functionName(node.name) === 'any_value' && !isVolatile(value) && !isVolatile(by))
    return anyValue(having, by, value);
  const keys = sortKeys(node.orderBy, scope, context).map((key) => ({
    ...key,
    value: orderedKey(key.value),
  }));
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

/** DuckDB's functions leave out rows whose value is NULL: it is NULL if the greatest y is in such rows only. */
function anyValue(having: Syntax.HavingExtreme, by: Expression, value: Expression): Expression {
  const isMax = having.extreme === 'MAX';
  const filter = operation('IS NOT NULL', [value]);
  const reached = aggregateNode(isMax ? 'max' : 'min', [by], by.type, { filter });
  const found = aggregateNode(isMax ? 'arg_max' : 'arg_min', [value, orderedKey(by)], value.type);
  return caseWhen(compare(having, '=', extremeOf(having, by), reached), found);
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
    if (name === 'list') return caseWhen(isEmpty, nullLiteral(type), limitList(values, limit), type);
    if (name === 'count') {
      const present = value ? columnOf(distinct ? distinctKey(value) : value, true, distinct) : kept;
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

/** A value that is the same for equal values: DuckDB's lists have several NaN, and intervals by their parts. */
function distinctKey(value: Expression): Expression {
  if (!isScalar(value.type, 'FLOAT64')) return orderedKey(value);
  const isZero = compareWith('=', value, literal(value.type, '0'));
  return caseWhen(isZero, textLiteral('0'), castTo(value, scalar('STRING')));
}

/** An expression over a row, with the row itself in it. */
const withRow = (value: Expression, row: Expression): Expression =>
  mapExpression(value, (part) => (part === rowOf ? row : part));
