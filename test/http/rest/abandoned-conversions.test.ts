import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { LoopTurns } from '../../../src/concurrency/loop-turns.ts';
import { formats } from '../../../src/formats/format.ts';
import { ByteBudget } from '../../../src/http/message/byte-budget.ts';
import { buildConvertWhole } from '../../../src/http/rest/formatted/convert-whole.ts';
import type { FormattedRequest } from '../../../src/http/rest/formatted/formatted-request.ts';

test('a Parquet file that no caller waits for any more is not written when its turn comes', async () => {
  const budget = new ByteBudget();
  const convertWhole = buildConvertWhole({ budget, turns: new LoopTurns() });
  const rows = {
    identity: Buffer.from('{"result":[{"n":1}]}'),
    columns: [{ name: 'n', type: 'integer', repeated: false } as const],
  };
  const callers = Array.from({ length: 3 }, () => new AbortController());
  const [first, second, third] = callers.map(({ signal }, at) =>
    convertWhole(at === 0 ? 'written' : 'waiting', rows, {
      format: formats.parquet,
      owner: 'one',
      head: { signal },
    } as unknown as FormattedRequest),
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
