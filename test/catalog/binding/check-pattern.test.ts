import { describe, expect, test } from 'vitest';
import { checkPattern, maxPatternLength } from '../../../src/catalog/binding/check-pattern.ts';

const isValid = (text: string) => 'value' in checkPattern(text);

describe('a pattern', () => {
  test.each([
    '.*',
    '',
    '^https?://([a-z0-9-]{1,63}\\.){1,5}[a-z]{2,}(:\\d{1,5})?/',
    'a{1000}',
    'x{0,}y{,5}',
    'a{1}{',
    '\\Q{1000}{1000}\\E',
    '[{1000}{1000}(((]',
    '[]a]{500}[^]b]{500}',
    '[[:alpha:]{1000}]{1000}',
    '\\{1000}\\{1000}\\{1000}',
    '(?i)(?P<name>a|b)*',
    'é{500}😀{500}',
    'a'.repeat(maxPatternLength),
    '('.repeat(500) + ')'.repeat(500),
  ])('%j is valid', (text) => {
    expect(checkPattern(text)).toEqual({ value: text });
  });

  test.each([
    ['a'.repeat(maxPatternLength + 1), `at most ${maxPatternLength} characters`],
    ['((a{1,100}){1,100}){1,100}', `at most ${maxPatternLength} characters with its {counts} expanded`],
    ['a{1000}'.repeat(3), 'expanded'],
    ['(abc){700}', 'expanded'],
    ['(a{40}){40}(b{40}){40}', 'expanded'],
    ['[a-z]{1000}\\pL{1000}.', 'expanded'],
    ['(a', 'missing closing'],
    ['a{5,2}', 'RE2 syntax'],
  ])('%j is rejected, and the message says what would be right', (text, message) => {
    expect(checkPattern(text)).toEqual({ wrong: expect.stringContaining(message) });
  });

  test('has a short message if it is invalid', () => {
    const checked = checkPattern('('.repeat(1_000));
    expect('wrong' in checked && checked.wrong.length).toBeLessThan(200);
  });

  test('of the greatest length compiles in some milliseconds', () => {
    const longest = ['[^\\pL\\pN]{1000}', '(?i)(\\pL{30}){30}', 'a{1000}', '(a|b|c){150}'].filter(isValid);
    expect(longest.length).toBeGreaterThan(1);
    // Twice, because the first run includes the JIT. Without the limit it took ten times as long.
    for (const text of [...longest, ...longest]) {
      const started = performance.now();
      checkPattern(text);
      expect(performance.now() - started, text).toBeLessThan(200);
    }
  });
});
