import { gunzipSync, zstdDecompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { replyPart } from '../../src/http/rendering/reply-result.ts';
import type { CachedResult } from '../../src/results/get-result.ts';

const identity = Buffer.from(JSON.stringify({ result: [{ text: 'row '.repeat(5_000) }] }));
const result: CachedResult = {
  document: {
    ...{ id: 1, computedAt: 0, begunAt: 0, digest: 'd' },
    metadata: { rowCount: 1, truncated: false },
    encodings: { identity },
  },
  ...{ caching: 'disabled', cacheStatus: 'MISS', obtainedAt: 0 },
};
const replyIn = (coding: string) => replyPart(result, { 'accept-encoding': coding });

test('a page is compressed once for all callers, in each coding that one of them accepts', async () => {
  for (const [coding, decompress] of [
    ['gzip', gunzipSync],
    ['zstd', zstdDecompressSync],
  ] as const) {
    const [one, other] = await Promise.all([replyIn(coding), replyIn(`br, ${coding}`)]);
    expect(other.body).toBe(one.body);
    const body = one.body as Buffer;
    expect(decompress(body)).toEqual(identity);
    expect(one.headers).toMatchObject({
      'content-encoding': coding,
      'content-length': String(body.byteLength),
    });
    expect(Object.keys(one.madeOf?.encodings ?? {})).toEqual(['identity']);
  }
  expect((await replyIn('identity')).body).toBe(identity);
});
