import { expect, test } from 'vitest';
import { elementsOf, partsOf } from '../../../src/http/message/list-header.ts';

test('the first hundred elements of a list count, with twenty parameters each', () => {
  expect(elementsOf('a,'.repeat(101))).toHaveLength(100);
  expect(partsOf(`Text/CSV ; Q=1${';a'.repeat(30)}`)).toEqual(['text/csv', 'q=1', ...Array(19).fill('a')]);
});
