import { expect, test } from 'vitest';
import { unusedName } from '../src/tree/fresh-names.ts';

test('many equal names are numbered in linear time', () => {
  const used = new Set(['a_3']);
  const names = Array.from({ length: 30_000 }, () => unusedName('a', used));
  expect(names.slice(0, 4)).toEqual(['a', 'a_2', 'a_4', 'a_5']);
  expect(names.at(-1)).toBe('a_30001');
  expect(unusedName('A', used)).toBe('A_30002');
});
