import { afterAll, beforeAll, expect, test } from 'vitest';
import { kinds, lostRows, openStoredRows } from '../conformance/stored-conditions.ts';

let rows: Awaited<ReturnType<typeof openStoredRows>>;
beforeAll(async () => {
  rows = await openStoredRows();
});
afterAll(() => rows.close());

const conditions = Object.entries(kinds).flatMap(([kind, [, [low, , value, high]]]) =>
  ['nulls', 'oneAndNulls', 'drifted'].flatMap((filling) => {
    const x = `${filling}_${kind}`;
    return [
      `${x} IS DISTINCT FROM ${value} OR ${x} > ${high}`,
      `NOT (${x} IS NOT DISTINCT FROM ${low}) OR ${x} IN (${low}, ${high})`,
      kind === 'BOOL' ? `${x} IS NOT FALSE OR ${x} = TRUE` : `(${x} = ${low}) IS NOT TRUE OR ${x} = ${low}`,
    ];
  }),
);

// DuckDB leaves out row groups by a filter in which IS DISTINCT FROM is beside another comparison.
test.each(conditions)('a condition leaves the stored rows for which it is true: %s', async (condition) => {
  expect(await rows.lost(condition)).toBeUndefined();
});

test('random conditions leave the stored rows for which they are true', async () => {
  expect(await lostRows(60, 1)).toEqual([]);
});
