import { globSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { GatewayError, StartError, statusOf } from '../src/errors.ts';

describe('errors', () => {
  const tests = globSync('test/**/*.ts', { exclude: ['**/node_modules'] })
    .filter((file) => !file.endsWith('errors.test.ts'))
    .map((file) => readFileSync(file, 'utf8'))
    .join('\n');

  test.each(Object.keys(statusOf))('%s has a test that produces it', (code) => {
    // With the texts of all tests in it, the message of a failure would have 46,000 lines.
    expect(tests.includes(`'${code}'`), `no test contains '${code}'`).toBe(true);
  });

  test('the cause is kept for the log', () => {
    const cause = new Error('inside');
    expect(new GatewayError('ENGINE_FAILED', 'The query failed', { cause })).toMatchObject({
      cause,
      status: 502,
    });
  });

  test('an unknown code is INTERNAL, and a delay that is no number of seconds is left out', () => {
    for (const code of ['NOPE', 'toString', undefined] as never[])
      expect(new GatewayError(code, 'No', { retryAfterSeconds: 5 })).toMatchObject({
        ...{ code: 'INTERNAL', status: 500, message: 'No', retryAfterSeconds: 5 },
        cause: { message: `there is no error code ${code}` },
      });
    for (const retryAfterSeconds of [-1, Number.NaN, Number.POSITIVE_INFINITY, '5\n' as never])
      expect(new GatewayError('RATE_LIMITED', 'No', { retryAfterSeconds }).retryAfterSeconds).toBeUndefined();
  });

  test('a start error reports every problem with its place', () => {
    const { message } = new StartError('Two problems', [
      { file: 'a.sql', line: 3, column: 9, message: 'first' },
      { message: 'second' },
    ]);
    expect(message).toBe('Two problems:\n  a.sql:3:9 first\n  second');
  });
});
