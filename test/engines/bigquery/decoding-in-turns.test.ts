import { expect, test } from 'vitest';
import { LoopTurns } from '../../../src/concurrency/loop-turns.ts';
import { openDeadline } from '../../../src/engines/bigquery/api/deadline.ts';
import { runJob } from '../../../src/engines/bigquery/run-job.ts';
import { completeBody } from '../../support/fake-bigquery.ts';
import { testQuery } from './open-with-fake.ts';

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
  const deadline = openDeadline({ timeoutMs: 5_000, caller: signal, closing: signal });
  const text = JSON.stringify(completeBody(Array.from({ length: 1_000 }, (_, at) => at)));
  const { rows } = await runJob({
    client: { call: async () => ({ status: 200, text, retryAfterSeconds: undefined }), async close() {} },
    bound: { query: { ...testQuery, maxRows: 2_000 }, parameters: {} },
    deadline,
    body: {},
    location: undefined,
    jobs: { cancel() {}, bill() {} },
    turns: new NotedTurns(),
    owner: 'public',
    onBill: undefined,
    beforeRows: async () => void events.push('place'),
  });
  deadline.release();
  expect(rows).toHaveLength(1_000);
  expect(events).toEqual(['place', 'step', 'step', 'step', 'step']);
});
