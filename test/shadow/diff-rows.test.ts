import { describe, expect, test } from 'vitest';
import type { Column } from '../../src/catalog/saved-query.ts';
import { runSteps } from '../../src/concurrency/run-steps.ts';
import { differingColumns, diffRows } from '../../src/shadow/diff-rows.ts';
import { compareColumns, hashRows } from '../../src/shadow/hash-rows.ts';
import { column } from '../support/column.ts';

const columns = [column('id', 'integer'), column('name', 'string'), column('mean', 'float')];

const hashed = (rows: readonly unknown[], declared: readonly Column[] = columns, truncated = false) =>
  runSteps(
    hashRows(
      rows.map((row) => (typeof row === 'string' ? row : JSON.stringify(row))),
      rows.length,
      truncated,
      compareColumns(declared, declared),
    ),
  );

const compare = (a: readonly unknown[], b: readonly unknown[], declared = columns, cut = [false, false]) => {
  const [rowsA, rowsB] = [hashed(a, declared, cut[0]), hashed(b, declared, cut[1])];
  const { onlyA, onlyB } = runSteps(diffRows(rowsA, rowsB));
  return { onlyA, onlyB, columns: differingColumns(rowsA, onlyA, rowsB, onlyB) };
};

const row = (id: number, more = {}) => ({ id, name: `row ${id}`, mean: id / 7, ...more });
const rows = (count: number) => Array.from({ length: count }, (_, at) => row(at));
const none = { onlyA: [], onlyB: [], columns: [] };

describe('rows of two results', () => {
  test('equal rows in another order are equal', () => {
    expect(compare(rows(1_000), rows(1_000).reverse())).toEqual(none);
  });

  test('one row of many differs in one column', () => {
    expect(compare(rows(100), rows(100).with(41, row(41, { name: 'other' })))).toEqual({
      onlyA: [41],
      onlyB: [41],
      columns: ['name'],
    });
  });

  test('a row that is missing, and one that is there twice', () => {
    expect(compare(rows(3), rows(2))).toEqual({ onlyA: [2], onlyB: [], columns: [] });
    expect(compare(rows(2), [...rows(2), row(1)])).toEqual({ onlyA: [], onlyB: [2], columns: [] });
  });

  test('NULL is not the empty text, and is equal to an absent column', () => {
    expect(compare([{ id: 1, name: '' }], [{ id: 1 }]).columns).toEqual(['name']);
    expect(compare([{ id: 1, name: null, mean: null }], [{ id: 1 }])).toEqual(none);
  });

  test('floating-point numbers may differ by one part in 10⁹', () => {
    const sum = (numbers: readonly number[]) => numbers.reduce((a, b) => a + b, 0);
    const numbers = Array.from({ length: 1_000 }, (_, at) => 1 / (at + 3));
    const [up, down] = [sum(numbers), sum(numbers.toReversed())];
    expect(up).not.toBe(down);
    expect(compare([row(1, { mean: up })], [row(1, { mean: down })])).toEqual(none);
    expect(compare([row(1, { mean: 1 })], [row(1, { mean: 1 + 1e-8 })]).columns).toEqual(['mean']);
    expect(compare([row(1, { mean: 0 })], [row(1, { mean: -0 })])).toEqual(none);
    expect(compare([row(1, { mean: 'NaN' })], [row(1, { mean: 'NaN' })])).toEqual(none);
    expect(compare([row(1, { mean: 'NaN' })], [row(1, { mean: null })]).columns).toEqual(['mean']);
    expect(compare([row(1, { mean: 'NaN' })], [row(1, { mean: 'Infinity' })]).columns).toEqual(['mean']);
  });

  test('rows that differ only in floating-point numbers are paired, also when noise changes their order', () => {
    const declared = [column('a', 'float'), column('b', 'float')];
    const pair = (noise: number, at: number) => ({ a: 1 + noise, b: at });
    const left = Array.from({ length: 200 }, (_, at) => pair(at % 2 === 0 ? 1e-12 : 0, at));
    const right = Array.from({ length: 200 }, (_, at) => pair(at % 2 === 0 ? 0 : 1e-12, at));
    expect(compare(left, right, declared)).toEqual(none);
    expect(compare(left, right.with(7, { a: 1, b: 7.5 }), declared).columns).toEqual(['b']);
  });

  test('integers beyond 2^53 in JSON are exact', () => {
    const declared = [column('data', 'json')];
    const text = (digits: string) => `{"data":{"n":${digits}}}`;
    expect(compare([text('9007199254740993')], [text('9007199254740992')], declared).columns).toEqual([
      'data',
    ]);
  });

  test('the fields of a record may have another order, the elements of an array not', () => {
    const declared = [column('r', 'record'), column('l', 'integer', true)];
    expect(compare([{ r: [{ a: 1, b: 2 }], l: [1] }], [{ r: [{ b: 2, a: 1 }], l: [1] }], declared)).toEqual(
      none,
    );
    expect(compare([{ r: [], l: [1, 2] }], [{ r: [], l: [2, 1] }], declared).columns).toEqual(['l']);
  });

  test('of results that were cut, as many rows are compared', () => {
    expect(compare(rows(10), rows(20), columns, [true, false])).toEqual(none);
    expect(compare(rows(10), rows(20), columns, [false, true]).onlyB).toHaveLength(10);
    expect(compare(rows(10), rows(20).with(3, row(99)), columns, [true, true]).onlyB).toEqual([3]);
  });

  test('values that are in other rows', () => {
    const swapped = [row(0, { name: 'row 1' }), row(1, { name: 'row 0' })];
    expect(compare(rows(2), swapped)).toEqual({ onlyA: [0, 1], onlyB: [0, 1], columns: ['name'] });
  });
});

test('columns are compared if both versions declare them with the same type', () => {
  const newer = [
    column('id', 'integer'),
    column('name', 'integer'),
    column('mean', 'float'),
    column('x', 'date'),
  ];
  expect(compareColumns(columns, newer)).toEqual({ exact: ['id'], floats: ['mean'], others: ['name', 'x'] });
});

test('100,000 rows of 20 columns are hashed and compared in many small steps', () => {
  const wide = Array.from({ length: 20 }, (_, at) => column(`c${at}`, at % 5 === 0 ? 'float' : 'integer'));
  const texts = Array.from({ length: 100_000 }, (_, at) =>
    JSON.stringify(Object.fromEntries(wide.map(({ name }, place) => [name, at * place]))),
  );
  const declared = compareColumns(wide, wide);
  let count = 0;
  const counted = function* <T>(steps: Generator<void, T>): Generator<void, T> {
    for (;;) {
      const step = steps.next();
      if (step.done) return step.value;
      count += 1;
      yield;
    }
  };
  const a = runSteps(counted(hashRows(texts, texts.length, false, declared)));
  // At most 50,000 characters and one row in a step.
  expect(count).toBeGreaterThan(texts.join('').length / 51_000);
  const b = runSteps(hashRows(texts.toReversed(), texts.length, false, declared));
  expect(a.hashes.byteLength + a.floats.byteLength).toBeLessThan(12_000_000);
  count = 0;
  expect(runSteps(counted(diffRows(a, b)))).toEqual({ onlyA: [], onlyB: [] });
  // At most 5,000 rows in a step: both results are grouped, and the groups are compared.
  expect(count).toBeGreaterThanOrEqual(3 * (texts.length / 5_000));
});
