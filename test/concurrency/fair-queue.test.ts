import { expect, test } from 'vitest';
import { FairQueue } from '../../src/concurrency/fair-queue.ts';

const neverAborted = new AbortController().signal;

test('waiters are served in the order of their arrival', async () => {
  const queue = new FairQueue<number>();
  const waits = [queue.wait(neverAborted, undefined), queue.wait(neverAborted, undefined)];
  expect(queue.size).toBe(2);
  expect(queue.serveNext(() => 1)).toBe(true);
  expect(queue.serveNext(() => 2)).toBe(true);
  expect(await Promise.all(waits)).toEqual([1, 2]);
  expect(queue.serveNext(() => 3)).toBe(false);
});

test('a waiter for which there is no value is passed over', async () => {
  const queue = new FairQueue<string, 'slow' | 'quick'>();
  const [slow, quick] = [queue.wait(neverAborted, 'slow'), queue.wait(neverAborted, 'quick')];
  expect(queue.serveNext((kind) => (kind === 'quick' ? 'a' : undefined))).toBe(true);
  expect(await quick).toBe('a');
  expect(queue.serveNext(() => 'b')).toBe(true);
  expect(await slow).toBe('b');
});

test('a waiter whose signal is aborted leaves the queue', async () => {
  const queue = new FairQueue();
  const leaving = new AbortController();
  const left = queue.wait(leaving.signal, undefined);
  leaving.abort(new Error('left'));
  await expect(left).rejects.toThrow('left');
  expect(queue.size).toBe(0);
  await expect(queue.wait(leaving.signal, undefined)).rejects.toThrow('left');
});

test('owners are served in turn, those without a name last', async () => {
  const queue = new FairQueue<number>();
  const order: string[] = [];
  const wait = (name: string, owner?: string) =>
    queue.wait(neverAborted, undefined, owner).then(() => order.push(name));
  const waits = [wait('refresh'), wait('a1', 'a'), wait('a2', 'a'), wait('a3', 'a'), wait('b1', 'b')];
  waits.push(wait('b2', 'b'), wait('c1', 'c'));
  while (queue.serveNext(() => 1));
  await Promise.all(waits);
  expect(order).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'refresh']);
});

test('an owner that comes later is served before the many that one has waiting', async () => {
  const queue = new FairQueue<number>();
  const order: string[] = [];
  const wait = (name: string, owner: string) =>
    queue.wait(neverAborted, undefined, owner).then(() => order.push(name));
  const waits = Array.from({ length: 50 }, (_, at) => wait(`a${at}`, 'a'));
  queue.serveNext(() => 1);
  waits.push(wait('b', 'b'));
  queue.serveNext(() => 1);
  queue.serveNext(() => 1);
  while (queue.serveNext(() => 1));
  await Promise.all(waits);
  expect(order.indexOf('b')).toBeLessThanOrEqual(2);
});

test('one owner alone fills seven eighths of a queue; the rest is for others', () => {
  const queue = new FairQueue<number>();
  const fill = (owner: string) => {
    let count = 0;
    for (; queue.hasRoom(owner, 100); count += 1) queue.wait(neverAborted, undefined, owner);
    return count;
  };
  expect(fill('a')).toBe(88);
  expect(fill('b')).toBe(11);
  expect(queue.hasRoom('c', 100)).toBe(true);
  fill('c');
  expect(queue.hasRoom('d', 100)).toBe(false);
});
