import { afterEach, expect, test, vi } from 'vitest';
import { pino } from 'pino';
import { StreamCallers } from '../../../src/http/live/callers.ts';
import type { Caller, Stream } from '../../../src/http/live/stream.ts';
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
  const ended: [Caller, string][] = [];
  const callers = new StreamCallers({
    sources: {
      readsRequest: true,
      find() {
        asked += 1;
        return new Promise<Verified>(() => {});
      },
      explain: () => ({ reason: 'unknown' }),
    },
    onRights: () => {},
    onEnd: (caller, code) => void ended.push([caller, code]),
    log: pino({ level: 'silent' }),
  });
  const caller = callers.callerOf(head, unrestricted('ann'));
  caller.streams.add({} as Stream);
  const passSeconds = (seconds: number) => {
    for (const end = now + seconds * 1_000; now < end; now += 200) for (const _ of callers.checkAll());
  };
  passSeconds(20);
  expect(asked).toBe(1);
  expect(ended).toEqual([]);
  passSeconds(25);
  expect(asked).toBe(1);
  expect(ended).toEqual([[caller, 'KEY_REVOKED']]);
  expect(callers.mayReceive(caller)).toBe(false);
});
