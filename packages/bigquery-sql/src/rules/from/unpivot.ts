import type * as Syntax from '../../syntax/nodes.ts';
import {
  column,
  field,
  integerLiteral,
  list,
  operation,
  or,
  select,
  struct,
  textLiteral,
} from '../../tree/build.ts';
import type { Column, Expression, From } from '../../tree/nodes.ts';
import { arrayOf, describeType, sameName, type Type, withoutCollation } from '../../types.ts';
import { commonSupertype, convert } from '../coercion.ts';
import { type Context, hasFailed, type ResolvedFrom } from '../context.ts';
import { bareColumns, nameOutputs, type Output } from '../queries/outputs.ts';
import { absentIn, type Scope } from '../scope.ts';
import { Unsupported } from '../unsupported.ts';
import { derivedFrom } from './derived.ts';
import { refuseValues } from './pivot.ts';

export const resolveUnpivot = (node: Syntax.Unpivot, scope: Scope, context: Context): ResolvedFrom =>
  unpivotFrom(node, context.from(node.source, scope), scope, context);

/** `UNPIVOT(value FOR name IN (a, b))`: one row for each column, or group of columns, that it names. */
export function unpivotFrom(
  { spec, alias: label }: Pick<Syntax.Unpivot, 'spec' | 'alias'>,
  source: ResolvedFrom,
  scope: Scope,
  context: Context,
): ResolvedFrom {
  refuseValues(spec, 'UNPIVOT', source);
  const inner = { ...scope, ranges: source.ranges };
  requireLabelsOfOneType(spec);
  const groups = spec.groups.map((group) => {
    if (group.columns.length !== spec.values.length)
      throw new Unsupported(group, `expected ${spec.values.length} columns`);
    return {
      values: group.columns.map((path) => context.expression(path, inner)),
      label: labelOf(group),
    };
  });
  requireDistinct(
    spec.groups.flatMap(({ columns }) => columns),
    groups.flatMap(({ values }) => values),
  );
  const types = spec.values.map((name, at): Type => {
    const values = groups.flatMap((group) => group.values.slice(at, at + 1));
    requireSameType(spec, at, values);
    return commonSupertype(name, 'UNPIVOT', values);
  });
  const rows = groups.map(({ values, label: name }) =>
    struct([
      ...values.map((value, at) => ({ name: valueName(at), value: convert(value, types[at] ?? value.type) })),
      { name: 'label', value: name },
    ]),
  );
  const [first] = rows;
  if (!first) throw new Unsupported(spec, 'UNPIVOT takes columns');
  if (!source.from) return source;

  const element = context.fresh('unpivoted');
  const from: From = {
    kind: 'join',
    join: 'CROSS',
    left: source.from,
    right: { kind: 'unnest', alias: element, array: list(rows, arrayOf(first.type)), offset: false },
  };
  const row = column(element, 'value', first.type);
  const values = types.map((type, at) => field(row, valueName(at), type));
  const isUnpivoted = (value: Expression) =>
    value.kind === 'column' && groups.some((group) => group.values.some((other) => isSame(value, other)));
  const outputs: readonly Output[] = [
    ...source.ranges.flatMap(bareColumns).filter(({ value }) => !isUnpivoted(value)),
    ...values.map((value, at) => ({ name: spec.values[at]?.name ?? '', value })),
    { name: spec.name.name, value: field(row, 'label', labelType(groups)) },
  ];
  const { members, columns } = nameOutputs(outputs);
  const anyValue = or(values.map((value) => operation('IS NOT NULL', [value])));
  const alias = context.fresh(label?.name ?? 'unpivot');
  const query = select({
    columns: members,
    from,
    where: spec.nulls === 'INCLUDE' ? [] : [anyValue],
  });
  const isIncomplete =
    source.ranges.some(({ acceptsAnyColumn }) => acceptsAnyColumn) ||
    groups.some((group) => group.values.some(hasFailed));
  const unpivoted = {
    query,
    columns,
    isValue: false,
    ...(isIncomplete && { acceptsAnyColumn: true as const }),
    ...absentIn(source.ranges),
  };
  return derivedFrom(unpivoted, label?.name, alias);
}

/** UNPIVOT converts nothing; the type of a NULL without one is not looked at. */
function requireSameType({ groups }: Syntax.UnpivotSpec, at: number, values: readonly Expression[]): void {
  const typed = values.map(({ type }) =>
    isUntyped(type) ? undefined : describeType(withoutCollation(type)),
  );
  const first = typed.find((type) => type !== undefined);
  const other = typed.findIndex((type) => type !== undefined && !sameName(type, first ?? type));
  const place = groups[other]?.columns[at];
  if (place)
    throw new Unsupported(
      place,
      `UNPIVOT takes columns of one type, and these are ${first} and ${typed[other]}: CAST one in a query before it`,
    );
}

const isUntyped = ({ kind }: Type): boolean => kind === 'null' || kind === 'unknown';

/** A label that is not given is a STRING. */
function requireLabelsOfOneType({ groups }: Syntax.UnpivotSpec): void {
  const labels = groups.map(({ label }) => label?.kind === 'IntegerLiteral');
  const other = groups[labels.findIndex((isInteger) => isInteger !== labels[0])];
  if (other)
    throw new Unsupported(
      other.label ?? other,
      'the labels of UNPIVOT are all INT64 or all STRING: a column without a label has its name',
    );
}

function requireDistinct(paths: readonly Syntax.Path[], values: readonly Expression[]): void {
  const at = values.findIndex(
    (value, index) => value.kind === 'column' && values.slice(0, index).some((other) => isSame(value, other)),
  );
  const repeated = paths[at];
  if (repeated) throw new Unsupported(repeated, 'UNPIVOT takes each column once');
}

const isSame = (one: Column, other: Expression): boolean =>
  other.kind === 'column' && other.from === one.from && other.name === one.name;

const valueName = (at: number) => `value${at}`;

/** The label of a group; by default the names of its columns. */
function labelOf({ label, columns }: Syntax.UnpivotGroup): Expression {
  if (label?.kind === 'IntegerLiteral') return integerLiteral(label.value);
  if (label) return textLiteral(label.value);
  return textLiteral(columns.map(({ parts }) => parts.at(-1)?.name ?? '').join('_'));
}

const labelType = (groups: readonly { readonly label: Expression }[]): Type =>
  (groups[0] as { readonly label: Expression }).label.type;
