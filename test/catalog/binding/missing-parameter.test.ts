import { expect, test } from 'vitest';
import { bind, plainParameters } from '../../../src/catalog/binding/bind.ts';
import { draftQuery } from '../../support/queries.ts';

test.each([
  [
    '{ type: string, required: true, example: nord, description: Shop. }',
    's: is required; shop, as in "nord"',
  ],
  [
    '{ type: string, repeated: true, required: true, example: [nord, ost], description: Shops. }',
    's: is required; shops, as in "nord"',
  ],
  [
    '{ type: integer, required: true, example: 12, description: The number of it }',
    's: is required; the number of it, as in "12"',
  ],
  [
    '{ type: date, required: true, example: -1d, description: Day. }',
    /^s: is required; day, as in "\d{4}-\d\d-\d\d"$/,
  ],
  [
    '{ type: string, required: true, example: nord, description: "A shop, as in nord." }',
    's: is required; a shop, as in nord.',
  ],
  ['{ type: string, required: true, description: Shop. }', 's: is required; shop.'],
])('of %s, a request without a value has the example', (declared, message) => {
  const query = draftQuery({
    columns: { x: 'string' },
    parameters: { s: declared },
    sql: declared.includes('repeated') ? "select 'a' as x where 'a' in unnest(@s)" : 'select @s as x',
  });
  const fail = () => bind(query, plainParameters({}));
  expect(fail).toThrow(message);
});
