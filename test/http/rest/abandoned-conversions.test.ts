import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { LoopTurns } from '../../../src/concurrency/loop-turns.ts';
import { parquet } from '../../../src/formats/parquet.ts';
import { ByteBudget } from '../../../src/http/message/byte-budget.ts';
import type { RenderRequest } from '../../../src/http/rendering/render-request.ts';
import { buildRenderWhole } from '../../../src/http/rendering/render-whole.ts';

test('a Parquet file that no caller waits for any more is not written when its turn comes', async () => {
  const budget = new ByteBudget();
  const renderWhole = buildRenderWhole({ budget, turns: new LoopTurns() });
  const rows = {
    identity: Buffer.from('{"result":[{"n":1}]}'),
    columns: [{ name: 'n', type: 'integer', repeated: false } as const],
  };
  const callers = Array.from({ length: 3 }, () => new AbortController());
  const [first, second, third] = callers.map(({ signal }, at) =>
    renderWhole(at === 0 ? 'written' : 'waiting', rows, {
      renderer: parquet,
      owner: 'one',
      head: { signal },
    } as unknown as RenderRequest),
  );
  callers[1]?.abort();
  await expect(second).rejects.toMatchObject({ code: 'CANCELLED' });
  // The third one still waits for the same file.
  await setImmediate();
  expect(budget.usedBytes).toBe(rows.identity.byteLength);
  callers[2]?.abort();
  await expect(third).rejects.toMatchObject({ code: 'CANCELLED' });
  await setImmediate();
  await setImmediate();
  expect(budget.usedBytes).toBe(rows.identity.byteLength / 2);
  await first;
});
