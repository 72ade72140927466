import { describe, expect, test } from 'vitest';
import { compareRows, resultRow } from '../../src/test/compare-rows.ts';
import { rowText } from '../../src/test/print-outcomes.ts';
import { column } from '../../../../test/support/column.ts';

const columns = [
  column('at', 'timestamp'),
  column('name', 'string'),
  column('n', 'float'),
  column('meta', 'record', true),
  column('count', 'integer'),
  {
    ...column('sums', 'record'),
    fields: [column('part', 'float', true), column('whole', 'integer'), column('at', 'timestamp')],
  },
  column('extra', 'json'),
];

const micros = (iso: string) => Date.parse(iso) * 1000;
const row = (values: object) => resultRow(JSON.stringify(values), columns);
const kinds = (comparison: ReturnType<typeof compareRows>) =>
  comparison.differences.map(({ kind, at }) => `${kind} ${at}`);

describe('one row', () => {
  test.each([
    [
      'timestamps as ISO 8601',
      { at: micros('2026-01-31T12:00:00.5Z') },
      { at: '2026-01-31T13:00:00.5+01:00' },
    ],
    ['timestamps as microseconds', { at: 5 }, { at: 5 }],
    [
      'timestamps in records as ISO 8601',
      { sums: { at: micros('2026-01-31T12:00:00Z') } },
      { sums: { at: '2026-01-31 12:00:00Z', whole: null } },
    ],
    ['NULL is left out or null', {}, { name: null }],
    ['a NULL array is empty', {}, { meta: [] }],
    ['fields of records that are null', { meta: [{ a: 1, b: null }] }, { meta: [{ a: 1 }] }],
    ['the last digit of a float', { n: 0.1 + 0.2 }, { n: 0.3 }],
    ['a float beside a whole number', { n: 0.9999999999999999 }, { n: 1 }],
    ['a whole number beside a float', { n: 1 }, { n: 0.9999999999999999 }],
    ['a float of twelve digits', { n: 0.333_333_333_333_333_3 }, { n: 0.333_333_333_333 }],
    ['the last digits of large floats', { n: 1e20 }, { n: 1.0000000000000002e20 }],
    [
      'floats in a record',
      { sums: { part: [0.1 + 0.2, 1], whole: 1 } },
      { sums: { part: [0.3, 1], whole: 1 } },
    ],
    [
      'floats in records whose fields are not known',
      { meta: [{ a: [0.1 + 0.2] }] },
      { meta: [{ a: [0.3] }] },
    ],
  ])('equal: %s', (_, actual, expected) => {
    expect(compareRows([row(actual)], { rows: [expected] }, columns).differences).toEqual([]);
  });

  test.each([
    ['a column more', { name: 'a', n: 1 }, { name: 'a' }],
    ['a column less', { name: 'a' }, { name: 'a', n: 1 }],
    ['text and number', { name: '1' }, { name: 1 }],
    ['another integer', { n: 1_000_000_001 }, { n: 1_000_000_000 }],
    ['another cent', { n: 123_456_789.12 }, { n: 123_456_789.13 }],
    ['the twelfth digit of a float', { n: 1.000_000_000_03 }, { n: 1.000_000_000_02 }],
    ['another second in milliseconds', { n: 1_772_539_201_000.5 }, { n: 1_772_539_200_000.5 }],
    ['a fraction of an integer', { count: 1 }, { count: 1.0000000001 }],
    ['a fraction of an integer in a record', { sums: { whole: 1 } }, { sums: { whole: 1.0000000001 } }],
    ['another float in a record', { sums: { part: [0.3] } }, { sums: { part: [0.31] } }],
    ['a shorter list', { sums: { part: [0.3] } }, { sums: { part: [0.3, 0.3] } }],
    ['a field more', { meta: [{ a: 1 }] }, { meta: [{ a: 1, b: 2 }] }],
    ['a list and a record', { meta: [[1]] }, { meta: [{ 0: 1 }] }],
    ['a microsecond', { at: 1 }, { at: 2 }],
    ['null in JSON, and none', { extra: { n: null } }, { extra: {} }],
  ])('different: %s', (_, actual, expected) => {
    expect(compareRows([row(actual)], { rows: [expected] }, columns).differences).toHaveLength(1);
  });
});

test.each([
  ['timestamp', '253402300799999999', '9999-12-31T23:59:59.999999Z', '9999-12-31T23:59:59.999998Z'],
  ['json', '9007199254740993', 9007199254740993n, 9007199254740992n],
  ['json', '90071992547409931', 90071992547409931n, 90071992547409932n],
  ['integer', '-9007199254740993', -9007199254740993n, -9007199254740992n],
  ['numeric', '"20000000000000000"', 20000000000000000n, 20000000000000001n],
] as const)('each digit of a %s counts: %s', (type, text, equal, other) => {
  const named = [column('n', type)];
  const actual = [resultRow(`{"n":${text}}`, named)];
  const differences = (n: unknown) => compareRows(actual, { rows: [{ n }] }, named).differences;
  expect(differences(equal)).toEqual([]);
  expect(differences(other)).not.toEqual([]);
  const written = rowText(actual[0] ?? {}, named);
  expect(written).toBe(`{ n: ${type === 'timestamp' ? equal : text} }`);
});

test.each([
  ['1.1', '1.10'],
  ['-0.5', '-.50'],
  ['1500', '1.5e3'],
  ['0.000000015', '1.5e-8'],
  ['-12345678901234567890123.5', '-1234567890123456789012.35E1'],
  ['1000000000000000000000000', '1e24'],
  ['0.25', '.0025e+2'],
  ['0', '0.00'],
  ['0', '-0E-9'],
  ['100', '0100.'],
])('a decimal is equal to itself in another spelling: %s, %s', (text, expected) => {
  const named = [column('n', 'numeric')];
  const actual = [resultRow(JSON.stringify({ n: text }), named)];
  const differences = (n: unknown) => compareRows(actual, { rows: [{ n }] }, named).differences;
  expect(differences(expected)).toEqual([]);
  expect(differences(`${text}1`)).not.toEqual([]);
});

test('a moment of no year from 1 to 9999 is shown as a number', () => {
  const micros = 10n ** 20n;
  expect(rowText({ at: micros }, columns)).toBe(`{ at: ${micros} }`);
});

describe('arrays of undefined order', () => {
  const compare = (actual: object, expected: object, path = '*') => {
    const unordered = columns.map((one) => ({
      ...one,
      ...(one.name === 'meta' && { unordered: new Set([path]) }),
    }));
    return compareRows([row(actual)], { rows: [{ ...expected }] }, unordered).differences.length;
  };

  test('are equal in any order, at any depth, and each element counts', () => {
    expect(compare({ meta: [{ a: [2, 1] }, { a: null, b: 3 }] }, { meta: [{ b: 3 }, { a: [1, 2] }] })).toBe(
      0,
    );
    expect(compare({ meta: [{ a: 1 }, { a: 1 }] }, { meta: [{ a: 1 }] })).toBe(1);
    expect(compare({ meta: [{ a: 1 }, { a: 2 }] }, { meta: [{ a: 1 }, { a: 1 }] })).toBe(1);
  });

  test('are equal at their paths only', () => {
    const meta = (...lists: readonly (readonly number[])[]) => ({ meta: lists.map((A) => ({ A })) });
    expect(compare(meta([1, 2], [3]), meta([3], [1, 2]), '')).toBe(0);
    expect(compare(meta([1, 2], [3]), meta([2, 1], [3]), '')).toBe(1);
    expect(compare(meta([1, 2], [3]), meta([2, 1], [3]), 'a')).toBe(0);
    expect(compare(meta([1, 2], [3]), meta([3], [1, 2]), 'a')).toBe(1);
    expect(compare(meta([1, 2], [3]), meta([2, 1], [3]), '.*')).toBe(0);
    expect(compare(meta([1, 2], [3]), meta([3], [1, 2]), '.*')).toBe(1);
  });
});

describe('several rows', () => {
  const rows = ['a', 'b', 'c', 'd'].map((name) => row({ name, n: 1 }));
  const named = (...names: readonly string[]) => names.map((name) => ({ name, n: 1 }));

  test('in order: a row more, a row less, a changed one', () => {
    expect(kinds(compareRows(rows, { rows: named('a', 'c', 'd') }, columns))).toEqual(['unexpected 1']);
    expect(kinds(compareRows(rows, { rows: named('a', 'b', 'x', 'c', 'd') }, columns))).toEqual([
      'missing 2',
    ]);
    const changed = compareRows(
      rows,
      { rows: [...named('a'), { name: 'b', n: 2 }, ...named('c', 'd')] },
      columns,
    );
    expect(changed.differences).toMatchObject([{ kind: 'changed', at: 1, columns: ['n'] }]);
  });

  test('another order is said so, unless any order is expected', () => {
    const expected = named('b', 'a', 'd', 'c');
    expect(compareRows(rows, { rows: expected }, columns).isOnlyOrder).toBe(true);
    expect(compareRows(rows, { rows: expected, order: 'any' }, columns).differences).toEqual([]);
  });

  test('in any order, rows that occur twice are counted', () => {
    const twice = [...rows, row({ name: 'a', n: 1 })];
    expect(
      kinds(compareRows(twice, { rows: named('d', 'c', 'b', 'a'), order: 'any' }, columns)),
    ).toHaveLength(1);
  });

  test('a subset ignores other rows and columns', () => {
    const subset = { match: 'subset', rows: [{ name: 'b' }, { name: 'd' }] } as const;
    expect(compareRows(rows, subset, columns).differences).toEqual([]);
    const backwards = { match: 'subset', rows: [{ name: 'd' }, { name: 'b' }] } as const;
    expect(compareRows(rows, backwards, columns).isOnlyOrder).toBe(true);
    expect(compareRows(rows, { ...backwards, order: 'any' }, columns).differences).toEqual([]);
    expect(kinds(compareRows(rows, { match: 'subset', rows: [{ name: 'x' }] }, columns))).toEqual([
      'missing 0',
    ]);
  });

  test('a subset in any order gives each of its rows one of the result, if that can be done', () => {
    const subset = (...expected: readonly object[]) =>
      kinds(
        compareRows(
          rows,
          { match: 'subset', order: 'any', rows: expected.map((one) => ({ ...one })) },
          columns,
        ),
      );
    expect(subset({ n: 1 }, { n: 1 }, { name: 'a' }, { name: 'b', n: 1 })).toEqual([]);
    expect(subset({ n: 1 }, { n: 1 }, { name: 'a' }, { name: 'b' }, { name: 'b' })).toEqual(['missing 4']);
  });
});

test('any number of rows that are not expected are reported', () => {
  const one = row({ n: 1 });
  const actual = Array.from({ length: 130_000 }, () => one);
  expect(compareRows(actual, { rows: [] }, columns).differences).toHaveLength(actual.length);
});

test('of lists so long that each row with each other would take seconds, no two rows are one that has changed', () => {
  const rows = (count: number, n: number) =>
    Array.from({ length: count }, (_, at) => row({ name: `${at}`, n, at }));
  const count = (length: number) =>
    compareRows(rows(length, 2), { rows: rows(length, 1) }, columns).differences.length;
  expect(count(50)).toBe(50);
  expect(count(600)).toBe(1200);
});
