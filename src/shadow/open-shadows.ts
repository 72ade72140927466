import type { Logger } from 'pino';
import type { BoundQuery } from '../catalog/binding/bind.ts';
import type { Catalog, SavedQuery, Shadow } from '../catalog/model/saved-query.ts';
import { parseVersionName, pinnedName } from '../catalog/model/version-name.ts';
import { queriesByName } from '../catalog/model/versions.ts';
import type { Clock } from '../concurrency/clock.ts';
import type { LoopTurns } from '../concurrency/loop-turns.ts';
import type { Cost, Engine } from '../engine/engine.ts';
import { GatewayError } from '../errors.ts';
import type { CachedResult, GetResult } from '../results/get-result.ts';
import { compareVersions } from './compare-versions.ts';
import { openComparisonLog } from './comparison-log.ts';
import { openComparisonQueue, type Task } from './comparison-queue.ts';
import { openSampling } from './sampling.ts';

/** How a comparison has ended. dropped: the engine had no place for it. */
export type ShadowOutcome = 'equal' | 'differs' | 'unstable' | 'incomparable' | 'failed' | 'dropped';

interface ShadowsOptions {
  readonly catalog: Catalog;
  readonly engine: Engine;
  /** How many queries the engine runs at the same time. */
  readonly engineConcurrency: number;
  readonly engineTimeoutMs: number;
  readonly clock: Clock;
  readonly turns: LoopTurns;
  readonly log: Logger;
  readonly onCost: (endpoint: string, cost: Cost) => void;
  /** @param differingRows that only one of the versions has */
  readonly onOutcome: (endpoint: string, outcome: ShadowOutcome, differingRows: number) => void;
}

/** Compares versions of saved queries in the background, for a share of the requests. */
export interface Shadows {
  /** The engine for all other runs: when they need every place, the running comparison is aborted. */
  readonly engine: Engine;
  /** The same function, some of whose results are compared later. */
  watch(getResult: GetResult): GetResult;
  /** Ends comparisons of queries that another version of the catalog does not have. @returns resolves when they have ended */
  replaceCatalog(catalog: Catalog): Promise<void>;
  close(): Promise<void>;
}

/** Rows that are older when their comparison begins are computed again. */
const freshMs = 5_000;

export function openShadows(options: ShadowsOptions): Shadows {
  const { engine, engineConcurrency, clock, onOutcome } = options;
  let { catalog } = options;
  const closing = new AbortController();
  /** Runs for callers and refreshes, in the engine or before it. */
  let otherRuns = 0;

  const now = () => clock.now().getTime();
  const sampling = openSampling(now);
  const compare = buildCompare(options, closing.signal);
  const queue = openComparisonQueue({
    clock,
    targetOf: ({ bound, shadow }) =>
      catalog.queries.includes(bound.query) ? targetOf(catalog, bound.query, shadow) : undefined,
    canStart: () => otherRuns < engineConcurrency,
    compare,
    onDropped: ({ name }) => onOutcome(name, 'dropped', 0),
  });
  const sample = (bound: BoundQuery, shadow: Shadow, { cacheStatus, document }: CachedResult) => {
    // STALE means that the engine fails.
    if (cacheStatus === 'STALE' || closing.signal.aborted) return;
    const isComputed = cacheStatus === 'MISS' || cacheStatus === 'BYPASS';
    if (!sampling.take(bound, shadow.share, isComputed, queue.hasPlace(bound.query))) return;
    queue.add({ bound, shadow, document: isComputed ? document : undefined, at: now() });
  };

  return {
    engine: {
      ...engine,
      async run(bound, runOptions) {
        otherRuns += 1;
        if (otherRuns >= engineConcurrency) queue.abort();
        try {
          return await engine.run(bound, runOptions);
        } finally {
          otherRuns -= 1;
        }
      },
    },
    watch: (getResult) => (bound, request) => {
      const result = getResult(bound, request);
      const { shadow } = bound.query;
      if (shadow === undefined || bound.sql !== undefined) return result;
      if (result instanceof Promise) {
        result.then(
          (later) => sample(bound, shadow, later),
          () => {},
        );
      } else sample(bound, shadow, result);
      return result;
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
        clock.now().getTime() - at < freshMs ? document : undefined,
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
