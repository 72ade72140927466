import { expect, test } from 'vitest';
import { PerOwnerQueue } from '../../src/concurrency/per-owner-queue.ts';

test('tasks of one owner follow each other, those of another run beside them, and a failure ends nothing else', async () => {
  const tasks = new PerOwnerQueue();
  const events: string[] = [];
  const task =
    (name: string, fails = false) =>
    async () => {
      events.push(`${name} begins`);
      await new Promise(setImmediate);
      events.push(`${name} ends`);
      if (fails) throw new Error(name);
      return name;
    };
  const runs = [
    tasks.run('a', task('a1', true)),
    tasks.run('a', task('a2')),
    tasks.run('b', task('b1')),
  ] as const;
  const [a1, a2, b1] = await Promise.allSettled(runs);
  expect([a1.status, a2, b1]).toEqual([
    'rejected',
    { status: 'fulfilled', value: 'a2' },
    { status: 'fulfilled', value: 'b1' },
  ]);
  expect(events.slice(0, 2)).toEqual(['a1 begins', 'b1 begins']);
  expect(events.indexOf('a2 begins')).toBeGreaterThan(events.indexOf('a1 ends'));
  expect(await tasks.run('a', task('a3'))).toBe('a3');
});
