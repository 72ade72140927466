import { describe, expect, test } from 'vitest';
import { decodeEntry, encodeEntry } from '../../../src/results/redis/entry-codec.ts';
import { buildDocument } from '../../../src/results/result-document.ts';

const small = await buildDocument({ rows: ['{"x":"ü"}'], truncated: true }, 1_773_144_000_000);
const cost = {
  bytesProcessed: 1000,
  bytesBilled: 2000,
  slotMs: undefined,
  cacheHit: false,
  jobId: undefined,
};
const paid = await buildDocument({ rows: ['{"x":1}'], truncated: false, cost }, 7);
const row = JSON.stringify({ x: 'some text that repeats itself' });
const large = await buildDocument({ rows: Array.from({ length: 1_000 }, () => row), truncated: false }, 7);

describe('a stored result', () => {
  test.each([
    ['small', small],
    ['large', large],
    ['with its cost', paid],
  ])('is read as it was written: %s', async (_, document) => {
    const text = encodeEntry(document, '12');
    expect(await decodeEntry(text)).toEqual(document);
    expect(encodeEntry(document, '12')).toBe(text);
  });

  test('is compressed when that is worthwhile', () => {
    expect(Object.keys(small.encodings)).toEqual(['identity']);
    expect(Object.keys(large.encodings)).toEqual(['zstd', 'gzip', 'identity']);
    expect(encodeEntry(large, '1').length).toBeLessThan(large.encodings.identity.byteLength / 10);
  });

  test('has a digest of its rows, whenever they were computed', async () => {
    const later = await buildDocument({ rows: ['{"x":"ü"}'], truncated: true }, small.computedAt + 1);
    expect(later.digest).toBe(small.digest);
    expect(paid.digest).not.toBe(small.digest);
  });

  const text = encodeEntry(large, '3');
  const [head = '', body = ''] = text.split('\n');
  test.each([
    ['nothing', ''],
    ['text', 'hello'],
    ['JSON', '{"value":1}'],
    ["Keyv's own form", JSON.stringify({ value: text, expires: null })],
    ['another version', text.replace('querygate/1', 'querygate/2')],
    ['a head that is not JSON', `querygate/1 3 {x\n${body}`],
    ['a head without lengths', `querygate/1 3 {"computedAt":1}\n${body}`],
    ['a body that is cut', text.slice(0, -40)],
    ['a body that is too long', `${text}AAAA`],
    ['a body of other rows', `${head}\n${Buffer.from('{"result":[]}').toString('base64')}`],
    ['a changed byte', text.replace(/.{8}$/, 'AAAAAAA=')],
    ['no body', head],
    ['a length below zero', text.replace(/"zstd":\d+/, '"zstd":-1')],
  ])('%s is not a stored result', async (_, foreign) => {
    expect(await decodeEntry(foreign)).toBeUndefined();
  });
});
