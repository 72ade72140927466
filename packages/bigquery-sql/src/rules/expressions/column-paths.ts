import { didYouMean, foldName } from '@querygate/text';
import type * as Syntax from '../../syntax/nodes.ts';
import { call, field, nullLiteral, textLiteral } from '../../tree/build.ts';
import type { Expression } from '../../tree/nodes.ts';
import { describeType, isScalar, sameName, scalar, unknown } from '../../types.ts';
import type { Rule } from '../context.ts';
import { callMacro } from '../macro-call.ts';
import { someAggregate } from '../queries/after-grouping.ts';
import {
  absentColumn,
  ambiguousAlias,
  columnNames,
  columnsIn,
  emptyScope,
  fieldsNamed,
  findColumns,
  findRange,
  hasDoubtfulNames,
  namesInRange,
  type Range,
  refuseCall,
  type Scope,
  typedName,
  unknownColumn,
  usesOf,
} from '../scope.ts';
import { structValue } from '../struct-value.ts';
import { type Place, Unsupported } from '../unsupported.ts';

/** `a.b.c`: a column or a FROM item, and fields of it; or a function without parentheses. */
export const path: Rule<Syntax.Path> = (node, scope, context) => {
  const [first, ...rest] = node.parts;
  const isFunction = !first.quoted && functionsWithoutParentheses.includes(foldName(first.name));
  if (isFunction && rest.length === 0 && findColumns(scope, first.name).length === 0)
    return context.expression(callOf(node), scope);
  const named = namedValue(node, scope);
  const value = named.fields.reduce(fieldOf, named.value);
  if (rest.length === 0 && isWholeRow(first, scope)) context.noteWholeRow(node);
  noteUse(node, value, scope);
  return value;
};

/** True if a name is that of a FROM item which has a column of the same name. */
function isWholeRow({ name }: Syntax.Identifier, scope: Scope): boolean {
  const range = scope.aliases?.has(foldName(name)) ? undefined : findRange(scope, name);
  return range !== undefined && namesInRange(range).some((own) => sameName(own, name));
}

export function noteUse(node: Syntax.Path, value: Expression, scope: Scope): void {
  const name = node.parts.map((part) => part.name).join('.');
  usesOf(scope, node.parts[0].name)?.push({ place: node, name, value });
}

interface NamedValue {
  readonly value: Expression;
  /** The fields of it that a path goes on to. */
  readonly fields: readonly Syntax.Identifier[];
}

/** The value that a path begins with: a column, or a FROM item as a value. */
export function namedValue({ parts: [first, ...rest] }: Syntax.Path, scope: Scope): NamedValue {
  const [alias, another] = scope.aliases?.get(foldName(first.name)) ?? [];
  if (another) throw ambiguousAlias(first, first.name);
  if (alias && someAggregate(alias, ({ over }) => over === undefined)) refuseCall(first, 'aggregate', scope);
  if (alias && someAggregate(alias, ({ over }) => over !== undefined)) refuseCall(first, 'window', scope);
  const range = alias ? undefined : findRange(scope, first.name);
  const [column, ...fields] = rest;
  if (range && !range.value && column)
    return {
      value: onlyCandidate(column, columnsIn(range, column.name), { ...emptyScope, ranges: [range] }, () =>
        namesInRange(range),
      ),
      fields,
    };
  const value =
    alias ??
    (range
      ? rowValue(range)
      : onlyCandidate(
          first,
          findColumns(scope, first.name),
          scope,
          () => columnNames(scope),
          () => besideHint(first, scope) || (column ? aliasesHint(scope) : laterAliasHint(first, scope)),
        ));
  return { value, fields: rest };
}

/** `operand.field`. */
export const fieldAccess: Rule<Syntax.FieldAccess> = ({ operand, field }, scope, context) =>
  fieldOf(context.expression(operand, scope), field);

const functionsWithoutParentheses: readonly string[] = [
  'current_date',
  'current_datetime',
  'current_time',
  'current_timestamp',
  'session_user',
];

const callOf = (name: Syntax.Path): Syntax.FunctionCall => ({
  kind: 'FunctionCall',
  start: name.start,
  end: name.end,
  name,
  distinct: false,
  args: [],
  nulls: undefined,
  having: undefined,
  orderBy: [],
  limit: undefined,
  over: undefined,
});

/** The name of a column without an alias: the last part of its path. */
export function impliedName(node: Syntax.Expression): string | undefined {
  if (node.kind === 'Path') return node.parts.at(-1)?.name;
  return node.kind === 'FieldAccess' ? node.field.name : undefined;
}

/**
 * A field of a struct or of a JSON object.
 *
 * @throws Unsupported if the value has no such field
 */
export function fieldOf(of: Expression, name: Syntax.Identifier): Expression {
  const { type } = of;
  if (isScalar(type, 'JSON')) return jsonField(name, of, textLiteral(name.name));
  if (type.kind === 'array')
    throw new Unsupported(
      name,
      `cannot read ${name.name} from an array: UNNEST it, or take one element with [OFFSET(0)]`,
    );
  if (type.kind === 'unknown') return of.kind === 'literal' ? of : field(of, name.name, unknown);
  const [found, another] = fieldsNamed(of, name.name);
  if (another)
    throw new Unsupported(name, `${name.name} is ambiguous: the STRUCT has several fields of this name`);
  if (found) return found;
  if (type.kind !== 'struct')
    throw new Unsupported(name, `cannot read ${name.name} from ${describeType(type)}, which has no fields`);
  const { absent = [], fields } = type;
  const own = absent.find((one) => sameName(one.name, name.name));
  if (own) throw absentColumn(name, own);
  const names = () => fields.map((known) => known.name);
  throw new Unsupported(name, `no field is named ${name.name}`, {
    known: () => fields.map(typedName),
    hint: () => didYouMean(name.name, names()),
  });
}

/** A field of a JSON object. */
export function jsonField(place: Place, of: Expression, name: Expression): Expression {
  if (name.kind !== 'literal' || name.value === null) return callMacro(place, 'json_member', [of, name]);
  const text = String(name.value);
  if (text !== '' && !/["\\*]/.test(text)) return callMacro(place, 'json_field', [of, name]);
  // DuckDB's paths have no way to write such a name, but its pointers do.
  const pointer = `/${text.replaceAll('~', '~0').replaceAll('/', '~1')}`;
  return call('json_extract', [of, textLiteral(pointer)], scalar('JSON'));
}

/** The names that may come before a point: a table that has an alias is not known by its own name. */
function aliasesHint({ ranges }: Scope): string {
  const names = ranges.flatMap(({ name }) => name ?? []);
  return names.length === 0 ? '' : `; FROM has ${names.join(', ')}`;
}

/** The items of FROM that a query or array beside them does not read. */
function besideHint(first: Syntax.Identifier, scope: Scope | undefined): string {
  if (scope === undefined) return '';
  const isBeside = scope.beside?.some(
    (range) => sameName(range.name ?? '', first.name) || columnsIn(range, first.name).length > 0,
  );
  return isBeside
    ? ' here: in FROM, a query and the right side of RIGHT JOIN and FULL JOIN read nothing of the items beside them; write a condition in ON, or UNNEST(ARRAY(SELECT AS STRUCT …))'
    : besideHint(first, scope.parent);
}

function laterAliasHint({ name }: Syntax.Identifier, { laterAliases = [] }: Scope): string {
  return laterAliases.some((alias) => sameName(alias, name))
    ? ': WHERE comes before SELECT, which gives that name; write the expression here, or the condition in HAVING or QUALIFY'
    : '';
}

function onlyCandidate(
  name: Syntax.Identifier,
  candidates: readonly Expression[],
  scope: Scope,
  known: () => Iterable<string>,
  hint = () => '',
): Expression {
  const [found, another] = candidates;
  // An unsupported FROM item has any column.
  const any = candidates.find(({ type }) => type.kind === 'unknown');
  if (any) return any;
  if (!found && hasDoubtfulNames(scope)) return nullLiteral(unknown);
  if (!found) throw unknownColumn(name, known, scope, hint);
  if (another && isOfAliases(candidates, name.name, scope)) throw ambiguousAlias(name, name.name);
  if (another) throw new Unsupported(name, `${name.name} is ambiguous: qualify it with the table's name`);
  return found;
}

/** True if these are the columns that a query around has given a name. */
const isOfAliases = (found: readonly Expression[], name: string, scope: Scope | undefined): boolean =>
  scope !== undefined &&
  (scope.aliases?.get(foldName(name)) === found || isOfAliases(found, name, scope.parent));

/** A FROM item used as a value: the element of an array, or the row as a STRUCT. */
function rowValue(range: Range): Expression {
  if (range.value) return range.value;
  if (range.acceptsAnyColumn || range.openAlias !== undefined) return nullLiteral(unknown);
  return structValue(range.columns.filter(({ isPseudo }) => !isPseudo));
}
