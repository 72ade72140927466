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
