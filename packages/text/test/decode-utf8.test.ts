import { expect, test } from 'vitest';
import { decodeUtf8, NotUtf8 } from '../src/text.ts';

const wrong = (bytes: Buffer) => {
  try {
    return decodeUtf8(bytes);
  } catch (error) {
    return error instanceof NotUtf8 ? `${error.line} ${error.message}` : error;
  }
};

test.each(['', 'a', 'Zürich\n', '\uFEFFa', '\u20AC\u{1F600}\nb'])('%j is decoded as it is', (text) => {
  expect(decodeUtf8(Buffer.from(text))).toBe(text);
});

test.each([
  ['Latin-1', Buffer.from('select 1\nfrom t\n-- Zürich\n', 'latin1'), 3, 'latin1'],
  ['a character that is cut at the end', Buffer.from('a\nü').subarray(0, 3), 2, 'latin1'],
  ['UTF-16 with a mark', Buffer.from('\uFEFFselect 1', 'utf16le'), 1, 'utf-16'],
  ['UTF-16 without one', Buffer.from('select 1', 'utf16le'), 1, 'utf-16'],
  ['UTF-16 of the other order', Buffer.from('select 1', 'utf16le').swap16(), 1, 'utf-16'],
])('%s is refused with its first line', (_, bytes, line, encoding) => {
  expect(wrong(bytes)).toBe(`${line} must be UTF-8: iconv -f ${encoding} -t utf-8`);
});
