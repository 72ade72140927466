import { expect, test } from 'vitest';
import { listShort, quoteShort, shorten } from '../src/shorten.ts';

test('a text of at most so many characters is shown whole', () => {
  expect(shorten('abc', 3)).toBe('abc');
  expect(shorten('x'.repeat(60))).toBe('x'.repeat(60));
});

test('a longer text is shown by its beginning and an ellipsis', () => {
  expect(shorten('abcd', 3)).toBe('abc…');
  expect(shorten('x'.repeat(1000))).toBe(`${'x'.repeat(60)}…`);
});

test('a quoted text has no character that would end the line or the quotes', () => {
  expect(quoteShort('a"b\nc')).toBe('"a\\"b\\nc"');
  expect(quoteShort('abcd', 3)).toBe('"abc…"');
});

test('a list of names ends where it would be too long', () => {
  expect(listShort(['a', 'b'])).toBe('a, b');
  expect(listShort(['abc', 'def', 'g'], 10)).toBe('abc, def, …');
  expect(listShort(['abc'], 3)).toBe('…');
});
