import { expect, test } from 'vitest';
import { FairQueue } from '../../src/concurrency/fair-queue.ts';
import type { Owner } from '../../src/concurrency/fair-share.ts';
import { RecentUse } from '../../src/concurrency/processor/recent-use.ts';

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

/** Serves all waiters, and gives their names in the order in which they were served. */
async function orderOf(queue: FairQueue<number>, waiters: readonly (readonly [string, Owner])[]) {
  const order: string[] = [];
  const waits = waiters.map(([name, owner]) =>
    queue.wait(neverAborted, undefined, owner).then(() => order.push(name)),
  );
  while (queue.serveNext(() => 1));
  await Promise.all(waits);
  return order;
}

test('keys with the same tenants have one turn, in which they take turns', async () => {
  const [a1, a2, a3] = ['1', '2', '3'].map((key) => ({ group: 'a', key }));
  const waiters = [
    ['a1', a1],
    ['a1 again', a1],
    ['a2', a2],
    ['a3', a3],
    ['b', 'b'],
    ['b again', 'b'],
  ] as const;
  expect(await orderOf(new FairQueue(), waiters)).toEqual(['a1', 'b', 'a2', 'b again', 'a3', 'a1 again']);
});

test('who has used least lately is served first: of groups, and in one of its keys', async () => {
  let now = 0;
  const use = new RecentUse(() => now);
  const [a1, a2] = ['1', '2'].map((key) => ({ group: 'a', key }));
  use.add(a1, 2_000);
  use.add('b', 1_000);
  const waiters = [
    ['a1', a1],
    ['a2', a2],
    ['b', 'b'],
    ['c', 'c'],
  ] as const;
  expect(await orderOf(new FairQueue(use), waiters)).toEqual(['c', 'b', 'a2', 'a1']);
  now = 120_000;
  use.add('c', 600);
  expect(await orderOf(new FairQueue(use), waiters)).toEqual(['b', 'a2', 'a1', 'c']);
});

test('a key leaves others with the same tenants a part of their share of a queue', () => {
  const queue = new FairQueue<number>();
  const fill = (owner: Owner) => {
    let count = 0;
    for (; queue.hasRoom(owner, 100); count += 1) queue.wait(neverAborted, undefined, owner);
    return count;
  };
  expect([fill({ group: 'a', key: '1' }), fill({ group: 'a', key: '2' }), fill('b')]).toEqual([77, 10, 12]);
});
