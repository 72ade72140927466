import { expect, test } from 'vitest';
import type { BoundQuery } from '../../../src/catalog/binding/bind.ts';
import { FairShare } from '../../../src/concurrency/fair-share.ts';
import { Feed } from '../../../src/http/live/stream.ts';
import { wholeResults } from '../../../src/http/live/variant.ts';
import { Watches } from '../../../src/http/live/watches.ts';
import { buildDocument } from '../../../src/results/result-document.ts';

const queryOf = (name: string) =>
  ({ query: { name, caching: { ttlSeconds: 60, staleIfErrorSeconds: 0 } } }) as unknown as BoundQuery;

/** A result of some 1,000 bytes, which is not worth compressing. */
const documentOf = (letter: string) =>
  buildDocument({ rows: [`{"n":"${letter.repeat(980)}"}`], truncated: false }, 0);

function openWatches(limitBytes: number) {
  const memory = new FairShare(limitBytes);
  const watches = new Watches({
    follow: { keyOf: ({ query }) => query.name, follow: () => () => {}, latest: () => undefined },
    newFeed: (watch, variant) =>
      new Feed(
        watch,
        variant,
        () => {},
        () => {},
      ),
    now: () => 0,
    memory,
  });
  return { watches, memory };
}

test('results beyond the memory of those that are followed are refused, and those that others follow are not', async () => {
  const { watches, memory } = openWatches(4_000);
  const document = await documentOf('a');
  const follow = (name: string) => watches.prepare('key', [{ bound: queryOf(name), document }]);
  const releases = ['a', 'b', 'c'].map(follow);
  expect(memory.used).toBe(3 * document.encodings.identity.byteLength);
  expect(() => follow('d')).toThrow(
    expect.objectContaining({
      code: 'OVERLOADED',
      retryAfterSeconds: 5,
      message: expect.stringContaining('follow fewer or smaller ones'),
    }),
  );
  follow('a')();
  for (const release of releases) release();
  expect(memory.used).toBe(0);
  follow('d')();
});

test('the frames of a result are counted with it, and what a refresh adds', async () => {
  const { watches, memory } = openWatches(1_000_000);
  const [first, second] = await Promise.all([documentOf('a'), documentOf('bb')]);
  const release = watches.prepare('key', [{ bound: queryOf('a'), document: first }]);
  const watch = watches.of(queryOf('a'), 'key', first);
  const feed = watch.feed(wholeResults);
  feed.update();
  expect(memory.used).toBe(first.encodings.identity.byteLength + feed.bytes);
  expect(feed.bytes).toBeGreaterThan(first.encodings.identity.byteLength);
  watch.onResult({ ...second, computedAt: 1 });
  const length = second.encodings.identity.byteLength;
  expect(memory.used).toBeGreaterThan(2 * length);
  watch.feeds.clear();
  release();
  expect(memory.heldBy('key')).toBe(0);
});
