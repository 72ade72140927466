import { afterAll, beforeAll, expect, test } from 'vitest';
import { kinds, lostRows, openStoredRows } from '../conformance/stored-conditions.ts';
import { times } from '../../../test/support/nightly.ts';

let rows: Awaited<ReturnType<typeof openStoredRows>>;
beforeAll(async () => {
  rows = await openStoredRows();
}, 120_000);
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

/** `STORED_CONDITIONS=5000` for as many random conditions, of another seed each time: those that are wrong are printed. */
const count = Number(process.env.STORED_CONDITIONS ?? times(12));

test('random conditions leave the stored rows for which they are true', {
  timeout: Math.max(30_000, 200 * count),
}, async () => {
  expect(
    await lostRows(count, process.env.STORED_CONDITIONS === undefined ? 1 : Date.now() % 1_000_000),
  ).toEqual([]);
});
