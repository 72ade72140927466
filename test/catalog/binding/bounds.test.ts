import { expect, test } from 'vitest';
import { bind, plainParameters } from '../../../src/catalog/binding/bind.ts';
import { draftQuery } from '../../support/queries.ts';

test.each([
  ['{ type: integer, min: 0, max: 1000000, description: N. }', 'must be an integer between 0 and 1000000'],
  ['{ type: integer, min: 1, description: N. }', 'must be an integer at least 1'],
  [
    '{ type: integer, description: N. }',
    'must be an integer between -9223372036854775808 and 9223372036854775807',
  ],
  ['{ type: float, max: 2.5, description: N. }', 'must be a number, as in 0.5, at most 2.5'],
  [
    '{ type: date, min: 2026-01-01, description: N. }',
    'must be a date, as in 2026-01-31, at least 2026-01-01',
  ],
])('a text that is no value of %s: the message has the bounds that are declared', (declared, message) => {
  const query = draftQuery({ columns: { x: 'string' }, parameters: { n: declared }, sql: 'select @n as x' });
  expect(() => bind(query, plainParameters({ n: 'abc' }))).toThrow(`n: got "abc"; ${message}`);
});
