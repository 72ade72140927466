import { expect, test } from 'vitest';
import { Semaphore } from '../../src/concurrency/semaphore.ts';

const patient = () => new AbortController().signal;

test('a queue does so much at once, lets so much wait in its order, and refuses the rest', async () => {
  const queue = new Semaphore({ width: 2, length: 2 });
  const order: number[] = [];
  const ends: (() => void)[] = [];
  const work = (name: number) => () => {
    order.push(name);
    return new Promise<void>((resolve) => ends.push(resolve));
  };
  const runs = [1, 2, 3, 4].map((name) => queue.use(patient(), work(name)));
  await expect(queue.use(patient(), work(5))).rejects.toMatchObject({
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

test('whoever leaves a queue makes room, and failing work frees its place', async () => {
  const queue = new Semaphore({ width: 1, length: 1 });
  const leaving = new AbortController();
  let end = () => {};
  const first = queue.use(
    patient(),
    () => new Promise<void>((_, reject) => (end = () => reject(new Error('no')))),
  );
  const second = queue.use(leaving.signal, async () => 'never');
  leaving.abort(new Error('left'));
  await expect(second).rejects.toThrow('left');
  const third = queue.use(patient(), async () => 'done');
  end();
  await expect(first).rejects.toThrow('no');
  expect(await third).toBe('done');
  await expect(queue.use(AbortSignal.abort(new Error('late')), async () => 'never')).rejects.toThrow('late');
  expect(await queue.use(patient(), async () => 'still here')).toBe('still here');
});
