import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { cases } from '../../bench/local/cases.ts';
import { difference } from '../../bench/local/compare.ts';
import { dataset } from '../../bench/local/dataset.ts';
import { loadCatalog } from '../../src/catalog/folder/load-catalog.ts';

describe('the benchmark of the local engine', () => {
  test('npm start starts Node without options, as the benchmark is started', () => {
    const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));
    expect(scripts.start).toBe('node src/main.ts');
  });

  test('runs every shipped query with every value of its enums that differs in meaning', () => {
    const caseTexts = cases.map(
      ({ endpoint, parameters }) => `${endpoint} ${Object.values(parameters).join(' ')}`,
    );
    for (const { name, parameters } of loadCatalog('queries').queries) {
      const values = parameters.flatMap((parameter) => (parameter.type === 'enum' ? parameter.values : []));
      // ENTERPRISE has the same retention as PAYG.
      for (const { value } of values.filter((listed) => listed.value !== 'ENTERPRISE')) {
        expect(caseTexts.some((text) => text.startsWith(name) && text.split(' ').includes(value))).toBe(true);
      }
    }
  });

  test('is as dense at ten million rows as at one', () => {
    const [small, large] = [dataset('d', '1M'), dataset('d', '10M')];
    expect(small.spanMicros / small.rows).toBeCloseTo(large.spanMicros / large.rows, 3);
    expect(dataset('d', '100M').spanMicros).toBe(large.spanMicros);
  });

  test('treats results as equal whatever their nesting and their omitted NULLs', () => {
    const nested = '{"id":"a","n":1,"metadata":[{"request":[{"url":"u","search":null}]}]}';
    expect(difference([nested], ['{"id":"a","n":1.0,"metadata":{"request_url":"u"}}'])).toBeUndefined();
    expect(
      difference(['{"id":"a","metadata":[]}'], ['{"id":"a","metadata":{"request_url":null}}']),
    ).toBeUndefined();
  });

  test.each([
    ['another value', '{"count":1}', '{"count":2}', 'row 1, count: 1 against 2'],
    ['a value that is missing', '{"a":1,"b":2}', '{"a":1}', 'row 1, b: 2 against undefined'],
    ['a nested value', '{"m":[{"r":[{"x":"1"}]}]}', '{"m":{"r_x":"2"}}', 'row 1, m_r_x: "1" against "2"'],
    ['a percentile that is far off', '{"p95_x":1,"count":900}', '{"p95_x":2,"count":900}', 'p95_x'],
  ])('reports %s', (_, ours, theirs, message) => {
    expect(difference([ours], [theirs])).toContain(message);
    expect(difference([ours], [])).toBe('1 rows against 0');
  });
});
