import { expect, test } from 'vitest';
import { LoopTurns } from '../../../src/concurrency/loop-turns.ts';
import { GatewayError } from '../../../src/errors.ts';
import { runForTenants } from '../../../src/plugins/shared-runs/run-for-tenants.ts';
import { maxSharedRows, type SharedForm } from '../../../src/plugins/shared-runs/share-query.ts';
import { SharedSizes } from '../../../src/plugins/shared-runs/shared-sizes.ts';

const tenants = Array.from({ length: 200 }, (_, at) => `t${at}`);
const hourMs = 60 * 60 * 1000;

/** The refreshes of a query whose tenants have so many rows: the runs of each one, and the tenants that it leaves. */
function refreshesOf(rowsOf: (tenant: string) => number, tooMany?: GatewayError) {
  let now = 0;
  const sizes = new SharedSizes(() => now);
  return async (afterMs: number) => {
    now += afterMs;
    let runs = 0;
    const run = async (some: readonly string[]) => {
      runs += 1;
      const truncated = some.reduce((sum, tenant) => sum + rowsOf(tenant), 0) > maxSharedRows;
      if (truncated && tooMany !== undefined) throw tooMany;
      return { rows: [], truncated };
    };
    const { found, failure } = await runForTenants(run, {
      form: { tenant: 'tenant', rank: 'rank' } as SharedForm,
      bounds: { offset: 0, limit: Number.POSITIVE_INFINITY, maxRows: maxSharedRows },
      ...{ tenants, sizes, turns: new LoopTurns(), signal: new AbortController().signal },
    });
    const left = tenants.filter((tenant) => !found.has(tenant));
    return { runs, left, ...(failure && { failure }) };
  };
}

test('a run has as many tenants as had room the last time', async () => {
  const refresh = refreshesOf(() => 5_000);
  expect(await refresh(0)).toEqual({ runs: 31, left: [] });
  expect(await refresh(60_000)).toEqual({ runs: 16, left: [] });
  // Their rows may have become fewer.
  expect(await refresh(hourMs)).toEqual({ runs: 31, left: [] });
});

test('tenants that have no room together are not run together for an hour', async () => {
  const refresh = refreshesOf(() => 60_000);
  expect(await refresh(0)).toEqual({ runs: 399, left: [] });
  expect(await refresh(60_000)).toEqual({ runs: 0, left: tenants });
  expect(await refresh(hourMs)).toEqual({ runs: 399, left: [] });
});

test('a tenant that has too many rows by itself does not stop the others from being run together', async () => {
  const refresh = refreshesOf((tenant) => (tenant === 't7' ? 150_000 : 10));
  const { runs, left } = await refresh(0);
  expect({ left, isOften: runs > 10 }).toEqual({ left: ['t7'], isOften: true });
  expect(await refresh(60_000)).toEqual({ runs: 2, left: ['t7'] });
});

test('a run that is too expensive for all tenants is made for as many as it is not for', async () => {
  const tooExpensive = new GatewayError('QUERY_TOO_EXPENSIVE', 'Too much');
  const refresh = refreshesOf(() => 2_000, tooExpensive);
  expect(await refresh(0)).toEqual({ runs: 7, left: [] });
  expect(await refresh(60_000)).toEqual({ runs: 4, left: [] });
  const refreshOfLarge = refreshesOf((tenant) => (tenant === 't7' ? 150_000 : 10), tooExpensive);
  expect((await refreshOfLarge(0)).left).toEqual(['t7']);
  expect(await refreshOfLarge(60_000)).toEqual({ runs: 2, left: ['t7'] });
});

test('a run that would cost more than its budget leaves is made for no fewer tenants', async () => {
  const failure = new GatewayError('QUERY_TOO_EXPENSIVE', 'Too much', { isOverMaximum: true });
  expect(await refreshesOf(() => 2_000, failure)(0)).toEqual({ runs: 1, left: tenants, failure });
});
