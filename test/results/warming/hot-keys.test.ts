import { expect, test } from 'vitest';
import { bind, plainParameters } from '../../../src/catalog/binding/bind.ts';
import { buildTimeline } from '../../../src/concurrency/clock.ts';
import { HotKeys, hotKeyLimit } from '../../../src/results/warming/hot-keys.ts';
import { buildWaves } from '../../../src/results/warming/waves.ts';
import { fakeClock } from '../../support/fake-clock.ts';
import { draftQuery } from '../../support/queries.ts';
import { warmed } from '../../support/test-results.ts';

test('keys of queries without cache_warming do not displace those that are kept warm', () => {
  const clock = fakeClock();
  const timeline = buildTimeline(clock);
  const waves = buildWaves({ clock, timeline, isOn: false, refreshesTogether: () => false });
  const hotKeys = new HotKeys(() => false, waves);
  const [warm, cold] = [warmed, ['caching: 900s']].map((caching) => {
    const query = draftQuery({ columns: { x: 'string' }, caching, sql: 'select 1' });
    if (query.caching === 'disabled') throw new Error('it is cached');
    const bound = bind(query, plainParameters({}));
    const { caching: policy } = query;
    return (key: string) => hotKeys.touch(key, bound, policy, 0);
  });
  warm?.('warm');
  hotKeys.recordResult('warm', 0);
  for (let at = 0; at <= hotKeyLimit; at += 1) cold?.(`cold ${at}`);
  expect(hotKeys.size).toBe(1);
  expect(hotKeys.due(300_000).map(({ key }) => key)).toEqual(['warm']);
  hotKeys.recordResult('cold 9', 0);
  hotKeys.recordFailure('cold 9', 1);
  expect(hotKeys.isFailing('cold 9')).toBe(true);
});
