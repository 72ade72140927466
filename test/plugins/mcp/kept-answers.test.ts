import { expect, test } from 'vitest';
import { bind } from '../../../src/catalog/binding/bind.ts';
import { LoopTurns } from '../../../src/concurrency/loop-turns.ts';
import { unrestricted } from '../../../src/keys/principal.ts';
import { buildCallQuery } from '../../../src/plugins/mcp/calls/query-calls.ts';
import type { Era } from '../../../src/plugins/mcp/protocol/era.ts';
import type { ObtainedResult } from '../../../src/results/get-result.ts';
import { buildDocument } from '../../../src/results/result-document.ts';
import { draftQuery } from '../../support/queries.ts';

const query = draftQuery({
  parameters: { n: '{ type: integer, default: 0, description: A number. }' },
  columns: { text: 'string' },
  caching: ['caching: 900s'],
  sql: 'select @n',
});

test('kept answers take no more memory than they may, also if one call is answered in both eras', async () => {
  const rows = [JSON.stringify({ text: 'a'.repeat(5_000_000) })];
  const document = await buildDocument({ rows, truncated: false }, 0);
  const caching = { ttlSeconds: 900, warmingSeconds: undefined, staleIfErrorSeconds: 900 };
  const obtained: ObtainedResult = {
    bound: bind(query, new Map(), 0),
    result: { document, caching, cacheStatus: 'HIT', obtainedAt: 0 },
  };
  const call = buildCallQuery(
    { obtainRows: () => obtained, turns: new LoopTurns(), isKeyText: () => false },
    { maxRows: 10, maxBytes: 20_000_000 },
  );
  const endpoint = { name: 'draft', field: 'draft', query, isPinned: false };
  const answer = (n: number, era: Era) =>
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
