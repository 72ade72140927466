import type { Token } from './lexer/tokens.ts';

/** The token that a grammar does not expect, at 0, and its neighbors. */
type TokenAt = (distance: number) => Token | undefined;

/** Words of other dialects, each with what GoogleSQL writes. */
const words: Readonly<Record<string, string>> = {
  ILIKE: "write LOWER(…) LIKE '…'",
  RLIKE: 'write REGEXP_CONTAINS(text, pattern)',
  REGEXP: 'write REGEXP_CONTAINS(text, pattern)',
  SIMILAR: 'write REGEXP_CONTAINS(text, pattern)',
  GLOB: 'write REGEXP_CONTAINS(text, pattern)',
  FETCH: 'write LIMIT and a number',
  MINUS: 'write EXCEPT DISTINCT',
  ISNULL: 'write IS NULL',
  NOTNULL: 'write IS NOT NULL',
};

const asParameter = 'a parameter is written @name';

/** Symbols that GoogleSQL lacks or has elsewhere. Tokens are symbols of GoogleSQL, so that `::` is two of them. */
const symbols: Readonly<Record<string, (at: TokenAt) => string | undefined>> = {
  ':': (at) => {
    if (isNext(at, ':')) return 'write CAST(value AS TYPE) for value::TYPE';
    return at(1)?.kind === 'word' && at(1)?.start === at(0)?.end ? asParameter : undefined;
  },
  '{': (at) => (isNext(at, '{') ? asParameter : undefined),
  $: (at) => (at(1)?.kind === 'word' || isNext(at, '{') ? asParameter : undefined),
  '=': (at) => (follows(at, '=') ? 'write = once' : undefined),
  '>': (at) => {
    if (follows(at, '-')) return "write JSON_VALUE(json, '$.name'), or JSON_QUERY for a part of it";
    return follows(at, '<=') ? 'write IS NOT DISTINCT FROM' : undefined;
  },
  '&': (at) => (follows(at, '&') ? 'write AND' : undefined),
  '!': (at) => (isNext(at, '~') ? 'write NOT REGEXP_CONTAINS(text, pattern)' : 'write NOT'),
  '~': () => 'write REGEXP_CONTAINS(text, pattern)',
  '%': (at) => (isNext(at, '(') || isNext(at, 's') ? asParameter : 'write MOD(a, b)'),
  '/': (at) => (follows(at, '/') ? 'a comment begins with -- or #' : undefined),
  ',': (at) => {
    const [offset, count] = [at(-1), at(1)];
    const isLimit = at(-2)?.key === 'LIMIT' && offset?.kind === 'integer' && count?.kind === 'integer';
    return isLimit ? `write LIMIT ${count.text} OFFSET ${offset.text}` : undefined;
  },
};

/** What GoogleSQL writes in the place of a token that other dialects of SQL, or templates, have there. */
export function foreignSyntax(at: TokenAt): string | undefined {
  const token = at(0);
  // It has been read as the alias of a table.
  if (at(-1)?.key === 'MINUS') return words.MINUS;
  if (token?.kind === 'word') return words[token.key];
  if (token?.kind === 'integer' && at(-1)?.key === 'TOP') return `write LIMIT ${token.text} at the end`;
  return token?.kind === 'symbol' ? symbols[token.key]?.(at) : undefined;
}

const isNext = (at: TokenAt, key: string): boolean =>
  at(1)?.key.toUpperCase() === key.toUpperCase() && at(1)?.start === at(0)?.end;

const follows = (at: TokenAt, key: string): boolean => at(-1)?.key === key && at(-1)?.end === at(0)?.start;
