import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { barData } from '../src/chart/data/bar-data.ts';
import { drawBars } from '../src/chart/drawing/bar-drawing.ts';
import { defaultChoice, knownChoice } from '../src/chart/data/choice.ts';
import {
  isAdditive,
  nameColumnsOf,
  numberColumnsOf,
  numberOf,
  secondsOf,
  timeColumnOf,
} from '../src/chart/data/columns.ts';
import { axisNumbers, readableNumber } from '../src/chart/data/number-text.ts';
import { omittedText } from '../src/chart/data/left.ts';
import { panelsOf } from '../src/chart/drawing/panels.ts';
import type { Shape } from '../src/chart/drawing/shape.ts';
import { momentText, timeTicks } from '../src/chart/drawing/time-axis.ts';
import { timeData } from '../src/chart/data/time-data.ts';
import { drawTimes } from '../src/chart/drawing/time-drawing.ts';
import { type Column, valueIn } from '../src/endpoint.ts';
import type { JsonObject } from '../src/json.ts';
import type { ChartChoice } from '../src/view.ts';

const column = (name: string, type: string, unit?: string): Column => ({
  name,
  type,
  unit,
  repeated: false,
  required: false,
  description: '',
});

const hour = 3_600_000_000;
const time = column('t', 'timestamp');
const columns = [time, column('level', 'string'), column('n', 'integer'), column('p95', 'float', 'ms')];
const row = (hours: number, more: object) => ({ t: hours * hour, ...more }) as JsonObject;
const drawn = (
  rows: readonly JsonObject[],
  choice: ChartChoice,
  of: readonly Column[] = columns,
  computedAt?: number,
) => {
  const found = timeColumnOf(of);
  if (found === undefined) throw new Error('there is no time');
  return timeData(rows, of, found, choice, computedAt);
};
const valuesOf = ({ lines }: ReturnType<typeof timeData>) =>
  Object.fromEntries(
    lines.map(({ name, points }) => [name, points.map((some) => some.map(({ value }) => value))]),
  );

/** All shapes of a drawing with a class. */
const withClass = (shapes: readonly Shape[], name: string): readonly Shape[] =>
  shapes.filter(({ attributes }) =>
    String(attributes.class ?? '')
      .split(' ')
      .includes(name),
  );

const textsOf = (shapes: readonly Shape[]) =>
  shapes.flatMap(({ name, children }) => (name === 'text' ? [String(children[0])] : []));

describe('times', () => {
  test('without rows are shown', () => {
    const data = drawn([row(5, { n: 5 }), row(0, { n: 1 }), row(1, { n: 2 })], { values: ['n'], split: [] });
    expect(data.times).toEqual([0, 1, 2, 3, 4, 5].map((hours) => hours * 3600));
    expect(valuesOf(data)).toEqual({ n: [[1], [2], [], [], [], [5]] });
    expect(data.empty).toEqual([2, 3, 4].map((hours) => ({ time: hours * 3600, width: 3600 })));
    expect(data.count).toBe(6);
    expect(withClass(drawTimes(data, 800).shapes, 'empty')).toHaveLength(1);
  });

  test('end with one that is not over, which is marked', () => {
    const rows = [row(0, { n: 1 }), row(1, { n: 2 }), row(2, { n: 1 })];
    const unfinished = (computedAt: number | undefined, some = rows) =>
      drawn(some, { values: ['n'], split: [] }, columns, computedAt).unfinished;
    expect(unfinished(2.5 * 3600)).toEqual({ time: 2 * 3600, width: 3600 });
    expect([3 * 3600, 1.9 * 3600, undefined].map((at) => unfinished(at))).toEqual(Array(3).fill(undefined));
    // One moment is not a bucket.
    expect(unfinished(2.5 * 3600, rows.slice(2))).toBeUndefined();
    const data = drawn(rows, { values: ['n'], split: [] }, columns, 2.5 * 3600);
    expect(withClass(drawTimes(data, 800).shapes, 'unfinished')).toHaveLength(1);

    const days = ['2026-01-01', '2026-02-01', '2026-03-01'].map((t) => ({ t, n: 1 }));
    const months = drawn(
      days,
      { values: ['n'], split: [] },
      [column('t', 'date'), column('n', 'integer')],
      Date.UTC(2026, 2, 20) / 1000,
    );
    expect(months.unfinished).toEqual({ time: Date.UTC(2026, 2, 1) / 1000, width: 31 * 86_400 });
  });

  test('of a DATETIME have no zone', () => {
    const of = [column('t', 'datetime'), column('n', 'integer')];
    const data = drawn([{ t: '2026-10-31T20:00:00', n: 1 }], { values: ['n'], split: [] }, of);
    expect(momentText(data, data.times[0] ?? 0)).toBe('2026-10-31 20:00:00');
  });

  test('of a DATETIME have microseconds, as those of a TIMESTAMP', () => {
    const at = Date.UTC(2026, 0, 1) * 1000;
    expect(secondsOf('2026-01-01T00:00:00.000100')).toBe(secondsOf(at + 100));
    expect(secondsOf('2026-01-01T00:00:00.0025')).toBe(secondsOf(at + 2500));
    expect(secondsOf('9999-12-31T23:59:59.999999')).toBe(secondsOf(253402300799999999n));
  });

  test('of months in the first century are in it', () => {
    const rows = ['0050-01-01', '0050-02-01', '0050-04-01'].map((t) => ({ t, n: 1 }));
    const of = [column('t', 'date'), column('n', 'integer')];
    const { times } = drawn(rows, { values: ['n'], split: [] }, of);
    const months = [1, 2, 3, 4].map((month) => `0050-0${month}-01T00:00:00Z`);
    expect(times).toEqual(months.map((text) => Date.parse(text) / 1000));
  });

  test('with the same time have all digits in their sum', () => {
    const rows = [row(0, { n: '9007199254740993' }), row(0, { n: '9007199254740993' })];
    const { lines } = drawn(rows, { values: ['n'], split: [] });
    expect(lines[0]?.points.flat().map(({ text }) => text)).toEqual(['18014398509481986']);
    const bars = barData(
      rows.map(({ n }) => ({ level: 'error', n: n ?? null })),
      [column('level', 'string'), column('n', 'integer')],
      { values: ['n'], split: ['level'] },
    );
    expect(bars.bars[0]?.values[0]?.text).toBe('18014398509481986');
  });

  test('may be months, and moments that are no buckets', () => {
    const of = [column('t', 'date'), column('n', 'integer')];
    const emptyOf = (...days: string[]) =>
      drawn(
        days.map((t) => ({ t, n: 1 })),
        { values: ['n'], split: [] },
        of,
      ).empty.map(({ time, width }) => [new Date(time * 1000).toISOString().slice(0, 10), width / 86_400]);
    expect(emptyOf('2026-01-01', '2026-02-01', '2026-05-01')).toEqual([
      ['2026-03-01', 31],
      ['2026-04-01', 30],
    ]);
    expect(emptyOf('2025-10-01', '2026-01-01', '2026-04-01')).toEqual([]);
    expect(emptyOf('2025-01-01', '2025-04-01', '2026-01-01')).toEqual([
      ['2025-07-01', 92],
      ['2025-10-01', 92],
    ]);
    expect(emptyOf('2020-01-01', '2022-01-01', '2023-01-01')).toEqual([['2021-01-01', 365]]);
    expect(emptyOf('2025-01-01', '2025-03-01', '2025-06-01')).toEqual([]);
    const moments = [0, 1.5, 2.25, 1000.1].map((hours) => row(hours, { n: 1 }));
    expect(drawn(moments, { values: ['n'], split: [] })).toMatchObject({ empty: [], count: 4 });
  });

  test.each([
    ['three months', ['2026-07-01', '2026-08-01', '2026-09-01'], ['Jul 2026', 'Aug', 'Sep']],
    [
      'two years of months',
      ['2025-01-01', '2025-02-01', '2026-12-01'],
      ['Jan 2025', 'May', 'Sep', 'Jan 2026'],
    ],
    ['years', ['2020-01-01', '2021-01-01', '2022-01-01'], ['2020', '2021', '2022']],
    ['days', ['2026-12-30', '2026-12-31', '2027-01-01'], ['30 Dec 2026', '31 Dec', '1 Jan 2027']],
  ])('of %s have ticks that are called so', (_, days, texts) => {
    const of = [column('t', 'date'), column('n', 'integer')];
    const data = drawn(
      days.map((t) => ({ t, n: 1 })),
      { values: ['n'], split: [] },
      of,
    );
    const ticks = timeTicks(data, 7).map(({ label, second }) => `${label} ${second}`.trim());
    expect(ticks.slice(0, texts.length)).toEqual(texts);
    expect(ticks.every((text) => !text.includes(':'))).toBe(true);
  });

  test('of a day have hours, with the day where it changes', () => {
    const data = drawn(
      Array.from({ length: 30 }, (_, at) => row(20 + at, { n: 1 })),
      { values: ['n'], split: [] },
    );
    expect(timeTicks(data, 6).map(({ label, second }) => `${label} ${second}`.trim())).toEqual([
      '00:00 2 Jan',
      '06:00',
      '12:00',
      '18:00',
      '00:00 3 Jan',
    ]);
    expect(momentText(data, 72_000)).toBe('1970-01-01 20:00:00 UTC');
  });

  test('one alone is in the middle', () => {
    const { places, shapes } = drawTimes(drawn([row(1, { n: 1 })], { values: ['n'], split: [] }), 500);
    expect(places[0]).toBeGreaterThan(200);
    expect(withClass(shapes, 'dots')).toHaveLength(1);
  });
});

describe('rows with one time', () => {
  const billing = [
    column('month', 'date'),
    column('service', 'string'),
    column('env', 'string'),
    column('cost', 'numeric', 'USD'),
  ];
  const bill = (month: string, service: string, env: string, cost: string) => ({ month, service, env, cost });

  test('are split by as many texts as tell them apart', () => {
    const rows = [
      bill('2026-08-01', 'BigQuery', 'prod', '1.5'),
      bill('2026-08-01', 'BigQuery', 'test', '78.82'),
      bill('2026-08-01', 'Storage', 'prod', '3'),
      bill('2026-09-01', 'BigQuery', 'prod', '4'),
    ];
    const choice = defaultChoice(rows, billing);
    expect(choice).toEqual({ values: ['cost'], split: ['service', 'env'] });
    const data = drawn(rows, choice, billing);
    expect(valuesOf(data)).toEqual({
      'BigQuery · prod': [[1.5], [4]],
      'BigQuery · test': [[78.82], []],
      'Storage · prod': [[3], []],
    });
    expect(data.notes).toEqual([]);
    const summed = drawn(rows, { values: ['cost'], split: ['service'] }, billing);
    expect(valuesOf(summed)).toEqual({ BigQuery: [[80.32], [4]], Storage: [[3], []] });
    expect(summed.notes).toEqual(['Rows with the same time and name are drawn as their sum.']);
    expect(textsOf(drawTimes(summed, 600).shapes)).toContain('sum of cost (USD)');
  });

  test('of too many names are summed by fewer of them', () => {
    const rows = Array.from({ length: 40 }, (_, at) => bill('2026-08-01', `s${at % 4}`, `e${at}`, '1'));
    const choice = defaultChoice(rows, billing);
    expect(choice.split).toEqual(['service']);
    expect(valuesOf(drawn(rows, choice, billing))).toEqual({
      s0: [[10]],
      s1: [[10]],
      s2: [[10]],
      s3: [[10]],
    });
  });

  test('are dots if their sum means nothing', () => {
    const rows = [row(0, { p95: 1 }), row(0, { p95: 20 }), row(1, { p95: 3 })];
    const data = drawn(rows, defaultChoice(rows, [time, column('p95', 'float', 'ms')]));
    expect(valuesOf(data)).toEqual({ p95: [[1, 20], [3]] });
    expect(data.notes).toEqual(['Several rows have the same time and name: each dot is one row.']);
    const { shapes } = drawTimes(data, 600);
    expect(withClass(shapes, 'line')).toEqual([]);
    expect(String(withClass(shapes, 'dots')[0]?.attributes.d).match(/h0/g)).toHaveLength(3);
  });

  test('more lines than can be told apart are said, with what they amount to', () => {
    const rows = Array.from({ length: 40 }, (_, at) => row(at % 2, { level: `l${at}`, n: at }));
    const data = drawn(rows, { values: ['n'], split: ['level'] });
    expect(data.lines).toHaveLength(12);
    expect(data.notes).toEqual([
      'The 12 largest of 40 lines are drawn; 28 lines are only in the table.',
      'Not drawn of n: 378 in sum.',
    ]);
    expect(drawn([{ n: 7 }], { values: ['n'], split: [] }).notes).toEqual([
      '1 row is without a time, and only in the table.',
      'Not drawn of n: 7 in sum.',
    ]);
  });

  test.each([
    ['requests', undefined, true],
    ['cost', 'USD', true],
    ['total_execution_time', 'ms', true],
    ['execution_time', 'ms', false],
    ['avg_size', 'MB', false],
    ['p95', undefined, false],
    ['error_rate', undefined, false],
    ['minutes', undefined, true],
  ])('%s in %s can be summed: %s', (name, unit, expected) => {
    expect(isAdditive(column(name, 'float', unit))).toBe(expected);
  });
});

describe('sizes that differ by more than a hundred', () => {
  const times = ['avg', 'max', 'min', 'p95'].map((name) => column(name, 'float', 'ms'));
  const some = [row(0, { avg: 200, max: 60_000, min: 12, p95: 400 })];

  test('are drawn in panels of their own, if they are columns', () => {
    const data = drawn(some, defaultChoice(some, [time, ...times]), [time, ...times]);
    const panels = panelsOf(data, () => 3);
    expect(panels.map(({ title }) => title)).toEqual(['avg, min, p95 (ms)', 'max (ms)']);
    expect(panels.map(({ lines }) => lines.map(({ place }) => place))).toEqual([[0, 2, 3], [1]]);
  });

  test('are those of usual values too: a peak of one column does not flatten the others', () => {
    const peaks = Array.from({ length: 9 }, (_, at) =>
      row(at, { avg: 200, max: at === 4 ? 9000 : 1000, min: 12, p95: 400 }),
    );
    const panels = panelsOf(drawn(peaks, defaultChoice(peaks, [time, ...times]), [time, ...times]), () => 3);
    expect(panels.map(({ title }) => title)).toEqual(['avg, max, p95 (ms)', 'min (ms)']);
  });

  test('are drawn whatever their units are, counts and amounts first', () => {
    const of = [time, ...times, column('calls', 'integer'), column('cost', 'float', 'USD')];
    const rows = [row(0, { avg: 200, max: 900, min: 100, p95: 400, calls: 7, cost: 2 })];
    const choice = defaultChoice(rows, of);
    expect(omittedText(rows, of, choice)).toBe('');
    const panels = panelsOf(drawn(rows, choice, of), () => 3);
    expect(panels.map(({ title }) => title)).toEqual(['calls', 'cost (USD)', 'avg, max, min, p95 (ms)']);
    expect(panels.map(({ lines }) => lines.map(({ place }) => place))).toEqual([[0], [1], [2, 3, 4, 5]]);
    // Lines of one number for each name are enough for one picture.
    const split = [...of, column('level', 'string')];
    const levels = ['a', 'b'].map((level) => ({ ...rows[0], level }) as JsonObject);
    expect(defaultChoice(levels, split)).toEqual({ values: ['avg'], split: ['level'] });
  });

  test('have a title that is cut to the width of its bold letters, and is whole for those who point at it', () => {
    const of = [
      time,
      ...['execution_time_min', 'execution_time_avg'].map((name) => column(name, 'float', 'ms')),
    ];
    const rows = [row(0, { execution_time_min: 1, execution_time_avg: 2 })];
    const [title] = withClass(drawTimes(drawn(rows, defaultChoice(rows, of), of), 280).shapes, 'axis-title');
    const [shown, whole] = title?.children ?? [];
    expect(shown).toBe('execution_time_min, execution_tim…');
    expect(whole).toMatchObject({ name: 'title', children: ['execution_time_min, execution_time_avg (ms)'] });
  });

  test('have a title that names the unit once', () => {
    const named = [time, column('requests', 'integer', 'requests')];
    const some = [row(0, { requests: 1 }), row(1, { requests: 2 })];
    expect(panelsOf(drawn(some, defaultChoice(some, named), named), () => 3)[0]?.title).toBe('requests');
  });

  test('are drawn on a logarithmic axis, if they are lines of one column', () => {
    const rows = ['a', 'b', 'c'].flatMap((level, at) => [
      row(0, { level, n: 10 ** (2 * at) }),
      row(1, { level, n: 0 }),
    ]);
    const [panel] = panelsOf(drawn(rows, { values: ['n'], split: ['level'] }), () => 6);
    expect(panel?.title).toBe('n (logarithmic axis)');
    expect(panel?.scale.ticks).toEqual([0, 1, 10, 100, 1000, 10_000]);
    expect(panel?.scale.at(0)).toBe(0);
    expect(panel?.scale.at(10_000)).toBeGreaterThan(0.9);
    const negative = rows.map((one) => ({ ...one, n: -Number(one.n) }));
    const below = panelsOf(drawn(negative, { values: ['n'], split: ['level'] }), () => 6)[0]?.scale;
    expect(below?.at(0)).toBe(1);
    expect(below?.at(-10_000)).toBeLessThan(0.1);
  });
});

test('the last microsecond of the year 9999 is in that year', () => {
  expect(new Date((secondsOf(253402300799999999n) ?? 0) * 1000).toISOString()).toBe(
    '9999-12-31T23:59:59.999Z',
  );
});

describe('rows without a time', () => {
  const kinds = [column('kind', 'string'), column('code', 'integer'), column('requests', 'integer')];

  test('are bars in the order of the query, whose lengths are their values', () => {
    const rows = [
      { kind: 'a', code: 1, requests: 50 },
      { kind: 'b', code: 2, requests: 200 },
      { kind: '', code: 2 },
      { kind: 'd', code: 2, requests: -100 },
    ];
    const data = barData(rows, kinds, { values: ['requests'], split: ['kind'] });
    const { shapes } = drawBars(data, 800);
    const widths = withClass(shapes, 'bar').map(({ attributes }) => Number(attributes.width));
    expect(widths.map((width) => width / (widths[0] ?? 1))).toEqual([
      1,
      expect.closeTo(4, 3),
      expect.closeTo(2, 3),
    ]);
    expect(textsOf(shapes)).toEqual(
      expect.arrayContaining(['kind', 'requests', 'empty text', 'NULL', '-100']),
    );
    expect(defaultChoice(rows, kinds)).toEqual({ values: ['code', 'requests'], split: ['kind'] });
  });

  test('have the whole names of their columns above them, also above short names', () => {
    const regions = [column('region', 'string'), column('requests', 'integer')];
    const rows = [{ region: 'a', requests: 1 }];
    const data = barData(rows, regions, { values: ['requests'], split: ['region'] });
    expect(textsOf(drawBars(data, 800).shapes)).toEqual(expect.arrayContaining(['region', 'requests']));
  });

  test('are named by a number only if there is no text', () => {
    const codes = [column('status', 'integer'), column('requests', 'integer')];
    const rows = [
      { status: 200, requests: 5 },
      { status: 404, requests: 5 },
    ];
    expect(defaultChoice(rows, codes)).toEqual({ values: ['requests'], split: ['status'] });
  });

  test('are chosen in some passes over the rows, if one row of many is there twice', () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
    let reads = 0;
    const counting = (at: number) => {
      const one = {};
      for (const name of names)
        Object.defineProperty(one, name, {
          get() {
            reads += 1;
            return `${name} ${at}`;
          },
        });
      return one as JsonObject;
    };
    const all = [...Array.from({ length: 1000 }, (_, at) => counting(at)), counting(0)];
    const of = [...names.map((name) => column(name, 'string')), column('n', 'integer')];
    expect(defaultChoice(all, of).split).toEqual(['a']);
    expect(reads).toBeLessThan(10 * all.length);
  });

  test('of one name are summed, or a bar each if their sum means nothing', () => {
    const rows = [
      { kind: 'a', requests: 1 },
      { kind: 'a', requests: 2 },
    ];
    const { bars, notes } = barData(rows, kinds, { values: ['requests'], split: ['kind'] });
    expect(bars.map(({ values }) => values[0]?.text)).toEqual(['3']);
    expect(notes).toEqual(['Rows with the same name are drawn as their sum.']);
    const measured = [column('kind', 'string'), column('p95', 'float')];
    const slow = [
      { kind: 'a', p95: 1 },
      { kind: 'a', p95: 2 },
    ];
    expect(barData(slow, measured, { values: ['p95'], split: ['kind'] })).toMatchObject({
      bars: [{ name: 'a' }, { name: 'a' }],
      notes: ['Several rows have the same name: each bar is one row.'],
    });
  });
});

describe('numbers', () => {
  test('of all sizes take few characters', () => {
    const one = (value: number) => axisNumbers([value])[0];
    expect([0, 1234, -5e6, 1e300, 2.5e-9].map(one)).toEqual(['0', '1.234K', '-5M', '1E300', '2.5E-9']);
    // What is left of a sum of fractions.
    expect(axisNumbers([-1e307, 1.4844e291, 1e307])).toEqual(['-1E307', '0', '1E307']);
    expect(axisNumbers([-0.1, -2.7e-17, 0.1])).toEqual(['-0.1', '0', '0.1']);
    expect([0, 1234567, 0.5, 211.676647, 1234.56, -1.7e300, 1e-9].map(readableNumber)).toEqual([
      ...['0', '1,234,567', '0.5', '211.7', '1,235', '-1.7E300', '1E-9'],
    ]);
  });

  test('that cannot be drawn are said', () => {
    const rows = [row(0, { n: 1, p95: 'NaN' }), row(1, { n: 2, p95: 1.7e308 })] as JsonObject[];
    expect(drawn(rows, { values: ['p95'], split: [] }).notes).toEqual([
      '2 values of p95 are not finite or too large, and only in the table.',
    ]);
    expect([undefined, 'Infinity', '', '-1.5', 9007199254740993n].map(numberOf)).toEqual([
      ...[undefined, undefined, undefined, -1.5, 9007199254740992],
    ]);
  });
});

test('sums that are too large are not drawn, and the page says so', () => {
  const rows = [7e307, 7e307, 7e307].map((amount) => ({ t: 0, kind: 'a', amount }));
  const of = [column('kind', 'string'), column('amount', 'float')];
  const choice = { values: ['amount'], split: ['kind'] };
  const others = [{ t: hour, kind: 'b', amount: 3 }];
  const note = '3 values of amount are not finite or too large, and only in the table.';
  const bars = barData([...rows, ...others], of, choice);
  expect(bars.bars.map(({ values }) => values[0]?.value)).toEqual([undefined, 3]);
  expect(bars.notes).toContain(note);
  const data = drawn([...rows, ...others], { ...choice, split: [] }, [time, ...of]);
  expect(valuesOf(data)).toEqual({ amount: [[], [3]] });
  expect(data.notes).toContain(note);
});

test('the columns of an older address may be gone', () => {
  expect(knownChoice({ values: ['gone', 'n'], split: ['gone', 'level'] }, columns)).toEqual({
    values: ['n'],
    split: ['level'],
  });
  expect(knownChoice({ values: ['gone'], split: ['level'] }, columns)).toBeUndefined();
  expect(knownChoice(undefined, columns)).toBeUndefined();
  // People have unchecked all.
  expect(knownChoice({ values: [], split: ['level'] }, columns)).toEqual({ values: [], split: ['level'] });
});

describe('of random results', () => {
  const few = (values: readonly unknown[]) => fc.constantFrom(...values);
  const cellOf: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
    timestamp: fc.integer({ min: 0, max: 40 }).map((at) => 1_767_225_600_000_000 + at * hour),
    datetime: fc.integer({ min: 1, max: 28 }).map((at) => `2026-02-${String(at).padStart(2, '0')}T00:00:00`),
    date: fc.integer({ min: 1, max: 12 }).map((at) => `2026-${String(at).padStart(2, '0')}-01`),
    string: fc.oneof(few(['a', 'b', '', 'NULL', 'x · y']), fc.string({ maxLength: 3 })),
    boolean: fc.boolean(),
    integer: fc.oneof(fc.integer({ min: -5, max: 1000 }), fc.integer()),
    float: fc.oneof(fc.double({ min: -1e6, max: 1e6, noNaN: true }), few(['NaN', 'Infinity', 1e308, 0.1])),
    numeric: fc.integer({ min: -99_999, max: 99_999 }).map((cents) => (cents / 100).toFixed(2)),
  };
  const results = fc
    .record({
      times: fc.subarray(['timestamp', 'datetime', 'date'], { maxLength: 1 }),
      names: fc.array(few(['string', 'string', 'boolean', 'date']), { maxLength: 3 }),
      numbers: fc.array(few(['integer', 'float', 'numeric']), { minLength: 1, maxLength: 4 }),
      units: fc.array(few([undefined, 'ms', 'USD']), { minLength: 4, maxLength: 4 }),
      isAdditiveName: fc.boolean(),
    })
    .chain(({ times, names, numbers, units, isAdditiveName }) => {
      const made: Column[] = [
        ...times.map((type) => column('t', type)),
        ...names.map((type, at) => column(`name${at}`, String(type))),
        ...numbers.map((type, at) =>
          column(isAdditiveName ? `total${at}` : `avg_${at}`, String(type), units[at] as string | undefined),
        ),
      ];
      const cells = made.map(({ name, type }) =>
        fc.tuple(fc.constant(name), fc.option(cellOf[type] ?? fc.constant(1), { freq: 8 })),
      );
      const rows = fc
        .array(
          fc.tuple(...cells).map((pairs) => Object.fromEntries(pairs) as JsonObject),
          { maxLength: 60 },
        )
        // Some rows are there twice.
        .chain((some) =>
          fc.subarray(some, { maxLength: Math.min(some.length, 5) }).map((again) => [...some, ...again]),
        );
      const subset = (of: readonly Column[]) => fc.subarray(of.map(({ name }) => name));
      const choice = fc.option(
        fc.record({ values: subset(numberColumnsOf(made)), split: subset(nameColumnsOf(made)) }),
      );
      return fc.record({ columns: fc.constant(made), rows, choice });
    });

  const sumOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);
  const sizeOf = (rows: readonly JsonObject[], one: Column) =>
    rows.reduce((sum, each) => sum + Math.abs(numberOf(valueIn(each, one)) ?? 0), 1);

  test('a column of numbers that is not drawn is named, with its sum if that means something', () => {
    const rows = [1, 2].map((hours) => row(hours, { n: 1000, p95: 1.5, bytes: 3 }));
    const of = [...columns, column('bytes', 'integer', 'B')];
    expect(omittedText(rows, of, { values: ['p95'], split: [] })).toBe(
      'Not drawn, choose below: n (2,000 in sum), bytes (6 B in sum).',
    );
    expect(omittedText(rows, of, { values: ['n', 'bytes'], split: [] })).toBe(
      'Not drawn, choose below: p95.',
    );
    expect(omittedText(rows, of, { values: ['n', 'p95', 'bytes'], split: [] })).toBe('');
  });

  test('the sum of what is drawn is the sum of the rows, or the page says what is missing', () => {
    const counts = { exact: 0, noted: 0 };
    fc.assert(
      fc.property(results, ({ columns: of, rows, choice }) => {
        const chosen = knownChoice(choice ?? undefined, of) ?? defaultChoice(rows, of);
        const found = timeColumnOf(of);
        const data = found === undefined ? undefined : timeData(rows, of, found, chosen, undefined);
        const bars = data === undefined ? barData(rows, of, chosen) : undefined;
        const { left, notes } = data ?? bars ?? { left: [], notes: [] };
        for (const name of chosen.values) {
          const one = of.find((each) => each.name === name);
          if (one === undefined) throw new Error('there is no such column');
          const expected = sumOf(rows.map((each) => numberOf(valueIn(each, one)) ?? 0));
          const sum = data === undefined ? sumOfBars(bars, one) : sumOfLines(data, one);
          const missing = left.find((each) => each.column === one)?.sum ?? Number.NaN;
          const tolerance = sizeOf(rows, one) * 1e-9;
          expect(Math.abs(sum + missing - expected)).toBeLessThanOrEqual(tolerance);
          if (Math.abs(sum - expected) > tolerance) expect(notes.join(' ')).toMatch(/only in the table/);
          counts[notes.length > 0 ? 'noted' : 'exact'] += 1;
        }
        // No column of numbers is left out without a word.
        const words = omittedText(rows, of, chosen);
        for (const { name } of numberColumnsOf(of))
          if (!chosen.values.includes(name) && !chosen.split.includes(name)) expect(words).toContain(name);
      }),
      { numRuns: 1000, seed: 28 },
    );
    expect(counts.exact).toBeGreaterThan(200);
    expect(counts.noted).toBeGreaterThan(200);
  });

  /** Read from the picture: how many points it has, and how high they are. */
  function sumOfLines(data: ReturnType<typeof timeData>, one: Column): number {
    const drawing = drawTimes(data, 700);
    const points = new Map<number, string[]>();
    for (const kind of ['line', 'dots'])
      for (const { attributes } of withClass(drawing.shapes, kind)) {
        const place = Number(/series-(\d+)/.exec(String(attributes.class))?.[1]) - 1;
        const found = [...String(attributes.d).matchAll(/[ML]([\d.,-]+)/g)].map(([, at = '']) => at);
        points.set(
          place,
          (points.get(place)?.length ?? 0) >= found.length ? (points.get(place) ?? []) : found,
        );
      }
    let sum = 0;
    for (const [panelAt, { lines, scale }] of drawing.panels.entries())
      for (const { line, place } of lines) {
        const values = line.points.flat().map(({ value }) => value);
        const heights = (points.get(place) ?? []).map((at) => Number(at.split(',')[1]));
        expect(heights).toHaveLength(values.length);
        for (const [at, height] of heights.entries()) {
          const expected =
            (drawing.tops[panelAt] ?? 0) + (1 - scale.at(values[at] ?? 0)) * drawing.panelHeight;
          expect(Math.abs(height - expected)).toBeLessThan(0.006);
        }
        if (line.column === one) sum += sumOf(values);
      }
    return sum;
  }

  function sumOfBars(data: ReturnType<typeof barData> | undefined, one: Column): number {
    if (data === undefined) return Number.NaN;
    const at = data.columns.indexOf(one);
    const values = data.bars.flatMap((bar) => bar.values[at]?.value ?? []);
    const widths = withClass(drawBars(data, 700).shapes, 'bar').map(({ attributes }) =>
      Number(attributes.width),
    );
    const before = sumOf(
      data.columns.slice(0, at).map((_, index) => data.bars.filter((bar) => bar.values[index]).length),
    );
    const own = widths.slice(before, before + values.length);
    expect(own).toHaveLength(values.length);
    // Lengths are to each other as the values are.
    const [most, widest] = [Math.max(...values.map(Math.abs), 0), Math.max(...own, 0)];
    for (const [index, value] of values.entries())
      if (most > 0)
        expect(Math.abs((own[index] ?? 0) - (Math.abs(value) / most) * widest)).toBeLessThan(0.02);
    return sumOf(values);
  }
});
