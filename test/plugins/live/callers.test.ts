import { afterEach, expect, test, vi } from 'vitest';
import { pino } from 'pino';
import { GatewayError } from '../../../src/errors.ts';
import { buildLaterCallers } from '../../../src/http/access/later-caller.ts';
import type { Stream, Subscriber } from '../../../src/plugins/live/stream.ts';
import { Subscribers } from '../../../src/plugins/live/subscribers.ts';
import type { Verified } from '../../../src/keys/key-source.ts';
import { unrestricted } from '../../../src/keys/principal.ts';

afterEach(() => void vi.restoreAllMocks());

const head = {
  method: 'GET',
  url: undefined,
  headers: {},
  address: '127.0.0.1',
  signal: new AbortController().signal,
};

test('a source that does not answer is asked once, and its streams end after half a minute', () => {
  let now = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  let asked = 0;
  const ended: [Subscriber, string][] = [];
  const subscribers = new Subscribers({
    callerOf: buildLaterCallers({
      readsRequest: true,
      find() {
        asked += 1;
        return new Promise<Verified>(() => {});
      },
      explain: () => ({ reason: 'unknown' }),
    }),
    onRights: () => {},
    onEnd: (subscriber, code) => void ended.push([subscriber, code]),
    log: pino({ level: 'silent' }),
  });
  const subscriber = subscribers.of(head, unrestricted('ann'));
  subscriber.streams.add({} as Stream);
  const passSeconds = (seconds: number) => {
    for (const end = now + seconds * 1_000; now < end; now += 200) for (const _ of subscribers.checkAll());
  };
  passSeconds(20);
  expect(asked).toBe(1);
  expect(ended).toEqual([]);
  passSeconds(25);
  expect(asked).toBe(1);
  expect(ended).toEqual([[subscriber, 'SHUTTING_DOWN']]);
  expect(subscribers.mayReceive(subscriber)).toBe(false);
});

test.each([
  ['OVERLOADED', 'SHUTTING_DOWN'],
  ['RATE_LIMITED', 'SHUTTING_DOWN'],
  ['UNAUTHENTICATED', 'KEY_REVOKED'],
] as const)('a source that fails with %s ends streams with %s', (code, end) => {
  let isFailing = false;
  const ended: string[] = [];
  const subscribers = new Subscribers({
    callerOf: () => ({
      identity: undefined,
      find() {
        if (isFailing) throw new GatewayError(code, 'no');
        return unrestricted('ann');
      },
    }),
    onRights: () => {},
    onEnd: (_, ends) => void ended.push(ends),
    log: pino({ level: 'silent' }),
  });
  subscribers.of(head, unrestricted('ann'));
  isFailing = true;
  for (const _ of subscribers.checkAll());
  expect(ended).toEqual([end]);
});
