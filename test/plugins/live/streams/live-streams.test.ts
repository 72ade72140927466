import { expect, test } from 'vitest';
import { FairShare, Holding } from '../../../../src/concurrency/fair-share.ts';
import { endFrame } from '../../../../src/plugins/live/events/event-frames.ts';
import { zeroLiveCounters } from '../../../../src/plugins/live/live-metrics.ts';
import { LiveStreams } from '../../../../src/plugins/live/streams/live-streams.ts';
import { Feed, Stream, type Subscriber, type Watched } from '../../../../src/plugins/live/stream.ts';
import { wholeResults } from '../../../../src/plugins/live/events/variant.ts';
import { Frame } from '../../../../src/http/message/stream/frame.ts';
import { unrestricted } from '../../../../src/keys/principal.ts';
import { buildDocument } from '../../../../src/results/result-document.ts';
import { settled } from '../../../support/fake-clock.ts';
import { runTime } from '../../../support/run-time.ts';

const principal = unrestricted('ann');

function openStream() {
  const seen: string[] = [];
  const places = new FairShare(10);
  places.tryTake('ann', 2);
  const counters = zeroLiveCounters();
  const streams = new LiveStreams({
    watches: { closeIfUnused: () => {} },
    delivery: { forget: () => {} },
    subscribers: { release: () => void seen.push('released') },
    places,
    counters,
    timers: { start: () => void seen.push('timers'), stop: () => void seen.push('no timers') },
  });
  const subscriber = { principal, streams: new Set<Stream>() } as Partial<Subscriber> as Subscriber;
  const stream = new Stream({
    ...{ subscriber, principal, owner: 'ann', places: 2, kind: { endFrame } },
    sink: {
      isWaiting: true,
      write: ({ bytes }) => void seen.push(/^event: \w+/m.exec(bytes.toString())?.[0] ?? 'beat'),
      end: () => void seen.push('end'),
      destroy: () => void seen.push('cut off'),
    },
    onEnd: ({ end }) => void seen.push(end),
  });
  return { streams, stream, seen, places, counters };
}

test('a stream begins, is open, and ends once: who comes second finds nothing to end', () => {
  const { streams, stream, seen, places, counters } = openStream();
  const leave = streams.leaving(stream);
  streams.add(stream);
  // Its first events are written although its client has not read.
  expect([stream.state, stream.isBlocked]).toEqual(['beginning', false]);
  stream.open();
  expect([stream.state, stream.isBlocked]).toEqual(['open', true]);
  streams.end(stream, 'KEY_REVOKED');
  const once = ['timers', 'event: end', 'released', 'KEY_REVOKED', 'no timers', 'end'];
  expect(seen).toEqual(once);
  leave();
  streams.end(stream, 'SHUTTING_DOWN');
  stream.open();
  expect(stream.state).toBe('ended');
  expect(seen).toEqual(once);
  expect({ places: places.used, open: counters.open, left: [...streams] }).toEqual({
    ...{ places: 0, open: 0, left: [] },
  });
});

test('a stream whose client does not read is cut off, without an event', () => {
  const { streams, stream, seen, counters } = openStream();
  streams.add(stream);
  streams.cutOff(stream);
  expect(seen).toEqual(['timers', 'released', 'SLOW_READER', 'no timers', 'cut off']);
  expect(counters.ends.SLOW_READER).toBe(1);
});

test('a feed whose frame could not be made is behind, until it is made of the same result', async () => {
  const document = await buildDocument({ rows: ['{"x":1}'], truncated: false }, runTime(0));
  const making: PromiseWithResolvers<Frame>[] = [];
  const bugs: unknown[] = [];
  let sent = 0;
  const feed = new Feed({
    watch: { document, base: undefined, failure: undefined } as Partial<Watched> as Watched,
    variant: {
      ...wholeResults,
      whole: () => {
        const frame = Promise.withResolvers<Frame>();
        making.push(frame);
        return frame.promise;
      },
    },
    holding: new Holding(new FairShare(10), 'ann'),
    broadcast: () => {
      sent += 1;
    },
    onBug: (error) => bugs.push(error),
  });
  feed.update();
  feed.update();
  expect([feed.state, making.length]).toEqual(['making', 1]);
  making[0]?.reject(new Error('as played'));
  await settled();
  expect([feed.state, bugs.length, sent]).toEqual(['behind', 1, 0]);
  feed.update();
  making[1]?.resolve(new Frame(['x']));
  await settled();
  expect([feed.state, feed.current?.token, sent]).toEqual(['current', document.digest, 1]);
});
