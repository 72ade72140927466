import type { Sql } from './scope.ts';
import { duckdbType } from './type.ts';

/** A part of a query that is the same for all rows, as a query of its own may compute it. */
export interface Constant {
  /** The name under which the query binds its value. */
  readonly name: string;
  /** DuckDB text; parameters stand in it as `$name`. */
  readonly sql: string;
}

// Characters that no SQL has: rules hand text around, and only the outermost mark counts in the end.
const begin = '\u0001';
const end = '\u0002';

/**
 * A value that no row changes, marked where it is worth computing before the query: DuckDB plans a query anew for each
 * set of parameters, and most of that is the binding of macros.
 */
export function marked(sql: Sql): Sql {
  const isWorth = sql.text.includes('bq.') && !isVolatile.test(sql.text) && !isMarked(sql.text);
  const type = isWorth ? duckdbType(sql.type) : undefined;
  return type === undefined ? sql : { ...sql, text: `${begin}${type}${begin}${sql.text}${end}` };
}

const isVolatile = /\b(?:uuid|bq\.rand)\(/;

/** Whether a whole text is one constant. */
export const isMarked = (text: string): boolean =>
  text.startsWith(begin) && closing(text, 0) === text.length - 1;

/** The text without its marks. */
export const unmarked = (text: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are the marks
  text.replaceAll(/\u0001[^\u0001]*\u0001|\u0002/g, '');

/** The text with a parameter for each of its constants. */
export function withoutConstants(text: string): {
  readonly sql: string;
  readonly constants: readonly Constant[];
} {
  const names = new Map<string, string>();
  let sql = '';
  let from = 0;
  for (let at = text.indexOf(begin); at >= 0; at = text.indexOf(begin, from)) {
    const close = closing(text, at);
    const typeEnd = text.indexOf(begin, at + 1);
    const inner = unmarked(text.slice(typeEnd + 1, close));
    const name = names.get(inner) ?? `constant_${names.size + 1}`;
    names.set(inner, name);
    sql += `${text.slice(from, at)}CAST($${name} AS ${text.slice(at + 1, typeEnd)})`;
    from = close + 1;
  }
  const constants = [...names].map(([inner, name]) => ({ name, sql: inner }));
  return { sql: sql + text.slice(from), constants };
}

/** Where the mark ends that begins at an offset: each has two beginnings, around the type, and one end. */
function closing(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    if (text[at] === begin) {
      depth += 1;
      at = text.indexOf(begin, at + 1);
    } else if (text[at] === end) {
      depth -= 1;
      if (depth === 0) return at;
    }
  }
  return -1;
}
