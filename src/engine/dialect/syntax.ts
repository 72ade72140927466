import type { Node } from 'sql-parser-cst';

/** The text that is given to the parser, and what was taken out of it. Offsets are those of the original. */
export interface ParserInput {
  readonly sql: string;
  /** NULLS FIRST or LAST in ORDER BY, by the offset at which the sort key before it ends. */
  readonly nullOrders: ReadonlyMap<number, 'FIRST' | 'LAST'>;
}

// What must not be touched comes first: literals, quoted names and comments.
const tokens =
  /[rb]{0,2}("""|''')(?:\\[\s\S]|(?!\1)[^\\])*\1|[rb]{0,2}(["'])(?:\\[\s\S]|(?!\2)[^\\])*\2|`[^`]*`|#.*|--.*|\/\*[\s\S]*?\*\/|\bNULLS\s+(?:FIRST|LAST)\b|\bAT\s+TIME\s+ZONE\b/gi;

/** The operator that stands for AT TIME ZONE in EXTRACT; BigQuery itself has none of that name. */
export const zoneOperator = 'REGEXP';

/** Syntax of BigQuery that the parser does not know, replaced by syntax that it does, character for character. */
export function replaceUnparsed(sql: string): ParserInput {
  const nullOrders = new Map<number, 'FIRST' | 'LAST'>();
  const prepared = sql.replace(tokens, (token: string, _triple, _single, offset: number) => {
    if (/^nulls/i.test(token)) {
      nullOrders.set(sql.slice(0, offset).trimEnd().length, /first$/i.test(token) ? 'FIRST' : 'LAST');
      return blank(token);
    }
    // CAST … FORMAT … AT TIME ZONE is known to the parser; only EXTRACT's is not.
    if (/^at/i.test(token) && !/\bformat\s+\S+\s*$/i.test(sql.slice(0, offset))) {
      return zoneOperator + blank(token.slice(zoneOperator.length));
    }
    return token;
  });
  return { sql: prepared, nullOrders };
}

const blank = (text: string) => text.replace(/[^\n]/g, ' ');

/** Nodes that rules make have no range of their own; what they are made of has. */
export const startOf = (node: Node): number => node.range?.[0] ?? 0;
export const endOf = (node: Node): number => node.range?.[1] ?? 0;
