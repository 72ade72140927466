import { expect, test } from 'vitest';
import type { RunOptions } from '../../../src/engine-contract/engine.ts';
import { LoopTurns } from '../../../src/concurrency/loop-turns.ts';
import { openDeadline } from '../../../src/engines/bigquery/api/deadline.ts';
import { runJob } from '../../../src/engines/bigquery/run-job.ts';
import { completeBody } from '../../support/fake-bigquery.ts';
import { testQuery } from './open-with-fake.ts';

/** Runs a query of 1,000 rows. */
async function runLarge(options: Pick<RunOptions, 'signal' | 'beforeRows' | 'onBill'>, turns: LoopTurns) {
  const { signal, onBill, beforeRows = async () => {} } = options;
  const closing = new AbortController().signal;
  const deadline = openDeadline({ timeoutMs: 5_000, caller: signal, closing });
  const values = Array.from({ length: 1_000 }, (_, at) => at);
  const text = JSON.stringify(completeBody(values, { totalBytesBilled: '77' }));
  try {
    return await runJob({
      client: { call: async () => ({ status: 200, text, retryAfterSeconds: undefined }), async close() {} },
      bound: { query: { ...testQuery, maxRows: 2_000 }, parameters: {} },
      deadline,
      body: {},
      location: undefined,
      jobs: { cancel() {}, bill() {} },
      turns,
      owner: 'public',
      onBill,
      beforeRows,
    });
  } finally {
    deadline.release();
  }
}

test('the rows of a large page are decoded in steps, after the caller of the run has a place for them', async () => {
  const events: string[] = [];
  class NotedTurns extends LoopTurns {
    override async compute<T>(_owner: unknown, steps: Iterator<void, T>): Promise<T> {
      for (;;) {
        events.push('step');
        const step = steps.next();
        if (step.done) return step.value;
      }
    }
  }
  const { signal } = new AbortController();
  const beforeRows = async () => void events.push('place');
  const { rows } = await runLarge({ signal, beforeRows }, new NotedTurns());
  expect(rows).toHaveLength(1_000);
  expect(events).toEqual(['place', 'step', 'step', 'step', 'step']);
});

test('a run whose caller leaves between two steps is billed', async () => {
  const caller = new AbortController();
  class LeavingTurns extends LoopTurns {
    override async compute<T>(owner: string, steps: Iterator<void, T>): Promise<T> {
      const { done, value } = steps.next();
      if (done) return value;
      caller.abort(new Error('left'));
      return super.compute(owner, steps);
    }
  }
  const bills: unknown[] = [];
  const run = runLarge({ signal: caller.signal, onBill: (bill) => bills.push(bill) }, new LeavingTurns());
  await expect(run).rejects.toThrow('left');
  expect(bills).toEqual([expect.objectContaining({ bytesBilled: 77 })]);
});
