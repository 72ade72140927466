import { expect, test } from 'vitest';
import { areSameRows } from './compare-rows.ts';
import { savedQuery, searchOf } from './saved-query.ts';

test('rows are the same in any order, with other last digits and with NULL for an array without elements', () => {
  expect(areSameRows(['{"a":1}', '{"a":0.30000000000000004}'], ['{"a":0.3}', '{"a":1}'])).toBe(true);
  expect(areSameRows(['{"a":[]}'], ['{"a":null}'])).toBe(true);
  for (const other of ['{"a":2}', '{"b":1}', '{"a":"1"}', '{"a":1.0001}'])
    expect(areSameRows(['{"a":1}'], [other])).toBe(false);
  expect(areSameRows(['{"a":1}'], ['{"a":1}', '{"a":1}'])).toBe(false);
});

test('parameters are declared with their types, and NULL is an absent one', () => {
  const parameters = {
    p: 'x',
    n: { type: 'INT64', value: '1' },
    list: { type: 'DATE', value: ['2024-02-29', '2024-03-01'] },
    nothing: { type: 'DATE', value: null },
  } as const;
  const text = savedQuery(7, 'SELECT @p, @list LIMIT @n', parameters);
  expect(text).toContain('p: { type: string, bind: STRING, description');
  expect(text).toContain('n: { type: integer, bind: INT64, required: true, description');
  expect(text).toContain('list: { type: date, bind: DATE, repeated: true, description');
  expect(searchOf(parameters)).toBe('p=x&n=1&list=2024-02-29&list=2024-03-01');
});
