import { expect, test, vi } from 'vitest';
import type { Call } from '../../../src/call/gate.ts';
import type { BoundQuery } from '../../../src/catalog/binding/bind.ts';
import { FairShare } from '../../../src/concurrency/fair-share.ts';
import { Feed } from '../../../src/plugins/live/stream.ts';
import { type Variant, wholeResults } from '../../../src/plugins/live/events/variant.ts';
import { Watches } from '../../../src/plugins/live/watches.ts';
import { buildDocument, sizeOf } from '../../../src/results/result-document.ts';
import { runTime } from '../../support/run-time.ts';
import { fakeClock } from '../../support/fake-clock.ts';

const queryOf = (name: string) =>
  ({ query: { name, caching: { ttlSeconds: 60, staleIfErrorSeconds: 0 } } }) as unknown as BoundQuery;

const callNamed = (name: string) => ({ bound: queryOf(name) }) as Call;

/** A result of some 1,000 bytes, which is not worth compressing. */
const documentOf = (letter: string) =>
  buildDocument({ rows: [`{"n":"${letter.repeat(980)}"}`], truncated: false }, runTime(0));

function openWatches(limitBytes: number) {
  const memory = new FairShare(limitBytes);
  const watches = new Watches({
    follow: { keyOf: ({ query }) => query.name, follow: () => () => {}, latest: () => undefined },
    newFeed: (watch, variant, holding) =>
      new Feed({ watch, variant, holding, broadcast: () => {}, onBug: () => {} }),
    isCurrent: () => true,
    clock: fakeClock(),
    memory,
  });
  return { watches, memory };
}

test('results beyond the memory of those that are followed are refused, and those that others follow are not', async () => {
  const { watches, memory } = openWatches(4_000);
  const document = await documentOf('a');
  const follow = (name: string) => watches.prepare('key', [{ call: callNamed(name), document, request: {} }]);
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
  const request = { variant: wholeResults };
  const release = watches.prepare('key', [{ call: callNamed('a'), document: first, request }]);
  const watch = watches.of(queryOf('a'), 'key', first);
  const feed = watch.feed(wholeResults, 'key');
  const used = () =>
    (watch.document === undefined ? 0 : sizeOf(watch.document)) + (feed.current?.whole.chunk.byteLength ?? 0);
  expect(memory.used).toBe(2 * first.encodings.identity.byteLength);
  feed.update();
  expect(memory.used).toBe(used());
  expect(memory.used).toBeGreaterThan(2 * first.encodings.identity.byteLength);
  watch.onResult({ ...second, computedAt: 1 });
  expect(memory.used).toBe(used());
  expect(memory.used).toBeGreaterThan(2 * second.encodings.identity.byteLength);
  release();
  expect(memory.heldBy('key')).toBe(0);
});

/** As selections of GraphQL are: any number, and their frames are made later. */
const selection = (id: string, made = Promise.resolve()): Variant => ({
  ...wholeResults,
  id,
  whole: async (document) => {
    await made;
    return wholeResults.whole(document);
  },
});

test('each selection of a result is counted for the key that follows it, before its frames are made', async () => {
  const { watches, memory } = openWatches(6_000);
  const document = await documentOf('a');
  const { byteLength } = document.encodings.identity;
  const follow = (owner: string, id: string) =>
    watches.prepare(owner, [{ call: callNamed('a'), document, request: { variant: selection(id) } }]);
  const releases = [follow('one', 'a'), follow('another', 'b'), follow('another', 'c')];
  expect(memory.heldBy('one')).toBe(2 * byteLength);
  expect(memory.heldBy('another')).toBe(2 * byteLength);
  releases.push(follow('another', 'c'), follow('another', 'd'));
  expect(() => follow('another', 'e')).toThrow(expect.objectContaining({ code: 'OVERLOADED' }));
  for (const release of releases) release();
  expect(memory.used).toBe(0);
});

test('frames that are made after their clients have gone take no memory', async () => {
  const { watches, memory } = openWatches(1_000_000);
  const document = await documentOf('a');
  const { promise, resolve } = Promise.withResolvers<void>();
  const variant = selection('a', promise);
  const release = watches.prepare('key', [{ call: callNamed('a'), document, request: { variant } }]);
  const feed = watches.of(queryOf('a'), 'key', document).feed(variant, 'key');
  feed.update();
  release();
  resolve();
  await vi.waitFor(() => expect(feed.current).toBeDefined());
  expect(memory.used).toBe(0);
});
