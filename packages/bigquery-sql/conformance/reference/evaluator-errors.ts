import type { Edition } from './processes.ts';

/** The queries, by their text, that an evaluator judges wrongly, or as no release of BigQuery does. */
const errors: Readonly<Record<Edition, readonly { readonly pattern: RegExp; readonly reason: string }[]>> = {
  '2025': [
    {
      pattern: /\b(ceil|ceiling|floor|round|trunc)\(\s*null\b/i,
      reason: 'NULL is taken for a FLOAT, a type that BigQuery has not',
    },
    {
      pattern:
        /\bas datetime\b|(date\b|\bdate_(add|sub|trunc|from)|last_day)[\s\S]*(datetime|timestamp)|(datetime|timestamp)[\s\S]*(date\b|\bdate_(add|sub|trunc|from)|last_day)/i,
      reason: 'each DATE that becomes a DATETIME or, as an argument, a TIMESTAMP is 1970-01-01',
    },
  ],
  '2022': [
    { pattern: /\bnot\s+like\s+(any|some|all)\b/i, reason: 'it is true if one pattern does not match' },
    { pattern: /'(lax|recursive)\b/i, reason: 'paths have no modes' },
    {
      pattern: /\$[^'"]*\[\d+\][^'"]*\[\d+\]/,
      reason: 'a second subscript of a path counts the elements of several arrays',
    },
    {
      pattern: /\bjson_(set|remove|array_append|array_insert|strip_nulls)\([\s\S]*\bnull\b/i,
      reason: 'a path or an option that is NULL gives NULL, and does not leave the value as it is',
    },
  ],
};

/** Why the answer of an evaluator may be wrong; undefined if nothing is known. */
export const knownError = (edition: Edition, sql: string): string | undefined =>
  errors[edition].find(({ pattern }) => pattern.test(sql))?.reason;
