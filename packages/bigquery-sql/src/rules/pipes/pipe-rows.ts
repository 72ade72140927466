import { column, select } from '../../tree/build.ts';
import { isEqual } from '../../tree/equal.ts';
import { unusedName } from '../../tree/fresh-names.ts';
import type { Expression, From, Member, Select } from '../../tree/nodes.ts';
import { isPath } from '../../tree/query-parts.ts';
import { sameName } from '../../types.ts';
import type { Context, ResolvedFrom, ResolvedQuery } from '../context.ts';
import { computedFirst } from '../queries/after-grouping.ts';
import { bareColumns, nameOutputs, type Output, rangeOf, toOutput } from '../queries/outputs.ts';
import { absentIn, isMerged, type Range, type Scope } from '../scope.ts';

/** The rows that one pipe operator passes to the next. */
export interface Rows {
  readonly from: From | undefined;
  /** The tables that expressions may still name. */
  readonly ranges: readonly Range[];
  /** The columns, which bare names refer to. */
  readonly columns: readonly PipedColumn[];
  /** Each row as one value: after SELECT AS STRUCT or AS VALUE, and of an array that is all of FROM. */
  readonly value?: Expression | undefined;
  /** True if the value is of an array in FROM: readers of the query see its fields as columns. */
  readonly isElement?: boolean;
}

interface PipedColumn extends Output {
  /** True for a value that is a row of an item of FROM: bare names refer to its fields. */
  readonly isRow?: boolean;
  /** See `Range`. */
  readonly merged?: readonly string[] | undefined;
}

/** The rows of a query. */
export function rowsOf(input: ResolvedQuery, context: Context, name?: string): Rows {
  const alias = context.fresh(name ?? 'piped');
  const range = rangeOf(input, name, alias);
  return {
    from: { kind: 'derived', alias, query: input.query },
    ranges: [range],
    columns: columnsOf(range),
    value: range.value,
  };
}

/** The rows of FROM. */
export function rowsOfFrom({ from, ranges }: ResolvedFrom): Rows {
  const [only, another] = ranges;
  const columns = ranges.flatMap(columnsOf);
  return { from, ranges, columns, value: another ? undefined : only?.value, isElement: true };
}

/** Those of an item of FROM: a row that is a value is one, unless JOIN USING has merged it. */
function columnsOf(range: Range): readonly PipedColumn[] {
  const { name, value, merged } = range;
  if (!value) return bareColumns(range);
  return name !== undefined && isMerged(range, name)
    ? []
    : [{ ...toOutput(name, value), isRow: true, merged }];
}

/** The rows by a new name, which is the only one that expressions may put before a point. */
export function namedRows(name: string, rows: Rows): Rows {
  const { value } = rows;
  if (value) {
    const range = { name, columns: [], value };
    return { ...rows, ranges: [range], columns: columnsOf(range) };
  }
  const columns = rows.columns.map(({ isRow: _, ...column }) => column);
  return { ...rows, ranges: [{ name, columns }], columns };
}

/** The names that an expression over the rows may use. */
export const scopeOf = (rows: Rows, scope: Scope): Scope => ({ ...scope, ...namesOf(rows) });

/** The rows as a FROM item, to which a join may be added: each row that is a value is an item of its own. */
export function fromOf(rows: Rows): ResolvedFrom {
  if (!rows.columns.some(({ isRow }) => isRow)) return { from: rows.from, ...namesOf(rows) };
  const own = rows.columns.map((output) =>
    output.isRow ? rangeOfRow(output) : { name: undefined, columns: [output] },
  );
  const isOwn = ({ name, value }: Range) =>
    value !== undefined && own.some((range) => range.name !== undefined && sameName(range.name, name ?? ''));
  const [bare, ...named] = namesOf(rows).ranges;
  const unknown = bare?.acceptsAnyColumn ? [{ ...bare, columns: [] }] : [];
  return { from: rows.from, ranges: [...unknown, ...own, ...named.filter((range) => !isOwn(range))] };
}

/** Columns, and pseudo columns of FROM, are read by their bare names, and those of a table by its name, too. */
function namesOf({ ranges, columns }: Rows): { readonly ranges: readonly Range[] } {
  const bare = columns.flatMap(bareNames);
  const pseudo = ranges
    .flatMap((range) => range.columns)
    .filter(({ isPseudo, name }) => isPseudo && !bare.some((own) => sameName(own.name, name)));
  return {
    ranges: [
      {
        name: undefined,
        columns: [...bare, ...pseudo],
        ...(isIncomplete(ranges) && { acceptsAnyColumn: true as const }),
      },
      ...ranges.map((range) => ({ ...range, isQualifiedOnly: true as const })),
    ],
  };
}

/** The columns that bare names refer to: of a row of FROM, its fields. */
const bareNames = (output: PipedColumn): readonly Output[] =>
  output.isRow ? bareColumns(rangeOfRow(output)) : [output];

const rangeOfRow = ({ name, isAnonymous, value, merged }: PipedColumn): Range => ({
  name: isAnonymous ? undefined : name,
  columns: [],
  value,
  ...(merged && { merged }),
});

/** The rows of a query over the rows, which keeps all that expressions may name. */
export function nest(rows: Rows, clauses: Partial<Select>, context: Context): Rows {
  const alias = context.fresh('piped');
  const members: Member[] = [];
  const used = new Set<string>();
  const move = (value: Expression, name: string): Expression => {
    // Two computed columns stay two, of which random ones may be written alike.
    const isKnown = (member: Member) =>
      isPath(value) ? isEqual(member.value, value) : member.value === value;
    const known = members.findIndex(isKnown);
    const index = known < 0 ? members.push({ name: unusedName(name || 'column', used), value }) - 1 : known;
    const isRequired = value.kind === 'column' && value.required;
    return column(alias, members[index]?.name ?? name, value.type, isRequired);
  };
  const columns = rows.columns.map((output) => ({ ...output, value: move(output.value, output.name) }));
  const ranges = rows.ranges.map((range) => ({
    ...range,
    columns: range.columns.map((member) => ({ ...member, value: move(member.value, member.name) })),
    ...(range.value && { value: move(range.value, range.name ?? 'value') }),
  }));
  const value = rows.value && move(rows.value, 'value');
  const own = select({ columns: members, ...(rows.from && { from: rows.from }), ...clauses });
  const query = computedFirst(own, context.fresh);
  return { from: { kind: 'derived', alias, query }, ranges, columns, value };
}

/** The columns as a query. */
export function toQuery(
  rows: Rows,
  clauses: Partial<Select> = {},
): ResolvedQuery & { readonly query: Select } {
  const { value, isElement, columns: own } = rows;
  const isValue = value !== undefined && !isElement;
  const outputs = value && isElement ? own.flatMap(bareNames) : own;
  const { members, columns } = nameOutputs(isValue ? [{ name: 'value', value }] : outputs);
  const query = select({ columns: members, ...(rows.from && { from: rows.from }), ...clauses });
  const acceptsAnyColumn = isIncomplete(rows.ranges);
  return {
    query,
    columns,
    isValue,
    ...(value?.type.kind === 'struct' && isElement && { isOfFields: true as const }),
    ...(acceptsAnyColumn && { acceptsAnyColumn }),
    ...absentIn(rows.ranges),
  };
}

/** True if there may be more columns, because something is unsupported. */
const isIncomplete = (ranges: readonly Range[]): boolean =>
  ranges.some(({ acceptsAnyColumn }) => acceptsAnyColumn);
