import { describe, expect, test } from 'vitest';
import { bind, plainParameters } from '../../../src/catalog/binding/bind.ts';
import { anyEngine } from '../../../src/catalog-analysis/analyze-catalog.ts';
import { deriveQuery } from '../../../src/catalog-analysis/derived/derive-query.ts';
import { loadAnalyzed } from '../../../src/catalog-analysis/load-analyzed.ts';
import { LoopTurns } from '../../../src/concurrency/loop-turns.ts';
import type { Rows } from '../../../src/engine-contract/engine.ts';
import { documentTexts, rowCountOf } from '../../../src/engine-contract/rows-document.ts';
import type { PluginHost } from '../../../src/gateway/plugin.ts';
import { increments } from '../../../src/plugins/increments/increments.ts';

const day = 86_400_000;
const mb = 1024 * 1024;

/** Of a day's partition, the columns that a chart reads. */
const partitionBytes = 50 * mb;

const catalog = loadAnalyzed('queries', anyEngine);

/** As BigQuery bills a table: whole partitions, the one of now as far as it is filled, in steps of 1 MB, 10 MB at least. */
function billOf(isRead: (day: number) => boolean, now: number): number {
  let bytes = 0;
  for (let at = Math.floor((now - 10 * day) / day) * day; at <= now; at += day)
    if (isRead(at)) bytes += partitionBytes * Math.min(1, (now - at) / day);
  return Math.max(10, Math.ceil(bytes / mb)) * mb;
}

/** Refreshes a chart every five minutes of a day. @returns the bytes that are billed, with increments and without */
async function billedDay(
  name: string,
  parameters: Record<string, string>,
  windowStart: (now: number) => number,
) {
  const query = catalog.queries.find((one) => one.name === name);
  if (query === undefined) throw new Error(name);
  let now = Date.parse('2026-03-10T00:02:00Z');
  let billed = 0;
  const plugin = increments();
  await plugin.open?.({
    clock: { now: () => new Date(now) },
    turns: new LoopTurns(),
    hasOwnClock: true,
    catalog,
    changes: async () => ({ state: '', changed: 'late' }),
    derive: async (given: typeof query, derivation: never) =>
      deriveQuery(given, derivation, catalog, { sql: 'bigquery', name: 'bigquery' }),
  } as unknown as PluginHost);
  const bound = bind(query, plainParameters(parameters), now);
  const isDatetime = query.columns[0]?.type === 'datetime';
  const cellOf = (at: number) =>
    isDatetime ? JSON.stringify(new Date(at).toISOString().slice(0, 19)) : at * 1000;
  let before: Rows | undefined;
  let full = 0;
  for (let at = 0; at < 288; at += 1, now += 300_000) {
    const start = windowStart(now);
    full += billOf((of) => of + day > start, now);
    const earlier = before;
    before = await plugin.aroundRun?.(
      bound,
      {
        signal: new AbortController().signal,
        before: () =>
          earlier && {
            state: earlier.state,
            truncated: false,
            rowCount: rowCountOf(earlier),
            document: Buffer.from([...documentTexts(earlier.rows, 1e6)].join('')),
          },
      },
      async (_, other = bound) => {
        const moment = (key: string) => Date.parse(String(other.parameters[key]));
        const [from, until] = [moment('window_from'), moment('window_until')];
        expect(moment('window_now')).toBe(now);
        billed += billOf((of) => of + day > start && (of + day > from || of < until), now);
        const days = Array.from({ length: 12 }, (_, of) => (Math.floor(start / day) + of) * day);
        const rows = days.filter((of) => of <= now && (of + day > from || of < until));
        return { rows: rows.map((of) => `{"timestamp":${cellOf(of)},"n":${of}}`), truncated: false };
      },
    );
    expect(before?.rows).toHaveLength(8);
  }
  return { full, billed, runs: plugin.metrics?.[0]?.samples() ?? [] };
}

describe('a day of refreshes on BigQuery, with partitions of a day, is billed with increments', () => {
  test('at most 1/3.5 where the left edge of the window is within a bucket', async () => {
    const parameters = { project: 'abc', interval: 'daily' };
    const { full, billed } = await billedDay('usage.api-counts', parameters, (now) => now - 7 * day);
    expect(full / billed).toBeGreaterThan(3.5);
  });

  test('at most 1/3.5 where it is the beginning of one', async () => {
    const parameters = { project: 'abc', interval: '7day' };
    const start = (now: number) => Math.floor((now - 7 * day) / day) * day;
    const { full, billed, runs } = await billedDay('functions.invocation-stats', parameters, start);
    expect(full / billed).toBeGreaterThan(3.5);
    const counted = new Map(runs.map(({ labels, value }) => [`${labels.run} ${labels.reason}`, value]));
    expect(counted.get('full reconcile')).toBe(4);
    expect(counted.get('full first')).toBe(1);
  });
});
