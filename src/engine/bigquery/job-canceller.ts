import { openPatience } from './api/attempt-timeout.ts';
import type { Client } from './api/client.ts';
import type { Job } from './run-job.ts';

/** How long BigQuery may take to hear that a job is not wanted any longer. */
const waitMs = 2_000;

/** Cancels jobs that nobody waits for, in the background. */
export interface AbandonedJobs {
  /** Never throws: a job that cannot be cancelled ends by its own timeout. */
  abandon(job: Job): void;
  /** Resolves when every cancellation is through, or was given up. */
  settle(): Promise<void>;
}

export function openAbandonedJobs(client: Client): AbandonedJobs {
  const underWay = new Set<Promise<void>>();
  return {
    abandon(job) {
      const cancelling = cancel(client, job).finally(() => underWay.delete(cancelling));
      underWay.add(cancelling);
    },
    async settle() {
      await Promise.all(underWay);
    },
  };
}

async function cancel(client: Client, { jobId, location }: Job): Promise<void> {
  const query = location === undefined ? '' : `?${new URLSearchParams({ location })}`;
  const patience = openPatience(waitMs, new AbortController().signal);
  const path = `/jobs/${encodeURIComponent(jobId)}/cancel${query}`;
  await client.call({ method: 'POST', path, body: {}, signal: patience.signal }).catch(() => {});
  patience.release();
}
