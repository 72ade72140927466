import { expect, test } from 'vitest';
import { Slots } from '../../src/concurrency/slots.ts';

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
