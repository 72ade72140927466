import { expect, test } from 'vitest';
import { checkPattern, maxPatternLength } from '../../../src/catalog/binding/patterns/check-pattern.ts';
import { medianOf } from '../../support/median.ts';
import { processorMs } from '../../support/processor-time.ts';

const isValid = (text: string) => 'value' in checkPattern(text);

test('a pattern of the greatest length compiles in some milliseconds', async () => {
  const longest = ['[^\\pL\\pN]{1000}', '(?i)(\\pL{30}){30}', 'a{1000}', '(a|b|c){150}'].filter(isValid);
  expect(longest.length).toBeGreaterThan(1);
  // Without the limit it took ten times as long.
  for (const text of longest)
    expect(await medianOf(() => processorMs(() => checkPattern(text))), text).toBeLessThan(200);
});

test.each([
  ['330 wide ranges under (?i)', `(?i)[${'!-\uffff'.repeat(330)}`],
  ['wide ranges beyond the BMP under (?i)', `(?i)[${'a-\u{10ffff}'.repeat(240)}`],
  ['wide classes one after the other', `(?i)${'[!-\uffff]'.repeat(200)}`],
  ['alternatives of wide classes', `(?i)${'[b-\uffff]|'.repeat(160)}`],
  ['classes that are not closed', '['.repeat(maxPatternLength - 2)],
])('a pattern of %s is rejected before it is compiled, which took 250 to 750 ms', async (_, text) => {
  const end = text.endsWith('\uffff') || text.endsWith('\u{10ffff}') ? ']' : '';
  expect(await medianOf((at) => processorMs(() => checkPattern(`${text}${end}${at}`)))).toBeLessThan(100);
});
