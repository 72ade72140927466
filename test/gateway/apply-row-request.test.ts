import { expect, test } from 'vitest';
import { followerOf } from '../../src/call/caller.ts';
import { LoopTurns } from '../../src/concurrency/loop-turns.ts';
import { buildApplyRowRequest } from '../../src/gateway/apply-row-request.ts';
import { ByteBudget } from '../../src/http/message/byte-budget.ts';
import { unrestricted } from '../../src/keys/principal.ts';
import { buildDocument, parseRows } from '../../src/results/result-document.ts';
import { rowTask } from '../../src/row-arguments/row-task.ts';
import { runTime } from '../support/run-time.ts';

test('some rows of a large result take room for themselves, and not for the result', async () => {
  const rows = ['a', 'b', 'c'].map((name) => JSON.stringify({ name, text: name.repeat(100_000) }));
  const document = await buildDocument({ rows, truncated: false }, runTime(0));
  const spans = Uint32Array.of(11, 11 + (rows[0]?.length ?? 0));
  const apply = buildApplyRowRequest({
    readRows: async () => ({ rows: Uint32Array.of(0), spans, aggregates: [] }),
    budget: new ByteBudget(200_000),
    turns: new LoopTurns(),
  });
  const request = {
    task: rowTask([], { where: undefined, orderBy: [], offset: 0, first: 1 }),
    aggregates: undefined,
  };
  const result = { document, caching: 'disabled', cacheStatus: 'HIT', obtainedAt: 0 } as const;
  const part = await apply(result, request, followerOf(unrestricted('a key')));
  expect(parseRows(part.document)).toEqual([{ name: 'a', text: 'a'.repeat(100_000) }]);
});

test('many short rows are charged with the commas between them', async () => {
  const rows = Array.from({ length: 25 }, () => '{"n":1}');
  const document = await buildDocument({ rows, truncated: false }, runTime(0));
  const spans = Uint32Array.from(rows.flatMap((_, at) => [11 + 8 * at, 18 + 8 * at]));
  const budget = new ByteBudget(10_000, 190);
  const apply = buildApplyRowRequest({
    readRows: async () => ({ rows: Uint32Array.from(rows.keys()), spans, aggregates: [] }),
    budget,
    turns: new LoopTurns(),
  });
  const request = {
    task: rowTask([], { where: undefined, orderBy: [], offset: 0, first: 25 }),
    aggregates: undefined,
  };
  const result = { document, caching: 'disabled', cacheStatus: 'HIT', obtainedAt: 0 } as const;
  const part = await apply(result, request, followerOf(unrestricted('a key')));
  expect(budget.usedBytes).toBe(part.document.encodings.identity.byteLength);
});
