import { expect, test } from 'vitest';
import { Semaphore } from '../../src/concurrency/semaphore.ts';
import { queueFull } from '../../src/engine/engine-errors.ts';

const neverAborted = () => new AbortController().signal;

test('runs as many tasks as it has permits, queues the next in order, and rejects the rest', async () => {
  const semaphore = new Semaphore({ permits: 2, queueLength: 2, overflow: queueFull });
  const order: number[] = [];
  const ends: (() => void)[] = [];
  const work = (name: number) => () => {
    order.push(name);
    return new Promise<void>((resolve) => ends.push(resolve));
  };
  const runs = [1, 2, 3, 4].map((name) => semaphore.run(neverAborted(), work(name)));
  await expect(semaphore.run(neverAborted(), work(5))).rejects.toMatchObject({
    code: 'ENGINE_BUSY',
    retryAfterSeconds: 1,
  });
  expect(order).toEqual([1, 2]);
  for (let at = 0; at < 4; at += 1) {
    ends[at]?.();
    await new Promise(setImmediate);
  }
  await Promise.all(runs);
  expect(order).toEqual([1, 2, 3, 4]);
});

test('an aborted waiter frees its place in the queue, and a failed task its permit', async () => {
  const semaphore = new Semaphore({ permits: 1, queueLength: 1, overflow: queueFull });
  const leaving = new AbortController();
  let end = () => {};
  const first = semaphore.run(
    neverAborted(),
    () => new Promise<void>((_, reject) => (end = () => reject(new Error('no')))),
  );
  const second = semaphore.run(leaving.signal, async () => 'never');
  leaving.abort(new Error('left'));
  await expect(second).rejects.toThrow('left');
  const third = semaphore.run(neverAborted(), async () => 'done');
  end();
  await expect(first).rejects.toThrow('no');
  expect(await third).toBe('done');
  await expect(semaphore.run(AbortSignal.abort(new Error('late')), async () => 'never')).rejects.toThrow(
    'late',
  );
  expect(await semaphore.run(neverAborted(), async () => 'still here')).toBe('still here');
});

test('owners take turns, and one of them does not fill the queue', async () => {
  const semaphore = new Semaphore({ permits: 1, queueLength: 32, overflow: queueFull });
  const order: string[] = [];
  const run = (owner: string | undefined, name = owner ?? 'refresh') =>
    semaphore.run(neverAborted(), async () => void order.push(name), owner).catch(({ code }) => code);
  const runs = [run('a'), run(undefined), ...Array.from({ length: 40 }, () => run('a')), run('b'), run('b')];
  const codes = await Promise.all(runs);
  expect(codes.filter((code) => code === 'ENGINE_BUSY').length).toBeGreaterThan(4);
  expect(codes.slice(-2)).toEqual([undefined, undefined]);
  expect(order.slice(0, 5)).toEqual(['a', 'a', 'b', 'a', 'b']);
  expect(order.at(-1)).toBe('refresh');
});
