/**
 * Matches the parts of BigQuery SQL inside which other characters mean nothing (literals, quoted names, comments), and
 * one alternative more.
 */
export const outsideLiterals = (alternative: string): RegExp =>
  new RegExp(
    [
      String.raw`[rb]{0,2}("""|''')(?:\\[\s\S]|(?!\1)[^\\])*\1`,
      String.raw`[rb]{0,2}(["'])(?:\\[\s\S]|(?!\2)[^\\\n])*\2`,
      /`(?:\\.|[^`\\])*`/.source,
      /#.*|--.*|\/\*[\s\S]*?\*\//.source,
      alternative,
    ].join('|'),
    'gi',
  );
