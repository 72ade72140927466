import { didYouMean, foldName, shorten } from '@querygate/text';
import type { CreateFunction, Identifier } from '../syntax/nodes.ts';
import type { AbsentField } from '../table-schema.ts';
import { column, field, nullLiteral } from '../tree/build.ts';
import type { Expression, From, Member, Window } from '../tree/nodes.ts';
import { type Column, describeType, sameName, storedFields, type Type, unknown } from '../types.ts';
import { type Place, Unsupported } from './unsupported.ts';

/** The names that an expression or a subquery may use. */
export interface Scope {
  readonly parent: Scope | undefined;
  readonly ranges: readonly Range[];
  /** The tables and common table expressions of this level, by lower-cased name. */
  readonly relations: ReadonlyMap<string, Relation>;
  /** The views of INFORMATION_SCHEMA, by lower-cased name. */
  readonly views?: ReadonlyMap<string, Relation>;
  /** Select-list aliases, in clauses that may use them; they take precedence over columns in FROM. */
  readonly aliases?: ReadonlyMap<string, readonly Expression[]>;
  /** True if the name of one of them may be wrong. */
  readonly hasDoubtfulAliases?: boolean;
  /** In WHERE, which SELECT comes after: the aliases that it gives, for messages. */
  readonly laterAliases?: readonly string[];
  /** Of a query in FROM: the items to its left, which it cannot read, for messages. */
  readonly beside?: readonly Range[];
  /** The windows of the WINDOW clause, complete, by lower-cased name. */
  readonly windows?: ReadonlyMap<string, NamedWindow>;
  /** If set, it collects what refers to columns of the ranges, except for what aggregate functions do. */
  readonly uses?: ColumnUse[];
  /** Why the calls of aggregate or window functions are refused where values are computed row by row. */
  readonly refused?: { readonly [Kind in 'aggregate' | 'window']?: string };
  /** True for the names of a WITH expression, which is a part of the query around it. */
  readonly isInQuery?: true;
  /** In the outermost scope: true if every table exists, with columns that are not known. */
  readonly hasOpenTables?: boolean;
  /** SQL functions that the query defines, by lower-cased name. */
  readonly functions?: ReadonlyMap<string, SqlFunction>;
}

/** A name that refers to a column of FROM. */
export interface ColumnUse {
  readonly place: Place;
  /** As it is written. */
  readonly name: string;
  readonly value: Expression;
  /** True if `.*` gives its fields, which GROUP BY does not know. */
  readonly isOfStruct?: true;
}

export interface NamedWindow extends Window {
  readonly uses: readonly ColumnUse[];
}

/** A function that `CREATE TEMP FUNCTION` defines before the query. */
export interface SqlFunction {
  readonly definition: CreateFunction;
  /** The functions that it may call: those before it, so that none calls itself. */
  readonly earlier: ReadonlyMap<string, SqlFunction>;
  /** Why it cannot be called; it is reported once, where the function is defined. */
  readonly problem?: Unsupported | undefined;
}

/** A name in FROM: it refers to the columns of an item, or to one value for each row. */
export interface Range {
  /** Undefined if the item has no name. */
  readonly name: string | undefined;
  /** Its columns by BigQuery's names, of which several may be equal. */
  readonly columns: readonly RangeColumn[];
  /** Set for the elements and offsets of arrays and for rows of SELECT AS STRUCT and AS VALUE. */
  readonly value?: Expression;
  /** True if a bare name never refers to one of its columns, as with the tables before a pipe operator. */
  readonly isQualifiedOnly?: true;
  /** Names of its columns that JOIN USING has merged: bare, they are those of a range before it. */
  readonly merged?: readonly string[];
  /** The alias of an item whose columns are not known: it may have a column of any name, except for `openExcept`. */
  readonly openAlias?: string;
  /** The names that EXCEPT left out of columns that are not known. */
  readonly openExcept?: readonly string[];
  /** See `Relation`. */
  readonly openOf?: string;
  /** Set for an unsupported item: it accepts any column name, so that one mistake is reported once. */
  readonly acceptsAnyColumn?: true;
  /** The columns that it would have if local data had them. */
  readonly absent?: readonly AbsentColumn[];
}

/** A column of a table that local data does not have. */
export interface AbsentColumn extends AbsentField {
  readonly table: string;
}

interface RangeColumn
  extends Member,
    Pick<RelationColumn, 'isAnonymous' | 'isPseudo' | 'isDoubtful' | 'except' | 'of'> {}

/** A column that a table or query gives to its readers. */
export interface RelationColumn {
  /** BigQuery's name, of which several may be equal; generated (`f0_`) for an anonymous column. */
  readonly name: string;
  /** The name of the column in the tree, which is unique in its relation. */
  readonly column: string;
  /** The name in the tree of an earlier column that is the same column of FROM: readers take both for one. */
  readonly same?: string;
  readonly type: Type;
  /** True if it is never NULL. */
  readonly required?: boolean;
  /** True if it has no name of its own, so that queries can't refer to it. */
  readonly isAnonymous?: boolean;
  /** True if it is read by its name only, never by `*`. */
  readonly isPseudo?: boolean;
  /** True if its name may be wrong, because it is that of an expression with a problem. */
  readonly isDoubtful?: boolean;
  /** Of the column that means all columns that are not known: the names that are not among them. */
  readonly except?: readonly string[];
  /** Of the same: see `Relation`. */
  readonly of?: string;
}

/** A table or common table expression that FROM may name. */
export interface Relation {
  readonly columns: readonly RelationColumn[];
  /** True if its rows are values without a name (SELECT AS STRUCT and AS VALUE). It then has one column. */
  readonly isValue?: boolean;
  /** False for common table expressions, which no path of several names reaches. */
  readonly isTable?: boolean;
  /** The name of a table as it is declared. */
  readonly tableName?: string;
  /** Of columns that are not known: the table that has them. Equal texts mean equal columns, except for pseudo columns. */
  readonly of?: string;
  /** Set for an unsupported query; see `Range`. */
  readonly acceptsAnyColumn?: true;
  /** See `Range`. */
  readonly absent?: readonly AbsentColumn[];
  /**
   * Builds the FROM item that reads it.
   *
   * @param start where the query names it
   */
  from(alias: string, start: number, fresh: (prefix: string) => string): From;
}

export const emptyScope: Scope = {
  parent: undefined,
  ranges: [],
  relations: new Map(),
};

export const childOf = (parent: Scope): Scope => ({ ...emptyScope, parent });

/** The relation of that name in the innermost scope that has one. */
export function findRelation(scope: Scope | undefined, name: string): Relation | undefined {
  if (scope === undefined) return undefined;
  return scope.relations.get(foldName(name)) ?? findRelation(scope.parent, name);
}

/** The views of INFORMATION_SCHEMA, which no query defines. */
export const findViews = (scope: Scope | undefined): ReadonlyMap<string, Relation> =>
  scope?.views ?? (scope === undefined ? new Map() : findViews(scope.parent));

/** The SQL function of that name. */
export function findFunction(scope: Scope | undefined, name: string): SqlFunction | undefined {
  if (scope === undefined) return undefined;
  return scope.functions?.get(foldName(name)) ?? findFunction(scope.parent, name);
}

/** The scope around all others, which has the tables and the functions of the whole query. */
export const outermost = (scope: Scope): Scope => (scope.parent ? outermost(scope.parent) : scope);

/** The FROM item of that name in the innermost scope; a column of that name hides items of outer scopes. */
export function findRange(scope: Scope | undefined, name: string): Range | undefined {
  if (scope === undefined) return undefined;
  const own = scope.ranges.find((range) => isNamed(range, name));
  if (own) return own;
  return columnsNamed(scope, name).length > 0 ? undefined : findRange(scope.parent, name);
}

/** True if a bare name is that of a FROM item; an element that JOIN USING has merged is a column. */
const isNamed = (range: Range, name: string): boolean =>
  range.name !== undefined && sameName(range.name, name) && !(range.value && isMerged(range, name));

/** Where uses of a name are collected: in the innermost scope that has it. */
export function usesOf(scope: Scope | undefined, name: string): ColumnUse[] | undefined {
  if (scope === undefined || scope.aliases?.has(foldName(name))) return undefined;
  const isRange = scope.ranges.some((range) => isNamed(range, name));
  return isRange || columnsNamed(scope, name).length > 0 ? scope.uses : usesOf(scope.parent, name);
}

/** The scope of the arguments of aggregate functions: they may use every column of their query. */
export const aggregatedScope = ({ uses: _, ...scope }: Scope): Scope => ({
  ...scope,
  ...(scope.isInQuery && scope.parent && { parent: aggregatedScope(scope.parent) }),
  refused: {
    aggregate: 'an aggregate function takes no other one: compute the inner one in a subquery',
    window: 'an aggregate function takes no window function: compute the window function in a subquery',
  },
});

/** The scope of a clause that takes neither aggregate nor window functions, except for those of its subqueries. */
export function scopeOfRows(scope: Scope, clause: string): Scope {
  const reason = `${clause} takes no aggregate or window function: compute it in a subquery`;
  return { ...scope, refused: { aggregate: reason, window: reason } };
}

/** @throws Unsupported if the clause takes no such function */
export function refuseCall(place: Place, kind: 'aggregate' | 'window', { refused }: Scope): void {
  const reason = refused?.[kind];
  if (reason !== undefined) throw new Unsupported(place, reason);
}

/** Every column that a bare name may refer to, in the innermost scope that has one. Several mean: ambiguous. */
export function findColumns(scope: Scope | undefined, name: string): readonly Expression[] {
  if (scope === undefined) return [];
  const named = scope.aliases?.get(foldName(name));
  if (named) return named;
  const own = columnsNamed(scope, name);
  return own.length > 0 ? own : findColumns(scope.parent, name);
}

/** The columns of FROM that a bare name may refer to. */
export function columnsNamed(
  { ranges: all, parent }: Pick<Scope, 'ranges'> & Partial<Scope>,
  name: string,
): readonly Expression[] {
  const ranges = readableBare(all, name);
  // The name would be ambiguous if an item whose columns are not known had it too.
  const known = ranges.flatMap((range) => knownIn(range, name));
  if (known.length > 0) return known;
  const open = ranges.flatMap((range) => columnsIn(range, name).map((value) => ({ range, value })));
  const [only] = open;
  const isOnly = open.length === 1 && !mayBeAround(parent, name, only?.range.openOf);
  const candidates = open.flatMap(({ range }) => range.openAlias ?? []);
  return open.map(({ value }) => (isOnly || value.kind !== 'column' ? value : { ...value, candidates }));
}

const readableBare = (ranges: readonly Range[], name: string): readonly Range[] =>
  withoutGuesses(ranges.filter((range) => !range.isQualifiedOnly && !isMerged(range, name)));

/** True if a name may be one of these scopes and yet none of a table: another read of it has no other columns. */
function mayBeAround(scope: Scope | undefined, name: string, table: string | undefined): boolean {
  if (scope === undefined) return false;
  const isOfTable = (value: Expression): boolean =>
    value.kind === 'column' &&
    sameName(value.name, name) &&
    scope.ranges.some(
      (range) =>
        range.openAlias === value.from && range.openOf === table && knownIn(range, name).length === 0,
    );
  // A query has the columns of its table by `*`, but not the pseudo columns.
  const isSafe = table === undefined || name.startsWith('_') ? () => false : isOfTable;
  const ranges = readableBare(scope.ranges, name);
  const known = ranges.flatMap((range) => knownIn(range, name));
  const values = known.length > 0 ? known : ranges.flatMap((range) => columnsIn(range, name));
  return (
    ![...(scope.aliases?.get(foldName(name)) ?? []), ...values].every(isSafe) ||
    scope.ranges.some((range) => isNamed(range, name)) ||
    mayBeAround(scope.parent, name, table)
  );
}

/** True if JOIN USING has merged the columns of that name. */
export const isMerged = ({ merged = [] }: Range, name: string): boolean =>
  merged.some((other) => sameName(other, name));

/** One of the ranges that accept any column is enough: a name is not ambiguous because two of them do. */
function withoutGuesses(ranges: readonly Range[]): readonly Range[] {
  const guess = ranges.find(({ acceptsAnyColumn }) => acceptsAnyColumn);
  return guess ? [guess] : ranges;
}

/** True if a name that is not found may be that of a column whose name is in doubt. */
export const hasDoubtfulNames = (scope: Scope | undefined): boolean =>
  scope !== undefined &&
  (scope.hasDoubtfulAliases === true ||
    scope.ranges.some(({ columns }) => columns.some(({ isDoubtful }) => isDoubtful)) ||
    hasDoubtfulNames(scope.parent));

/** True if a name surely is a column, and not only because an unsupported item accepts any name. */
export const isColumn = (scope: Scope, name: string): boolean =>
  findColumns(scope, name).some(({ type }) => type.kind !== 'unknown');

/** The names that a bare name may be, in all scopes, for messages. */
export function* columnNames(scope: Scope | undefined): Generator<string> {
  if (scope === undefined) return;
  const { aliases = new Map<string, never>(), parent, ranges } = scope;
  yield* aliases.keys();
  for (const range of ranges) {
    if (range.name !== undefined) yield range.name;
    if (!range.isQualifiedOnly)
      for (const { name } of membersOf(range)) if (!isMerged(range, name)) yield name;
  }
  yield* columnNames(parent);
}

/** The names of the columns of a FROM item, or of the fields of its value. */
export const namesInRange = (range: Range): readonly string[] => membersOf(range).map(({ name }) => name);

const membersOf = ({ columns, value }: Range): readonly (Column | RangeColumn)[] =>
  value?.type.kind === 'struct'
    ? value.type.fields.filter(({ name }) => name !== '')
    : columns.filter(({ name, isAnonymous }) => name !== '' && !isAnonymous);

/** The names of the tables that FROM may name. */
export const relationNames = (scope: Scope | undefined): readonly string[] =>
  scope === undefined ? [] : [...scope.relations.keys(), ...relationNames(scope.parent)];

/** The columns of that name in one FROM item, including the fields of its value. */
export function columnsIn(range: Range, name: string): readonly Expression[] {
  const known = knownIn(range, name);
  if (known.length > 0 || range.openAlias === undefined) return known;
  if (range.openExcept?.some((left) => sameName(left, name))) return [];
  return [column(range.openAlias, name, unknown)];
}

/** Those that it surely has. */
function knownIn(range: Range, name: string): readonly Expression[] {
  const { value } = range;
  if (value?.type.kind === 'unknown') return [nullLiteral(unknown)];
  if (value) return fieldsNamed(value, name);
  const known = range.columns
    .filter((column) => !column.isAnonymous && sameName(column.name, name))
    .map((column) => column.value);
  return known.length === 0 && range.acceptsAnyColumn ? [nullLiteral(unknown)] : known;
}

/** The fields of a struct that have a name: several if it has equal names. */
export function fieldsNamed(of: Expression, name: string): readonly Expression[] {
  if (of.type.kind !== 'struct') return [];
  const { fields } = of.type;
  return fields.flatMap((member, at) => {
    if (!sameName(member.name, name)) return [];
    if (of.kind === 'struct') return of.fields[at]?.value ?? [];
    return field(of, storedFields(fields)[at] ?? '', member.type);
  });
}

/** The columns that FROM items, or queries, would give to their readers if local data had them. */
export function absentIn(items: readonly Pick<Range, 'absent' | 'value'>[]): Pick<Range, 'absent'> {
  const absent = items.flatMap(({ absent = [] }) => absent);
  return absent.length > 0 ? { absent } : {};
}

/** The column or field of that name that local data does not have. */
export function findAbsent(
  name: string,
  ranges: readonly Range[],
): (AbsentField & Partial<AbsentColumn>) | undefined {
  const ofValues = ranges.flatMap(({ value }) => (value?.type.kind === 'struct' && value.type.absent) || []);
  return [...(absentIn(ranges).absent ?? []), ...ofValues].find((column) => sameName(column.name, name));
}

/** The problem of a name of a column or field that local data does not have. */
export function absentColumn(
  name: Identifier,
  { type, table }: AbsentField & Partial<AbsentColumn>,
): Unsupported {
  const what = table === undefined ? 'field' : `column of ${table}`;
  return new Unsupported(
    name,
    `${name.name} is ${/^[AEIOU]/.test(type) ? 'an' : 'a'} ${type} ${what}, which local data does not have; read what you need of it from a column of another type`,
  );
}

const ofPartitions = ': tables have no partitions here; filter by a column with the time';

/** Columns that BigQuery adds to its tables, and the reason that tables here lack them. */
const pseudoColumns: ReadonlyMap<string, string> = new Map([
  ['_partitiontime', ofPartitions],
  ['_partitiondate', ofPartitions],
  ['_file_name', ': a table does not keep the names of its files'],
]);

/**
 * The problem of a name that no column has.
 *
 * @param scope that could have it
 * @param hint what is said if no known name is nearly the same
 */
export function unknownColumn(
  name: Identifier,
  known: () => Iterable<string>,
  scope: Scope,
  hint = () => '',
): Unsupported {
  const absent = findAbsent(name.name, allRanges(scope));
  if (absent) return absentColumn(name, absent);
  return new Unsupported(name, `no column is named ${name.name}`, {
    known: () => typedColumns(scope),
    hint: () => pseudoColumns.get(foldName(name.name)) ?? (didYouMean(name.name, known()) || hint()),
  });
}

/** @throws Unsupported if a list of columns names one repeatedly */
export function requireOnce(list: string, names: readonly Identifier[]): void {
  const repeated = names.find(({ name }, at) =>
    names.slice(0, at).some((other) => sameName(other.name, name)),
  );
  if (repeated) throw new Unsupported(repeated, `${list} names ${repeated.name} twice`);
}

/** For a name of several columns of the select list. */
export const ambiguousAlias = (place: Place, name: string): Unsupported =>
  new Unsupported(place, `${name} is ambiguous: several columns of the select list have this name`);

/** The columns that a scope has, with their types, for messages. */
export function* typedColumns(scope: Scope): Generator<string> {
  for (const [name, values] of scope.aliases ?? [])
    for (const { type } of values) yield typedName({ name, type });
  for (const range of allRanges(scope)) for (const member of typedMembers(range)) yield typedName(member);
}

function* typedMembers(range: Range): Generator<Column> {
  const { name, value } = range;
  if (value === undefined || value.type.kind === 'struct') {
    for (const member of membersOf(range)) {
      const type = 'value' in member ? member.value.type : member.type;
      if (!isMerged(range, member.name)) yield { name: member.name, type };
    }
  } else if (name !== undefined) yield { name, type: value.type };
}

/** A column or a field with its type, for messages. */
export const typedName = ({ name, type }: Column): string => `${name} ${shorten(describeType(type))}`;

/** The FROM items of all scopes. */
const allRanges = (scope: Scope | undefined): readonly Range[] =>
  scope === undefined ? [] : [...scope.ranges, ...allRanges(scope.parent)];
