import { expect, test } from 'vitest';
import { buildAnswers } from '../../../src/answers/answers.ts';
import { LoopTurns } from '../../../src/concurrency/loop-turns.ts';
import { unrestricted } from '../../../src/keys/principal.ts';
import { buildCallQuery } from '../../../src/plugins/mcp/calls/query-calls.ts';
import type { Era } from '../../../src/plugins/mcp/protocol/era.ts';
import type { ObtainedResult } from '../../../src/results/get-result.ts';
import { parseRows, type ResultDocument } from '../../../src/results/result-document.ts';
import { collectGarbage } from '../../support/collect-garbage.ts';
import { draftQuery } from '../../support/queries.ts';
import { openGate } from '../../support/calls.ts';
import { openTestResults } from '../../support/test-results.ts';

const query = draftQuery({
  parameters: { n: '{ type: integer, default: 0, description: A number. }' },
  columns: { text: 'string' },
  caching: ['caching: 900s'],
  sql: 'select @n',
});

/** @param rows of each run, of its number */
function openCalls(rows: (run: number) => readonly string[], maxBytes: number, memoryBytes = 64_000_000) {
  const shown: ObtainedResult[] = [];
  const results = openTestResults({ rows: (_, run) => rows(run), queryMs: 0, memoryBytes });
  const gate = openGate({ now: results.clock.now });
  const openAnswers = buildAnswers({
    store: results.derived,
    current: results.current,
    showResult: (one) => void shown.push(one),
  });
  const call = buildCallQuery(
    {
      open: (endpoint, caller) => gate.open(endpoint, caller),
      async obtain({ bound, caller: { head, admission } }) {
        const running = results.get(bound, { caller: head, noCache: admission.noCache });
        await results.clock.pass(1);
        const obtained = { bound, result: await running };
        head.results?.push(obtained);
        return obtained;
      },
      openAnswers,
      turns: new LoopTurns(),
      rejectKeys: () => {},
    },
    { maxRows: 10, maxBytes },
  );
  const endpoint = { name: 'draft', field: 'draft', query, isPinned: false };
  const answer = (n: number | null, era: Era, noCache = false) =>
    call(
      { name: 'draft', fullName: 'draft', endpoint, takesSql: false },
      { n },
      {
        head: { headers: {}, signal: new AbortController().signal, results: [] } as never,
        admission: { principal: unrestricted('key'), noCache, schedule: undefined },
        era,
        origin: undefined,
      },
    );
  return { answer, results, shown };
}

const text = (length: number) => JSON.stringify({ text: 'a'.repeat(length) });

test('an answer is written once while its result is fresh, for each era, and plug-ins see the result', async () => {
  const rows = Array.from({ length: 1_100 }, (_, n) => JSON.stringify({ text: `${n}`.padEnd(4_000, 'x') }));
  const { answer, results, shown } = openCalls(() => rows, 8_192);
  const first = await answer(1, 'legacy');
  expect(shown).toEqual([]);
  await results.clock.pass(800_000);
  expect(await answer(1, 'legacy')).toBe(first);
  expect(results.engine.runs).toBe(1);
  expect(shown.map(({ result }) => [result.cacheStatus, result.document.metadata.rowCount])).toEqual([
    ['HIT', 1_100],
  ]);
  expect(await answer(1, 'modern')).not.toBe(first);
  await answer(2, 'legacy');
  expect(results.engine.runs).toBe(2);
  expect(await answer(1, 'legacy', true)).not.toBe(first);
  expect(results.engine.runs).toBe(3);
  expect(await answer(1, 'legacy')).not.toBe(first);
});

test('the answer of a large result that has no room in memory is sent as long as that would be fresh', async () => {
  const rows = Array.from({ length: 1_100 }, (_, n) => JSON.stringify({ text: `${n}`.padEnd(4_000, 'x') }));
  const { answer, results, shown } = openCalls(() => rows, 8_192, 2_000_000);
  const first = await answer(1, 'legacy');
  await results.clock.pass(890_000);
  expect(await answer(1, 'legacy')).toBe(first);
  expect(results.engine.runs).toBe(1);
  const { rows: answered } = JSON.parse(String(first.bytes)).structuredContent;
  expect(answered.length).toBeGreaterThan(0);
  expect(shown.map(({ result }) => [result.cacheStatus, parseRows(result.document)])).toEqual([
    ['HIT', answered],
  ]);
  // A newer result is known, although it has no room either.
  const newer = await answer(1, 'legacy', true);
  expect(newer).not.toBe(first);
  expect(await answer(1, 'legacy')).not.toBe(first);
  const { runs } = results.engine;
  await results.clock.pass(901_000);
  await answer(1, 'legacy');
  expect(results.engine.runs).toBe(runs + 1);
});

test('an answer is not that of other arguments with the same JSON', async () => {
  const { answer } = openCalls(() => [text(1)], 8_192);
  for (let at = 0; at < 2; at += 1) {
    await answer(null, 'legacy');
    // A text of JSON may have 1e400.
    await expect(async () => answer(Number.POSITIVE_INFINITY, 'legacy')).rejects.toThrow('n: got');
  }
});

test('kept answers do not keep the results that they were made of', async () => {
  const made: WeakRef<ResultDocument>[] = [];
  // Of each result, 190 kB; of each answer, some 8 kB.
  const rows = Array.from({ length: 100 }, (_, n) => JSON.stringify({ text: `${n}`.repeat(1_000) }));
  const { answer, results, shown } = openCalls(() => rows, 8_192, 1_000_000);
  for (let n = 0; n < 20; n += 1) {
    await answer(n, 'legacy');
    await answer(n, 'legacy');
    const document = shown.at(-1)?.result.document;
    if (document !== undefined) made.push(new WeakRef(document));
    shown.length = 0;
  }
  expect(made).toHaveLength(20);
  await expect
    .poll(
      async () => {
        // The engine and the clock forget the last run.
        await results.clock.pass(1);
        collectGarbage();
        return made.filter((one) => one.deref() !== undefined).length;
      },
      { timeout: 60_000 },
    )
    .toBeLessThan(8);
});

test('kept answers take their memory of that of results', async () => {
  const { answer, results } = openCalls(() => [text(100_000)], 20_000_000, 1_000_000);
  const first = await answer(1, 'legacy');
  expect(await answer(1, 'legacy')).toBe(first);
  for (let n = 2; n < 10; n += 1) {
    await answer(n, 'legacy');
    await answer(n, 'modern');
    expect(results.counters.bytes).toBeLessThanOrEqual(1_000_000);
  }
  const last = await answer(9, 'legacy');
  expect(await answer(9, 'legacy')).toBe(last);
  expect(await answer(1, 'legacy')).not.toBe(first);
});
