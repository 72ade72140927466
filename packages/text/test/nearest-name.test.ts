import { expect, test } from 'vitest';
import { nearestName } from '../src/nearest-name.ts';

test.each([
  ['prot', 'port'],
  ['data_dri', 'data_dir'],
  ['cache-url', 'cache_url'],
  ['zzzzzzzz', undefined],
  ['', undefined],
])('%s is probably %s', (text, name) => {
  expect(nearestName(text, ['port', 'host', 'data_dir', 'cache_url'])).toBe(name);
});

test.each([
  ['data', 'data_dir'],
  ['data_ret', 'data_retention_days'],
])('of names that go on after %s, the shortest is meant: %s', (text, name) => {
  const names = ['data_retention_days', 'data_dir', 'port'];
  expect(nearestName(text, names)).toBe(name);
  expect(nearestName(text, names.toReversed())).toBe(name);
});

test('so many long names are alike that only the first ones are compared', () => {
  let read = 0;
  function* names() {
    for (; read < 100_000; read += 1) yield `${'x'.repeat(90)}${read}`;
  }
  expect(nearestName(`${'x'.repeat(90)}0z`, names())).toBe(`${'x'.repeat(90)}0`);
  expect(read).toBeLessThan(1_000);
});
