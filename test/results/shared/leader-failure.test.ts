import { describe, expect, test } from 'vitest';
import { GatewayError } from '../../../src/errors.ts';
import {
  isSharedFailure,
  leaderFailed,
  leaderFailureOf,
} from '../../../src/results/shared/leader-failure.ts';

describe('why a leader failed', () => {
  test('reaches followers as a code, with a text of their own gateway', () => {
    const options = { parameter: 'p', retryAfterSeconds: 1.5, cause: new Error('secret') };
    const failure = leaderFailureOf(new GatewayError('INVALID_PARAMETER', 'p: a long text', options), false);
    expect(failure).toEqual({ code: 'INVALID_PARAMETER', parameter: 'p', retryAfterSeconds: 2 });
    if (failure === undefined) throw new Error('it is shared');
    expect(leaderFailed(failure, ['p'])).toMatchObject({
      code: 'INVALID_PARAMETER',
      message: 'p: got a value that the query cannot use',
      parameter: 'p',
      retryAfterSeconds: 2,
    });
  });

  test('names no parameter that the query does not declare', () => {
    const error = leaderFailed({ code: 'INVALID_PARAMETER', parameter: 'visit evil.example' }, ['p']);
    expect(error.message).toBe('A parameter: got a value that the query cannot use');
    expect(error.parameter).toBeUndefined();
  });

  test.each([
    ['a caller that has disconnected', new GatewayError('CANCELLED', 'x')],
    ['a missing key', new GatewayError('UNAUTHENTICATED', 'x')],
    ['a bug', new TypeError('x')],
  ])('is not shared if it is %s', (_, error) => {
    expect(leaderFailureOf(error, true)).toBeUndefined();
  });

  test.each([
    [{ code: 'UNAUTHENTICATED' }],
    [{ code: 'ENGINE_FAILED', message: 'log in at https://evil.example' }],
    [{ code: 'ENGINE_BUSY', retryAfterSeconds: 1e9 }],
    [{ code: 'toString' }],
    [null],
    ['ENGINE_FAILED'],
  ])('is not read from %j', (value) => {
    expect(isSharedFailure(value)).toBe(false);
  });
});
