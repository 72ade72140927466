import { expect, test } from 'vitest';
import { errorFromWire, errorToWire } from '../../../src/engine-contract/remote/wire-error.ts';
import { errorToLog } from '../../../src/engine-contract/without-values.ts';
import { GatewayError, StartError } from '../../../src/errors.ts';

const sent = (error: unknown): unknown => errorFromWire(JSON.parse(JSON.stringify(errorToWire(error))));

test('an error for callers is the same on the other side, with its cause for the log', () => {
  const cause = new TypeError("Conversion Error: 'secret'", { cause: 'a text' });
  const error = new GatewayError('ENGINE_BUSY', 'Too many', { parameter: 'p', retryAfterSeconds: 3, cause });
  const received = sent(error) as GatewayError;
  expect(received).toBeInstanceOf(GatewayError);
  expect(received).toMatchObject({ code: 'ENGINE_BUSY', message: 'Too many', parameter: 'p', status: 503 });
  expect(received.retryAfterSeconds).toBe(3);
  expect(received.cause).toBeInstanceOf(Error);
  expect(received.cause).toMatchObject({ name: 'TypeError', stack: cause.stack, cause: 'a text' });
  const log = { isLevelEnabled: () => false };
  expect(errorToLog(received.cause, log)).toEqual(errorToLog(cause, log));
});

test('the problems of a start keep their places', () => {
  const error = new StartError('The data cannot be read', [{ file: 'a.sql', line: 3, message: 'wrong' }]);
  const received = sent(error) as StartError;
  expect(received).toBeInstanceOf(StartError);
  expect([received.message, received.problems]).toEqual([error.message, error.problems]);
});

test('an error that is not a GatewayError is a defect there and here', () => {
  const error = Object.assign(new Error('connect ECONNREFUSED'), { syscall: 'connect' });
  const received = sent(error) as Error;
  expect(received).not.toBeInstanceOf(GatewayError);
  expect(received).toMatchObject({ message: 'connect ECONNREFUSED', syscall: 'connect' });
  expect(sent('a text')).toBe('a text');
});

test('errors that are the cause of each other come to an end', () => {
  const a = new Error('a');
  a.cause = new Error('b', { cause: a });
  expect(sent(a)).toMatchObject({ message: 'a', cause: { message: 'b' } });
});
