import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Owner } from '../../../src/concurrency/fair-share.ts';
import { RecentUse } from '../../../src/concurrency/processor/recent-use.ts';
import { ProcessorSlots } from '../../../src/concurrency/processor/processor-slots.ts';

/** Tasks by name, of which each is `waiting`, `running`, `paused` or `ended`. */
function openSlots(size: number) {
  const use = new RecentUse(() => 0);
  const slots = new ProcessorSlots({
    ...{ size, sliceMs: 500, queueLength: 100, use },
    overflow: () => new Error('full'),
  });
  const states = new Map<string, string>();
  const start = async (name: string, owner: Owner, signal = new AbortController().signal) => {
    states.set(name, 'waiting');
    const slot = await slots.enter(owner, signal);
    const set = (state: string) => () => void states.set(name, state);
    slot.control = { pause: set('paused'), resume: set('running'), end: set('ended') };
    states.set(name, 'running');
    return slot;
  };
  const running = () => [...states].filter(([, state]) => state === 'running').map(([name]) => name);
  return { start, states, running, use };
}

test('tasks of keys with the same tenants have the slots of one owner', async () => {
  const { start, running } = openSlots(2);
  for (let key = 0; key < 8; key += 1) void start(`task ${key}`, { group: 'one', key: `${key}` });
  await start('other', 'other');
  expect(running()).toEqual(['task 0', 'other']);
});

test('a task that goes on is paused for one of an owner that has used less, and goes on after it', async () => {
  const { start, states } = openSlots(2);
  const [a, b] = [await start('a', 'a'), await start('b', 'b')];
  for (const task of [a, b]) task.used(10_000);
  const coming = start('new', 'new');
  await setImmediate();
  expect([...states.values()]).toEqual(['running', 'running', 'waiting']);
  a.used(50);
  const newcomer = await coming;
  expect([...states.values()]).toEqual(['paused', 'running', 'running']);
  newcomer.used(50);
  newcomer.leave();
  expect([...states.values()].slice(0, 2)).toEqual(['running', 'running']);
});

test('keys with the same tenants take turns in their slot', async () => {
  const { start, states } = openSlots(1);
  const first = await start('first', { group: 'one', key: '1' });
  const coming = start('second', { group: 'one', key: '2' });
  first.used(500);
  await coming;
  expect([...states.values()]).toEqual(['paused', 'running']);
});

test('as many tasks are paused as there are slots; of more, one that has used much is ended for one that has used little', async () => {
  const { start, states } = openSlots(1);
  const a = await start('a', 'a');
  const comingB = start('b', 'b');
  a.used(5_000);
  const b = await comingB;
  const comingC = start('c', 'c');
  b.used(600);
  await comingC;
  expect(Object.fromEntries(states)).toEqual({ a: 'ended', b: 'paused', c: 'running' });
});

test('a task is not ended for one of an owner that has used nearly as much', async () => {
  const { start, states, use } = openSlots(1);
  use.add('c', 2_000);
  const a = await start('a', 'a');
  const comingB = start('b', 'b');
  a.used(3_000);
  const b = await comingB;
  void start('c', 'c');
  b.used(2_500);
  await setImmediate();
  expect([...states.values()]).toEqual(['paused', 'running', 'waiting']);
  b.used(1_000);
  await setImmediate();
  expect([...states.values()]).toEqual(['running', 'paused', 'waiting']);
});

test('a paused task whose caller has gone takes no slot, and none is lost', async () => {
  const { start, states } = openSlots(1);
  const a = await start('a', 'a');
  const coming = start('b', 'b');
  a.used(500);
  const b = await coming;
  a.leave();
  expect([...states.values()]).toEqual(['running', 'running']);
  const next = start('c', 'c');
  await setImmediate();
  expect(states.get('c')).toBe('waiting');
  b.leave();
  await next;
});
