import { expect, test } from 'vitest';
import { sizeOf } from '../../../src/engines/duckdb/open-isolated.ts';
import { StartError } from '../../../src/errors.ts';

test.each([
  ['512MB', 512e6],
  ['2G', 2e9],
  ['2 g', 2e9],
  ['2gigabytes', 2e9],
  ['1 kilobyte', 1e3],
  ['1.5TiB', 1.5 * 1024 ** 4],
  ['64mib', 64 * 1024 ** 2],
])('the memory limit %s is a size', (text, bytes) => {
  expect(sizeOf(text)).toBe(bytes);
});

test.each(['none', '-1', '', 'GB', '1.2.3GB', '80%', '2GBx', '1e9'])(
  'the memory limit %j is refused',
  (text) => {
    expect(() => sizeOf(text)).toThrow(StartError);
  },
);
