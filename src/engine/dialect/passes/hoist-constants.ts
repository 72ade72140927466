import { duckdbType, type Type } from '../types.ts';
import type { TimeExpression } from './time-expressions.ts';

/** A part of a query that does not depend on rows and can be computed before the query. */
export interface Constant {
  /** The name under which the query binds its value. */
  readonly name: string;
  /** DuckDB text; it contains parameters as `$name`. */
  readonly sql: string;
  /** Computes the value without the database. */
  readonly timeExpression?: TimeExpression;
}

// Control characters never occur in SQL text. Marks may be nested; only the outermost one counts in the end.
const markBegin = '\u0001';
const markEnd = '\u0002';

/** Prefix of the names under which constants are bound; names of parameters can't start with it. */
export const ownPrefix = 'querygate_';

/** Precedes the type in the mark of a threshold. */
const thresholdPrefix = '?';

const mark = (type: string, text: string) => `${markBegin}${type}${markBegin}${text}${markEnd}`;

/**
 * Marks a row-independent value that is worth computing before the query: DuckDB plans a query again for each set of
 * parameters, and spends most of that time on binding macros.
 */
export function markConstant<S extends { readonly text: string; readonly type: Type }>(sql: S): S {
  const isWorth = sql.text.includes('bq.') && !isVolatile.test(sql.text) && !isMarked(sql.text);
  const type = isWorth ? duckdbType(sql.type) : undefined;
  return type === undefined ? sql : { ...sql, text: mark(type, sql.text) };
}

/** Marks an uncorrelated scalar subquery to be run first: DuckDB prunes rows only by values known when planning. */
export function markThreshold(query: string, type: Type): string {
  const target = duckdbType(type);
  return target === undefined ? query : mark(`${thresholdPrefix}${target}`, query);
}

const isVolatile = /\b(?:uuid|bq\.rand)\(/;

/** Whether the whole text is one marked constant. */
export const isMarked = (text: string): boolean =>
  text.startsWith(markBegin) && endOfMark(text, 0) === text.length - 1;

/** The text with all marks removed. */
export const withoutMarks = (text: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are the marks
  text.replaceAll(/\u0001[^\u0001]*\u0001|\u0002/g, '');

/** A query whose marked constants are replaced by parameters. */
export interface HoistedConstants {
  readonly sql: string;
  /** Each depends on parameters only. */
  readonly constants: readonly Constant[];
  /** Each reads rows, and depends on parameters and constants. */
  readonly thresholds: readonly Constant[];
}

/**
 * Replaces marked constants by parameters.
 *
 * @param timeExpressions time expressions by their text
 */
export function hoistConstants(
  text: string,
  timeExpressions: ReadonlyMap<string, TimeExpression>,
): HoistedConstants {
  const constants = new Map<string, string>();
  const thresholds = new Map<string, string>();
  const replaceMarks = (marked: string): string => {
    let sql = '';
    let from = 0;
    for (let at = marked.indexOf(markBegin); at >= 0; at = marked.indexOf(markBegin, from)) {
      const close = endOfMark(marked, at);
      const typeEnd = marked.indexOf(markBegin, at + 1);
      const type = marked.slice(at + 1, typeEnd);
      const inner = marked.slice(typeEnd + 1, close);
      const name = type.startsWith(thresholdPrefix)
        ? nameOf(thresholds, `${ownPrefix}threshold`, replaceMarks(inner))
        : nameOf(constants, `${ownPrefix}constant`, withoutMarks(inner));
      sql += `${marked.slice(from, at)}CAST($${name} AS ${type.replace(thresholdPrefix, '')})`;
      from = close + 1;
    }
    return sql + marked.slice(from);
  };
  const sql = replaceMarks(text);
  const constantsOf = (names: ReadonlyMap<string, string>): readonly Constant[] =>
    [...names].map(([sql, name]) => {
      const timeExpression = timeExpressions.get(sql);
      return { name, sql, ...(timeExpression && { timeExpression }) };
    });
  return { sql, constants: constantsOf(constants), thresholds: constantsOf(thresholds) };
}

function nameOf(names: Map<string, string>, kind: string, sql: string): string {
  const name = names.get(sql) ?? `${kind}_${names.size + 1}`;
  names.set(sql, name);
  return name;
}

/** The offset of the end of the mark that begins at `start`. A mark is `begin type begin text end`. */
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
