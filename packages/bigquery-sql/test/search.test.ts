import fc from 'fast-check';
import { expect, test } from 'vitest';
import { searchFunctions } from '../src/macros/host/search.ts';
import { problemsOf } from './harness.ts';
import { ownSession } from './support/own-session.ts';

const session = ownSession();

/** The values of expressions, or the message of their problem. */
async function valuesOf(expressions: readonly string[], parameters = {}): Promise<unknown> {
  const answer = await session.answer(`SELECT ${expressions.join(', ')}`, { parameters });
  return typeof answer === 'string' ? answer : answer[0];
}

const email = "'Please use foobar@example.com as your email.'";

test('searches are those of the documentation of BigQuery', async () => {
  const examples: readonly (readonly [expression: string, found: boolean])[] = [
    ["SEARCH('foobar-example', 'foobar example')", true],
    ["SEARCH('foobar-example', 'foobarexample')", false],
    ["SEARCH('foobar-example', 'foobar\\\\&example')", true],
    ["SEARCH('foobar-example', R'foobar\\&example')", true],
    ["SEARCH('foobar-example', '`foobar&example`')", false],
    ["SEARCH('foobar&example', '`foobar&example`')", true],
    ["SEARCH('foobar-example', 'example foobar')", true],
    ["SEARCH('foobar-example', 'Foobar Example')", true],
    ["SEARCH('foobar-example', '`foobar-example`')", true],
    ["SEARCH('foobar-example', '`Foobar`')", false],
    ["SEARCH('`foobar-example`', '`foobar-example`')", false],
    ["SEARCH('foobar@example.com', '`example.com`')", true],
    ["SEARCH('a foobar-example b', '`foobar-example`')", true],
    ["SEARCH(['foobar', 'example'], 'foobar example')", false],
    ["SEARCH('foobar=', '`foobar\\\\=`')", false],
    ["SEARCH('foobar=', R'foobar\\=')", true],
    ["SEARCH('foobar.example', '`foobar`')", true],
    ["SEARCH('foobar.example', '`foobar.`')", false],
    ["SEARCH('foobar..example', '`foobar.`')", true],
    ["SEARCH('foo bar baz', 'foo AND bar')", true],
    ["SEARCH('foo', 'foo OR bar')", true],
    ["SEARCH('foo', 'foo AND (bar OR baz)')", false],
    ["SEARCH('foo bar baz', '\"foo bar\"')", true],
    ["SEARCH('foo-bar baz', '\"foo&bar\"')", true],
    ["SEARCH('foo bar baz', '\"`foo bar`\"')", false],
    ["SEARCH('foo else bar', '\"foo bar\"')", false],
    ["SEARCH('foo-bar-baz', 'bar \"foo&baz\"')", false],
    ["SEARCH(STRUCT('Potato pancakes', 'Beef soup'), 'soup')", true],
    [`SEARCH(${email}, 'exam')`, false],
    [`SEARCH(${email}, 'example.com')`, true],
    [`SEARCH(${email}, '"as email"')`, false],
  ];
  expect(await valuesOf(examples.map(([expression]) => expression))).toEqual(
    examples.map(([, found]) => found),
  );
});

test('delimiters may be escapes of URLs, case is that of ASCII, and other types have no text', async () => {
  const examples: readonly (readonly [expression: string, found: boolean | null])[] = [
    ["SEARCH('/a%20b%2520c', 'b c')", true],
    ["SEARCH('/a%20b', '20b')", false],
    ["SEARCH('Éa', 'éa')", false],
    ["SEARCH('Éa', 'ÉA')", true],
    ["SEARCH('a OR b', 'c OR (a b)')", true],
    ["SEARCH('\\u212a', 'k')", false],
    ["SEARCH(5, '5')", false],
    ['SEARCH(CAST(NULL AS STRING), "a")', null],
    ["SEARCH((CAST(NULL AS STRING), 'b', 7), 'a')", null],
    ["SEARCH((CAST(NULL AS STRING), 'b', 7), 'b')", true],
    ["SEARCH(CAST([] AS ARRAY<STRING>), 'a')", false],
    ["SEARCH([STRUCT('x' AS a, ['y'] AS b)], 'y', json_scope => 'JSON_KEYS')", true],
  ];
  expect(await valuesOf(examples.map(([expression]) => expression))).toEqual(
    examples.map(([, found]) => found),
  );
});

test('a table and its rows are searched, with queries of parameters', async () => {
  const table = "(SELECT 'Avocado toast' AS a, 1 AS n, STRUCT('Beef soup' AS c) AS b)";
  expect(await valuesOf([`(SELECT SEARCH(t, @q) FROM ${table} AS t)`], { q: 'soup OR nothing' })).toEqual([
    true,
  ]);
  expect(await valuesOf([`(SELECT SEARCH(t, @q) FROM ${table} AS t)`], { q: 'soup (' })).toBe(
    'SEARCH: a term is missing: soup (',
  );
});

test.each([
  ["SEARCH('a', NULL)", 'SEARCH: the search query is NULL'],
  ["SEARCH('a', '')", 'SEARCH: the search query has no term'],
  [
    "SEARCH('a', 'b c-d')",
    'SEARCH: - of the search query must be escaped by a backslash, or its term written in backticks',
  ],
  [
    "SEARCH('a', 'cats and dogs')",
    'SEARCH: and of the search query must be written in backticks; operators are AND and OR between terms',
  ],
  [
    "SEARCH('a', 'NOT b')",
    'SEARCH: NOT of the search query must be written in backticks; operators are AND and OR between terms',
  ],
  ["SEARCH('a', '(b')", 'SEARCH: the search query has a "(" without ")"'],
  ["SEARCH('a', 'b)')", 'SEARCH: the search query has a ")" without "("'],
  ["SEARCH('a', '`b')", 'SEARCH: a ` of the search query is not closed'],
  ["SEARCH('a', '`..`')", 'SEARCH: `..` has delimiters only'],
  ["SEARCH('a', '@')", 'SEARCH: "@" of the search query has no token'],
  [
    "SEARCH('a', 'b', analyzer => 'NO_OP_ANALYZER')",
    'SEARCH is supported with LOG_ANALYZER and its default options',
  ],
  [
    "SEARCH('a', 'a', json_scope => 'json_keys')",
    'json_scope of SEARCH is one of JSON_VALUES, JSON_KEYS, JSON_KEYS_AND_VALUES',
  ],
  ["SEARCH(JSON '1', '1')", 'SEARCH of JSON is not supported'],
  ["SEARCH('a', project)", 'the search query of SEARCH must be the same for all rows'],
])('%s is refused: %s', (expression, problem) => {
  expect(problemsOf(`SELECT ${expression} FROM logs`)).toEqual([`1:8 ${problem}`]);
});

test('phrases and parts are found where they begin within others', () => {
  const [search] = searchFunctions;
  const words = fc.array(fc.constantFrom('a', 'b'), { minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(words, words, (text, sought) => {
      const [all, part] = [text.join(' '), sought.join(' ')];
      const found = ` ${all} `.includes(` ${part} `);
      expect([search?.compute([all, `"${part}"`]), search?.compute([all, `\`${part}\``])]).toEqual([
        found,
        found,
      ]);
    }),
    { numRuns: 2_000 },
  );
});
