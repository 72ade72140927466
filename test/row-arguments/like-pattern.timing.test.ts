import { expect, test } from 'vitest';
import { likeMatcher, parseLike } from '../../src/row-arguments/like-pattern.ts';
import { medianOf } from '../support/median.ts';
import { processorMs } from '../support/processor-time.ts';

test('a long text between % takes the same time in a text that has nearly all of it everywhere', async () => {
  const matches = likeMatcher(parseLike(`%aab${'a'.repeat(250)}%`) ?? { parts: [] });
  const timeIn = (text: string) =>
    medianOf(() => processorMs(() => Array.from({ length: 50 }, () => matches(text))));
  expect(await timeIn('a'.repeat(250_000))).toBeLessThan(4 * (await timeIn('c'.repeat(250_000))));
});
