import { setTimeout as sleep } from 'node:timers/promises';
import type { Cost } from '../../engine-contract/engine.ts';
import type { Client } from './api/client.ts';
import { finalCost, type Job, jobRequest } from './cost.ts';

/** How long one call may take. */
const timeoutMs = 2_000;

/** A job that is being cancelled ends within seconds. */
const billTries = 10;
const betweenTriesMs = 1_000;

/** How long, and how often, it is looked for bills while the gateway closes. */
const closingMs = 1_000;
const betweenClosingTriesMs = 400;

/** Ends jobs in the background. */
export interface JobCanceller {
  /** Never throws: a job that cannot be cancelled ends by its own timeout. @param onBill receives what it costs all the same */
  cancel(job: Job, onBill?: (cost: Cost) => void): void;
  /** Finds out what a job has cost. */
  bill(job: Job, onBill: (cost: Cost) => void): void;
  /** Resolves when every call has succeeded or failed. */
  close(): Promise<void>;
}

export function openJobCanceller(client: Client): JobCanceller {
  const pending = new Set<Promise<void>>();
  const closing = new AbortController();
  const add = (work: Promise<void>) => {
    const adding = work.catch(() => {}).finally(() => pending.delete(adding));
    pending.add(adding);
  };
  let closeBy = Number.POSITIVE_INFINITY;
  const pause = () =>
    closing.signal.aborted
      ? sleep(betweenClosingTriesMs)
      : sleep(betweenTriesMs, undefined, { signal: closing.signal, ref: false }).catch(() => {});
  const bill = async (job: Job, onBill: (cost: Cost) => void) => {
    for (let tries = 0; tries < billTries; tries += 1) {
      if (tries > 0) await pause();
      const cost = await fetchFinalCost(client, job);
      if (cost !== undefined) return onBill(cost);
      // Before the gateway closes, one more call was made.
      if (performance.now() + betweenClosingTriesMs > closeBy) return;
    }
  };
  return {
    cancel: (job, onBill) => add(requestCancel(client, job).then(() => onBill && bill(job, onBill))),
    bill: (job, onBill) => add(bill(job, onBill)),
    async close() {
      closeBy = performance.now() + closingMs;
      closing.abort();
      await Promise.all(pending);
    },
  };
}

const fetchFinalCost = (client: Client, job: Job): Promise<Cost | undefined> =>
  client
    .call(jobRequest(job, 'status,statistics'), { timeoutMs })
    .then(({ text }) => finalCost(text, job))
    .catch(() => undefined);

async function requestCancel(client: Client, { jobId, location }: Job): Promise<void> {
  const query = location === undefined ? '' : `?${new URLSearchParams({ location })}`;
  const path = `/jobs/${encodeURIComponent(jobId)}/cancel${query}`;
  await client.call({ method: 'POST', path, body: {} }, { timeoutMs }).catch(() => {});
}
