import type * as Syntax from '../../syntax/nodes.ts';
import { and, compareWith, select } from '../../tree/build.ts';
import { forEachNode, mapExpression, someNode } from '../../tree/map.ts';
import type { Expression, Member } from '../../tree/nodes.ts';
import { isScalar, type Type, unknown } from '../../types.ts';
import { convert, supertype } from '../coercion.ts';
import { refuseCollations } from '../collation.ts';
import { type Context, hasFailed, type ResolvedFrom } from '../context.ts';
import { nameOutputs, type Output, starColumns } from '../queries/outputs.ts';
import { absentIn, type Scope } from '../scope.ts';
import { Unsupported } from '../unsupported.ts';
import { derivedFrom } from './derived.ts';

export const resolvePivot = (node: Syntax.Pivot, scope: Scope, context: Context): ResolvedFrom =>
  pivotFrom(node, context.from(node.source, scope), scope, context);

/** `PIVOT(SUM(x) FOR y IN ('a', 'b'))`: one row for each combination of the columns that it does not name. */
export function pivotFrom(
  { spec, alias: label }: Pick<Syntax.Pivot, 'spec' | 'alias'>,
  source: ResolvedFrom,
  scope: Scope,
  context: Context,
): ResolvedFrom {
  const inner = { ...scope, ranges: source.ranges, merged: source.merged };
  const input = context.expression(spec.input, inner);
  const aggregates = spec.aggregates.map(({ expression, alias, ...place }) => {
    if (!alias && spec.aggregates.length > 1)
      throw new Unsupported(place, 'PIVOT with several aggregates needs an alias for each');
    const value = context.expression(expression, inner);
    if (!someNode(value, (part) => part.kind === 'aggregate' && part.over === undefined))
      throw new Unsupported(expression, 'PIVOT takes an aggregate function');
    return { value, alias: alias?.name };
  });
  const read = columnsRead([input, ...aggregates.map(({ value }) => value)]);
  const groups = source.ranges
    .flatMap(starColumns)
    .filter(({ value }) => value.kind !== 'column' || !read.has(columnKey(value.from, value.name)));
  refuseCollations(
    spec,
    'PIVOT',
    groups.map(({ value }) => value),
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

function sameValue(
  { expression, alias }: Syntax.PivotValue,
  input: Expression,
  value: Expression,
): Expression {
  refuseCollations(expression, 'PIVOT', [input, value]);
  const type = supertype([input, value]);
  if (!type) throw new Unsupported(expression, 'a value of PIVOT must have the type of the column');
  if (!alias && isScalar(type, 'FLOAT64'))
    throw new Unsupported(expression, 'this value of PIVOT needs an alias');
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
  const name = alias?.name ?? nameOfValue(expression, type);
  if (aggregate !== undefined) return `${aggregate}_${name}`;
  return alias || !/^\d/.test(name) ? name : `_${name}`;
}

function nameOfValue(node: Syntax.Expression, type: Type): string {
  switch (node.kind) {
    case 'StringLiteral':
      return node.value;
    case 'IntegerLiteral':
      return String(node.value);
    case 'BooleanLiteral':
      return String(node.value);
    case 'NullLiteral':
      return 'NULL';
    case 'FloatLiteral':
      return node.text.replace('.', '_point_');
    case 'Unary':
      if (node.operator === '-') return `minus_${nameOfValue(node.operand, type)}`;
      break;
    case 'TypedLiteral':
      if (node.type === 'DATE') return node.value.value.replaceAll('-', '_');
      if (node.type === 'NUMERIC' || node.type === 'BIGNUMERIC')
        return node.value.value.replace('-', 'minus_').replace('.', '_point_');
      break;
    case 'StructConstructor':
      return nameOfStruct(
        node.fields.map(({ value }) => value),
        type,
      );
    case 'Cast':
      if (node.operand.kind === 'NullLiteral') return 'NULL';
      break;
    case 'Tuple':
      return nameOfStruct(node.elements, type);
  }
  throw new Unsupported(node, 'this value of PIVOT needs an alias');
}

/** Each field after its name, if the column's type has one. */
function nameOfStruct(values: readonly Syntax.Expression[], type: Type): string {
  const fields = type.kind === 'struct' ? type.fields : [];
  const names = values.map((value, at) => {
    const text = nameOfValue(value, fields[at]?.type ?? unknown);
    return fields[at]?.name ? `${fields[at].name}_${text}` : text;
  });
  return names.join('_');
}
