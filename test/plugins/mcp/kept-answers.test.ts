import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { bind } from '../../../src/catalog/binding/bind.ts';
import { LoopTurns } from '../../../src/concurrency/loop-turns.ts';
import { unrestricted } from '../../../src/keys/principal.ts';
import { buildCallQuery } from '../../../src/plugins/mcp/calls/query-calls.ts';
import type { Era } from '../../../src/plugins/mcp/protocol/era.ts';
import type { ObtainedResult } from '../../../src/results/get-result.ts';
import { buildDocument, type ResultDocument } from '../../../src/results/result-document.ts';
import { draftQuery } from '../../support/queries.ts';

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
  const obtain = async (): Promise<ObtainedResult> => ({
    bound: bind(query, new Map(), 0),
    result: { document: await document(), caching, cacheStatus: 'HIT', obtainedAt: 0 },
  });
  const call = buildCallQuery(
    { obtainRows: obtain, turns: new LoopTurns(), isKeyText: () => false },
    { maxRows: 10, maxBytes },
  );
  const endpoint = { name: 'draft', field: 'draft', query, isPinned: false };
  return (n: number, era: Era) =>
    call(
      { name: 'draft', endpoint, takesSql: false },
      { n },
      {
        head: { headers: {} } as never,
        admission: { principal: unrestricted('key') } as never,
        era,
        origin: undefined,
      },
    );
}

test('kept answers do not keep the results that they were made of', async () => {
  const made: WeakRef<Buffer>[] = [];
  const answer = callsOf(async () => {
    const rows = Array.from({ length: 100 }, (_, n) => JSON.stringify({ text: `${n}`.repeat(1_000) }));
    const document = await buildDocument({ rows, truncated: false }, 0);
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
  const document = await buildDocument({ rows, truncated: false }, 0);
  const answer = callsOf(async () => document, 20_000_000);
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
