import { brotliCompressSync, brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { RequestHead } from '../../../src/http/message/head.ts';
import { PreparedRequest } from '../../../src/http/message/prepared-request.ts';
import type { Admission } from '../../../src/call/caller.ts';
import { buildStaticFiles, type StaticFile } from '../../../src/plugins/pages/static/static-files.ts';

const text = 'export const answer = 42;\n'.repeat(100);
const files: readonly StaticFile[] = [
  { name: 'main.js', body: Buffer.from(text) },
  { name: 'mark.png', body: Buffer.from([1, 2, 3]) },
];
const served = buildStaticFiles('test', () => files);
const prepare = (url: string) => new PreparedRequest(new URL(url), 'unknown');

const get = async (path: string, accepted = '', { route } = served) =>
  route.answer(
    { headers: { 'accept-encoding': accepted } } as unknown as RequestHead,
    prepare(`http://gateway.test${path}`),
    {} as Admission,
    async () => new Uint8Array(),
  );

describe('static files', () => {
  test('have a path with the hash of the set, and are kept for ever', async () => {
    const path = served.pathOf('main.js');
    expect(path).toMatch(/^\/assets\/test\/[\w-]{16}\/main\.js$/);
    const { status, headers, body } = await get(path);
    expect({ status, headers }).toEqual({
      status: 200,
      headers: {
        'content-type': 'text/javascript; charset=utf-8',
        'content-length': String(text.length),
        'cache-control': 'public, max-age=31536000, immutable',
        etag: expect.stringMatching(/^W\/"[\w-]{43}"$/),
        vary: 'Accept-Encoding',
      },
    });
    expect(String(body)).toBe(text);
    const other = buildStaticFiles('test', () => [{ name: 'main.js', body: Buffer.from('other') }]);
    expect(other.pathOf('main.js')).not.toBe(path);
  });

  test('are compressed once, as the caller prefers', async () => {
    const path = served.pathOf('main.js');
    const brotli = await get(path, 'gzip, deflate, br, zstd');
    expect(brotli.headers['content-encoding']).toBe('br');
    expect(String(brotliDecompressSync(brotli.body as Buffer))).toBe(text);
    expect(await get(path, 'br')).toBe(brotli);
    const zipped = await get(path, 'gzip, br;q=0');
    expect(zipped.headers['content-encoding']).toBe('gzip');
    expect(String(gunzipSync(zipped.body as Buffer))).toBe(text);
    expect(zipped.headers.etag).toBe(brotli.headers.etag);
  });

  test('that come compressed are sent so, and decompressed for others', async () => {
    const body = brotliCompressSync(text);
    const set = buildStaticFiles('test', () => [{ name: 'main.js', body, coding: 'br' }]);
    const request = (accepted: string) =>
      set.route.answer(
        { headers: { 'accept-encoding': accepted } } as unknown as RequestHead,
        prepare(`http://gateway.test${set.pathOf('main.js')}`),
        {} as Admission,
        async () => new Uint8Array(),
      );
    expect((await request('br')).body).toBe(body);
    const zipped = await request('gzip');
    expect(String(gunzipSync(zipped.body as Buffer))).toBe(text);
    const plain = await request('');
    expect([String(plain.body), plain.headers['content-length']]).toEqual([text, String(text.length)]);
  });

  test('are compressed again after a failure', async () => {
    const right = brotliCompressSync(text);
    const body = Buffer.alloc(right.byteLength);
    const set = buildStaticFiles('test', () => [{ name: 'main.js', body, coding: 'br' }]);
    const path = set.pathOf('main.js');
    await expect(get(path, 'gzip', set)).rejects.toThrow();
    body.set(right);
    expect(String(gunzipSync((await get(path, 'gzip', set)).body as Buffer))).toBe(text);
  });

  test('that are compressed inside are sent as they are', async () => {
    const { headers } = await get(served.pathOf('mark.png'), 'br');
    expect(headers).toMatchObject({ 'content-type': 'image/png' });
    expect(headers).not.toHaveProperty('content-encoding');
  });

  test('of another version, and paths that lead out of the set, do not exist', async () => {
    const folder = served.pathOf('main.js').replace(/main\.js$/, '');
    const paths = [
      '/assets/test/old/main.js',
      `${folder}x.js`,
      `${folder}../main.js`,
      `${folder}%2e%2e/main.js`,
    ];
    for (const path of paths) await expect(get(path), path).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(() => served.pathOf('x.js')).toThrow('test has no file x.js');
  });
});
