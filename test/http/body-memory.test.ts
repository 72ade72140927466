import { expect, test } from 'vitest';
import { BodyMemory } from '../../src/http/message/body/body-memory.ts';

test('memory is given again only after it was given back, to one body at a time', () => {
  const memory = new BodyMemory();
  const first = memory.take(100_000);
  expect(memory.take(100_000)).not.toBe(first);
  memory.giveBack(first);
  const second = memory.take(99_000);
  expect(second).toBe(first);
  expect(memory.take(99_000)).not.toBe(first);
  memory.giveBack(second);
  expect(() => memory.giveBack(second)).toThrow('given back before');
});

test('a small body does not take the memory of a large one', () => {
  const memory = new BodyMemory();
  const large = memory.take(10_000_000);
  memory.giveBack(large);
  expect(memory.take(1_000_000).byteLength).toBeLessThan(1_100_000);
  expect(memory.take(9_000_000)).toBe(large);
});

test('only so much is kept, the latest first', () => {
  const memory = new BodyMemory();
  const taken = Array.from({ length: 6 }, () => memory.take(10_000_000));
  for (const one of taken) memory.giveBack(one);
  const again = Array.from({ length: 6 }, () => memory.take(10_000_000));
  expect(again.map((one) => taken.indexOf(one)).filter((place) => place >= 0)).toEqual([5, 4, 3]);
});
