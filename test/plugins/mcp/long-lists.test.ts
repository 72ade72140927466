import { expect, test } from 'vitest';
import { readArguments } from '../../../src/plugins/mcp/calls/tool-arguments.ts';
import { draftQuery } from '../../support/queries.ts';

const query = draftQuery({
  parameters: {
    is: '{ type: integer, repeated: true, bind: INT64, description: Ids. }',
    days: '{ type: date, repeated: true, max_items: 5, description: Days. }',
  },
  columns: { id: 'integer' },
  sql: 'select array_length(@is) + array_length(@days) as id',
});

/** The mistakes in a list of so many values, and how many of them were read. */
function mistakesIn(name: string, length: number, value: unknown) {
  const values = Array.from({ length }, () => value);
  let read = 0;
  const counted = new Proxy(values, {
    get(target, key) {
      if (typeof key === 'string' && /^\d+$/.test(key)) read += 1;
      return Reflect.get(target, key);
    },
  });
  return { ...readArguments(query, { [name]: counted }, undefined), read };
}

test('a number that is not an integer may be as large as its type permits', () => {
  const parameters = { x: '{ type: float, bind: FLOAT64, description: A number. }' };
  const floats = draftQuery({ parameters, columns: { x: 'float' }, sql: 'select @x as x' });
  expect(readArguments(floats, { x: 1e308 }, undefined)).toEqual({
    parameters: new Map([['x', ['1e+308']]]),
  });
});

test('a list that is longer than its parameter permits is refused before its values are read', () => {
  for (const value of [1, 'x', {}, 1e300])
    expect(mistakesIn('is', 125_000, value)).toEqual({
      mistakes: ['is: has 125000 values; the limit is 1000'],
      read: 0,
    });
  expect(mistakesIn('days', 6, '2026-01-01')).toEqual({
    mistakes: ['days: has 6 values; the limit is 5'],
    read: 0,
  });
  expect(mistakesIn('is', 1_000, 1)).toMatchObject({ parameters: expect.any(Map), read: 1_000 });
});
