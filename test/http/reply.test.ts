import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { GatewayError } from '../../src/errors.ts';
import { replyError } from '../../src/http/message/reply.ts';

describe('an error', () => {
  test('that is not a GatewayError is a bug: logged once with its cause, reported as INTERNAL', () => {
    const lines: string[] = [];
    const log = pino({ level: 'info' }, { write: (line) => void lines.push(line) });
    const { status, body } = replyError(new TypeError('select secret from nowhere'), log);
    expect(status).toBe(500);
    expect(JSON.parse(String(body))).toEqual({ error: { code: 'INTERNAL', message: 'Internal error' } });
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain('select secret from nowhere');
  });

  test('names its parameter', () => {
    const log = pino({ level: 'silent' });
    const error = new GatewayError('BAD_REQUEST', 'Wrong', { parameter: 'p', cause: new Error('inside') });
    expect(JSON.parse(String(replyError(error, log).body))).toEqual({
      error: { code: 'BAD_REQUEST', message: 'Wrong', parameter: 'p' },
    });
  });
});
