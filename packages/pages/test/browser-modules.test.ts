import { describe, expect, test } from 'vitest';
import { axisLabel } from '../src/chart/chart.ts';
import { chartData, defaultChoice, knownChoice } from '../src/chart/chart-data.ts';
import { axisNumbers, valueNumber } from '../src/chart/number-text.ts';
import { drawable, rangeOfTime } from '../src/chart/plot.ts';
import type { Column } from '../src/endpoint.ts';
import { type JsonObject, jsonText, parseJson } from '../src/json.ts';
import { fromDateField, toDateField } from '../src/parameters/moments.ts';
import { searchOf, valuesOf } from '../src/parameters/values.ts';
import { sortRows } from '../src/result/order.ts';
import { timestampText } from '../src/timestamp.ts';
import { cacheText, cachingText, costText, rowsText } from '../src/words.ts';
import { hashOf, viewOf } from '../src/view.ts';

const column = (name: string, type: string, more: Partial<Column> = {}): Column => ({
  name,
  type,
  repeated: false,
  unit: undefined,
  required: false,
  description: '',
  ...more,
});

describe('values', () => {
  test('integers beyond 2^53 keep their digits, also inside of records', () => {
    const text = '{"a":9007199254740993,"b":[-12345678901234567890],"c":1.5e300,"d":0.1234567890123456789}';
    const value = parseJson(text) as JsonObject;
    expect(value).toEqual({
      a: 9007199254740993n,
      b: [-12345678901234567890n],
      c: 1.5e300,
      d: 0.12345678901234568,
    });
    expect(jsonText(value)).toContain('"a": 9007199254740993,\n');
  });

  test.each([
    [0, '1970-01-01 00:00:00'],
    [-1, '1969-12-31 23:59:59.999999'],
    [1767225600000000, '2026-01-01 00:00:00'],
    [1767225600123400, '2026-01-01 00:00:00.1234'],
    [253402300799999999n, '9999-12-31 23:59:59.999999'],
    [10n ** 30n, '1000000000000000000000000000000'],
  ])('the timestamp %s is %s', (micros, text) => {
    expect(timestampText(micros)).toBe(text);
  });

  test.each([
    ['2026-01-02T03:04:05Z', '2026-01-02T03:04:05'],
    ['2026-01-02T03:04:05+02:00', '2026-01-02T01:04:05'],
    ['2026-01-02 03:04', '2026-01-02T03:04'],
    ['2026-01-02T03:04:05.678Z', '2026-01-02T03:04:05.678'],
    ['2026-01-02T03:04:05.678901Z', undefined],
    ['-1d', undefined],
    ['2026-13-45T99:99:99Z', undefined],
  ])('the moment %s is %s in a date field', (text, value) => {
    expect(toDateField(text)).toBe(value);
  });

  test('a date field gives seconds, and UTC for a moment', () => {
    expect(fromDateField('2026-01-02T03:04', true)).toBe('2026-01-02T03:04:00Z');
    expect(fromDateField('2026-01-02T03:04:05.5', true)).toBe('2026-01-02T03:04:05.5Z');
    expect(fromDateField('2026-01-02T03:04', false)).toBe('2026-01-02T03:04:00');
    expect(fromDateField('', true)).toBe('');
  });
});

describe('sorting', () => {
  const sorted = (type: string, values: readonly unknown[], descending = false) =>
    sortRows(
      values.map((value) => (value === undefined ? {} : { x: value }) as JsonObject),
      column('x', type),
      descending,
    ).map((row) => row.x);

  test('is by the type of the column, with NULLs last in both directions', () => {
    expect(sorted('integer', [10, 9, undefined, 9007199254740993n, 9007199254740992])).toEqual([
      ...[9, 10, 9007199254740992, 9007199254740993n, undefined],
    ]);
    expect(sorted('integer', [1, undefined, 2], true)).toEqual([2, 1, undefined]);
    expect(sorted('numeric', ['10', '-2.5', '9.99', '123456789012345678901.1', '-3'])).toEqual([
      ...['-3', '-2.5', '9.99', '10', '123456789012345678901.1'],
    ]);
    expect(sorted('string', ['b', 'ä', 'a', 'Z'])).toEqual(['a', 'ä', 'b', 'Z']);
    expect(sorted('boolean', [true, false])).toEqual([false, true]);
  });
});

describe('charts', () => {
  const hour = 3_600_000_000;
  const columns = [
    column('t', 'timestamp'),
    column('level', 'string'),
    column('n', 'integer'),
    column('ms', 'float', { unit: 'ms' }),
  ];
  const row = (hours: number, more: object) => ({ t: hours * hour, ...more }) as JsonObject;

  test('show the buckets without rows', () => {
    const rows = [row(5, { n: 5 }), row(0, { n: 1 }), row(1, { n: 2 })];
    const { times, series, empty, buckets } = chartData(rows, columns, { values: ['n'], split: undefined });
    expect(times).toEqual([0, 1, 2, 3, 4, 5].map((hours) => hours * 3600));
    expect(series).toEqual([{ name: 'n', column: 'n', unit: '', points: [1, 2, null, null, null, 5] }]);
    expect(empty).toEqual([2, 3, 4].map((hours) => ({ time: hours * 3600, width: 3600 })));
    expect(buckets).toBe(6);
  });

  test('know months, and times that are no buckets', () => {
    const months = ['2026-01-01', '2026-02-01', '2026-05-01'].map((t) => ({ t, n: 1 }));
    const byMonth = chartData(months, [column('t', 'date'), column('n', 'integer')], {
      values: ['n'],
      split: undefined,
    });
    expect(byMonth.empty.map(({ time }) => new Date(time * 1000).toISOString().slice(0, 10))).toEqual([
      ...['2026-03-01', '2026-04-01'],
    ]);
    const emptyOf = (...days: string[]) =>
      chartData(
        days.map((t) => ({ t, n: 1 })),
        [column('t', 'date'), column('n', 'integer')],
        { values: ['n'], split: undefined },
      ).empty.map(({ time, width }) => [new Date(time * 1000).toISOString().slice(0, 10), width / 86_400]);
    expect(emptyOf('2025-10-01', '2026-01-01', '2026-04-01')).toEqual([]);
    expect(emptyOf('2025-01-01', '2025-04-01', '2026-01-01')).toEqual([
      ['2025-07-01', 92],
      ['2025-10-01', 92],
    ]);
    expect(emptyOf('2020-01-01', '2022-01-01', '2023-01-01')).toEqual([['2021-01-01', 365]]);
    expect(emptyOf('2025-01-01', '2025-03-01', '2025-06-01')).toEqual([]);
    const moments = [0, 1.5, 2.25, 1000.1].map((hours) => row(hours, { n: 1 }));
    expect(chartData(moments, columns, { values: ['n'], split: undefined })).toMatchObject({
      empty: [],
      buckets: 4,
    });
    const single = chartData([row(1, { n: 1 })], columns, { values: ['n'], split: undefined });
    expect(single).toMatchObject({ times: [3600], empty: [] });
  });

  test('of an older address show what is left of its columns', () => {
    expect(knownChoice({ values: ['gone', 'n'], split: 'gone' }, columns)).toEqual({
      values: ['n'],
      split: undefined,
    });
    expect(knownChoice({ values: ['n'], split: 'level' }, columns)).toEqual({
      values: ['n'],
      split: 'level',
    });
    expect(knownChoice({ values: ['gone'], split: 'level' }, columns)).toBeUndefined();
    expect(knownChoice(undefined, columns)).toBeUndefined();
  });

  test('of one row show hours around it, and no number that cannot be drawn', () => {
    expect(rangeOfTime([7200], 7200, 90_000_000)).toEqual([3600, 10_800]);
    expect(rangeOfTime([0, 60], 0, 60)).toEqual([0, 60]);
    expect([null, 0, -5, 1.7e308, -1.7e308].map(drawable)).toEqual([null, 0, -5, 8e307, -8e307]);
  });

  test('write numbers of all sizes in few characters', () => {
    const one = (value: number) => axisNumbers([value])[0];
    expect([0, 1234, -5e6, 1e300, 2.5e-9].map(one)).toEqual(['0', '1.234K', '-5M', '1E300', '2.5E-9']);
    // What is left of a sum of fractions.
    expect(axisNumbers([-1e307, 1.4844e291, 1e307])).toEqual(['-1E307', '0', '1E307']);
    expect(axisNumbers([-0.1, -2.7e-17, 0.1])).toEqual(['-0.1', '0', '0.1']);
    expect([0, 1234567, 0.5, -1.7e308, 1e-9, 9007199254740991].map(valueNumber)).toEqual([
      ...['0', '1,234,567', '0.5', '-1.7E308', '1E-9', '9,007,199,254,740,991'],
    ]);
  });

  test('split by a column, and say what they leave out', () => {
    const rows = [
      row(0, { level: 'a', n: 1 }),
      row(0, { level: 'b', n: 2 }),
      row(1, { level: 'a', n: null }),
      row(1, { n: 4 }),
    ];
    expect(defaultChoice(rows, columns)).toEqual({ values: ['n'], split: 'level' });
    expect(chartData(rows, columns, { values: ['n'], split: 'level' }).series).toEqual([
      { name: 'a', column: 'n', unit: '', points: [1, null] },
      { name: 'b', column: 'n', unit: '', points: [2, null] },
      { name: 'NULL', column: 'n', unit: '', points: [null, 4] },
    ]);
    const both = chartData(rows, columns, { values: ['n', 'ms'], split: 'level' });
    expect(['', 'ms'].map((unit) => axisLabel(unit, both))).toEqual(['n', 'ms']);
    expect(both.series.map(({ name, unit }) => [name, unit])).toContainEqual(['a: ms', 'ms']);
    expect(chartData(rows, columns, { values: ['n'], split: undefined }).notes).toEqual([
      expect.stringContaining('2 values share their time'),
    ]);
    const many = Array.from({ length: 40 }, (_, at) => row(at % 2, { level: `l${at}`, n: at }));
    const limited = chartData(many, columns, { values: ['n'], split: 'level' });
    expect(limited.series).toHaveLength(12);
    expect(limited.series[0]?.name).toBe('l39');
    expect(limited.notes).toEqual(['Only the 12 largest of 40 lines are shown.']);
    expect(chartData([{ n: 1 }], columns, { values: ['n'], split: undefined }).notes).toEqual([
      '1 rows have no time, and are in the table only.',
    ]);
  });
});

describe('words', () => {
  test('say where rows came from, and what they cost', () => {
    expect(cachingText({ ttl: 900, warming: 300 })).toBe(
      'A result is kept for 15 min, and refreshed every 5 min while it is used.',
    );
    expect(cachingText(undefined)).toBe('Each request runs the query: results are not kept.');
    expect(cacheText('querygate; hit; ttl=871', 29)).toBe('From the cache, computed 29 s ago.');
    expect(cacheText('querygate; hit; ttl=-5; detail=stale-if-error', 7200)).toContain(
      'computed 2 h ago: the query fails',
    );
    expect(cacheText('querygate; fwd=miss; collapsed', 0)).toContain('several equal requests');
    expect(cacheText('querygate; fwd=bypass', 0)).toBe('Computed now, and not kept.');
    expect(cacheText('', 0)).toBe('');
    expect(
      costText('bytes-processed=1048576, bytes-billed=10485760, slot-ms=214, cache-hit=?0, job-id="job_abc"'),
    ).toBe('The run cost: 1.05 MB read, 10.5 MB billed, 0.2 s of slots.');
    expect(costText(null)).toBe('The engine reports no cost.');
    expect(rowsText(1000, true, 1000)).toBe(
      '1,000 rows: the query has more, but at most 1,000 are returned.',
    );
  });
});

describe('addresses', () => {
  test('hold the parameters and the view', () => {
    const parameters = ['a', 'b'].map((name) => ({ name }) as Parameters<typeof valuesOf>[1][number]);
    const values = valuesOf('?a=1&a=2&b=&c=3', parameters);
    expect(values).toEqual(new Map([['a', ['1', '2']]]));
    expect(searchOf(new Map([['a', ['x y', '&=#%+']]]))).toBe('?a=x+y&a=%26%3D%23%25%2B');
    expect(searchOf(new Map())).toBe('');
    const view = {
      order: { column: 'n', descending: true },
      chart: { values: ['n', 'm'], split: 'l' },
      tab: 'python',
    };
    expect(hashOf(view)).toBe('#sort=-n&y=n&y=m&split=l&tab=python');
    expect(viewOf(hashOf(view))).toEqual(view);
    expect(hashOf(viewOf(''))).toBe('');
  });
});
