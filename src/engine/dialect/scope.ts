import { fieldOfShredded, type Origin, type ShreddedRecord, type StoredColumn } from './passes/shredded.ts';
import type { TimeExpression } from './passes/time-expressions.ts';
import { type Column, fieldOf, quote, sameName, type Type, unknown } from './types.ts';

/** The DuckDB text of one BigQuery expression, with its type and other known properties. */
export interface Sql {
  readonly text: string;
  readonly type: Type;
  /** True for literals and parameters, which BigQuery converts more freely than other values. */
  readonly coercible?: boolean;
  /** The value, if it is known during translation: a text, or the result of a test. */
  readonly known?: string | boolean;
  /** Computes the value from the time and the parameters of a run, without the database. */
  readonly timeExpression?: TimeExpression;
  /** The FROM item that contains this column or field; undefined for other expressions. */
  readonly unnestTarget?: UnnestTarget;
  /** Set if the value is a shredded record, or an array of one such record: its fields are read directly. */
  readonly shredded?: ShreddedRecord;
  /** True if the value can't be NULL. */
  readonly required?: boolean;
  /** The stored column, if the expression is one. */
  readonly origin?: Origin;
}

/** A FROM item that can be unnested in place: array elements become further columns of its derived table. */
export interface UnnestTarget {
  /** Its name in the DuckDB text. */
  readonly name: string;
  /** Applied to its rows, innermost first, one level of subquery each. */
  readonly steps: SubqueryStep[];
  /** Names of its columns, lower-cased. */
  readonly usedNames: Set<string>;
}

/** Either adds columns, which may multiply the rows, or filters the rows. */
export type SubqueryStep = { readonly columns: string } | { readonly condition: string };

/** What one name in FROM refers to: the columns of a relation, or the value of an array element. */
export interface Range {
  /** Undefined if the item has no name. */
  readonly name: string | undefined;
  readonly columns: readonly (Column & Sql)[];
  /** Set for array elements and offsets. */
  readonly value?: Sql;
  readonly unnestTarget?: UnnestTarget;
  /** Set for an unsupported relation: it accepts any column name, so that one mistake is reported once. */
  readonly acceptsAnyColumn?: true;
}

/** The names that an expression or a subquery may use. */
export interface Scope {
  readonly parent: Scope | undefined;
  readonly ranges: readonly Range[];
  /** Columns merged by JOIN USING: they take precedence over those of single ranges. */
  readonly merged: readonly (Column & { readonly text: string })[];
  /** The common table expressions of this level, by lower-cased name. */
  readonly relations: ReadonlyMap<string, Relation>;
  /** Select-list aliases, in clauses that may use them; they take precedence over columns in FROM. */
  readonly aliases?: ReadonlyMap<string, Sql>;
}

/** One FROM item, or several joined. Its text is generated last, because a later UNNEST may still add steps to it. */
export interface FromItem {
  readonly ranges: readonly Range[];
  readonly merged: Scope['merged'];
  /** The items whose rows may be multiplied in place without changing the meaning of the joins around them. */
  readonly unnestTargets: readonly UnnestTarget[];
  /** True unless it is a join: DuckDB allows parentheses around joins only. */
  readonly isSingle?: true;
  text(): string;
}

/** A table, common table expression or subquery: how DuckDB's FROM names it, and its columns. */
export interface Relation {
  readonly text: string;
  readonly columns: readonly StoredColumn[];
  /** The name of the table, if it is one. */
  readonly table?: string;
  /** Set if unread columns can be left out. */
  readonly narrow?: Variant<(column: string) => boolean>;
  /** Set if shredded records can be rendered in the select list itself. */
  readonly rendered?: Variant<RenderRecord>;
  /** True for a plain filter and projection of one relation, which is cheap to read twice. */
  readonly simple?: boolean;
  /** True if its rows are values without a name (SELECT AS STRUCT and AS VALUE). It then has one column. */
  readonly value?: boolean;
}

/** Another way to write a query. */
interface Variant<Options> {
  /** The text that it replaces. If the relation's text differs, the relation was derived and the variant is void. */
  readonly of: string;
  text(options: Options): string;
}

/** Renders a shredded record in the outermost select list, under the name of its column. */
export type RenderRecord = (column: string, record: ShreddedRecord) => string;

export const emptyScope: Scope = {
  parent: undefined,
  ranges: [],
  merged: [],
  relations: new Map(),
};

export const childOf = (parent: Scope): Scope => ({ ...emptyScope, parent });

/** The relation of that name in the innermost scope that has one. */
export function findRelation(scope: Scope | undefined, name: string): Relation | undefined {
  if (scope === undefined) return undefined;
  return scope.relations.get(name.toLowerCase()) ?? findRelation(scope.parent, name);
}

/** The FROM item of that name in the innermost scope; a column of that name hides items of outer scopes. */
export function findRange(scope: Scope | undefined, name: string): Range | undefined {
  if (scope === undefined) return undefined;
  const own = scope.ranges.find((range) => range.name !== undefined && sameName(range.name, name));
  if (own) return own;
  return columnsNamed(scope, name).length > 0 ? undefined : findRange(scope.parent, name);
}

/** Every column that a bare name may refer to, in the innermost scope that has one. Several mean: ambiguous. */
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

/** The columns of that name in one FROM item, including the fields of an array's elements. */
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

/** A field of a struct; undefined if the struct is known to have no such field. */
export function fieldSql({ text, type, shredded }: Sql, name: string): Sql | undefined {
  const part = shredded && fieldOfShredded(shredded, name);
  if (part) return part;
  const field = fieldOf(type, name);
  return field && { text: `${isPath(text) ? text : `(${text})`}.${quote(field.name)}`, type: field.type };
}

/** Whether a text is a quoted name, or several joined by dots. */
export const isPath = (text: string) => /^("([^"]|"")*"\.?)+$/.test(text);
