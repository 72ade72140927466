import { LoopTurns } from '../../concurrency/loop-turns.ts';
import { Semaphore } from '../../concurrency/semaphore.ts';
import type { Engine, EngineOptions } from '../engine.ts';
import { engineClosing, queueFull } from '../engine-errors.ts';
import { openClient } from './api/client.ts';
import { checkAll, requireNoProblems } from './check-queries.ts';
import { openJobCanceller } from './job-canceller.ts';
import { openRun } from './run-query.ts';
import { buildTextToRun } from './text-to-run.ts';

/**
 * The engine for more data than one machine holds: BigQuery over its REST API. CURRENT_TIMESTAMP() is BigQuery's own.
 *
 * @throws StartError if BIGQUERY_START_CHECK is `stop` and a saved query does not pass
 */
export async function openBigquery({
  catalog,
  config,
  listener,
  turns = new LoopTurns(),
}: EngineOptions): Promise<Engine> {
  const client = openClient(config.bigquery);
  const jobs = openJobCanceller(client);
  const closing = new AbortController();
  const queue = new Semaphore({
    permits: config.engineConcurrency,
    queueLength: config.engineQueueLength,
    overflow: queueFull,
  });

  const check = async () => {
    const checks = await checkAll(catalog, { client, config, signal: closing.signal });
    if (!closing.signal.aborted) for (const result of checks) listener.queryChecked?.(result);
    return checks;
  };
  const shutDown = async () => {
    closing.abort(engineClosing());
    // Running queries see the abort within this turn of the event loop, and may then have a job to cancel.
    await new Promise(setImmediate);
    await jobs.close();
    await client.close();
  };
  let closed: Promise<void> | undefined;
  const close = () => {
    closed ??= shutDown();
    return closed;
  };

  const { startCheck } = config.bigquery;
  // Problems that are only reported do not delay the start.
  if (startCheck === 'report') check().catch(() => {});
  if (startCheck === 'stop') {
    try {
      requireNoProblems(await check());
    } catch (error) {
      await close();
      throw error;
    }
  }
  const textToRun = buildTextToRun(catalog, turns);
  const run = openRun({ client, queue, config, closing: closing.signal, textToRun, cancelJob: jobs.cancel });
  const { project, dataset, apiEndpoint = '' } = config.bigquery;
  return { source: `bigquery ${project}.${dataset} ${apiEndpoint}`.trim(), run, close };
}
