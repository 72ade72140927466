import { expect, test } from 'vitest';
import type { BoundQuery } from '../../../src/catalog/binding/bind.ts';
import { FairShare } from '../../../src/concurrency/fair-share.ts';
import { Feed } from '../../../src/plugins/live/stream.ts';
import { Watches } from '../../../src/plugins/live/watches.ts';
import { draftQuery } from '../../support/queries.ts';
import { fakeClock } from '../../support/fake-clock.ts';

const boundOf = (interval: string, validUntil?: number): BoundQuery => ({
  query: draftQuery({
    columns: { x: 'string' },
    caching: ['caching: 60s', `live: ${interval}`],
    sql: "select 'a' as x",
  }),
  parameters: {},
  ...(validUntil !== undefined && { validUntil }),
});

test('a result that is followed over a reload is followed as the header says now, and once its binding is outdated by another', () => {
  const [before, after] = [boundOf('5s'), boundOf('20s', 100)];
  const followed: BoundQuery[] = [];
  let current = before.query;
  let now = 0;
  const watches = new Watches({
    follow: {
      keyOf: () => 'the same',
      follow(bound) {
        followed.push(bound);
        return () => {};
      },
      latest: () => undefined,
    },
    newFeed: (watch, variant, holding) =>
      new Feed({ watch, variant, holding, broadcast: () => {}, onBug: () => {} }),
    isCurrent: (query) => query === current,
    clock: { ...fakeClock(), now: () => new Date(now) },
    memory: new FairShare(1_000),
  });
  watches.of(before, 'ann', undefined);
  current = after.query;
  watches.of(after, 'ann', undefined);
  // A request that came before the reload.
  watches.of(before, 'ann', undefined);
  const later = { ...after, validUntil: 200 };
  watches.of(later, 'ann', undefined);
  expect(followed).toEqual([before, after]);
  now = 150;
  watches.of(later, 'ann', undefined);
  expect(followed).toEqual([before, after, later]);
});
