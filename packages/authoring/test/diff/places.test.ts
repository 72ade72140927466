import { expect, test } from 'vitest';
import { parseCatalog } from 'querygate/catalog';
import { openPlaces } from '../../src/diff/places.ts';

const fileOf = (column: string, more = '') => `/*---
id: 0192f0c1-2d3e-7a4b-8c5d-6e7f80919aab
description: A query.
caching: disabled
max_rows: 10
columns:
  a: { type: integer, description: A number. }
  b:
    type: integer
    description: A number.
${column}${more}---*/
SELECT 1 AS a, 2 AS b
`;

/** The line at which changes of row arguments are shown. */
function rowArgumentsLine(text: string): number {
  const { queries } = parseCatalog('queries', new Map([['a.sql', { text }]]));
  const [query] = queries;
  if (query === undefined) throw new Error('no query');
  return openPlaces(() => 'a.sql', new Map([['a.sql', { text }]]))(query, ['row_arguments']);
}

test('row arguments are where they are declared: at their key, or at the first column that is marked', () => {
  expect(rowArgumentsLine(fileOf('', 'row_arguments: all\n'))).toBe(11);
  expect(rowArgumentsLine(fileOf('    filter: true\n'))).toBe(11);
  expect(rowArgumentsLine(fileOf('    order: true\n', 'labels: [team]\n'))).toBe(11);
  expect(rowArgumentsLine(fileOf(''))).toBe(6);
});
