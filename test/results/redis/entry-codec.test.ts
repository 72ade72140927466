import { randomBytes } from 'node:crypto';
import { zstdCompressSync } from 'node:zlib';
import { describe, expect, test, vi } from 'vitest';
import { LoopTurns, runSteps } from '../../../src/concurrency/loop-turns.ts';
import { buildCacheCrypto } from '../../../src/results/redis/cache-crypto.ts';
import { decodeEntry, encodeEntry, maxEntryLength } from '../../../src/results/redis/entry-codec.ts';
import { buildDocument, type ResultDocument } from '../../../src/results/result-document.ts';
import { runTime } from '../../support/run-time.ts';

const crypto = buildCacheCrypto('the secret of these gateways, yes');
const key = '"data" ["id","definition",1000,["value"]]';
const maxRows = 1_000;
const encode = (document: ResultDocument, token = '12') =>
  String(runSteps(encodeEntry(key, document, token, crypto)) ?? '');
const turns = new LoopTurns();
const decode = (text: string) => decodeEntry(key, Buffer.from(text), maxRows, crypto, turns);

const small = await buildDocument({ rows: ['{"x":"ü"}'], truncated: true }, runTime(1_773_144_000_000));
const cost = {
  bytesProcessed: 1000,
  bytesBilled: 2000,
  slotMs: undefined,
  cacheHit: false,
  jobId: undefined,
};
const paid = await buildDocument({ rows: ['{"x":1}'], truncated: false, cost }, runTime(7));
const row = JSON.stringify({ x: 'some text that repeats itself' });
const large = await buildDocument(
  { rows: Array.from({ length: 1_000 }, () => row), truncated: false },
  runTime(7),
);
const empty = await buildDocument({ rows: [], truncated: false }, runTime(7));

describe('a stored result', () => {
  test.each([
    ['small', small],
    ['large', large],
    ['empty', empty],
    ['with its cost', paid],
  ])('is read as it was written: %s', async (_, document) => {
    const text = encode(document);
    // When the run began, by a clock of this process, is for the reader to find.
    const { begunAt: _begunAt, ...stored } = document;
    expect(await decode(text)).toEqual({ ...stored, id: expect.any(Number) });
    expect(encode(document)).toBe(text);
    expect(text.length).toBeLessThanOrEqual(maxEntryLength(document.metadata.rowCount));
  });

  test('is compressed when that is worthwhile', () => {
    expect(Object.keys(small.encodings)).toEqual(['identity']);
    expect(Object.keys(large.encodings)).toEqual(['zstd', 'gzip', 'identity']);
    expect(encode(large).length).toBeLessThan(large.encodings.identity.byteLength / 10);
  });

  test('is written and read in steps of about a megabyte', async () => {
    const incompressible = Array.from({ length: 30 }, () =>
      JSON.stringify(randomBytes(500_000).toString('hex')),
    );
    const document = await buildDocument({ rows: incompressible, truncated: false }, runTime(7));
    const writing = encodeEntry(key, document, '1', crypto);
    let steps = 0;
    let entry: Buffer | undefined;
    for (let step = writing.next(); ; step = writing.next()) {
      steps += 1;
      if (step.done) {
        entry = step.value;
        break;
      }
    }
    expect(steps).toBeGreaterThan(2 * 15);
    const counted = vi.spyOn(turns, 'next');
    expect((await decodeEntry(key, entry ?? Buffer.of(), maxRows, crypto, turns))?.digest).toBe(
      document.digest,
    );
    expect(counted.mock.calls.length).toBeGreaterThan(2 * 15);
  });

  test('has a digest of its rows, whenever they were computed', async () => {
    const later = await buildDocument(
      { rows: ['{"x":"ü"}'], truncated: true },
      runTime(small.computedAt + 1),
    );
    expect(later.digest).toBe(small.digest);
    expect(paid.digest).not.toBe(small.digest);
  });

  test('is valid for its own key, its own secret, and so many rows only', async () => {
    const text = Buffer.from(encode(large));
    expect(await decodeEntry(`${key} `, text, maxRows, crypto, turns)).toBeUndefined();
    expect(await decodeEntry(key, text, maxRows - 1, crypto, turns)).toBeUndefined();
    expect(await decodeEntry(key, text, maxRows, buildCacheCrypto(undefined), turns)).toBeUndefined();
    expect(await decodeEntry(key, text, maxRows, buildCacheCrypto('another secret'), turns)).toBeUndefined();
  });

  test('is not valid with any one character changed', async () => {
    const text = encode(small);
    for (let at = 0; at < text.length; at += 1) {
      const other = text[at] === '1' ? '2' : '1';
      expect(await decode(text.slice(0, at) + other + text.slice(at + 1)), `character ${at}`).toBeUndefined();
    }
  });

  test('that was signed with a size that is not its own is not inflated beyond it', async () => {
    const bomb = zstdCompressSync(Buffer.alloc(200_000_000));
    const forged = (size: number) => ({
      ...large,
      encodings: { ...large.encodings, zstd: bomb, identity: { byteLength: size } as Buffer },
    });
    const before = process.memoryUsage.rss();
    expect(await decode(encode(forged(1_000_000)))).toBeUndefined();
    expect(process.memoryUsage.rss() - before).toBeLessThan(100_000_000);
    // More than the rows of a result may take is not even written.
    expect(encode(forged(500_000_000))).toBe('');
  });

  const text = encode(large, '3');
  const [head = '', body = ''] = text.split('\n');
  test.each([
    ['nothing', ''],
    ['text', 'hello'],
    ['JSON', '{"value":1}'],
    ["Keyv's own form", JSON.stringify({ value: text, expires: null })],
    ['another version', text.replace('querygate/2', 'querygate/1')],
    ['a head that is not JSON', `querygate/2 3 ${'A'.repeat(43)} {x\n${body}`],
    ['a head without lengths', `querygate/2 3 ${'A'.repeat(43)} {"computedAt":1}\n${body}`],
    ['a body that is cut', text.slice(0, -40)],
    ['a body that is too long', `${text}AAAA`],
    ['a body of other rows', `${head}\n${Buffer.from('{"result":[]}').toString('base64')}`],
    ['a changed byte', text.replace(/.{8}$/, 'AAAAAAA=')],
    ['no body', head],
    ['a length below zero', text.replace(/"zstd":\d+/, '"zstd":-1')],
    ['a later fencing token', text.replace(' 3 ', ' 4 ')],
  ])('%s is not a stored result', async (_, foreign) => {
    expect(await decode(foreign)).toBeUndefined();
  });

  test.each([
    ['no time', { computedAt: Number.NaN }],
    ['no digest', { digest: undefined }],
  ])('that was signed with %s is not a stored result', async (_, change) => {
    expect(await decode(encode({ ...small, ...change } as unknown as ResultDocument))).toBeUndefined();
  });
});
