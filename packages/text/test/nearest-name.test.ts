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

test('so many long names are alike that only the first ones are compared', () => {
  let read = 0;
  function* names() {
    for (; read < 100_000; read += 1) yield `${'x'.repeat(90)}${read}`;
  }
  expect(nearestName(`${'x'.repeat(90)}0z`, names())).toBe(`${'x'.repeat(90)}0`);
  expect(read).toBeLessThan(1_000);
});
