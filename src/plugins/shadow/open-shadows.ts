import { checkOptions } from '../../config/option-rules.ts';
import type { BoundQuery } from '../../catalog/binding/bind.ts';
import type { Catalog, SavedQuery } from '../../catalog/model/saved-query.ts';
import { parseVersionName, pinnedName } from '../../catalog/model/version-name.ts';
import { queriesByName } from '../../catalog/model/versions.ts';
import type { RunOptions } from '../../engine-contract/engine.ts';
import { GatewayError } from '../../errors.ts';
import type { GatewayPlugin, PluginHost, RunObserver } from '../../gateway/plugin.ts';
import type { CachedResult } from '../../results/get-result.ts';
import { compareVersions } from './compare-versions.ts';
import { openComparisonLog } from './comparison-log.ts';
import { openComparisonQueue, type Shadow, type Task } from './comparison-queue.ts';
import { openSampling } from './sampling.ts';
import { buildShadowMetrics, type ShadowOutcome } from './shadow-metrics.ts';

/** Rows that are older when their comparison begins are computed again. */
const freshMs = 5_000;

/**
 * Compares versions of saved queries in the background, for a share of the requests, if their headers say so.
 *
 * @returns a plug-in for one gateway
 * @throws StartError if it is given an option
 */
export function shadow(options: Readonly<Record<string, never>> = {}): GatewayPlugin {
  checkOptions('shadow', options, {});
  const metrics = buildShadowMetrics();
  let opened: Shadows | undefined;
  return {
    name: 'shadow',
    metrics: metrics.families,
    open(host) {
      opened = openShadows({ ...host, onOutcome: metrics.record });
      metrics.keepEndpoints(host.catalog);
    },
    onRun: (_bound, options) => opened?.onRun(options),
    onResult(bound, result) {
      // Most queries have none.
      if (bound.query.shadow !== undefined) opened?.onResult(bound, result);
    },
    onCatalog(catalog) {
      metrics.keepEndpoints(catalog);
      return opened?.replaceCatalog(catalog);
    },
    close: async () => opened?.close(),
  };
}

type UsedOfHost = 'catalog' | 'run' | 'engineConcurrency' | 'engineTimeoutMs' | 'clock' | 'turns' | 'log';

interface ShadowsOptions extends Pick<PluginHost, UsedOfHost> {
  /** @param differingRows that only one of the versions has */
  readonly onOutcome: (endpoint: string, outcome: ShadowOutcome, differingRows: number) => void;
}

interface Shadows {
  /** When runs for others need every place of the engine, the running comparison is aborted. */
  onRun(options: RunOptions): RunObserver | undefined;
  /** Some of the results are compared later. */
  onResult(bound: BoundQuery, result: CachedResult): void;
  /** Ends comparisons of queries that another version of the catalog does not have. @returns resolves when they have ended */
  replaceCatalog(catalog: Catalog): Promise<void>;
  close(): Promise<void>;
}

export function openShadows(options: ShadowsOptions): Shadows {
  const { engineConcurrency, clock, onOutcome } = options;
  let { catalog } = options;
  const closing = new AbortController();
  /** Runs for callers and refreshes, in the engine or before it. */
  let otherRuns = 0;
  const ownRuns = new WeakSet<AbortSignal>();

  const sampling = openSampling(clock.elapsedMs);
  const run: PluginHost['run'] = (bound, runOptions) => {
    ownRuns.add(runOptions.signal);
    return options.run(bound, runOptions);
  };
  const compare = buildCompare({ ...options, run }, closing.signal);
  const queue = openComparisonQueue({
    clock,
    targetOf: ({ bound, shadow }) =>
      catalog.queries.includes(bound.query) ? targetOf(catalog, bound.query, shadow) : undefined,
    canStart: () => otherRuns < engineConcurrency,
    compare,
    onDropped: ({ name }) => onOutcome(name, 'dropped', 0),
  });
  return {
    onRun({ signal }) {
      if (ownRuns.has(signal)) return undefined;
      otherRuns += 1;
      if (otherRuns >= engineConcurrency) queue.abort();
      return {
        onEnd() {
          otherRuns -= 1;
        },
      };
    },
    onResult(bound, { cacheStatus, document }) {
      const { shadow } = bound.query;
      if (shadow === undefined || bound.sql !== undefined) return;
      // STALE means that the engine fails.
      if (cacheStatus === 'STALE' || closing.signal.aborted) return;
      const isComputed = cacheStatus === 'MISS' || cacheStatus === 'BYPASS';
      if (!sampling.take(bound, shadow.share, isComputed, queue.hasPlace(bound.query))) return;
      queue.add({ bound, shadow, document: isComputed ? document : undefined, at: clock.elapsedMs() });
    },
    replaceCatalog(next) {
      catalog = next;
      return queue.replaceQueries(next.queries);
    },
    async close() {
      closing.abort();
      await queue.close();
    },
  };
}

const targetOf = ({ queries }: Catalog, { name }: SavedQuery, { version }: Shadow) =>
  queriesByName(queries).get(pinnedName({ base: parseVersionName(name).base, version }));

/** @returns compares, and reports how that has ended; it never rejects */
function buildCompare(options: ShadowsOptions, closing: AbortSignal) {
  const { engineTimeoutMs, clock, log, onOutcome } = options;
  const comparisonLog = openComparisonLog(log, clock);
  return async ({ bound, document, at }: Task, target: SavedQuery, yielding: AbortSignal): Promise<void> => {
    const { query } = bound;
    const deadline = AbortSignal.timeout(2 * engineTimeoutMs);
    comparisonLog.columns(query, target);
    try {
      const compared = await compareVersions(
        { ...options, withExamples: log.isLevelEnabled('debug') },
        bound,
        target,
        clock.elapsedMs() - at < freshMs ? document : undefined,
        AbortSignal.any([yielding, closing, deadline]),
      );
      const difference = compared.outcome === 'differs' ? compared.difference : undefined;
      onOutcome(query.name, compared.outcome, (difference?.onlyOld ?? 0) + (difference?.onlyNew ?? 0));
      if (difference !== undefined) comparisonLog.difference(bound, target, difference);
    } catch (error) {
      if (closing.aborted) return;
      if (yielding.aborted) return onOutcome(query.name, 'dropped', 0);
      onOutcome(query.name, 'failed', 0);
      comparisonLog.failure(query, target, deadline.aborted ? deadlineExceeded() : error);
    }
  };
}

const deadlineExceeded = () => new GatewayError('ENGINE_TIMEOUT', 'The comparison took too long');
