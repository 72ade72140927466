import type { Client } from './api/client.ts';
import type { Job } from './run-job.ts';

/** How long one cancellation may take. */
const timeoutMs = 2_000;

/** Cancels jobs in the background. */
interface JobCanceller {
  /** Never throws: a job that cannot be cancelled ends by its own timeout. */
  cancel(job: Job): void;
  /** Resolves when every cancellation has succeeded or failed. */
  close(): Promise<void>;
}

export function openJobCanceller(client: Client): JobCanceller {
  const pending = new Set<Promise<void>>();
  return {
    cancel(job) {
      const cancelling = requestCancel(client, job).finally(() => pending.delete(cancelling));
      pending.add(cancelling);
    },
    async close() {
      await Promise.all(pending);
    },
  };
}

async function requestCancel(client: Client, { jobId, location }: Job): Promise<void> {
  const query = location === undefined ? '' : `?${new URLSearchParams({ location })}`;
  const path = `/jobs/${encodeURIComponent(jobId)}/cancel${query}`;
  await client.call({ method: 'POST', path, body: {} }, { timeoutMs }).catch(() => {});
}
