import { expect, test } from 'vitest';
import { openLiveGateway } from '../../support/live-gateway.ts';
import { measureLongestTurn } from '../../support/longest-turn.ts';
import { medianOf } from '../../support/median.ts';
import { refused } from './long-items.ts';

test('long lists and many names of wrong values are refused in short turns', async () => {
  const live = await openLiveGateway();
  for (const [at, items] of refused.entries()) {
    const longestMs = await medianOf(async () => {
      const end = measureLongestTurn();
      await live.post('/api/live', items);
      return end();
    });
    expect(longestMs, String(at)).toBeLessThan(50);
  }
  await live.close();
});
