import { expect, test } from 'vitest';
import { WaitQueue } from '../../src/concurrency/wait-queue.ts';

const neverAborted = new AbortController().signal;

test('waiters are served in the order of their arrival', async () => {
  const queue = new WaitQueue<number>();
  const waits = [queue.wait(neverAborted, undefined), queue.wait(neverAborted, undefined)];
  expect(queue.size).toBe(2);
  expect(queue.serveNext(() => 1)).toBe(true);
  expect(queue.serveNext(() => 2)).toBe(true);
  expect(await Promise.all(waits)).toEqual([1, 2]);
  expect(queue.serveNext(() => 3)).toBe(false);
});

test('a waiter for which there is no value is passed over', async () => {
  const queue = new WaitQueue<string, 'slow' | 'quick'>();
  const [slow, quick] = [queue.wait(neverAborted, 'slow'), queue.wait(neverAborted, 'quick')];
  expect(queue.serveNext((kind) => (kind === 'quick' ? 'a' : undefined))).toBe(true);
  expect(await quick).toBe('a');
  expect(queue.serveNext(() => 'b')).toBe(true);
  expect(await slow).toBe('b');
});

test('a waiter whose signal is aborted leaves the queue', async () => {
  const queue = new WaitQueue();
  const leaving = new AbortController();
  const left = queue.wait(leaving.signal, undefined);
  leaving.abort(new Error('left'));
  await expect(left).rejects.toThrow('left');
  expect(queue.size).toBe(0);
  await expect(queue.wait(leaving.signal, undefined)).rejects.toThrow('left');
});
