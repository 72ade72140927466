import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { openLinkedAbort, untilAborted } from '../../src/concurrency/abort.ts';

test('a promise is waited for until the signal is aborted', async () => {
  const never = new Promise<never>(() => {});
  const controller = new AbortController();
  expect(await untilAborted(Promise.resolve(1), controller.signal)).toBe(1);
  const waiting = untilAborted(never, controller.signal);
  controller.abort(new Error('left'));
  await expect(waiting).rejects.toThrow('left');
  await expect(untilAborted(never, controller.signal)).rejects.toThrow('left');
});

test('a linked signal is aborted with the first of those it follows', () => {
  const [one, other] = [new AbortController(), new AbortController()];
  const linked = openLinkedAbort({ follow: [one.signal, other.signal] });
  other.abort('second');
  one.abort('first');
  expect(linked.signal.reason).toBe('second');
  expect(openLinkedAbort({ follow: [one.signal] }).signal.aborted).toBe(true);
});

test('a linked signal is aborted when its time is over, with the reason given', async () => {
  const linked = openLinkedAbort({ follow: [], timeout: { ms: 1, reason: () => new Error('late') } });
  await new Promise((resolve) => linked.signal.addEventListener('abort', resolve));
  expect(linked.signal.reason).toEqual(new Error('late'));
});

test('a linked signal has another timeout once its timer is restarted', async () => {
  const linked = openLinkedAbort({ follow: [], timeout: { ms: 60_000, reason: () => new Error('late') } });
  linked.restartTimer(1);
  await new Promise((resolve) => linked.signal.addEventListener('abort', resolve));
  expect(linked.signal.reason).toEqual(new Error('late'));
});

test('a released signal follows nothing any longer', async () => {
  const parent = new AbortController();
  const linked = openLinkedAbort({ follow: [parent.signal], timeout: { ms: 1, reason: () => 'late' } });
  linked.release();
  parent.abort();
  await sleep(10);
  expect(linked.signal.aborted).toBe(false);
});
