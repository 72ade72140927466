import { expect, test } from 'vitest';
import { column } from '../../../../test/support/column.ts';
import { headerText } from '../../src/new/header-text.ts';

test('fields of records keep their descriptions', () => {
  const inner = { ...column('code', 'integer') };
  const parts = { ...column('parts', 'record'), required: false, fields: [inner, column('n', 'integer')] };
  const text = headerText({
    ...{ name: 'a', id: 'x', tenant: undefined },
    description: {
      ...{ sql: '', conversions: [], names: [], replacements: [], parameters: [], tenants: [] },
      ...{ proposals: [], others: [], columns: [parts] },
    },
    earlier: { descriptions: new Map([['columns.parts.fields.code', 'The code.']]) },
  });
  expect(text).toContain(
    'fields:\n      code:\n        type: integer\n        description: The code.\n      n: integer\n',
  );
});
