import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openProgressLine } from '../../../src/cli/start/progress-line.ts';

beforeEach(() => {
  vi.useFakeTimers({ now: 0 });
});
afterEach(() => {
  vi.useRealTimers();
});

const open = (isTTY: boolean) => {
  const written: string[] = [];
  const logged: string[] = [];
  const stream = { isTTY, write: (text: string) => written.push(text) > 0 };
  const line = openProgressLine({ stream, writeToLog: (text) => logged.push(text), now: Date.now });
  return { line, written, logged };
};

test('on a terminal, a line is rewritten in place', () => {
  const { line, written, logged } = open(true);
  line.show('importing 10 %');
  vi.advanceTimersByTime(2_000);
  line.show('importing 50 %');
  line.end();
  line.end();
  vi.advanceTimersByTime(10_000);
  expect(written).toEqual(['\r\x1b[Kimporting 50 %', '\r\x1b[K']);
  expect(logged).toEqual([]);
});

test('elsewhere, the latest line is logged every few seconds, also if nothing is new', () => {
  const { line, written, logged } = open(false);
  vi.advanceTimersByTime(3_000);
  line.show('importing 10 %');
  line.show('importing 50 %');
  vi.advanceTimersByTime(6_000);
  line.end();
  line.end();
  vi.advanceTimersByTime(10_000);
  expect(written).toEqual([]);
  expect(logged).toEqual(['starting | 3 s', 'importing 50 % | 6 s', 'importing 50 % | 9 s']);
});

test('a start that takes no time logs nothing', () => {
  const { line, logged } = open(false);
  vi.advanceTimersByTime(900);
  line.show('importing 10 %');
  line.end();
  vi.advanceTimersByTime(10_000);
  expect(logged).toEqual([]);
});
