import { expect, test } from 'vitest';
import { aggregateRows } from '../../src/row-arguments/aggregate-rows.ts';

const unit = 10n ** 29n;

test.each([
  ['without finer digits, beside a row that has them', [1, 2], '"0.000000002"'],
  ['whose finer digits make a sum without them', [0, 3], '"0.0000000015"'],
])('the average of rows %s', (_, rows, expected) => {
  const values = [unit / 2n, unit, 2n * unit, (5n * unit) / 2n];
  const column = () => ({ values, ranks: Uint32Array.of(1, 2, 3, 4), bytes: 0 });
  const aggregates = [{ function: 'avg', column: 'a' }] as const;
  expect(aggregateRows(aggregates, Uint32Array.from(rows), column, () => 'numeric')).toEqual([expected]);
});
