import { gunzipSync, zstdDecompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { chooseCoding } from '../../src/http/message/content-coding.ts';
import { bytesOf, encode } from '../../src/results/encodings.ts';

test.each([
  ['a tiny document', 1_399, ['identity', 'identity', 'identity']],
  ['a small one', 1_400, ['zstd', 'gzip', 'identity']],
  ['the largest that is compressed when somebody accepts it', 8_192, ['zstd', 'gzip', 'identity']],
  ['a larger one', 8_193, ['zstd', 'gzip', 'identity']],
])('%s is sent in the coding that a caller prefers', async (_, length, expected) => {
  const identity = Buffer.from('text '.repeat(2_000).slice(0, length));
  const encodings = await encode(identity);
  const accepted = ['gzip;q=0.5, zstd', 'br, gzip', 'br'];
  expect(accepted.map((header) => chooseCoding(encodings, header))).toEqual(expected);
  const bytes = bytesOf(encodings);
  if (encodings.zstd !== undefined) expect(zstdDecompressSync(encodings.zstd).equals(identity)).toBe(true);
  if (encodings.gzip !== undefined) expect(gunzipSync(encodings.gzip).equals(identity)).toBe(true);
  expect(encodings.zstd).toBe(encodings.zstd);
  // A cache has counted it before anybody accepts a coding.
  expect(bytesOf(encodings)).toBe(bytes);
  expect(bytes).toBeGreaterThanOrEqual(identity.byteLength);
});
