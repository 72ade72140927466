import { expect, test } from 'vitest';
import { openProgressLine } from '../src/progress-line.ts';

test.each([
  [true, ['\r\x1b[Kimporting 50 %', '\r\x1b[K']],
  [false, []],
])('a line is written to a terminal only: %s', (isTTY, written) => {
  let now = 0;
  const out: string[] = [];
  const line = openProgressLine({ isTTY, write: (text: string) => out.push(text) > 0 }, () => now);
  line.show('importing 10 %');
  now = 2000;
  line.show('importing 50 %');
  line.end();
  line.end();
  expect(out).toEqual(written);
});
