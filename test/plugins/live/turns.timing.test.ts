import { describe, expect, test } from 'vitest';
import { pino } from 'pino';
import type { SavedQuery } from '../../../src/catalog/model/saved-query.ts';
import { FairShare } from '../../../src/concurrency/fair-share.ts';
import { LoopTurns } from '../../../src/concurrency/loop-turns.ts';
import { type EndCode, endFrame } from '../../../src/plugins/live/events/event-frames.ts';
import type { Live } from '../../../src/plugins/live/followed.ts';
import { zeroLiveCounters } from '../../../src/plugins/live/live-metrics.ts';
import { buildLaterCallers } from '../../../src/http/access/later-caller.ts';
import { openLive } from '../../../src/plugins/live/open-live.ts';
import { wholeResults } from '../../../src/plugins/live/events/variant.ts';
import { EndpointRequest } from '../../../src/call/endpoint-request.ts';
import { type Principal, unrestricted } from '../../../src/keys/principal.ts';
import type { Follower } from '../../../src/results/followers.ts';
import { buildDocument } from '../../../src/results/result-document.ts';
import { fakeClock, settled } from '../../support/fake-clock.ts';
import { followedQuery, streamHead } from '../../support/live-streams.ts';
import { measureLongestTurn } from '../../support/longest-turn.ts';
import { medianOf } from '../../support/median.ts';
import { runTime } from '../../support/run-time.ts';
import { callOf, openGate } from '../../support/calls.ts';

const clients = 10_000;

describe('ten thousand streams of one key', () => {
  const clock = fakeClock();
  const principals = new Map<string, Principal>();
  const counters = zeroLiveCounters();
  const followers = new Map<string, Follower>();
  let live: Live;
  let isGone = false;
  const begin = () => {
    Object.assign(counters, zeroLiveCounters());
    principals.set('ann', unrestricted('ann'));
    isGone = false;
    live = openLive({
      reopen: (endpoint, principal) => openGate({ now: clock.now }).reopen(endpoint, principal),
      follow: {
        keyOf: ({ query, parameters }) => `${query.name} ${parameters.p}`,
        follow(bound, follower) {
          followers.set(bound.query.name, follower);
          return () => {};
        },
        latest: () => undefined,
      },
      callerOf: buildLaterCallers({
        readsRequest: false,
        find: (text = '') => principals.get(text),
        explain: () => ({ reason: 'revoked' }),
      }),
      places: new FairShare(4 * clients),
      memory: new FairShare(100_000_000),
      counters,
      turns: new LoopTurns(),
      clock,
      log: pino({ level: 'silent' }),
    });
  };
  /** The median of the longest turns that some work measures, each time over streams of its own. */
  const longestTurn = (work: () => Promise<number>) =>
    medianOf(async () => {
      begin();
      try {
        return await work();
      } finally {
        await live.close();
      }
    }, 3);

  const document = (text: string) =>
    buildDocument({ rows: [`{"x":"${text}"}`], truncated: false }, runTime(0));
  const followed = async (query: SavedQuery) => {
    const endpoint = new EndpointRequest(query, new Map());
    const call = callOf(query, new Map(), clock.now);
    const resolve = () => (isGone ? undefined : query);
    return { request: { endpoint, resolve, variant: wholeResults }, call, document: await document('a') };
  };
  const admission = { principal: unrestricted('ann'), noCache: false, schedule: undefined };
  /** @returns the texts that were written */
  const open = async (query: SavedQuery) => {
    const one = await followed(query);
    const written: string[] = [];
    const sink = {
      isWaiting: false,
      write: ({ bytes }: { readonly bytes: Buffer }) => void written.push(bytes.toString()),
      end: () => {},
      destroy: () => {},
    };
    for (let at = 0; at < clients; at += 1) {
      const body = live.stream(streamHead, admission, [one], { endFrame });
      body.begin(sink);
    }
    while (counters.events < clients) await settled();
    expect(written.filter((text) => text.startsWith('event: next'))).toHaveLength(clients);
    return written.splice(0) && written;
  };
  const plain = followedQuery();
  const timed = followedQuery('{ type: timestamp, description: P., default: -1h }');

  const ends: readonly (readonly [string, EndCode, () => void])[] = [
    ['its key', 'KEY_REVOKED', () => principals.delete('ann')],
    [
      'the rights of its key',
      'KEY_REVOKED',
      () => principals.set('ann', { ...unrestricted('ann'), endpoints: new Set() }),
    ],
    [
      'its query',
      'QUERY_CHANGED',
      () => {
        isGone = true;
        live.replaceCatalog({ queries: [], tables: [] });
      },
    ],
  ];

  test.each(ends)('each ends with %s, in turns of the event loop', async (_, code, change) => {
    const longestMs = await longestTurn(async () => {
      const written = await open(plain);
      const end = measureLongestTurn();
      change();
      await clock.pass(200);
      while (counters.open > 0) await settled();
      const ms = end();
      expect(counters.ends[code]).toBe(clients);
      expect(written.filter((text) => text.includes(`"code":"${code}"`))).toHaveLength(clients);
      expect(written).toHaveLength(clients);
      return ms;
    });
    expect(longestMs).toBeLessThan(50);
  });

  test('each is bound again, in turns of the event loop, when rights change that are not of its query', async () => {
    const longestMs = await longestTurn(async () => {
      const written = await open(plain);
      const end = measureLongestTurn();
      principals.set('ann', { ...unrestricted('ann'), permissions: new Set() });
      await clock.pass(1_000);
      for (let turn = 0; turn < 100; turn += 1) await settled();
      const ms = end();
      expect(counters.open).toBe(clients);
      expect(written).toEqual([]);
      return ms;
    });
    expect(longestMs).toBeLessThan(50);
  });

  test('each follows what its request means at another time, in turns of the event loop', async () => {
    const longestMs = await longestTurn(async () => {
      const written = await open(timed);
      const end = measureLongestTurn();
      await clock.pass(61_000);
      for (let turn = 0; turn < 100; turn += 1) await settled();
      const ms = end();
      followers.get(timed.name)?.onResult(await document('b'));
      for (let turn = 0; turn < 1_000; turn += 1) await settled();
      expect(written.filter((text) => text.includes('"x":"b"'))).toHaveLength(clients);
      return ms;
    });
    expect(longestMs).toBeLessThan(50);
  });

  test('requests that wait for one result go on in turns of the event loop', async () => {
    const longestMs = await longestTurn(async () => {
      const one = await followed(plain);
      const waiting = Array.from({ length: clients }, () => live.wait(streamHead, admission, one, 30_000));
      await settled();
      const end = measureLongestTurn();
      followers.get(plain.name)?.onResult(await document('b'));
      await Promise.all(waiting);
      return end();
    });
    expect(longestMs).toBeLessThan(50);
  });
});
