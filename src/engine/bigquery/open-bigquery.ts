import { Semaphore } from '../../concurrency/semaphore.ts';
import type { Engine, EngineOptions } from '../engine.ts';
import { queueFull } from '../queue-full.ts';
import { openClient } from './api/client.ts';
import { checkAll, requireNoProblems } from './check-queries.ts';
import { openAbandonedJobs } from './job-canceller.ts';
import { openRun } from './run-query.ts';

/**
 * The engine for more than one machine holds: BigQuery, asked over its REST API. CURRENT_TIMESTAMP() is BigQuery's own.
 *
 * @throws StartError where BIGQUERY_START_CHECK is `stop` and a saved query does not pass
 */
export async function openBigquery({ catalog, config, listener }: EngineOptions): Promise<Engine> {
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
    if (!closing.signal.aborted) for (const one of checked) listener.queryChecked?.(one);
    return checked;
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
    try {
      requireNoProblems(await check());
    } catch (error) {
      await close();
      throw error;
    }
  }
  const run = openRun({ client, queue, config, closing: closing.signal, abandon: jobs.abandon });
  const { project, dataset, apiEndpoint = '' } = config.bigquery;
  return { source: `bigquery ${project}.${dataset} ${apiEndpoint}`.trim(), run, close };
}
