import { fieldOfShredded, type Origin, type ShreddedRecord, type StoredColumn } from './passes/shredded.ts';
import type { TimeExpression } from './passes/time-expressions.ts';
import { type Column, fieldOf, quote, sameName, type Type, unknown } from './types.ts';

/** DuckDB text of one BigQuery expression, with what is known of it. */
export interface Sql {
  readonly text: string;
  readonly type: Type;
  /** True for literals and parameters, which BigQuery converts more freely than other values. */
  readonly coercible?: boolean;
  /** Set where the value is known: text, or the outcome of a test. */
  readonly known?: string | boolean;
  /** Set where the value is known once the time of the run is. */
  readonly timeExpression?: TimeExpression;
  /** The FROM item whose rows this is a path of; set on columns and their fields only. */
  readonly unnestTarget?: UnnestTarget;
  /** Set where the value is a shredded record, or the array of that one record: its fields are read without it. */
  readonly shredded?: ShreddedRecord;
  /** True where it is known not to be NULL. */
  readonly required?: boolean;
  /** The column of a table that it is. */
  readonly origin?: Origin;
}

/** A FROM item that array elements can be folded into, as further columns of it. */
export interface UnnestTarget {
  /** The name by which the DuckDB text knows it. */
  readonly name: string;
  /** What is done to its rows, innermost first, one level of subquery each. */
  readonly steps: SubqueryStep[];
  /** Names its rows already have, lower-cased. */
  readonly usedNames: Set<string>;
}

/** Further columns, which may multiply the rows, or a condition that rows must meet. */
export type SubqueryStep = { readonly columns: string } | { readonly condition: string };

/** What one name in FROM stands for: the columns of a relation, or the value of an array element. */
export interface Range {
  /** Undefined where nothing can refer to it by name. */
  readonly name: string | undefined;
  readonly columns: readonly (Column & Sql)[];
  /** Present on elements of arrays, and on offsets. */
  readonly value?: Sql;
  readonly unnestTarget?: UnnestTarget;
  /** Set where the relation was refused: it has every column, so that one mistake is told once. */
  readonly acceptsAnyColumn?: true;
}

/** The names that an expression or a subquery may use. */
export interface Scope {
  readonly parent: Scope | undefined;
  readonly ranges: readonly Range[];
  /** Columns merged by JOIN USING: they win over those of single ranges. */
  readonly merged: readonly (Column & { readonly text: string })[];
  /** Relations by lower-cased name: common table expressions of this level. */
  readonly relations: ReadonlyMap<string, Relation>;
  /** Select-list aliases, where the clause may use them; columns in FROM come after them. */
  readonly aliases?: ReadonlyMap<string, Sql>;
  /** Named windows of the WINDOW clause, lower-cased. */
  readonly windows?: ReadonlySet<string>;
}

/** A table, common table expression or subquery: how DuckDB's FROM names it, and its columns. */
export interface Relation {
  readonly text: string;
  readonly columns: readonly StoredColumn[];
  /** The name of the table that it is. */
  readonly table?: string;
  /** Set where columns that nobody reads need not be computed. */
  readonly narrow?: Variant<(column: string) => boolean>;
  /** Set where shredded records may be told in the select list itself. */
  readonly rendered?: Variant<RenderRecord>;
  /** True where it is no more than columns of some rows of one other relation: reading it twice costs little. */
  readonly simple?: boolean;
  /** True where its rows are values without a name: SELECT AS STRUCT and AS VALUE. They have one column. */
  readonly value?: boolean;
}

/** Another way to write a query. */
export interface Variant<How> {
  /** The text that it stands for: a relation that has another one was made of this. */
  readonly of: string;
  text(how: How): string;
}

/** How a shredded record is told in the end, under the name of its column. */
export type RenderRecord = (column: string, record: ShreddedRecord) => string;

export const emptyScope: Scope = {
  parent: undefined,
  ranges: [],
  merged: [],
  relations: new Map(),
};

export const childOf = (parent: Scope): Scope => ({ ...emptyScope, parent });

/** The relation of that name, the innermost first. */
export function findRelation(scope: Scope | undefined, name: string): Relation | undefined {
  if (scope === undefined) return undefined;
  return scope.relations.get(name.toLowerCase()) ?? findRelation(scope.parent, name);
}

/** The FROM item of that name, the innermost first; a column hides those further out. */
export function findRange(scope: Scope | undefined, name: string): Range | undefined {
  if (scope === undefined) return undefined;
  const own = scope.ranges.find((range) => range.name !== undefined && sameName(range.name, name));
  if (own) return own;
  return columnsNamed(scope, name).length > 0 ? undefined : findRange(scope.parent, name);
}

/** Every column that a bare name may mean, in the innermost scope that has one. More than one: ambiguous. */
export function findColumns(scope: Scope | undefined, name: string): readonly Sql[] {
  if (scope === undefined) return [];
  const alias = scope.aliases?.get(name.toLowerCase());
  if (alias) return [alias];
  const own = columnsNamed(scope, name);
  return own.length > 0 ? own : findColumns(scope.parent, name);
}

function columnsNamed(scope: Scope, name: string): readonly Sql[] {
  const merged = scope.merged.find((column) => sameName(column.name, name));
  return merged ? [merged] : scope.ranges.flatMap((range) => columnsIn(range, name));
}

/** The columns of that name that one FROM item offers; fields of an array's elements count. */
export function columnsIn(range: Range, name: string): readonly Sql[] {
  const target = range.unnestTarget && { unnestTarget: range.unnestTarget };
  const { value } = range;
  if (range.acceptsAnyColumn) return [{ text: 'NULL', type: unknown }];
  if (value) {
    const field = fieldSql(value, name);
    return field ? [{ ...field, ...target }] : [];
  }
  return range.columns
    .filter((column) => sameName(column.name, name))
    .map(({ name: _, ...column }) => ({ ...column, ...target }));
}

/** A field of a struct; undefined where it is known to have none of that name. */
export function fieldSql({ text, type, shredded }: Sql, name: string): Sql | undefined {
  const part = shredded && fieldOfShredded(shredded, name);
  if (part) return part;
  const field = fieldOf(type, name);
  return field && { text: `${isPath(text) ? text : `(${text})`}.${quote(field.name)}`, type: field.type };
}

/** Whether a text is a name, or names joined by dots. */
export const isPath = (text: string) => /^("([^"]|"")*"\.?)+$/.test(text);
