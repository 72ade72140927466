import type { Node } from 'sql-parser-cst';

/** The text for the parser, and what was removed from it. Offsets are those of the original. */
interface ParserInput {
  readonly sql: string;
  /** NULLS FIRST or LAST in ORDER BY, by the offset at which the sort key before it ends. */
  readonly nullOrders: ReadonlyMap<number, 'FIRST' | 'LAST'>;
}

// Literals, quoted names and comments come first: they must stay as they are.
const tokens =
  /[rb]{0,2}("""|''')(?:\\[\s\S]|(?!\1)[^\\])*\1|[rb]{0,2}(["'])(?:\\[\s\S]|(?!\2)[^\\])*\2|`[^`]*`|#.*|--.*|\/\*[\s\S]*?\*\/|\bNULLS\s+(?:FIRST|LAST)\b|\bAT\s+TIME\s+ZONE\b/gi;

/** The operator that replaces AT TIME ZONE in EXTRACT; BigQuery has no operator of that name. */
export const zoneOperator = 'REGEXP';

/** Replaces BigQuery syntax that the parser does not know by syntax of the same length that it does know. */
export function replaceUnparsed(sql: string): ParserInput {
  const nullOrders = new Map<number, 'FIRST' | 'LAST'>();
  const replaced = sql.replace(tokens, (token: string, _triple, _single, offset: number) => {
    if (/^nulls/i.test(token)) {
      nullOrders.set(sql.slice(0, offset).trimEnd().length, /first$/i.test(token) ? 'FIRST' : 'LAST');
      return blank(token);
    }
    // The parser knows AT TIME ZONE in CAST … FORMAT, but not in EXTRACT.
    if (/^at/i.test(token) && !/\bformat\s+\S+\s*$/i.test(sql.slice(0, offset))) {
      return zoneOperator + blank(token.slice(zoneOperator.length));
    }
    return token;
  });
  return { sql: replaced, nullOrders };
}

const blank = (text: string) => text.replace(/[^\n]/g, ' ');

/** Nodes that rules build have no range of their own; the nodes they are built from do. */
export const startOf = (node: Node): number => node.range?.[0] ?? 0;
export const endOf = (node: Node): number => node.range?.[1] ?? 0;
