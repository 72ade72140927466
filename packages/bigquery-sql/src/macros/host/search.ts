import { hostFunction } from './host-function.ts';

/**
 * The search query of SEARCH as LOG_ANALYZER reads it.
 *
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/search_functions#search_query_rules
 */
export type SearchQuery =
  | { readonly kind: 'and' | 'or'; readonly terms: readonly SearchQuery[] }
  /** Tokens that a text has in any order, or as a phrase one after the other. */
  | { readonly kind: 'tokens' | 'phrase'; readonly tokens: readonly string[] }
  /** A part of the text as it is, between delimiters. */
  | { readonly kind: 'exact'; readonly text: string };

const delimiter =
  /%2526|%2520|%21|%26|%3[Bb]|%7[Cc]|%20|%2[Bb]|%3[Dd]|%5[Dd]|%5[Bb]|%3[Aa]|%0[Aa]|%2[Cc]|%28|%29|[[\]<>(){}|!;,'"*&?+/:=@.\-$%\\_\n\r \t]/g;

/** Characters that mean something outside of backticks and quotes. */
const reserved = '[]<>(){}|!\'"*&?+/:=-\\~^`';

const isSpace = (character: string | undefined): boolean => character !== undefined && /\s/.test(character);

const fail = (message: string): never => {
  throw new Error(`SEARCH: ${message}`);
};

/** Only ASCII letters have a case for LOG_ANALYZER. */
const lower = (text: string): string => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());

const tokensOf = (text: string): readonly string[] =>
  lower(text)
    .split(delimiter)
    .filter((token) => token !== '');

/** A query may not be longer, because its cost for each text grows with its length. */
const maxLength = 1000;

/** @throws Error with what is wrong, if the documentation does not say what the query means */
export function parseSearchQuery(text: string): SearchQuery {
  if (text.length > maxLength) fail(`the search query has more than ${maxLength} characters`);
  const [query, end] = parseOr(text, 0);
  if (end < text.length) fail('the search query has a ")" without "("');
  return query;
}

/** Why a query is not supported; null for one that is, and for one that is wrong. */
function refusalOf(text: string): string | null {
  try {
    parseSearchQuery(text);
    return null;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return /is not supported$| has more than \d+ characters$/.test(message) ? message : null;
  }
}

type Parsed = readonly [query: SearchQuery, end: number];

function parseOr(text: string, start: number): Parsed {
  const [first, end] = parseAnd(text, start);
  const terms = [first];
  let at = end;
  for (let next = afterWord(text, at, 'OR'); next !== undefined; next = afterWord(text, at, 'OR')) {
    const [term, after] = parseAnd(text, next);
    terms.push(term);
    at = after;
  }
  return [joined('or', terms), at];
}

function parseAnd(text: string, start: number): Parsed {
  const terms: SearchQuery[] = [];
  let at = start;
  do {
    const [term, end] = parseTerm(
      text,
      afterSpace(text, (terms.length > 0 && afterWord(text, at, 'AND')) || at),
    );
    terms.push(term);
    at = afterSpace(text, end);
  } while (at < text.length && text[at] !== ')' && afterWord(text, at, 'OR') === undefined);
  return [joined('and', terms), at];
}

function joined(kind: 'and' | 'or', terms: readonly SearchQuery[]): SearchQuery {
  const [only, another] = terms;
  return only !== undefined && another === undefined ? only : { kind, terms };
}

function afterSpace(text: string, start: number): number {
  let at = start;
  while (isSpace(text[at])) at += 1;
  return at;
}

/** Where an operator ends; undefined if there is another word. */
function afterWord(text: string, start: number, word: string): number | undefined {
  const end = start + word.length;
  const isWhole = end === text.length || isSpace(text[end]) || text[end] === '(';
  return text.startsWith(word, start) && isWhole ? end : undefined;
}

function parseTerm(text: string, start: number): Parsed {
  const first = text[start];
  if (first === undefined)
    return fail(text.trim() === '' ? 'the search query has no term' : 'a term is missing');
  if (first === '(') {
    const [query, at] = parseOr(text, start + 1);
    if (text[at] !== ')') fail('the search query has a "(" without ")"');
    return ended(query, text, at + 1);
  }
  if (first === '`' || first === '"') return parseQuoted(text, start, first);
  return parseSingle(text, start);
}

function parseQuoted(text: string, start: number, quote: '`' | '"'): Parsed {
  let inside = '';
  let at = start + 1;
  for (; at < text.length && text[at] !== quote; at += 1) {
    if (text[at] === '\\' && text[at + 1] === quote) at += 1;
    inside += text[at];
  }
  if (at >= text.length) fail(`a ${quote} of the search query is not closed`);
  if (quote === '`') {
    if (tokensOf(inside).length === 0) fail(`\`${inside}\` has delimiters only`);
    return ended({ kind: 'exact', text: inside }, text, at + 1);
  }
  if (/\b(?:AND|OR)\b/.test(inside)) fail('a phrase with AND or OR is not supported');
  return ended({ kind: 'phrase', tokens: required(tokensOf(inside), inside) }, text, at + 1);
}

function parseSingle(text: string, start: number): Parsed {
  let term = '';
  let at = start;
  for (; at < text.length && !isSpace(text[at]) && text[at] !== ')'; at += 1) {
    const character = text[at] ?? '';
    if (character === '\\' && text[at + 1] !== undefined && reserved.includes(text[at + 1] ?? '')) {
      at += 1;
      term += text[at];
    } else if (reserved.includes(character)) {
      fail(
        `${character} of the search query must be escaped by a backslash, or its term written in backticks`,
      );
    } else term += character;
  }
  if (term === '') fail('a term is missing');
  if (/^(?:and|or|not|in|near)$/i.test(term))
    fail(`${term} of the search query must be written in backticks; operators are AND and OR between terms`);
  return ended({ kind: 'tokens', tokens: required(tokensOf(term), term) }, text, at);
}

function required(tokens: readonly string[], term: string): readonly string[] {
  if (tokens.length === 0) fail(`${JSON.stringify(term)} of the search query has no token`);
  return tokens;
}

function ended(query: SearchQuery, text: string, at: number): Parsed {
  if (at < text.length && text[at] !== ')' && !isSpace(text[at]))
    fail('terms of the search query need a space between them');
  return [query, at];
}

/** A text as LOG_ANALYZER reads it. */
interface SearchedText {
  readonly text: string;
  readonly tokens: readonly string[];
  readonly has: ReadonlySet<string>;
}

function searchedText(text: string): SearchedText {
  const tokens = tokensOf(text);
  return { text, tokens, has: new Set(tokens) };
}

function matches(query: SearchQuery, searched: SearchedText): boolean {
  switch (query.kind) {
    case 'and':
      return query.terms.every((term) => matches(term, searched));
    case 'or':
      return query.terms.some((term) => matches(term, searched));
    case 'tokens':
      return query.tokens.every((token) => searched.has.has(token));
    case 'phrase':
      return placesOf(query.tokens, searched.tokens).next().done !== true;
    case 'exact':
      return hasExact(query.text, searched.text);
  }
}

function hasExact(sought: string, text: string): boolean {
  const [starts, ends] = [new Set([0]), new Set([text.length])];
  for (const { index, 0: found } of text.matchAll(delimiter)) {
    ends.add(index);
    starts.add(index + found.length);
  }
  return placesOf(sought, text).some((at) => starts.has(at) && ends.has(at + sought.length));
}

/** Where a sequence is in another one, as Knuth, Morris and Pratt find it: no text takes longer than its length. */
function* placesOf(sought: ArrayLike<string>, all: ArrayLike<string>): Generator<number, void> {
  /** For each length of a match, how much of it is the beginning of another one. */
  const shorter = [0];
  const longer = (length: number, next: string | undefined) => {
    let left = length;
    while (left > 0 && (left === sought.length || next !== sought[left])) left = shorter[left - 1] ?? 0;
    return next === sought[left] ? left + 1 : left;
  };
  for (let at = 1; at < sought.length; at += 1) shorter.push(longer(shorter[at - 1] ?? 0, sought[at]));
  for (let at = 0, length = 0; at < all.length; at += 1) {
    length = longer(length, all[at]);
    if (length === sought.length) yield at + 1 - length;
  }
}

/** The longest ASCII text, in lower case, of which a text without it is not found; empty if any may be. */
function needleOf(query: SearchQuery): string {
  switch (query.kind) {
    case 'and':
      return longest(query.terms.map(needleOf));
    case 'or':
      return '';
    case 'exact':
      return longest(lower(query.text).split(/[^\0-\x7f]+/));
    default:
      return longest(query.tokens.flatMap((token) => token.split(/[^\0-\x7f]+/)));
  }
}

const longest = (texts: readonly string[]): string =>
  texts.reduce((best, text) => (text.length > best.length ? text : best), '');

/** The last query, which is that of most calls. */
let last: { readonly text: string; readonly query: SearchQuery } | undefined;

function queryOf(text: string): SearchQuery {
  if (last?.text !== text) last = { text, query: parseAndQuote(text) };
  return last.query;
}

/** With the query at the end of the error, from which a gateway sees the parameter that has it. */
function parseAndQuote(text: string): SearchQuery {
  try {
    return parseSearchQuery(text);
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : error}: ${text}`);
  }
}

export const searchFunctions = [
  hostFunction('host_search', ['VARCHAR', 'VARCHAR'], 'BOOLEAN', (text, query) =>
    matches(queryOf(query), searchedText(text)),
  ),
  hostFunction('host_search_refusal', ['VARCHAR'], 'VARCHAR', refusalOf),
  hostFunction('host_search_needle', ['VARCHAR'], 'VARCHAR', (query) => needleOf(queryOf(query))),
];
