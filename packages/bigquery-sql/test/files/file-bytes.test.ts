import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import zlib, { zstdCompressSync } from 'node:zlib';
import { afterAll, expect, test, vi } from 'vitest';
import { decompress } from '../../src/files/file-bytes.ts';

const folder = mkdtempSync(join(tmpdir(), 'file-bytes-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** The text of a file of these bytes. */
async function textOf(...parts: readonly Buffer[]): Promise<string> {
  const path = join(folder, 'file.zst');
  writeFileSync(path, Buffer.concat(parts));
  const chunks: Buffer[] = [];
  for await (const chunk of decompress({ path, compression: 'zst' })) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString();
}

const [one, two] = [zstdCompressSync('one\n'), zstdCompressSync('two\n')];
const skippable = Buffer.from([0x50, 0x2a, 0x4d, 0x18, 4, 0, 0, 0, 1, 2, 3, 4]);

test('all frames of a file of Zstandard are read', async () => {
  expect(await textOf(one, two)).toBe('one\ntwo\n');
  expect(await textOf(skippable, one, skippable, two, skippable)).toBe('one\ntwo\n');
  expect(await textOf(...Array.from({ length: 500 }, () => one))).toBe('one\n'.repeat(500));
});

test('small frames take no stream each, beside large ones', async () => {
  const rows = Array.from({ length: 1000 }, (_, id) => `${id}\n`);
  const frames = rows.map((row) => zstdCompressSync(row));
  const text = 'large\n'.repeat(10_000);
  const large = zstdCompressSync(text);
  using streams = vi.spyOn(zlib, 'createZstdDecompress');
  expect(await textOf(...frames, large, skippable, ...frames)).toBe(rows.join('') + text + rows.join(''));
  expect(streams).toHaveBeenCalledTimes(1);
  const cut = Buffer.concat(frames).subarray(0, -1);
  await expect(textOf(cut)).rejects.toThrow(/^cannot be decompressed: /);
});

test.each([-15, -1, 0, 1])('frames are read of which one ends %i bytes after a chunk', async (after) => {
  const first = Buffer.alloc((1 << 20) + after);
  first.writeUInt32LE(0x184d2a50, 0);
  first.writeUInt32LE(first.length - 8, 4);
  expect(await textOf(first, one, two)).toBe('one\ntwo\n');
});

test.each([
  ['a cut frame', [one, two.subarray(0, -2)]],
  ['a cut skippable frame', [one, skippable.subarray(0, -2)]],
  ['bytes that are not a frame', [one, Buffer.from('garbage')]],
  ['zeros', [one, Buffer.alloc(64)]],
])('a file with %s after the first is refused', async (_, parts) => {
  await expect(textOf(...parts)).rejects.toThrow(/^cannot be decompressed: /);
});
