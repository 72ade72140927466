import { describe, expect, test } from 'vitest';
import type { Column } from '../../../src/catalog/model/saved-query.ts';
import { runSteps } from '../../../src/concurrency/loop-turns.ts';
import { diffRows } from '../../../src/plugins/shadow/diff-rows.ts';
import { differingColumns } from '../../../src/plugins/shadow/differing-columns.ts';
import { compareColumns, hashRows } from '../../../src/plugins/shadow/hash-rows.ts';
import { column } from '../../support/column.ts';

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
  return { onlyA, onlyB, columns: runSteps(differingColumns(rowsA, onlyA, rowsB, onlyB)) };
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

  test('noise in a number that many rows share makes no difference', () => {
    const declared = [column('a', 'float'), column('b', 'float')];
    const noisy = (a: number, factor: number) =>
      Array.from({ length: 5_000 }, (_, at) => ({ a: a * (1 + factor * (at % 3)), b: at / 3 }));
    // The second one is halfway between two numbers of 31 bits.
    for (const a of [1 / 3, 2 ** 31 + 1, 1e-310]) {
      expect(compare(noisy(a, 0), noisy(a, 4e-16).reverse(), declared)).toEqual(none);
    }
    expect(compare(noisy(1 / 3, 0), noisy(1 / 3, 4e-10), declared)).toEqual(none);
    expect(compare(noisy(1 / 3, 0), noisy(1 / 3, 1e-8), declared).columns).toEqual(['a']);
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

  test('rows that a cut result has may be any of the other one', () => {
    expect(compare(rows(10), rows(10).slice(7).reverse(), columns, [false, true])).toEqual(none);
    expect(compare(rows(3).with(1, row(99)), rows(10), columns, [true, false])).toMatchObject({
      onlyA: [1],
      onlyB: [1],
    });
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

/** Does all steps of some work. @returns how many there were, and the result */
function countSteps<T>(steps: Generator<void, T>): { readonly count: number; readonly result: T } {
  for (let count = 0; ; count += 1) {
    const step = steps.next();
    if (step.done) return { count, result: step.value };
  }
}

test('rows that all differ are compared in many small steps', () => {
  const declared = [column('k', 'string'), column('f', 'float')];
  const numbers = (more: number) =>
    Array.from({ length: 20_000 }, (_, at) => ({ k: `k${at % 20}`, f: at + more }));
  const [a, b] = [hashed(numbers(0), declared), hashed(numbers(0.5), declared)];
  const { count, result } = countSteps(diffRows(a, b));
  // In each of 20 groups a million pairs of rows, 50,000 in a step.
  expect(count).toBeGreaterThanOrEqual(20 * 20);
  expect(result.onlyA).toHaveLength(20_000);
  const columns = countSteps(differingColumns(a, result.onlyA, b, result.onlyB));
  expect(columns.result).toEqual(['f']);
  // All cells of the first column on both sides, and those of one side of the second one, 5,000 in a step.
  expect(columns.count).toBeGreaterThanOrEqual(12);
});

test('20,000 rows of 20 columns are hashed and compared in many small steps', () => {
  const wide = Array.from({ length: 20 }, (_, at) => column(`c${at}`, at % 5 === 0 ? 'float' : 'integer'));
  const texts = Array.from({ length: 20_000 }, (_, at) =>
    JSON.stringify(Object.fromEntries(wide.map(({ name }, place) => [name, at * place]))),
  );
  const declared = compareColumns(wide, wide);
  const { count: hashSteps, result: a } = countSteps(hashRows(texts, texts.length, false, declared));
  // At most 50,000 characters and one row in a step.
  expect(hashSteps).toBeGreaterThan(texts.join('').length / 51_000);
  const b = runSteps(hashRows(texts.toReversed(), texts.length, false, declared));
  expect(a.hashes.byteLength + a.floats.byteLength).toBeLessThan(2_400_000);
  const { count: diffSteps, result } = countSteps(diffRows(a, b));
  expect(result).toEqual({ onlyA: [], onlyB: [] });
  // At most 5,000 rows in a step: both results are grouped, and the groups are compared.
  expect(diffSteps).toBeGreaterThanOrEqual(3 * (texts.length / 5_000));
});
