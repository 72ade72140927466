import { pino } from 'pino';
import { expect, test } from 'vitest';
import { formatLogLine } from '../../../src/cli/start/format-log-line.ts';

test('a line is readable: time, level, message, fields, and the stack of an error', () => {
  const lines: string[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(formatLogLine(line)) });
  log.info({ method: 'GET', status: 200, list: [1] }, 'request');
  log.warn({ err: new Error('outer', { cause: new Error('inner') }), code: 'ENGINE_FAILED' }, 'failed');
  log.warn({ err: 'a text' }, 'thrown');
  expect(lines[0]).toMatch(/^\d\d:\d\d:\d\d\.\d{3} INFO request method=GET status=200 list=\[1\]\n$/);
  expect(lines[1]).toMatch(/^\S+ WARN failed code=ENGINE_FAILED\n {4}Error: outer\n {8}at .*inner/s);
  expect(lines[2]).toMatch(/WARN thrown\n {4}a text\n$/);
});

test('a value in which fields could be read is in quotes', () => {
  const lines: string[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(formatLogLine(line)) });
  const fieldsOf = (fields: object) => {
    log.info(fields, 'refused');
    return lines.at(-1)?.split(' INFO refused ')[1]?.trimEnd();
  };
  expect(fieldsOf({ tenant: 'x status=200 key=API_KEY', status: 400 })).toBe(
    'tenant="x status=200 key=API_KEY" status=400',
  );
  expect(fieldsOf({ tenant: 'x" status=200 a="', status: 400 })).toBe(
    String.raw`tenant="x\" status=200 a=\"" status=400`,
  );
  expect(fieldsOf({ tenant: String.raw`x\" status=200` })).toBe(String.raw`tenant="x\\\" status=200"`);
  expect(fieldsOf({ a: 'x=1', b: 'x\u00a0y', c: 'x\ty', path: '/graphql', list: ['x status=200'] })).toBe(
    'a="x=1" b="x\u00a0y" c="x\\ty" path=/graphql list=["x status=200"]',
  );
});

test('what is not printable is shown by its code, in the message, in names, values and stacks', () => {
  const lines: string[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(formatLogLine(line)) });
  const hostile =
    '\u001b[2J\u001b[31mFAKE\r\n12:00:00.000 INFO\tforged\u0007\u0085\u009b\u2028\u2029\u202e\u2066\u200b\ufeff';
  const shown =
    '\\u{1b}[2J\\u{1b}[31mFAKE\\u{d}\\n12:00:00.000 INFO\\tforged\\u{7}\\u{85}\\u{9b}\\u{2028}\\u{2029}\\u{202e}\\u{2066}\\u{200b}\\u{feff}';
  log.info({ tenant: hostile }, 'refused');
  log.info({ [hostile]: 1 }, 'name');
  log.info({ list: [hostile] }, 'nested');
  log.info(hostile);
  log.error({ err: new Error(hostile) }, 'failed');
  log.error({ err: hostile }, 'thrown');
  log.error({ err: { code: hostile } }, 'an object');
  expect(lines[0]).toMatch(/INFO refused tenant=.*\n$/);
  expect(lines[0]?.slice(0, -1)).toContain(`tenant="${shown}"`);
  expect(lines[1]).toContain(` ${shown}=1`);
  expect(lines[3]).toContain(`INFO ${shown}\n`);
  const others = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/u;
  for (const line of lines) expect(line.replaceAll('\n    ', '').slice(0, -1)).not.toMatch(others);
});
