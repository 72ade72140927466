import { expect, test } from 'vitest';
import { isoText, parseTimestamp } from '../../src/files/timestamps.ts';

test.each([
  ['0', '1970-01-01T00:00:00.000000Z'],
  ['-1', '1969-12-31T23:59:59.999999Z'],
  ['-62135596800000000', '0001-01-01T00:00:00.000000Z'],
  ['253402300799000000', '9999-12-31T23:59:59.000000Z'],
  // Tables use the last moment for "never"; it is no JavaScript number.
  ['253402300799999999', '9999-12-31T23:59:59.999999Z'],
])('%s microseconds of a document are %s', (micros, text) => {
  expect(isoText(JSON.parse(micros) as number)).toBe(text);
  expect(parseTimestamp(text)).toBe(text);
});
