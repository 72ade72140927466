import { expect, test } from 'vitest';
import { isSameColumn } from '../../src/catalog-analysis/check-columns.ts';

test('two columns are the same if their names differ in the case of ASCII letters only', () => {
  expect(isSameColumn('Key', 'kEY')).toBe(true);
  expect(isSameColumn('\u212aey', 'key')).toBe(false);
  expect(isSameColumn('É', 'é')).toBe(false);
});
