import { expect, test } from 'vitest';
import { interleave } from './race.ts';
import { isNightly } from '../support/nightly.ts';

/** More of them find rarer orders. */
const races = isNightly ? 1_000 : 20;

const perTest = 10;

let [answers, sentAgain, refusals] = [0, 0, 0];

/** Each waits for files that are read again some times. */
const timeoutMs = 120_000;

test.each(Array.from({ length: Math.ceil(races / perTest) }, (_, at) => at * perTest))(
  'nothing is answered by old rights, or with older results than were seen: orders from %i',
  async (first) => {
    for (let seed = first; seed < Math.min(races, first + perTest); seed += 1) {
      const outcome = await interleave(seed);
      expect(outcome.faults).toEqual([]);
      answers += outcome.answers;
      sentAgain += outcome.sentAgain;
      refusals += outcome.refusals;
    }
  },
  timeoutMs,
);

test('answers, answers that were sent before, and refusals were among them', () => {
  expect(answers).toBeGreaterThan(10 * races);
  expect(refusals).toBeGreaterThan(answers / 10);
  expect(sentAgain).toBeGreaterThan(races / 2);
});
