import type { AnalyzedCatalog } from '../../catalog-analysis/analyze-catalog.ts';
import { Slots } from '../../concurrency/slots.ts';
import type { CatalogUpdates, Engine, QueryCheck } from '../../engine-contract/engine.ts';
import { engineClosing, queueFull } from '../../engine-contract/engine-errors.ts';
import type { EngineHost } from '../../engine-contract/engine-factory.ts';
import { once } from '../../memoize.ts';
import { openClient } from './api/client.ts';
import { openDeadline } from './api/deadline.ts';
import { buildTableChanges } from './api/table-changes.ts';
import type { BigqueryOptions } from './bigquery-options.ts';
import { checkAll, requireNoProblems } from './check-queries.ts';
import { dryRun } from './dry-run.ts';
import { openJobCanceller } from './job-canceller.ts';
import { openRun } from './run-query.ts';
import { buildTextToRun } from './text-to-run.ts';

/**
 * The engine for more data than one machine holds: BigQuery over its REST API. CURRENT_TIMESTAMP() is BigQuery's own.
 *
 * @throws StartError if BIGQUERY_START_CHECK is `stop` and a saved query does not pass
 */
export async function openBigquery(
  { catalog, limits, events, turns }: EngineHost,
  options: BigqueryOptions,
): Promise<Engine> {
  const client = openClient(options);
  const jobs = openJobCanceller(client);
  const closing = new AbortController();
  let current = catalog;
  const { concurrency, queueLength } = limits;
  const slots = new Slots(concurrency, { queueLength, overflow: queueFull });
  // Beside those of runs, which take longer. None is refused: its run would be one of unknown cost.
  const dryRuns = new Slots(concurrency);

  const check = async (some: AnalyzedCatalog) => {
    const checks = await checkAll(some, { client, options, ...limits, signal: closing.signal });
    if (!closing.signal.aborted) for (const result of checks) events.queryChecked?.(result);
    return checks;
  };
  const shutDown = async () => {
    closing.abort(engineClosing());
    // Running queries see the abort within this turn of the event loop, and may then have a job to cancel.
    await new Promise(setImmediate);
    await jobs.close();
    await client.close();
  };
  const close = once(shutDown);

  const { projectId, dataset, apiEndpoint = '', startCheck = 'report' } = options;
  // Problems that are only reported do not delay the start.
  if (startCheck === 'report') check(catalog).catch(() => {});
  if (startCheck === 'stop') {
    try {
      requireNoProblems(await check(catalog));
    } catch (error) {
      await close();
      throw error;
    }
  }
  const textToRun = buildTextToRun((query) => current.analysisOf(query), turns);
  const run = openRun({
    client,
    slots,
    options,
    timeoutMs: limits.timeoutMs,
    closing: closing.signal,
    textToRun,
    jobs,
    turns,
  });
  return {
    updates: buildUpdates(catalog, startCheck, check, (next) => {
      current = next;
    }),
    source: `bigquery ${projectId}.${dataset} ${apiEndpoint}`.trim(),
    run,
    async estimateBytes(bound, { signal, owner, timeoutMs = limits.timeoutMs }) {
      const deadline = openDeadline({ timeoutMs, caller: signal, closing: closing.signal });
      try {
        const sql = await textToRun(bound, owner);
        const estimate = () => {
          // An attempt takes a part of the time given here: the only one of a short estimate may take all of its own.
          const context = { client, options, ...limits, signal: deadline.cancelled };
          return dryRun(bound, context, sql);
        };
        return (await dryRuns.run(deadline.cancelled, estimate, owner)).totalBytesProcessed;
      } finally {
        deadline.release();
      }
    },
    changes: buildTableChanges(client, options, limits.timeoutMs),
    close,
  };
}

/** Changed queries are checked as all are at start. Any query can be run, so that nothing has to be prepared. */
function buildUpdates(
  first: AnalyzedCatalog,
  startCheck: BigqueryOptions['startCheck'],
  check: (some: AnalyzedCatalog) => Promise<readonly QueryCheck[]>,
  onReplaced: (catalog: AnalyzedCatalog) => void,
): CatalogUpdates {
  const checked = new WeakSet(first.queries);
  const newOf = (catalog: AnalyzedCatalog) => ({
    ...catalog,
    queries: catalog.queries.filter((query) => !checked.has(query)),
  });
  return {
    async check(catalog) {
      if (startCheck !== 'stop') return new Map();
      const checks = await check(newOf(catalog));
      for (const { query, problems } of checks) if (problems.length === 0) checked.add(query);
      return new Map(
        checks.flatMap(({ query, problems }) => (problems.length > 0 ? [[query, problems] as const] : [])),
      );
    },
    async replace(catalog) {
      const added = newOf(catalog);
      for (const query of added.queries) checked.add(query);
      onReplaced(catalog);
      if (startCheck === 'report' && added.queries.length > 0) check(added).catch(() => {});
      return async () => {};
    },
  };
}
