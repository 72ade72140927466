import type { Catalog } from '../../catalog/saved-query.ts';
import { Semaphore } from '../../concurrency/semaphore.ts';
import type { Config } from '../../config.ts';
import { queueFull } from '../queue-full.ts';
import { openClient } from './api/client.ts';
import { type CheckContext, type CheckedQuery, checkQuery } from './dry-run.ts';

/**
 * Checks every query of the catalog by a dry run, without an engine; a failing one does not stop the others.
 *
 * @param maximumBytes more than a query may read; BIGQUERY_MAXIMUM_BYTES_BILLED where none is given
 */
export async function checkQueries(
  catalog: Catalog,
  config: Config,
  maximumBytes: number | undefined,
): Promise<readonly CheckedQuery[]> {
  const client = openClient(config.bigquery);
  const { signal } = new AbortController();
  try {
    return await checkAll(catalog, { client, config, signal, maximumBytes });
  } finally {
    await client.close();
  }
}

/** The same over a client that is open, at most ENGINE_CONCURRENCY at once. */
export function checkAll({ queries }: Catalog, context: CheckContext): Promise<readonly CheckedQuery[]> {
  const queue = new Semaphore({
    permits: context.config.engineConcurrency,
    queueLength: queries.length,
    overflow: queueFull,
  });
  return Promise.all(queries.map((query) => queue.run(context.signal, () => checkQuery(query, context))));
}
