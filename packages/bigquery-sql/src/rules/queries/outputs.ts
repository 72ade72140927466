import { foldName } from '@querygate/text';
import type * as Syntax from '../../syntax/nodes.ts';
import { column, field } from '../../tree/build.ts';
import { unusedName } from '../../tree/fresh-names.ts';
import type { Expression, Member } from '../../tree/nodes.ts';
import { sameName, unknown } from '../../types.ts';
import type { Context } from '../context.ts';
import {
  type ColumnUse,
  isMerged,
  type Range,
  type Relation,
  type RelationColumn,
  type Scope,
} from '../scope.ts';
import { fieldValues } from '../struct-value.ts';

/** One column of a query's result. */
export interface Output extends Member {
  readonly isAnonymous?: boolean;
  /** See `RelationColumn`. */
  readonly isDoubtful?: boolean;
  /** See `RelationColumn`. */
  readonly except?: readonly string[];
  /** See `Relation`. */
  readonly of?: string;
  /** The expression as it was written; undefined for a column of `*`. */
  readonly node?: Syntax.Expression;
  /** The columns of FROM that it reads, except for those in aggregate functions. */
  readonly uses?: readonly ColumnUse[];
}

/** The columns of a select list, with a name for each that is used once. */
export interface NamedOutputs {
  readonly members: readonly Member[];
  readonly columns: readonly RelationColumn[];
}

/** Names the columns of a select list: BigQuery allows equal names, and generates those of anonymous columns. */
export function nameOutputs(outputs: readonly Output[]): NamedOutputs {
  const used = new Set<string>();
  let anonymous = 0;
  const named = outputs.map(({ name, value, isAnonymous, isDoubtful, except, of }): RelationColumn => {
    const shown = isAnonymous ? `f${anonymous++}_` : name;
    return {
      name: shown,
      column: unusedName(shown, used),
      type: value.type,
      ...(value.kind === 'column' && value.required && { required: true }),
      ...(isAnonymous && { isAnonymous }),
      ...(isDoubtful && { isDoubtful }),
      ...(except && { except }),
      ...(of && { of }),
    };
  });
  const members = named.map(({ column: own }, at) => ({ name: own, value: (outputs[at] as Output).value }));
  const firsts = new Map<string, string>();
  const columns = named.map((column, at) => {
    const value = (members[at] as Member).value;
    if (value.kind !== 'column') return column;
    const key = JSON.stringify([value.from, value.name]);
    const same = firsts.get(key);
    if (same !== undefined) return { ...column, same };
    firsts.set(key, column.column);
    return column;
  });
  return { members, columns };
}

interface RangeColumns extends Pick<Relation, 'acceptsAnyColumn' | 'absent' | 'of'> {
  readonly columns: readonly RelationColumn[];
  readonly isValue?: boolean;
}

/** How the readers of a relation name its columns. */
export function rangeOf(
  { columns, isValue, acceptsAnyColumn, absent, of }: RangeColumns,
  name: string | undefined,
  alias: string,
): Range {
  const members = columns.map(({ name: shown, column: own, same, type, required, except: _, ...flags }) => ({
    name: shown,
    value: column(alias, same ?? own, type, required),
    ...flags,
  }));
  const [only] = members;
  if (acceptsAnyColumn) return { name, columns: members, acceptsAnyColumn };
  if (isValue && only) return { name, columns: [], value: only.value };
  const [open, ...more] = columns.filter((own) => own.name === openColumns);
  const table = (more.length === 0 ? open?.of : undefined) ?? of;
  return {
    name,
    columns: members.filter((member) => member.name !== openColumns),
    ...(open && { openAlias: alias, openExcept: leftOutOf([open, ...more]) }),
    ...(table && { openOf: table }),
    ...(absent && { absent }),
  };
}

/** The names that are in none of several sets of columns that are not known. */
const leftOutOf = ([first, ...others]: readonly RelationColumn[]): readonly string[] =>
  (first?.except ?? []).filter((name) =>
    others.every(({ except = [] }) => except.some((other) => sameName(other, name))),
  );

/** The name of a column that means all columns that are not known. */
export const openColumns = '*';

/** True if some of the columns are not known. */
export const isOpen = (columns: readonly { readonly name: string }[]): boolean =>
  columns.some(({ name }) => name === openColumns);

/** The output of `*` for a value whose fields are not known. */
export const unknownFields = (value: Expression): Output =>
  toOutput(openColumns, field(value, openColumns, unknown));

/** The columns that `*` expands to. */
export function starColumns(range: Range): readonly Output[] {
  const { value, name, openAlias, openExcept: except, openOf: of } = range;
  if (!value) {
    const known = range.columns
      .filter(({ isPseudo }) => !isPseudo)
      .map(({ isPseudo: _, ...output }) => output);
    if (openAlias === undefined) return known;
    const open = toOutput(openColumns, column(openAlias, openColumns, unknown));
    return [...known, { ...open, ...(except && { except }), ...(of && { of }) }];
  }
  if (value.type.kind === 'unknown') return [unknownFields(value)];
  if (value.type.kind !== 'struct') return [toOutput(name, value)];
  return fieldValues(value).map((member) => toOutput(member.name || undefined, member.value));
}

/** Those of `*` without a name before it. */
export function bareColumns(range: Range): readonly Output[] {
  const { merged } = range;
  if (!merged) return starColumns(range);
  return starColumns(range)
    .filter(({ name, isAnonymous }) => isAnonymous || !isMerged(range, name))
    .map((output) =>
      output.name === openColumns ? { ...output, except: [...(output.except ?? []), ...merged] } : output,
    );
}

/** An expression, with the columns that it reads. */
export function resolveOutput(
  node: Syntax.Expression,
  name: string | undefined,
  scope: Scope,
  context: Context,
): Output {
  const uses: ColumnUse[] = [];
  const value = context.expression(node, { ...scope, uses });
  return { ...toOutput(name, value), node, uses };
}

export const toOutput = (name: string | undefined, value: Expression): Output =>
  name === undefined ? { name: '', value, isAnonymous: true } : { name, value };

/** The columns of a select list by their names, for the clauses after it. */
export function aliasesOf(outputs: readonly Output[]): ReadonlyMap<string, readonly Expression[]> {
  const named = outputs.filter(({ isAnonymous }) => !isAnonymous);
  const byName = Map.groupBy(named, ({ name }) => foldName(name));
  return new Map([...byName].map(([name, those]) => [name, those.map(({ value }) => value)]));
}
