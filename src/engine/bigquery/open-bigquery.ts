import type { Catalog } from '../../catalog/saved-query.ts';
import { Semaphore } from '../../concurrency/semaphore.ts';
import type { Config } from '../../config.ts';
import { StartError } from '../../errors.ts';
import type { Engine } from '../engine.ts';
import { queueFull } from '../queue-full.ts';
import { openClient } from './api/client.ts';
import { checkAll } from './check-queries.ts';
import type { CheckedQuery } from './dry-run.ts';
import { openAbandonedJobs } from './job-canceller.ts';
import { openRun } from './run-query.ts';

export interface BigqueryOptions {
  readonly catalog: Catalog;
  readonly config: Config;
  /** Told of every query when it was checked. */
  readonly onChecked: (checked: CheckedQuery) => void;
}

/**
 * The engine for more than one machine holds: BigQuery, asked over its REST API. CURRENT_TIMESTAMP() is BigQuery's own.
 *
 * @throws StartError where BIGQUERY_START_CHECK is `stop` and a saved query does not pass
 */
export async function openBigquery({ catalog, config, onChecked }: BigqueryOptions): Promise<Engine> {
  const client = openClient(config.bigquery);
  const jobs = openAbandonedJobs(client);
  const closing = new AbortController();
  const queue = new Semaphore({
    permits: config.engineConcurrency,
    queueLength: config.engineQueueLength,
    overflow: queueFull,
  });

  const check = async () => {
    const checked = await checkAll(catalog, { client, config, signal: closing.signal });
    if (!closing.signal.aborted) for (const one of checked) onChecked(one);
    return checked.flatMap(({ problems }) => problems);
  };
  const shut = async () => {
    closing.abort();
    // What runs hears of it in this turn of the event loop, and may then have a job to cancel.
    await new Promise(setImmediate);
    await jobs.settle();
    await client.close();
  };
  let closed: Promise<void> | undefined;
  const close = () => {
    closed ??= shut();
    return closed;
  };

  const { startCheck } = config.bigquery;
  // A start is not held up by what is only to be reported.
  if (startCheck === 'report') check().catch(() => {});
  if (startCheck === 'stop') {
    const problems = await check();
    if (problems.length > 0) {
      await close();
      throw new StartError('Saved queries cannot run on BigQuery', problems);
    }
  }
  const run = openRun({ client, queue, config, closing: closing.signal, abandon: jobs.abandon });
  const { project, dataset, apiEndpoint = '' } = config.bigquery;
  return { source: `bigquery ${project}.${dataset} ${apiEndpoint}`.trim(), run, close };
}
