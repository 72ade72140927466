import { describe, expect, test } from 'vitest';
import { checkPattern, maxPatternLength } from '../../../src/catalog/binding/patterns/check-pattern.ts';

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
    '(?i)[!-\u7fff]',
    '(?i)[\\x{0}-\\x{10FFFF}]{500}',
    '(?i)[^\\x00-\\x7f]{500}',
    '(?i)^[\\p{L}\\p{M}\\p{N}][\\p{L}\\p{M}\\p{N}_.-]*@[\\p{L}\\p{N}.-]+\\.\\pL{2,}$',
    '[!-\uffff]'.repeat(100),
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
    ['\\pL'.repeat(17), 'at most 16 Unicode classes'],
    ['[\\p{Greek}\\P{Han}]'.repeat(9), 'at most 16 Unicode classes'],
    ['(?i)[!-\uffff]', 'ranges of at most 32768 characters'],
    ['(?s-i)(?mi:[a-\\x{10ffff}])', 'ranges of at most 32768 characters'],
    ['(?i)[\\041-\\x{ffff}]', 'ranges of at most 32768 characters'],
  ])('%j is rejected, and the message says what would be right', (text, message) => {
    expect(checkPattern(text)).toEqual({ wrong: expect.stringContaining(message) });
  });

  test('has a short message if it is invalid', () => {
    const checked = checkPattern('('.repeat(1_000));
    expect('wrong' in checked && checked.wrong.length).toBeLessThan(200);
  });

  test.each([
    ['330 wide ranges under (?i)', `(?i)[${'!-\uffff'.repeat(330)}]`],
    ['wide ranges beyond the BMP under (?i)', `(?i)[${'a-\u{10ffff}'.repeat(240)}]`],
    ['wide classes one after the other', `(?i)${'[!-\uffff]'.repeat(200)}`],
    ['alternatives of wide classes', `(?i)${'[b-\uffff]|'.repeat(160)}`],
    ['classes that are not closed', '['.repeat(maxPatternLength)],
  ])('of %s is rejected', (_, text) => {
    expect(checkPattern(text)).toHaveProperty('wrong');
  });

  test.each(['a{3}', '(a'])('%j is checked once', (text) => {
    expect(checkPattern(text)).toBe(checkPattern(text));
  });
});
