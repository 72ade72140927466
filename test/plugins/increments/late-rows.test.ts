import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Rows, RunOptions, TableChanges } from '../../../src/engine-contract/engine.ts';
import { draftQuery } from '../../support/queries.ts';
import { openHistoryApp } from './history-app.ts';

const query = draftQuery({
  name: 'hours',
  columns: { b: 'timestamp', n: 'integer' },
  caching: ['caching: 900s', 'cache_warming: 300s', 'incremental: true', 'late: 10m', 'reconcile: 6h'],
  sql: `select timestamp_trunc(ts, hour) as b, count(*) as n from events
    where ts >= timestamp_trunc(timestamp_sub(current_timestamp(), interval 1 day), hour) group by b order by b`,
});
const bound = { query, parameters: {} };

const second = 1_000_000;
const late = 600 * second;
const noon = Date.parse('2026-03-10T12:00:00Z') * 1000;

let app: Awaited<ReturnType<typeof openHistoryApp>>;
let changes: TableChanges;
let looksForMs = 0;

beforeAll(async () => {
  app = await openHistoryApp([query], (signal) => sleep(looksForMs, changes, { signal }));
});
afterAll(() => app.close());
beforeEach(async () => {
  await app.clear();
  await addAt(noon - 3 * 3_600 * second);
  changes = { state: '1', changed: 'late' };
});

const addAt = (at: number) => app.insert([{ table: 'events', at, kind: 'a', amount: 1 }]);

const run = (now: number, before?: Rows, given?: Partial<RunOptions>) => {
  app.setNow(now);
  return app.refresh(bound, before, given);
};

test('rows since a clock was ahead, by more than rows are late, are read', async () => {
  const ahead = await run(noon + 2 * 3_600 * second);
  await addAt(noon - second);
  const next = await run(noon, ahead);
  expect(next.rows).toEqual((await app.full(bound)).rows);
});

test('rows that came after the look at their table, which was some seconds ago, are read', async () => {
  const atBoundary = noon + late + second;
  const first = await run(noon + 60 * second);
  changes = { state: '1', changed: [] };
  const unchanged = await run(atBoundary, first);
  await addAt(noon - second);
  changes = { state: '2', changed: 'late' };
  const next = await run(atBoundary + 60 * second, unchanged);
  expect(next.rows).toEqual((await app.full(bound)).rows);
  expect(['unchanged', 'increment'].map((kind) => app.counted('hours', kind))).toEqual([1, 1]);
});

test('a part is read without a slot for its rows, for all may have to be read after it', async () => {
  let slots = 0;
  const beforeRows = async () => {
    slots += 1;
  };
  const first = await run(noon, undefined, { beforeRows });
  expect(slots).toBe(1);
  await run(noon + 60 * second, first, { beforeRows });
  expect(slots).toBe(1);
});

test('a caller that leaves ends no look that others of its wave wait for', async () => {
  const wave = { moment: noon / 1000, until: noon / 1000 };
  const leaving = new AbortController();
  looksForMs = 20;
  const [left, stays] = [
    run(noon, undefined, { wave, signal: leaving.signal }),
    run(noon, undefined, { wave }),
  ];
  leaving.abort(new Error('left'));
  await expect(left).rejects.toThrow('left');
  expect((await stays).state).toContain('"tables":"1"');
  looksForMs = 0;
});
