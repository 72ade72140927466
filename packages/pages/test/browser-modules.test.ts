import { describe, expect, test } from 'vitest';
import type { Column } from '../src/endpoint.ts';
import { type JsonObject, jsonText, parseJson } from '../src/json.ts';
import { canonicalMoment, fromDateField, toDateField } from '../src/parameters/moments.ts';
import { searchOf, valuesInAddress } from '../src/parameters/values.ts';
import { helpOf } from '../src/parameters/form.ts';
import { sortRows } from '../src/result/order.ts';
import { timestampText } from '../src/timestamp.ts';
import { cacheText, cachingText, costText, emptyText, rowsText } from '../src/words.ts';
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
    expect(toDateField(text, true)).toBe(value);
  });

  test('a date field shows no DATETIME with a zone, which would be another day there', () => {
    expect(toDateField('2026-01-01T00:00:00+02:00', false)).toBeUndefined();
    expect(canonicalMoment('2026-01-01T00:00:00+02:00', false)).toBe('2026-01-01T00:00:00+02:00');
    expect(toDateField('2026-01-01T00:00:00', false)).toBe('2026-01-01T00:00:00');
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
    // 0xfb, 0x69, 0x00: as texts, the other way round.
    expect(sorted('bytes', ['+w==', 'aQ==', 'AA=='])).toEqual(['AA==', 'aQ==', '+w==']);
  });
});

describe('words', () => {
  test('say where rows came from, and what they cost', () => {
    expect(cachingText({ ttl: 900, warming: 300 })).toBe(
      'A result is kept for 15 min, and refreshed every 5 min while it is used.',
    );
    expect(cachingText(undefined)).toBe('Each request runs the query: results are not kept.');
    expect(cacheText('querygate; hit; ttl=871', 29)).toBe('Computed 29 s ago, from the cache.');
    expect(cacheText('querygate; hit; ttl=-5; detail=stale-if-error', 7200)).toContain(
      'Computed 2 h ago: the query fails',
    );
    expect(cacheText('querygate; fwd=miss; collapsed', 0)).toBe('Computed now.');
    expect(cacheText('', 0)).toBe('');
    expect(
      costText('bytes-processed=1048576, bytes-billed=10485760, slot-ms=214, cache-hit=?0, job-id="job_abc"'),
    ).toBe('The run cost: 1.05 MB read, 10.5 MB billed, 214 ms of slots.');
    expect(costText(null)).toBe('');
    expect(rowsText(1000, true, 1000)).toBe(
      '1,000 rows: the query has more, but at most 1,000 are returned.',
    );
  });
});

test('the default of a list of choices, which has no option for it, is in its help', () => {
  const items = { enum: ['x', 'y', 'z'] };
  const parameter = { description: 'Kinds.', fallback: ['x', 'y'], example: [], isTenant: false };
  const helpFor = (schema: object) =>
    helpOf({ ...parameter, schema } as unknown as Parameters<typeof helpOf>[0]);
  expect(helpFor({ type: 'array', items, default: ['x', 'y'] })).toBe('Kinds. Default: x, y.');
  expect(helpFor({ ...items, default: 'x' })).toBe('Kinds.');
});

describe('no rows', () => {
  const parameter = (name: string, more: object = {}) =>
    ({ name, fallback: [], schema: {}, ...more }) as unknown as Parameters<typeof emptyText>[0][number];

  test('name the values that were asked for, defaults too, and one to change', () => {
    const parameters = [
      parameter('project'),
      parameter('since', { fallback: ['-1h'], schema: { format: 'date-time' } }),
      parameter('unused'),
    ];
    expect(emptyText(parameters, new Map([['project', ['shop']]]))).toBe(
      'Nothing was found for project = shop; since = -1h (default). Try another value, for example of since.',
    );
    expect(emptyText([], new Map())).toContain('no value that could be changed');
  });
});

describe('addresses', () => {
  test('keep what is not declared, so that the gateway judges it as in REST', () => {
    const parameters = ['is', 'one', 'sql'].map((name) => ({
      name,
      schema: { type: name === 'is' ? 'array' : 'string' },
    }));
    const search = '?is[]=1&is[1]=2&is=3&one[]=4&n[gte]=5&Is=6&sql=7&empty=&format=csv&select=count()';
    expect(Object.fromEntries(valuesInAddress(search, parameters))).toEqual({
      is: ['1', '2', '3'],
      'one[]': ['4'],
      'n[gte]': ['5'],
      Is: ['6'],
      sql: ['7'],
    });
  });

  test('hold the parameters and the view', () => {
    const parameters = ['a', 'b'].map((name) => ({ name, schema: { type: 'string' } as const }));
    const values = valuesInAddress('?a=1&a=2&b=', parameters);
    expect(values).toEqual(new Map([['a', ['1', '2']]]));
    expect(searchOf(new Map([['a', ['x y', '&=#%+']]]))).toBe('?a=x+y&a=%26%3D%23%25%2B');
    expect(searchOf(new Map())).toBe('');
    const view = {
      order: { column: 'n', descending: true },
      chart: { values: ['n', 'm'], split: ['l', 'k'] },
      tab: 'python',
    };
    expect(hashOf(view)).toBe('#sort=-n&y=n&y=m&split=l&split=k&tab=python');
    expect(viewOf(hashOf(view))).toEqual(view);
    expect(hashOf(viewOf(''))).toBe('');
    const unchecked = { ...view, chart: { values: [], split: ['l'] } };
    expect(hashOf(unchecked)).toBe('#sort=-n&y=&split=l&tab=python');
    expect(viewOf(hashOf(unchecked))).toEqual(unchecked);
  });
});
