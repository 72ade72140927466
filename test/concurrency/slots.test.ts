import { expect, test } from 'vitest';
import { Slots } from '../../src/concurrency/slots.ts';
import { queueFull } from '../../src/engine-contract/engine-errors.ts';

const { signal } = new AbortController();
const settled = () => new Promise((resolve) => setImmediate(resolve));

/** Takes a slot, and records the name when it has it. */
function takeSlot(slots: Slots, owner: string, name: string, taken: string[]) {
  const slot = slots.slotFor(owner);
  slot.take(signal).then(
    () => taken.push(name),
    () => {},
  );
  return slot;
}

test('no more slots are taken than there are, and owners get those that are free in turn', async () => {
  const slots = new Slots(1);
  const taken: string[] = [];
  const a1 = takeSlot(slots, 'a', 'a1', taken);
  const a2 = takeSlot(slots, 'a', 'a2', taken);
  takeSlot(slots, 'a', 'a3', taken);
  takeSlot(slots, 'b', 'b1', taken).giveBack();
  await settled();
  expect(taken).toEqual(['a1']);
  a1.giveBack();
  await settled();
  // `b1` gave its slot back before it had it.
  expect(taken).toEqual(['a1', 'a2']);
  a2.giveBack();
  await settled();
  expect(taken).toEqual(['a1', 'a2', 'b1', 'a3']);
});

test('a slot is one, however often it is taken, and none is lost by those that leave or never take it', async () => {
  const slots = new Slots(1);
  const first = slots.slotFor('a');
  await Promise.all([first.take(signal), first.take(signal)]);
  const leaving = new AbortController();
  const second = slots.slotFor('a');
  const waiting = second.take(leaving.signal);
  leaving.abort(new Error('left'));
  await expect(waiting).rejects.toThrow('left');
  second.giveBack();
  slots.slotFor('a').giveBack();
  const late = slots.slotFor('a');
  await expect(late.take(leaving.signal)).rejects.toThrow('left');
  first.giveBack();
  await late.take(signal);
  late.giveBack();
  await slots.slotFor('b').take(signal);
});

test('runs as many tasks as it has slots, queues the next in order, and rejects the rest', async () => {
  const slots = new Slots(2, { queueLength: 2, overflow: queueFull });
  const order: number[] = [];
  const ends: (() => void)[] = [];
  const work = (name: number) => () => {
    order.push(name);
    return new Promise<void>((resolve) => ends.push(resolve));
  };
  const runs = [1, 2, 3, 4].map((name) => slots.run(signal, work(name)));
  await expect(slots.run(signal, work(5))).rejects.toMatchObject({
    code: 'ENGINE_BUSY',
    retryAfterSeconds: 1,
  });
  expect(order).toEqual([1, 2]);
  for (let at = 0; at < 4; at += 1) {
    ends[at]?.();
    await settled();
  }
  await Promise.all(runs);
  expect(order).toEqual([1, 2, 3, 4]);
});

test('an aborted waiter leaves the queue, and a failed task its slot', async () => {
  const slots = new Slots(1, { queueLength: 1, overflow: queueFull });
  const leaving = new AbortController();
  let end = () => {};
  const first = slots.run(
    signal,
    () => new Promise<void>((_, reject) => (end = () => reject(new Error('no')))),
  );
  const second = slots.run(leaving.signal, async () => 'never');
  leaving.abort(new Error('left'));
  await expect(second).rejects.toThrow('left');
  const third = slots.run(signal, async () => 'done');
  end();
  await expect(first).rejects.toThrow('no');
  expect(await third).toBe('done');
  await expect(slots.run(AbortSignal.abort(new Error('late')), async () => 'never')).rejects.toThrow('late');
  expect(await slots.run(signal, async () => 'still here')).toBe('still here');
});

test('owners take turns, and one of them does not fill the queue', async () => {
  const slots = new Slots(1, { queueLength: 32, overflow: queueFull });
  const order: string[] = [];
  const run = (owner: string | undefined, name = owner ?? 'refresh') =>
    slots.run(signal, async () => void order.push(name), owner).catch(({ code }) => code);
  const runs = [run('a'), run(undefined), ...Array.from({ length: 40 }, () => run('a')), run('b'), run('b')];
  const codes = await Promise.all(runs);
  expect(codes.filter((code) => code === 'ENGINE_BUSY').length).toBeGreaterThan(4);
  expect(codes.slice(-2)).toEqual([undefined, undefined]);
  expect(order.slice(0, 5)).toEqual(['a', 'a', 'b', 'a', 'b']);
  expect(order.at(-1)).toBe('refresh');
});
