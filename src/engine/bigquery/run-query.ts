import type { Semaphore } from '../../concurrency/semaphore.ts';
import type { Config } from '../../config.ts';
import type { Engine } from '../engine.ts';
import { type Client, untilAborted } from './api/client.ts';
import { EngineFailure } from './api/errors.ts';
import { openLimit } from './deadline.ts';
import { queryBody } from './query-body.ts';
import { converse, type Job } from './run-job.ts';

export interface RunContext {
  readonly client: Client;
  readonly queue: Semaphore;
  readonly config: Config;
  /** Aborted when the engine closes. */
  readonly closing: AbortSignal;
  /** Told of a job that goes on although nobody wants its rows any longer. */
  readonly abandon: (job: Job) => void;
}

/** Runs saved queries on BigQuery, each within one deadline: waiting for its turn, calls, retries, polls and pages. */
export function openRun({ client, queue, config, closing, abandon }: RunContext): Engine['run'] {
  return async (bound, { signal }) => {
    const limit = openLimit({ timeoutMs: config.engineTimeoutMs, caller: signal, closing });
    const body = {
      ...queryBody(bound, config.bigquery),
      jobCreationMode: 'JOB_CREATION_OPTIONAL',
      // One row more than may be told, so that a cut is known.
      maxResults: bound.query.maxRows + 1,
    };
    const { location } = config.bigquery;
    const work = queue
      .run(limit.gone, () => converse({ client, bound, limit, body, location, abandon }))
      .finally(() => limit.release());
    try {
      // The caller is told at once; what is under way may have to end first.
      return await untilAborted(work, limit.gone);
    } catch (error) {
      throw error instanceof EngineFailure ? error.error : error;
    }
  };
}
