import { parseDecimal } from '@querygate/text';
import type * as Syntax from '../../syntax/nodes.ts';
import { and, compareWith, select } from '../../tree/build.ts';
import { forEachNode, mapExpression, sizeOf, someNode } from '../../tree/map.ts';
import type { Expression, Member } from '../../tree/nodes.ts';
import { describeType, isScalar, type ScalarName, type Type, typedNulls, unknown } from '../../types.ts';
import { convert, distance } from '../coercion.ts';
import { refuseCollations } from '../collation.ts';
import { type Context, hasFailed, type ResolvedFrom } from '../context.ts';
import { aggregateOf } from '../functions/aggregate-names.ts';
import { functionName } from '../functions/function-name.ts';
import { isGroupable } from '../queries/after-grouping.ts';
import { bareColumns, nameOutputs, type Output } from '../queries/outputs.ts';
import { absentIn, type Scope, scopeOfRows } from '../scope.ts';
import { type Place, Unsupported } from '../unsupported.ts';
import { derivedFrom } from './derived.ts';

export const resolvePivot = (node: Syntax.Pivot, scope: Scope, context: Context): ResolvedFrom =>
  pivotFrom(node, context.from(node.source, scope), scope, context);

/** Refuses rows, or elements of arrays beside them, that are one value. */
export function refuseValues(place: Place, name: string, { ranges }: ResolvedFrom): void {
  if (ranges.some(({ value }) => value))
    throw new Unsupported(
      place,
      `${name} takes no elements of arrays or other rows that are one value: SELECT their columns`,
    );
}

/** `PIVOT(SUM(x) FOR y IN ('a', 'b'))`: one row for each combination of the columns that it does not name. */
export function pivotFrom(
  { spec, alias: label }: Pick<Syntax.Pivot, 'spec' | 'alias'>,
  source: ResolvedFrom,
  scope: Scope,
  context: Context,
): ResolvedFrom {
  refuseValues(spec, 'PIVOT', source);
  const inner = { ...scope, ranges: source.ranges };
  const input = context.expression(spec.input, scopeOfRows(inner, 'FOR'));
  const aggregates = spec.aggregates.map(({ expression, alias, ...place }) => {
    if (!alias && spec.aggregates.length > 1)
      throw new Unsupported(place, 'PIVOT with several aggregates needs an alias for each');
    const value = context.expression(expression, inner);
    if (!someNode(value, (part) => part.kind === 'aggregate' && part.over === undefined))
      throw new Unsupported(expression, 'PIVOT takes an aggregate function');
    if (!isAggregateCall(expression))
      throw new Unsupported(
        expression,
        'PIVOT takes the call of an aggregate function alone: compute with it in the select list',
      );
    return { value, alias: alias?.name };
  });
  const read = columnsRead([input, ...aggregates.map(({ value }) => value)]);
  const groups = source.ranges
    .flatMap(bareColumns)
    .filter(({ value }) => value.kind !== 'column' || !read.has(columnKey(value.from, value.name)));
  refuseCollations(
    spec,
    'PIVOT',
    groups.map(({ value }) => value),
  );
  const { limits } = context;
  if (limits) {
    limits.columns(spec, groups.length + spec.values.length * aggregates.length);
    limits.nodes(spec, spec.values.length * aggregates.reduce((sum, { value }) => sum + sizeOf(value), 0));
  }
  const wrong = groups.find(({ value }) => !isGroupable(value.type));
  if (wrong)
    throw new Unsupported(
      spec,
      `PIVOT groups by ${wrong.name}, and does not take ${describeType(wrong.value.type)}: SELECT the other columns before`,
    );
  const pivoted = spec.values.flatMap((item) => {
    const value = context.expression(item.expression, scope);
    const isInput = sameValue(item, input, value);
    return aggregates.map(
      (aggregate): Output => ({
        name: pivotName(aggregate.alias, item, input.type),
        value: whereTrue(aggregate.value, isInput),
      }),
    );
  });
  const { members, columns } = nameOutputs([...groups, ...pivoted]);
  const alias = context.fresh(label?.name ?? 'pivoted');
  const query = select({
    columns: members,
    ...(source.from && { from: source.from }),
    groupBy: {
      keys: groups.map((_, at) => ({
        kind: 'position',
        index: at + 1,
        type: (members[at] as Member).value.type,
      })),
      ...(groups.length === 0 && { sets: [[]] }),
    },
  });
  const isIncomplete =
    source.ranges.some(({ acceptsAnyColumn }) => acceptsAnyColumn) ||
    [input, ...aggregates.map(({ value }) => value)].some(hasFailed);
  const pivotedQuery = {
    query,
    columns,
    isValue: false,
    ...(isIncomplete && { acceptsAnyColumn: true as const }),
    ...absentIn(source.ranges),
  };
  return derivedFrom(pivotedQuery, label?.name, alias);
}

const isAggregateCall = (node: Syntax.Expression): boolean =>
  node.kind === 'FunctionCall' && aggregateOf(functionName(node.name)) !== undefined;

const columnKey = (from: string, name: string) => JSON.stringify([from, name]);

/** The columns that expressions read, also in their subqueries. */
function columnsRead(expressions: readonly Expression[]): ReadonlySet<string> {
  const read = new Set<string>();
  for (const expression of expressions) {
    forEachNode(expression, (part) => {
      if (part.kind === 'column') read.add(columnKey(part.from, part.name));
    });
  }
  return read;
}

function sameValue({ expression }: Syntax.PivotValue, input: Expression, value: Expression): Expression {
  refuseCollations(expression, 'PIVOT', [input, value]);
  const type = typedNulls(input.type);
  if (distance(value, type) === undefined)
    throw new Unsupported(expression, 'a value of PIVOT must have the type of the column');
  return compareWith('IS NOT DISTINCT FROM', convert(input, type), convert(value, type));
}

/** The expression with each of its aggregates over the rows with one value only. */
const whereTrue = (expression: Expression, condition: Expression): Expression =>
  mapExpression(expression, (part) =>
    part.kind === 'aggregate' && part.over === undefined
      ? { ...part, filter: part.filter ? and([part.filter, condition]) : condition }
      : part,
  );

/** The name of a column: its own alias, or what BigQuery makes of the value, after the alias of the aggregate. */
function pivotName(
  aggregate: string | undefined,
  { expression, alias }: Syntax.PivotValue,
  type: Type,
): string {
  const name = alias?.name ?? nameOfValue(expression, type, aggregate === undefined);
  return aggregate === undefined ? name : `${aggregate}_${name}`;
}

const typesWithNames: readonly ScalarName[] = ['INT64', 'NUMERIC', 'BIGNUMERIC', 'BOOL', 'STRING', 'DATE'];

/**
 * A literal as a part of a name, with the type that it gets from the column.
 *
 * @param isFirst true if the name begins with it: then not with a digit, except for those of texts
 */
function nameOfValue(node: Syntax.Expression, type: Type, isFirst: boolean): string {
  const isNull = node.kind === 'NullLiteral' || (node.kind === 'Cast' && node.operand.kind === 'NullLiteral');
  if (isNull) return 'NULL';
  if (node.kind === 'Tuple') return nameOfStruct(node.elements, type, isFirst);
  if (node.kind === 'StructConstructor')
    return nameOfStruct(
      node.fields.map(({ value }) => value),
      type,
      isFirst,
    );
  const hasName = ['unknown', 'null'].includes(type.kind) || isScalar(type, ...typesWithNames);
  const name = hasName ? nameOfLiteral(node, type) : undefined;
  if (name === undefined) throw new Unsupported(node, 'this value of PIVOT needs an alias');
  if (name === '') return isFirst ? 'empty_string_value' : '_empty_string_value';
  const isText = node.kind === 'StringLiteral' && !isScalar(type, 'DATE');
  return isFirst && !isText && /^\d/.test(name) ? `_${name}` : name;
}

function nameOfLiteral(node: Syntax.Expression, type: Type): string | undefined {
  switch (node.kind) {
    case 'StringLiteral':
      return isScalar(type, 'DATE') ? nameOfDate(node.value) : node.value;
    case 'BooleanLiteral':
      return String(node.value);
    case 'IntegerLiteral':
      return nameOfNumber(String(node.value));
    case 'FloatLiteral':
      return nameOfNumber(node.text);
    case 'Unary': {
      const { operator, operand } = node;
      const isNumber = operand.kind === 'IntegerLiteral' || operand.kind === 'FloatLiteral';
      const name = operator === '-' && isNumber ? nameOfLiteral(operand, type) : undefined;
      return name && (name === '0' ? name : `minus_${name}`);
    }
    case 'TypedLiteral':
      if (node.type === 'DATE') return nameOfDate(node.value.value);
      return node.type === 'NUMERIC' || node.type === 'BIGNUMERIC'
        ? nameOfNumber(node.value.value)
        : undefined;
    default:
      return undefined;
  }
}

/** The texts of a date may differ: `2024-1-2`. */
function nameOfDate(text: string): string | undefined {
  const {
    year,
    month = '',
    day = '',
  } = /^(?<year>\d{4})-(?<month>\d{1,2})-(?<day>\d{1,2})$/.exec(text)?.groups ?? {};
  return year && [Number(year), month.padStart(2, '0'), day.padStart(2, '0')].join('_');
}

const nameOfNumber = (text: string): string | undefined =>
  parseDecimal(text, { whole: 39, fraction: 38 })?.replace('-', 'minus_').replace('.', '_point_');

/** Each field after its name, if the column's type has one. */
function nameOfStruct(values: readonly Syntax.Expression[], type: Type, isFirst: boolean): string {
  const fields = type.kind === 'struct' ? type.fields : [];
  const names = values.map((value, at) => {
    const { name = '', type: own = unknown } = fields[at] ?? {};
    const text = nameOfValue(value, own, isFirst && at === 0 && name === '');
    return name === '' ? text : `${name}_${text}`;
  });
  return names.join('_');
}
