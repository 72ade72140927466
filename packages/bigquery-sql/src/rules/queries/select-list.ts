import type * as Syntax from '../../syntax/nodes.ts';
import { nullLiteral } from '../../tree/build.ts';
import { sameName, unknown } from '../../types.ts';
import { type Context, hasFailed } from '../context.ts';
import { impliedName } from '../expressions/column-paths.ts';
import {
  type ColumnUse,
  emptyScope,
  findAbsent,
  findRange,
  type Range,
  requireOnce,
  type Scope,
  unknownColumn,
  usesOf,
} from '../scope.ts';
import { fieldValues, structValue } from '../struct-value.ts';
import { type Place, Unsupported } from '../unsupported.ts';
import {
  bareColumns,
  isOpen,
  type Output,
  openColumns,
  resolveOutput,
  starColumns,
  toOutput,
  unknownFields,
} from './outputs.ts';

/** The columns of a select list, with every star expanded. */
export const selectList = (
  items: readonly Syntax.SelectItem[],
  scope: Scope,
  context: Context,
): readonly Output[] =>
  items.flatMap((item) => context.attempt(() => outputsOf(item, scope, context), [doubtful]));

/** Columns whose problem is recorded. */
const doubtful: Output = { ...toOutput(undefined, nullLiteral(unknown)), isDoubtful: true };

/** An expression with its alias, or with the name that it implies. */
export function resolveItem(
  { expression, alias }: Pick<Syntax.SelectExpression, 'expression' | 'alias'>,
  scope: Scope,
  context: Context,
): Output {
  const output = resolveOutput(expression, alias?.name ?? impliedName(expression), scope, context);
  const isDoubtful = !alias && !output.isAnonymous && hasFailed(output.value);
  return isDoubtful ? { ...output, isDoubtful } : output;
}

function outputsOf(item: Syntax.SelectItem, scope: Scope, context: Context): readonly Output[] {
  switch (item.kind) {
    case 'Star':
      return modified(item, { outputs: allColumns(item, scope), ranges: scope.ranges }, scope, context);
    case 'DotStar':
      return modified(item, columnsOf(item.operand, scope, context), scope, context);
    case 'SelectExpression':
      return [resolveItem(item, scope, context)];
  }
}

/** `*`. After a pipe operator, tables have names and no columns of their own. */
function allColumns(place: Syntax.Star, scope: Scope): readonly Output[] {
  if (scope.ranges.length === 0) throw new Unsupported(place, '* needs a FROM clause');
  return scope.ranges
    .filter(({ isQualifiedOnly }) => !isQualifiedOnly)
    .flatMap((range) => bareColumns(range).map((output) => withUse(output, place, range)));
}

/** The columns that a star gives, and the items that have them. */
interface Starred {
  readonly outputs: readonly Output[];
  readonly ranges: readonly Range[];
}

function columnsOf(operand: Syntax.Expression, scope: Scope, context: Context): Starred {
  const [first, ...rest] = operand.kind === 'Path' ? operand.parts : [];
  const range = first && rest.length === 0 ? findRange(scope, first.name) : undefined;
  if (first && range && !range.value) {
    const outputs = starColumns(range).map((output) => {
      const used = withUse(output, operand, range);
      const own: ColumnUse[] = [];
      usesOf({ ...scope, uses: own }, first.name)?.push(...used.uses);
      return { ...used, uses: own };
    });
    return { outputs, ranges: [range] };
  }
  const uses: ColumnUse[] = [];
  const value = context.expression(operand, { ...scope, uses });
  const ranges = [{ name: undefined, columns: [], value }];
  if (value.type.kind === 'unknown') return { outputs: [unknownFields(value)], ranges };
  if (value.type.kind !== 'struct') throw new Unsupported(operand, '.* needs a STRUCT with known fields');
  const outputs: readonly Output[] = fieldValues(value).map((member) => ({
    ...toOutput(member.name || undefined, member.value),
    uses: uses.map((use) => ({ ...use, isOfStruct: true })),
  }));
  return { outputs, ranges };
}

/** True if all columns of FROM, or of an item of it, are selected. */
export const hasStar = (items: readonly Syntax.SelectItem[]): boolean =>
  items.some(({ kind }) => kind === 'Star' || kind === 'DotStar');

/** A column that a star reads. */
function withUse(output: Output, place: Place, range: Range): Output & Required<Pick<Output, 'uses'>> {
  const isOfStruct = range.value?.type.kind === 'struct';
  const { name, value } = output;
  return { ...output, uses: [{ place, name, value, ...(isOfStruct && { isOfStruct }) }] };
}

/** Applies EXCEPT and REPLACE. */
function modified(
  { except, replace }: Syntax.StarModifiers,
  { outputs: columns, ranges }: Starred,
  scope: Scope,
  context: Context,
): readonly Output[] {
  const hasOpen = isOpen(columns);
  const isComplete = !hasOpen && !scope.ranges.some(({ acceptsAnyColumn }) => acceptsAnyColumn);
  const known = columns.map(({ name }) => name);
  requireOnce('EXCEPT', except);
  requireOnce(
    'REPLACE',
    replace.map(({ name }) => name),
  );
  const both = replace.find(({ name }) => except.some((other) => sameName(other.name, name.name)));
  if (both) throw new Unsupported(both.name, `EXCEPT leaves out ${both.name.name}, which REPLACE names`);
  const isAbsent = ({ name }: Syntax.Identifier) => findAbsent(name, ranges) !== undefined;
  for (const name of [
    ...except.filter((left) => !isAbsent(left)),
    ...replace.map((replaced) => replaced.name),
  ]) {
    if (isComplete && !known.some((one) => sameName(one, name.name)))
      throw unknownColumn(name, () => known, { ...emptyScope, ranges });
  }
  const ambiguous = replace.find(({ name }) => known.filter((one) => sameName(one, name.name)).length > 1);
  if (ambiguous)
    throw new Unsupported(
      ambiguous.name,
      `REPLACE of ${ambiguous.name.name} is ambiguous: * has several columns of this name`,
    );
  const kept = columns.filter((column) => !except.some(({ name }) => sameName(name, column.name)));
  if (isComplete && kept.length === 0 && columns.length > 0 && except[0])
    throw new Unsupported(except[0], 'EXCEPT leaves no column');
  const replaced = kept.map((column) => {
    const found = replace.find(({ name }) => sameName(name.name, column.name));
    return found ? resolveOutput(found.expression, found.name.name, scope, context) : column;
  });
  if (!hasOpen) return replaced;
  const added = replace.filter(({ name }) => !known.some((one) => sameName(one, name.name)));
  const without = [...except, ...added.map(({ name }) => name)].map(({ name }) => name);
  return [
    ...replaced.map((column) =>
      column.name === openColumns ? { ...column, except: [...(column.except ?? []), ...without] } : column,
    ),
    ...added.map(({ expression, name }) => resolveOutput(expression, name.name, scope, context)),
  ];
}

/** The one column of SELECT AS STRUCT or AS VALUE; undefined without either. */
export function rowValue(as: Syntax.SelectAs | undefined, columns: readonly Output[]): Output | undefined {
  if (!as) return undefined;
  if (as.mode === 'TYPE')
    throw new Unsupported(as, 'only SELECT AS STRUCT and SELECT AS VALUE are supported');
  if (as.mode === 'STRUCT') {
    const fields = columns.map(({ name, isAnonymous, value }) => ({ name: isAnonymous ? '' : name, value }));
    const value = structValue(fields);
    const isKnown = !isOpen(columns) && !columns.some(({ isDoubtful }) => isDoubtful);
    return { name: 'value', value: isKnown ? value : { ...value, type: unknown } };
  }
  const [only, another] = columns;
  if (!only || another) throw new Unsupported(as, 'SELECT AS VALUE takes exactly one column');
  return { name: 'value', value: only.value };
}
