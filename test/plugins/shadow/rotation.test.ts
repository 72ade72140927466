import { expect, test } from 'vitest';
import { openRotation, type Rotation } from '../../../src/plugins/shadow/rotation.ts';

/** Which request of a dashboard is taken when it is loaded: at most one. */
const load = (rotation: Rotation, names: readonly string[], now: number) => {
  const taken: string[] = [];
  for (const name of names) {
    rotation.note({ name });
    if (taken.length === 0 && rotation.take({ name }, now)) taken.push(name);
  }
  return taken[0];
};

test('each request of a dashboard is compared in turn', () => {
  const rotation = openRotation();
  const taken = Array.from({ length: 8 }, (_, at) => load(rotation, ['a', 'b', 'c'], at * 30_000));
  expect(taken).toEqual(['a', 'b', 'c', 'a', 'b', 'c', 'a', 'b']);
});

test('one request is compared again and again', () => {
  const rotation = openRotation();
  expect(Array.from({ length: 3 }, (_, at) => load(rotation, ['a'], at))).toEqual(['a', 'a', 'a']);
});

test('a new request is compared before one that was compared', () => {
  const rotation = openRotation();
  expect(load(rotation, ['a'], 0)).toBe('a');
  expect(load(rotation, ['a', 'b'], 0)).toBe('a');
  expect(load(rotation, ['a', 'b'], 0)).toBe('b');
});

test('requests that do not come any more are forgotten', () => {
  const rotation = openRotation();
  load(rotation, ['v', 'w', 'x', 'y', 'z'], 0);
  load(rotation, ['v', 'w', 'x', 'y', 'z'], 0);
  const taken = Array.from({ length: 12 }, (_, at) => load(rotation, ['a', 'b'], at * 10_000));
  expect(taken.slice(-4).toSorted()).toEqual(['a', 'a', 'b', 'b']);
  expect(taken.filter((one) => one === undefined).length).toBeLessThanOrEqual(3);
});

test('of thousands of parameters, a bounded number is remembered', () => {
  const rotation = openRotation();
  for (let at = 0; at < 5_000; at += 1) {
    rotation.note({ n: String(at) });
    expect(rotation.take({ n: String(at) }, at)).toBe(true);
  }
  // Forgotten, so it is taken like a new one.
  expect(rotation.take({ n: '0' }, 5_000)).toBe(true);
  expect(rotation.take({ n: '4999' }, 5_000)).toBe(false);
});
