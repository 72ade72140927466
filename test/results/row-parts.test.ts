import fc from 'fast-check';
import { expect, test } from 'vitest';
import { buildDocument, parseRows } from '../../src/results/result-document.ts';
import { rowParts } from '../../src/results/row-parts.ts';
import { runTime } from '../support/run-time.ts';

const hardText = fc.constantFrom('},{"a":1', '"', '\\', '\\"', ']}', '{[', 'é', '😀', '\u2028');
const cell = fc.oneof(hardText, fc.string({ unit: 'binary' }), fc.jsonValue({ maxDepth: 3 }));
const row = fc.dictionary(fc.oneof(hardText, fc.string()), cell, { maxKeys: 4 });

test('the parts of a document are its rows in order, whatever they contain', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(row.map((value) => JSON.stringify(value)).filter((text) => text.isWellFormed())),
      fc.nat(200),
      async (rows, partBytes) => {
        const document = await buildDocument({ rows, truncated: false }, runTime(0));
        const parts = [...rowParts(document, partBytes)];
        expect(parts.flat()).toEqual(parseRows(document));
      },
    ),
  );
});

test('a document of many rows has many parts', async () => {
  const rows = Array.from({ length: 1_000 }, (_, at) => `{"x":${at},"text":"}],"}`);
  const document = await buildDocument({ rows, truncated: false }, runTime(0));
  expect([...rowParts(document, 1_000)].length).toBeGreaterThan(20);
});

test('a document of another form is not divided', async () => {
  const identity = Buffer.from(`{"rows":[${'{"x":1},'.repeat(10)}{}]}`);
  const document = await buildDocument({ rows: [], truncated: false }, runTime(0));
  expect(() => [...rowParts({ ...document, encodings: { identity } }, 10)]).toThrow(TypeError);
});
