import { expect, test } from 'vitest';
import { Places } from '../../src/concurrency/slots.ts';

const { signal } = new AbortController();
const settled = () => new Promise((resolve) => setImmediate(resolve));

/** Takes a place, and records the name when it has it. */
function takePlace(places: Places, owner: string, name: string, taken: string[]) {
  const place = places.placeFor(owner);
  place.take(signal).then(
    () => taken.push(name),
    () => {},
  );
  return place;
}

test('no more places are taken than there are, and owners get those that are free in turn', async () => {
  const places = new Places(1);
  const taken: string[] = [];
  const a1 = takePlace(places, 'a', 'a1', taken);
  const a2 = takePlace(places, 'a', 'a2', taken);
  takePlace(places, 'a', 'a3', taken);
  takePlace(places, 'b', 'b1', taken).giveBack();
  await settled();
  expect(taken).toEqual(['a1']);
  a1.giveBack();
  await settled();
  // `b1` gave its place back before it had it.
  expect(taken).toEqual(['a1', 'a2']);
  a2.giveBack();
  await settled();
  expect(taken).toEqual(['a1', 'a2', 'b1', 'a3']);
});

test('a place is one, however often it is taken, and none is lost by those that leave or never take it', async () => {
  const places = new Places(1);
  const first = places.placeFor('a');
  await Promise.all([first.take(signal), first.take(signal)]);
  const leaving = new AbortController();
  const second = places.placeFor('a');
  const waiting = second.take(leaving.signal);
  leaving.abort(new Error('left'));
  await expect(waiting).rejects.toThrow('left');
  second.giveBack();
  places.placeFor('a').giveBack();
  const late = places.placeFor('a');
  await expect(late.take(leaving.signal)).rejects.toThrow('left');
  first.giveBack();
  await late.take(signal);
  late.giveBack();
  await places.placeFor('b').take(signal);
});
