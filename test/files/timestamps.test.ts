import { expect, test } from 'vitest';
import { cellTimestamp, parseTimestamp } from '../../src/files/timestamps.ts';

test.each([
  ['0', '1970-01-01T00:00:00.000000Z'],
  ['-1', '1969-12-31T23:59:59.999999Z'],
  ['-62135596800000000', '0001-01-01T00:00:00.000000Z'],
  ['253402300799000000', '9999-12-31T23:59:59.000000Z'],
  // Tables use such moments for "never"; they are no JavaScript numbers.
  ['253402300799999000', '9999-12-31T23:59:59.999000Z'],
  ['253402300799999999', '9999-12-31T23:59:59.999999Z'],
])('%s microseconds of a document are %s', (micros, text) => {
  expect(cellTimestamp(micros)).toBe(text);
  expect(parseTimestamp(text)).toBe(text);
});
