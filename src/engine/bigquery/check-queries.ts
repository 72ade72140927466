import type { Catalog } from '../../catalog/saved-query.ts';
import { Semaphore } from '../../concurrency/semaphore.ts';
import { StartError } from '../../errors.ts';
import type { CheckOptions, QueryCheck } from '../engine.ts';
import { queueFull } from '../queue-full.ts';
import { openClient } from './api/client.ts';
import { type CheckContext, checkQuery } from './dry-run.ts';

/**
 * Checks every query of the catalog by a dry run, without opening an engine. A failed check does not stop the others.
 *
 * @throws StartError with the problems of all queries
 */
export async function checkQueries({
  catalog,
  config,
  maximumBytes,
  onChecked,
}: CheckOptions): Promise<void> {
  const client = openClient(config.bigquery);
  const { signal } = new AbortController();
  try {
    const checks = await checkAll(catalog, { client, config, signal, maximumBytes });
    for (const check of checks) onChecked(check);
    requireNoProblems(checks);
  } finally {
    await client.close();
  }
}

/** @throws StartError with the problems of all queries, if any has one */
export function requireNoProblems(checks: readonly QueryCheck[]): void {
  const problems = checks.flatMap((check) => check.problems);
  if (problems.length > 0) throw new StartError('Saved queries cannot run on BigQuery', problems);
}

/** The same over a client that is open, at most ENGINE_CONCURRENCY at once. */
export function checkAll({ queries }: Catalog, context: CheckContext): Promise<readonly QueryCheck[]> {
  const queue = new Semaphore({
    permits: context.config.engineConcurrency,
    queueLength: queries.length,
    overflow: queueFull,
  });
  return Promise.all(queries.map((query) => queue.run(context.signal, () => checkQuery(query, context))));
}
