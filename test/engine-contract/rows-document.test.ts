import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  DocumentRows,
  documentTexts,
  rowCountOf,
  rowTexts,
} from '../../src/engine-contract/rows-document.ts';
import { buildDocument } from '../../src/results/result-document.ts';
import { runTime } from '../support/run-time.ts';

const rows = fc.array(
  fc
    .record({ text: fc.string({ unit: 'grapheme' }), list: fc.array(fc.jsonValue({ maxDepth: 2 })) })
    .map((row) => JSON.stringify(row)),
  { maxLength: 30 },
);

/** Cuts bytes into pieces of some lengths, again and again. */
function cut(bytes: Buffer, lengths: readonly number[]): readonly Buffer[] {
  const parts: Buffer[] = [];
  for (let at = 0, turn = 0; at < bytes.byteLength; turn += 1) {
    const length = lengths[turn % lengths.length] ?? 1;
    parts.push(bytes.subarray(at, at + length));
    at += length;
  }
  return parts;
}

test('rows that are bytes, however they are cut, are the same result as rows that are texts', async () => {
  const lengths = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(rows, fc.integer({ min: 1, max: 200 }), lengths, async (texts, length, pieces) => {
      const bytes = Buffer.from([...documentTexts(texts, length)].join(''));
      const received = new DocumentRows({ parts: cut(bytes, pieces), rowCount: texts.length }, false);
      const expected = await buildDocument({ rows: texts, truncated: false }, runTime(0));
      const document = await buildDocument(received, runTime(0));
      expect(document.digest).toBe(expected.digest);
      expect(document.encodings.identity.equals(expected.encodings.identity)).toBe(true);
      expect(document.metadata).toEqual(expected.metadata);
      expect([received.rows, rowCountOf(received)]).toEqual([texts, texts.length]);
    }),
  );
});

test('bytes that are not a document are refused', () => {
  expect(() => [...rowTexts(Buffer.from('{"other":[]}'), 0)]).toThrow(TypeError);
});
