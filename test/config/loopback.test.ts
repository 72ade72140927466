import { expect, test } from 'vitest';
import { isLoopback } from '../../src/config/loopback.ts';

test.each([
  'localhost',
  'LOCALHOST.',
  '127.0.0.1',
  '127.1.2.3',
  '::1',
  '[::1]',
  '::ffff:127.0.0.1',
  '[::ffff:7f00:1]',
])('%s is reachable only from this machine', (host) => {
  expect(isLoopback(host)).toBe(true);
});

test.each([
  '',
  'localhost.example',
  '127.0.0.1.example',
  '128.0.0.1',
  '::',
  '::ffff:10.0.0.1',
  '[::ffff:a00:1]',
  'a127.0.0.1',
])('%j may be reachable from others', (host) => {
  expect(isLoopback(host)).toBe(false);
});
