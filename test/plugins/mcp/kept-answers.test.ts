import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { LoopTurns } from '../../../src/concurrency/loop-turns.ts';
import type { RouteHost } from '../../../src/gateway/plugin.ts';
import { unrestricted } from '../../../src/keys/principal.ts';
import { buildCallQuery } from '../../../src/plugins/mcp/calls/query-calls.ts';
import type { Era } from '../../../src/plugins/mcp/protocol/era.ts';
import type { ObtainedResult } from '../../../src/results/get-result.ts';
import { buildDocument, parseRows, type ResultDocument } from '../../../src/results/result-document.ts';
import { fakeClock } from '../../support/fake-clock.ts';
import { draftQuery } from '../../support/queries.ts';
import { openGate } from '../../support/calls.ts';
import { runTime } from '../../support/run-time.ts';

const query = draftQuery({
  parameters: { n: '{ type: integer, default: 0, description: A number. }' },
  columns: { text: 'string' },
  caching: ['caching: 900s'],
  sql: 'select @n',
});

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

const caching = { ttlSeconds: 900, warmingSeconds: undefined, staleIfErrorSeconds: 900 };

/** @param document of the result that is obtained, again for each call */
function callsOf(document: () => Promise<ResultDocument>, maxBytes: number) {
  const shown: ObtainedResult[] = [];
  const clock = fakeClock('1970-01-01T00:00:00Z');
  const gate = openGate({ now: clock.now });
  const obtain: RouteHost['obtain'] = async ({ bound }) => ({
    bound,
    result: { document: await document(), caching, cacheStatus: 'HIT', obtainedAt: 0 },
  });
  const call = buildCallQuery(
    {
      open: (endpoint, caller) => gate.open(endpoint, caller),
      obtain,
      turns: new LoopTurns(),
      isKeyText: () => false,
      clock,
      showResult: (one) => void shown.push(one),
    },
    { maxRows: 10, maxBytes },
  );
  const endpoint = { name: 'draft', field: 'draft', query, isPinned: false };
  const answer = (n: number | null, era: Era, noCache = false) =>
    call(
      { name: 'draft', fullName: 'draft', endpoint, takesSql: false },
      { n },
      {
        head: { headers: {} } as never,
        admission: { principal: unrestricted('key'), noCache, schedule: undefined },
        era,
        origin: undefined,
      },
    );
  return { answer, clock, shown };
}

describe('the answer of a result that the cache may have no room for', () => {
  const large = async () => {
    const rows = Array.from({ length: 1_100 }, (_, n) => JSON.stringify({ text: `${n}`.padEnd(4_000, 'x') }));
    return buildDocument({ rows, truncated: false }, runTime(0));
  };
  test('is sent again as long as the result is fresh, and plug-ins see the rows that it has', async () => {
    let count = 0;
    const runs = () => count;
    const { answer, clock, shown } = callsOf(() => {
      count += 1;
      return large();
    }, 8_192);
    const first = await answer(1, 'legacy');
    expect(shown).toEqual([]);
    await clock.pass(899_000);
    expect(await answer(1, 'legacy')).toBe(first);
    expect(runs()).toBe(1);
    const { rows } = JSON.parse(String(first.bytes)).structuredContent;
    expect(rows.length).toBeGreaterThan(0);
    expect(shown.map(({ result }) => [result.cacheStatus, parseRows(result.document)])).toEqual([
      ['HIT', rows],
    ]);
    await answer(1, 'modern');
    await answer(2, 'legacy');
    await answer(1, 'legacy', true);
    expect(runs()).toBe(4);
    await clock.pass(2_000);
    await answer(2, 'legacy');
    expect(runs()).toBe(5);
  });
});

test('an answer is not that of other arguments with the same JSON', async () => {
  const { answer } = callsOf(
    async () => buildDocument({ rows: ['{"text":"a"}'], truncated: false }, runTime(0)),
    8_192,
  );
  for (let at = 0; at < 2; at += 1) {
    await answer(null, 'legacy');
    // A text of JSON may have 1e400.
    await expect(async () => answer(Number.POSITIVE_INFINITY, 'legacy')).rejects.toThrow('n: got');
  }
});

test('kept answers do not keep the results that they were made of', async () => {
  const made: WeakRef<Buffer>[] = [];
  const { answer } = callsOf(async () => {
    const rows = Array.from({ length: 100 }, (_, n) => JSON.stringify({ text: `${n}`.repeat(1_000) }));
    const document = await buildDocument({ rows, truncated: false }, runTime(0));
    made.push(new WeakRef(document.encodings.identity));
    return document;
  }, 8_192);
  for (let n = 0; n < 20; n += 1) await answer(n, 'legacy');
  await expect
    .poll(
      () => {
        collect();
        return made.filter((one) => one.deref() !== undefined).length;
      },
      { timeout: 60_000 },
    )
    .toBeLessThan(5);
});

test('kept answers take no more memory than they may, also if one call is answered in both eras', async () => {
  const rows = [JSON.stringify({ text: 'a'.repeat(5_000_000) })];
  const document = await buildDocument({ rows, truncated: false }, runTime(0));
  const { answer } = callsOf(async () => document, 20_000_000);
  const first = await answer(1, 'legacy');
  // Of 32 MB, three have room.
  expect(first.bytes.byteLength).toBeGreaterThan(8_000_000);
  expect(first.bytes.byteLength).toBeLessThan(10_500_000);
  expect(await answer(1, 'legacy')).toBe(first);
  for (const [n, era] of [
    [1, 'modern'],
    [2, 'legacy'],
    [2, 'modern'],
  ] as const)
    await answer(n, era);
  const last = await answer(2, 'legacy');
  expect(await answer(2, 'legacy')).toBe(last);
  expect(await answer(1, 'legacy')).not.toBe(first);
});
