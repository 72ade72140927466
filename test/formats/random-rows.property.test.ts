import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runSteps } from '../../src/concurrency/loop-turns.ts';
import type { ResultColumn } from '../../src/catalog/model/header-types.ts';
import { columnShapes } from '../../src/formats/column-shapes.ts';
import { arrow } from '../../src/formats/arrow.ts';
import { csv as csvRenderer } from '../../src/formats/csv.ts';
import { ndjson } from '../../src/formats/ndjson.ts';
import { writeParquet } from '../../src/formats/parquet/write-parquet.ts';
import type { Renderer } from '../../src/formats/renderer.ts';
import { draftQuery } from '../support/queries.ts';
import { convertFile } from '../../src/formats/parquet/convert-file.ts';
import type { Rows } from '../../src/formats/rows.ts';
import type { Shape } from '../../src/formats/shape.ts';
import { type Columns, type ReadRow, readArrow, readCsv, readParquet } from '../support/read-formats.ts';

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

/** Of members of JSON, which may also have names that no field has. */
const anyNames = fc.oneof({ weight: 8, arbitrary: names }, fc.constantFrom('', 'n\0l'));

const objectOf = (member: fc.Arbitrary<unknown>) =>
  fc.array(fc.tuple(anyNames, member), { maxLength: 4 }).map((members) => Object.fromEntries(members));

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
    expectSame(readArrow(convert(arrow, rows), columns));
    expectSame(await readParquet(await writeParquet(rows, shapes, convertFile), columns));
    const csv = await readCsv(convert(csvRenderer, rows));
    expect(csv.map(({ text }) => text)).toEqual(result.map(({ text = null }) => text));
  });
  await fc.assert(property, { numRuns: 30 });
});

const fieldTypes = ['string', 'integer', 'float', 'boolean', 'numeric', 'json', 'record'] as const;

/** A declared field, and what its cells may be. */
interface Declared {
  readonly field: ResultColumn;
  readonly cell: fc.Arbitrary<unknown>;
}

const cells = {
  string: fc.string({ unit: 'grapheme' }),
  integer: fc.maxSafeInteger(),
  float: fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.constant(null)),
  boolean: fc.boolean(),
  numeric: fc.constantFrom('0', '-0.000000001', '99999999999999999999999999999.999999999', '1.5'),
  json: value,
};

const nullable = (cell: fc.Arbitrary<unknown>) => fc.option(cell, { nil: null, freq: 5 });

function declaredFields(depth: number): fc.Arbitrary<readonly Declared[]> {
  const one = fc
    .tuple(names, fc.constantFrom(...fieldTypes.slice(0, depth > 0 ? undefined : -1)), fc.boolean())
    .chain(([name, type, repeated]): fc.Arbitrary<Declared> => {
      const inner = type === 'record' ? declaredFields(depth - 1) : fc.constant([]);
      return inner.map((fields) => {
        const item = type === 'record' ? recordOf(fields) : cells[type];
        const cell = repeated ? fc.array(nullable(item), { maxLength: 3 }) : nullable(item);
        const field = { name, type, repeated };
        if (type !== 'record') return { field, cell };
        return { field: { ...field, fields: fields.map((declared) => declared.field) }, cell };
      });
    });
  return fc.uniqueArray(one, {
    minLength: 1,
    maxLength: 4,
    selector: ({ field }) => field.name.toLowerCase(),
  });
}

/** Some records lack members. */
const recordOf = (fields: readonly Declared[]): fc.Arbitrary<object> =>
  fc
    .tuple(
      ...fields.map(({ field, cell }) =>
        fc.tuple(fc.constant(field.name), fc.option(cell, { nil: undefined, freq: 9 })),
      ),
    )
    .map((members) => Object.fromEntries(members.filter(([, cell]) => cell !== undefined)));

test('rows of declared records are the same in Arrow, Parquet and NDJSON as in JSON', async () => {
  // The reader writes the names of columns into its SQL as they are.
  const named = declaredFields(3).map((fields) =>
    fields.map(({ field, cell }, at) => ({ field: { ...field, name: `c${at}` }, cell })),
  );
  const scenario = named.chain((fields) =>
    fc.record({
      columns: fc.constant(fields.map(({ field }) => field)),
      given: fc.array(recordOf(fields), { maxLength: 5 }),
    }),
  );
  const property = fc.asyncProperty(scenario, async ({ columns: declared, given }) => {
    const identity = Buffer.from(`{"result":[${given.map((one) => JSON.stringify(one)).join(',')}]}`);
    const { result } = JSON.parse(identity.toString()) as { result: ReadRow[] };
    const rows: Rows = { identity, columns: declared };
    const shapes = shapesOf(rows);
    const read = [
      readArrow(convert(arrow, rows), declared as Columns),
      await readParquet(await writeParquet(rows, shapes, convertFile), declared as Columns),
    ];
    for (const found of read) {
      expect(found).toHaveLength(result.length);
      for (const [at, expected] of result.entries())
        for (const [place, { name }] of declared.entries())
          expect(
            isSame(shapes[place], Object.hasOwn(expected, name) ? expected[name] : null, found[at]?.[name]),
            JSON.stringify([name, expected, found[at]], (_, one) =>
              typeof one === 'bigint' ? `${one}` : one,
            ),
          ).toBe(true);
    }
    const lines = convert(ndjson, rows).toString().split('\n').slice(0, -1);
    expect(lines.map((line) => JSON.parse(line))).toEqual(result);
  });
  await fc.assert(property, { numRuns: 30 });
});

const query = draftQuery({ columns: { a: 'integer' }, sql: 'select 1 as a' });

const shapesOf = (rows: Rows): readonly Shape[] => runSteps(columnShapes(rows));

function convert(renderer: Renderer, rows: Rows): Buffer {
  const parts = [...Iterator.from(renderer.parts?.(rows, query) ?? [])];
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
