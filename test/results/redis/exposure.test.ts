import { expect, test } from 'vitest';
import { describeExposure } from '../../../src/results/redis/exposure.ts';

const secret = 'x'.repeat(32);

test.each([
  ['rediss://u:p@redis.internal:6380/1', secret, []],
  ['redis://127.0.0.1:6379', secret, []],
  ['redis://localhost', secret, []],
  ['redis://[::1]:6379', secret, []],
  ['redis://redis.internal', secret, [/^redis.url has no password and no TLS: /]],
  ['redis://:p@redis.internal', secret, [/^redis.url has no TLS: /]],
  ['rediss://redis.internal', undefined, [/^redis.secret is not set: /, /^redis.url has no password: /]],
  ['redis://127.0.0.1:6379', undefined, [/^redis.secret is not set: /]],
])('what %s exposes is reported', (url, given, expected) => {
  const found = describeExposure({ url, secret: given });
  expect(found).toEqual(expected.map((pattern) => expect.stringMatching(pattern)));
  expect(found.join()).not.toContain('internal');
});
