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
