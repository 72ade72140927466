import fc from 'fast-check';
import { expect, test } from 'vitest';
import { likeCost, likeMatcher, parseLike } from '../../src/row-arguments/like-pattern.ts';

const matcherOf = (text: string) => {
  const pattern = parseLike(text);
  if (pattern === undefined) throw new Error('not a pattern');
  return likeMatcher(pattern);
};

/** As a regular expression of the same meaning. */
const oracle = (pattern: string) => {
  const source = pattern.replace(/\\?./gsu, (part) => {
    if (part === '%') return '.*';
    return part === '_'
      ? '.'
      : `\\u{${(part.codePointAt(part.length > 1 && part[0] === '\\' ? 1 : 0) ?? 0).toString(16)}}`;
  });
  return new RegExp(`^${source}$`, 'su');
};

test('a pattern matches as a regular expression of the same meaning does', () => {
  const letter = fc.constantFrom('a', 'b', '\u{1f600}', '\ud83d', 'é');
  const part = fc.oneof(letter, fc.constantFrom('%', '_', '\\%', '\\_', '\\\\'));
  const text = fc.array(fc.oneof(letter, fc.constantFrom('%', '_', '\\')), { maxLength: 12 });
  fc.assert(
    fc.property(fc.array(part, { maxLength: 8 }), text, (parts, letters) => {
      // A half of a character that meets the other half is one.
      const [pattern, value] = [parts.join(''), letters.join('')];
      expect(matcherOf(pattern)(value)).toBe(oracle(pattern).test(value));
    }),
    { numRuns: 20_000 },
  );
});

test('long texts between % are found, wherever they overlap themselves', () => {
  const letters = fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 17, maxLength: 24 });
  const parts = fc.array(letters, { minLength: 1, maxLength: 2 });
  const around = fc.array(fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 6 }), {
    minLength: 3,
    maxLength: 3,
  });
  fc.assert(
    fc.property(parts, around, fc.boolean(), (long, [before = '', between = '', behind = ''], isCut) => {
      const text = `${before}${long.join(between)}${isCut ? '' : behind}`.slice(isCut ? 1 : 0);
      const pattern = `%${long.join('%')}%`;
      expect(matcherOf(pattern)(text)).toBe(oracle(pattern).test(text));
    }),
    { numRuns: 2_000 },
  );
});

test('a pattern without _ compares each character once', () => {
  const costOf = (text: string) => likeCost(parseLike(text) ?? { parts: [] });
  expect(costOf(`%${'a%'.repeat(100)}b`)).toBe(1);
  expect(costOf('%abcdefgh%')).toBe(1);
  expect(costOf('%ab_de%')).toBe(5);
});
