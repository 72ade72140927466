import type { Sql } from '../scope.ts';
import { duckdbType, type Type } from '../types.ts';
import type { TimeExpression } from './time-expressions.ts';

/** A part of a query that is the same for all rows, as a query of its own may compute it. */
export interface Constant {
  /** The name under which the query binds its value. */
  readonly name: string;
  /** DuckDB text; parameters stand in it as `$name`. */
  readonly sql: string;
  /** The same without a database. */
  readonly timeExpression?: TimeExpression;
}

// Characters that no SQL has: rules hand text around, and only the outermost mark counts in the end.
const markBegin = '\u0001';
const markEnd = '\u0002';

/** What the names begin with under which constants are bound; no parameter's may. */
export const ownPrefix = 'querygate_';

/** Before the type of what rows are read for. */
const thresholdPrefix = '?';

const mark = (type: string, text: string) => `${markBegin}${type}${markBegin}${text}${markEnd}`;

/**
 * A value that no row changes, marked where it is worth computing before the query: DuckDB plans a query anew for each
 * set of parameters, and most of that is the binding of macros.
 */
export function markConstant(sql: Sql): Sql {
  const isWorth = sql.text.includes('bq.') && !isVolatile.test(sql.text) && !isMarked(sql.text);
  const type = isWorth ? duckdbType(sql.type) : undefined;
  return type === undefined ? sql : { ...sql, text: mark(type, sql.text) };
}

/** A scalar subquery that stands for itself, marked so that it is run first: DuckDB prunes rows by values it knows. */
export function markThreshold(query: string, type: Type): string {
  const known = duckdbType(type);
  return known === undefined ? query : mark(`${thresholdPrefix}${known}`, query);
}

const isVolatile = /\b(?:uuid|bq\.rand)\(/;

/** Whether a whole text is one constant. */
export const isMarked = (text: string): boolean =>
  text.startsWith(markBegin) && endOfMark(text, 0) === text.length - 1;

/** The text without its marks. */
export const withoutMarks = (text: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are the marks
  text.replaceAll(/\u0001[^\u0001]*\u0001|\u0002/g, '');

/** A text in whose place parameters stand for its constants, and what those are. */
export interface HoistedConstants {
  readonly sql: string;
  /** Each is made of parameters alone. */
  readonly constants: readonly Constant[];
  /** Each reads rows, and is made of parameters and constants. */
  readonly thresholds: readonly Constant[];
}

/** @param timeExpressions of constants, by their text */
export function hoistConstants(
  text: string,
  timeExpressions: ReadonlyMap<string, TimeExpression>,
): HoistedConstants {
  const constants = new Map<string, string>();
  const thresholds = new Map<string, string>();
  const replaced = (marked: string): string => {
    let sql = '';
    let from = 0;
    for (let at = marked.indexOf(markBegin); at >= 0; at = marked.indexOf(markBegin, from)) {
      const close = endOfMark(marked, at);
      const typeEnd = marked.indexOf(markBegin, at + 1);
      const type = marked.slice(at + 1, typeEnd);
      const inner = marked.slice(typeEnd + 1, close);
      const name = type.startsWith(thresholdPrefix)
        ? nameOf(thresholds, `${ownPrefix}threshold`, replaced(inner))
        : nameOf(constants, `${ownPrefix}constant`, withoutMarks(inner));
      sql += `${marked.slice(from, at)}CAST($${name} AS ${type.replace(thresholdPrefix, '')})`;
      from = close + 1;
    }
    return sql + marked.slice(from);
  };
  const sql = replaced(text);
  const listed = (names: ReadonlyMap<string, string>): readonly Constant[] =>
    [...names].map(([sql, name]) => {
      const timeExpression = timeExpressions.get(sql);
      return { name, sql, ...(timeExpression && { timeExpression }) };
    });
  return { sql, constants: listed(constants), thresholds: listed(thresholds) };
}

function nameOf(names: Map<string, string>, kind: string, sql: string): string {
  const name = names.get(sql) ?? `${kind}_${names.size + 1}`;
  names.set(sql, name);
  return name;
}

/** Where the mark ends that begins at an offset: each has two beginnings, around the type, and one end. */
function endOfMark(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    if (text[at] === markBegin) {
      depth += 1;
      at = text.indexOf(markBegin, at + 1);
      if (at < 0) return -1;
    } else if (text[at] === markEnd) {
      depth -= 1;
      if (depth === 0) return at;
    }
  }
  return -1;
}
