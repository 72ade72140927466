import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runSteps } from '../../src/concurrency/run-steps.ts';
import { columnShapes } from '../../src/formats/column-shapes.ts';
import { convertRows } from '../../src/formats/convert-rows.ts';
import { type Format, formats } from '../../src/formats/format.ts';
import { writeParquet } from '../../src/formats/parquet.ts';
import type { Rows } from '../../src/formats/rows.ts';
import type { Shape } from '../../src/formats/shape.ts';
import { type ReadRow, readArrow, readCsv, readParquet } from '../support/read-formats.ts';

const columns = [
  { name: 'record', type: 'record', repeated: false },
  { name: 'records', type: 'record', repeated: true },
  { name: 'text', type: 'string', repeated: false },
] as const;

const leaf = fc.oneof(
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.string({ unit: 'grapheme' }),
  fc.boolean(),
  fc.constant(null),
);

// Not `__proto__`: Apache Arrow for JavaScript cannot read a field of that name.
const names = fc.constantFrom('a', 'b', 'c d', 'é', 'constructor', 'B', "it's", 'q"q');

const objectOf = (member: fc.Arbitrary<unknown>) =>
  fc.array(fc.tuple(names, member), { maxLength: 4 }).map((members) => Object.fromEntries(members));

const { value } = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 4 }, leaf, fc.array(tie('value'), { maxLength: 3 }), objectOf(tie('value'))),
}));

const row = fc.record(
  {
    record: objectOf(value),
    records: fc.array(objectOf(value), { maxLength: 3 }),
    text: fc.string({ unit: 'binary' }).filter((text) => text.isWellFormed() && !text.includes('\0')),
  },
  { requiredKeys: ['records'] },
);

test('any rows are the same in Arrow, Parquet and CSV as in JSON', async () => {
  const property = fc.asyncProperty(fc.array(row, { maxLength: 6 }), async (given) => {
    const identity = Buffer.from(`{"result":[${given.map((one) => JSON.stringify(one)).join(',')}]}`);
    const { result } = JSON.parse(identity.toString()) as { result: ReadRow[] };
    const rows: Rows = { identity, columns };
    const shapes = shapesOf(rows);
    const expectSame = (read: readonly ReadRow[]) => {
      expect(read).toHaveLength(result.length);
      for (const [at, expected] of result.entries()) {
        for (const [place, { name }] of columns.entries()) {
          const found = read[at]?.[name];
          expect(isSame(shapes[place], expected[name], found), JSON.stringify([expected[name], found])).toBe(
            true,
          );
        }
      }
    };
    expectSame(readArrow(convert(formats.arrow, rows), columns));
    expectSame(await readParquet(await writeParquet(rows, shapes), columns));
    const csv = await readCsv(convert(formats.csv, rows));
    expect(csv.map(({ text }) => text)).toEqual(result.map(({ text = null }) => text));
  });
  await fc.assert(property, { numRuns: 30 });
});

const shapesOf = (rows: Rows): readonly Shape[] => runSteps(columnShapes(rows));

function convert(format: Format, rows: Rows): Buffer {
  const parts = [...convertRows(format, rows, undefined)];
  return Buffer.concat(parts.flatMap((part) => (part === undefined ? [] : [Buffer.from(part as string)])));
}

/** Formats with types have NULL where JSON has no member, and JSON text where there is no type. */
function isSame(shape: Shape | undefined, expected: unknown, found: unknown): boolean {
  if (expected === null || expected === undefined) return found === null || found === undefined;
  if (shape?.kind === 'list') {
    const items = expected as readonly unknown[];
    return (
      Array.isArray(found) &&
      found.length === items.length &&
      items.every((item, at) => isSame(shape.element, item, found[at]))
    );
  }
  if (shape?.kind === 'struct') {
    const memberOf = (object: unknown, name: string) =>
      Object.hasOwn(object as object, name) ? (object as ReadRow)[name] : undefined;
    return shape.fields.every(({ name, shape: inner }) =>
      isSame(inner, memberOf(expected, name), memberOf(found, name)),
    );
  }
  if (shape?.kind !== 'json') return expected === found;
  // A reader may have parsed it.
  const parsed = typeof found === 'string' && found !== expected ? JSON.parse(found) : found;
  return JSON.stringify(parsed) === JSON.stringify(expected);
}
