import fc from 'fast-check';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { FairShare } from '../../../src/concurrency/fair-share.ts';
import { LoopTurns } from '../../../src/concurrency/loop-turns.ts';
import { endFrame, etagOf } from '../../../src/plugins/live/events/event-frames.ts';
import { zeroLiveCounters } from '../../../src/plugins/live/live-metrics.ts';
import { buildLaterCallers } from '../../../src/http/access/later-caller.ts';
import { openLive } from '../../../src/plugins/live/open-live.ts';
import { changedRows, wholeResults } from '../../../src/plugins/live/events/variant.ts';
import { EndpointRequest } from '../../../src/call/endpoint-request.ts';
import { Frame } from '../../../src/http/message/stream/frame.ts';
import type { StreamSummary } from '../../../src/http/message/stream/stream-body.ts';
import { unrestricted } from '../../../src/keys/principal.ts';
import type { Follower } from '../../../src/results/followers.ts';
import { buildDocument, type ResultDocument } from '../../../src/results/result-document.ts';
import { fakeClock, settled } from '../../support/fake-clock.ts';
import { followedQuery, streamHead } from '../../support/live-streams.ts';
import { runTime } from '../../support/run-time.ts';
import { callOf, openGate } from '../../support/calls.ts';

const admission = { principal: unrestricted('ann'), noCache: false, schedule: undefined };
const query = followedQuery();
const keys = ['a', 'b', 'c'];
/** Results that differ in one row of forty. */
const rowsOf = (version: number) =>
  Array.from({ length: 40 }, (_, row) => `{"x":"${row === version ? 'new' : `row ${row}`}"}`);
const documents = await Promise.all(
  Array.from({ length: 6 }, (_, version) =>
    buildDocument({ rows: rowsOf(version), truncated: false }, runTime(0)),
  ),
);
const first = documents[0] as ResultDocument;

/** A client that reads while `isReading` is true. */
class Client {
  readonly keys: readonly string[];
  isReading = true;
  isWaiting = false;
  summary: StreamSummary | undefined;
  leave = () => {};
  /** The id of the result that it has of each key. */
  readonly has = new Map<string, string>();
  readonly problems: string[] = [];
  #key = '';

  constructor(of: readonly string[]) {
    this.keys = of;
  }

  write({ bytes }: Frame): void {
    this.isWaiting = !this.isReading;
    const text = bytes.toString();
    if (this.summary !== undefined) this.problems.push(`after the end: ${text}`);
    if (text.startsWith(': ')) this.#key = text.slice(2, 3);
    const { event, id = '' } = /^event: (?<event>\w+)\nid: (?<id>.*)\n/.exec(text)?.groups ?? {};
    const before = this.has.get(this.#key);
    if (event === 'patch' && !text.includes(JSON.stringify(before)))
      this.problems.push(`a patch of another result than ${before}: ${text}`);
    if (event !== undefined) this.has.set(this.#key, id);
  }
  end(): void {}
  destroy(): void {}
}

/** What happens. */
const step = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('result' as const), key: fc.nat(2), version: fc.nat(5) }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('stop' as const), client: fc.nat(4) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('read' as const), client: fc.nat(4) }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('pass' as const), ms: fc.oneof(fc.nat(200), fc.nat(40_000)) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('leave' as const), client: fc.nat(4) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('open' as const),
      of: fc.subarray(keys, { minLength: 1 }),
      patches: fc.boolean(),
      reads: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('turn' as const) }) },
);

test('however clients read, each gets the newest result at last or is closed, and nothing is kept of it', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
      const clock = fakeClock();
      const counters = zeroLiveCounters();
      const turns = new LoopTurns();
      const [places, memory] = [new FairShare(1_000), new FairShare(100_000_000)];
      const followers = new Map<string, Follower>();
      const newest = new Map<string, ResultDocument>();
      const live = openLive({
        reopen: (endpoint, principal) => openGate({ now: clock.now }).reopen(endpoint, principal),
        follow: {
          keyOf: ({ parameters }) => String(parameters.p),
          follow({ parameters }, follower) {
            followers.set(String(parameters.p), follower);
            return () => followers.delete(String(parameters.p));
          },
          latest: (key) => newest.get(key),
        },
        callerOf: buildLaterCallers({
          readsRequest: false,
          find: () => admission.principal,
          explain: () => ({ reason: 'unknown' }),
        }),
        places,
        memory,
        counters,
        turns,
        clock,
        log: pino({ level: 'silent' }),
      });
      const rows = changedRows(undefined, turns);
      const clients: Client[] = [];
      const now = () => clock.now().getTime();
      const documentOf = (key: string) => newest.get(key) ?? first;
      const open = (of: readonly string[], patches: boolean, reads: boolean) => {
        const client = new Client(of);
        client.isReading = reads;
        const queries = of.map((key) => {
          const endpoint = new EndpointRequest(query, new Map([['p', [key]]]));
          const request = {
            endpoint,
            resolve: () => query,
            variant: patches ? rows : wholeResults,
            head: new Frame([`: ${key}\n`]),
          };
          return {
            request,
            call: callOf(query, new Map([['p', [key]]]), clock.now),
            document: documentOf(key),
          };
        });
        const body = live.stream(streamHead, admission, queries, { endFrame });
        body.onEnd((summary) => {
          client.summary = summary;
        });
        client.leave = body.begin(client);
        clients.push(client);
      };
      const chosen = (at: number) => clients.filter(({ summary }) => summary === undefined)[at];
      for (const one of steps) {
        if (one.kind === 'open') open(one.of, one.patches, one.reads);
        else if (one.kind === 'result') {
          const key = keys[one.key] as string;
          const document = { ...(documents[one.version] as ResultDocument), computedAt: now() };
          newest.set(key, document);
          followers.get(key)?.onResult(document);
        } else if (one.kind === 'pass') await clock.pass(one.ms);
        else if (one.kind === 'turn') await settled();
        else {
          const client = chosen(one.client);
          if (client === undefined) continue;
          if (one.kind === 'leave') client.leave();
          if (one.kind === 'stop') client.isReading = false;
          if (one.kind === 'read') {
            client.isReading = true;
            client.isWaiting = false;
          }
        }
      }
      const stopped = clients.filter(({ isReading, summary }) => !isReading && summary === undefined);
      for (const client of clients) if (!stopped.includes(client)) client.isWaiting = false;
      const unread = stopped.filter(({ isWaiting }) => isWaiting);
      await clock.pass(2_000);
      await settled();
      for (const client of clients.filter(({ summary, isReading }) => summary === undefined && isReading)) {
        const expected = new Map(client.keys.map((key) => [key, etagOf(documentOf(key).digest)]));
        expect(new Map([...client.has].sort())).toEqual(expected);
      }
      // What is unread is found within a second, also if nothing newer is sent.
      await clock.pass(59_200);
      await settled();
      for (const client of unread) expect(client.summary?.end).toBe('SLOW_READER');
      // To the others a sign of life is written within eleven seconds.
      await clock.pass(11_000);
      await settled();
      for (const client of stopped) expect(client.summary?.end).toBe('SLOW_READER');
      for (const client of clients) expect(client.problems).toEqual([]);
      for (const client of clients) client.leave();
      await clock.pass(1_100);
      expect({
        places: places.used,
        memory: memory.used,
        open: counters.open,
        timers: clock.timers(),
      }).toEqual({
        places: 0,
        memory: 0,
        open: 0,
        timers: 0,
      });
      live.close();
    }),
    { numRuns: 300 },
  );
});
