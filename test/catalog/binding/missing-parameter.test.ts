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

test.each([
  [{ proejct: 'abc' }, '; got "proejct" in place of its name'],
  [{ Project: 'abc' }, '; got "Project" in place of its name'],
  [{ colour: 'abc' }, undefined],
  [{ at: '2026-01-01' }, undefined],
])('of %s, the name that is near a missing one is said', (given, end) => {
  const query = draftQuery({
    columns: { x: 'string' },
    parameters: {
      project: '{ type: string, required: true, description: Project. }',
      at: '{ type: date, bind: STRING, description: Day. }',
    },
    sql: 'select @project || @at as x',
  });
  const fail = () => bind(query, plainParameters(given));
  expect(fail).toThrow(expect.objectContaining({ message: `project: is required; project.${end ?? ''}` }));
});
