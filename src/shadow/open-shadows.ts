import type { Logger } from 'pino';
import type { BoundQuery } from '../catalog/binding/bind.ts';
import type { Catalog, SavedQuery, Shadow } from '../catalog/saved-query.ts';
import { parseVersionName, pinnedName } from '../catalog/versions/version-name.ts';
import { queriesByName } from '../catalog/versions/versions.ts';
import type { Clock } from '../concurrency/clock.ts';
import type { LoopTurns } from '../concurrency/loop-turns.ts';
import type { Cost, Engine } from '../engine/engine.ts';
import { GatewayError } from '../errors.ts';
import type { CachedResult, GetResult } from '../results/get-result.ts';
import type { ResultDocument } from '../results/result-document.ts';
import { compareVersions } from './compare-versions.ts';
import { openComparisonLog } from './comparison-log.ts';
import { openRotation, type Rotation } from './rotation.ts';

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

/** A comparison begins when the reply has been sent. */
const startAfterMs = 100;

/** How often a query whose results come from the cache is run again only to compare it. */
const cachedEveryMs = 30_000;

/** Rows that are older when their comparison begins are computed again. */
const freshMs = 5_000;

/** The pause after a comparison, as a multiple of its duration: comparisons run at most a quarter of the time. */
const pauseFactor = 3;

/** Comparisons that wait, each of another query. */
const maxWaiting = 4;

/** A request whose rows are to be compared. */
interface Task {
  readonly bound: BoundQuery;
  readonly shadow: Shadow;
  /** The rows, if they were computed for this request. */
  readonly document: ResultDocument | undefined;
  /** When the request was answered, in milliseconds since the epoch. */
  readonly at: number;
}

/** A comparison that runs. */
interface Running {
  readonly query: SavedQuery;
  readonly target: SavedQuery;
  /** Aborted when the engine needs its place, or one of the queries is no longer served. */
  readonly yielding: AbortController;
  readonly ended: Promise<void>;
}

/** What is known of a query with a shadow. */
interface Sampling {
  /** Grows by the share with each request; at 1 a request is compared. */
  due: number;
  /** Milliseconds since the epoch. */
  startedAt: number;
  readonly rotation: Rotation;
}

export function openShadows(options: ShadowsOptions): Shadows {
  const { engineConcurrency, engineTimeoutMs, clock, log, onOutcome } = options;
  let { catalog } = options;
  const comparisonLog = openComparisonLog(log, clock);
  const samplings = new WeakMap<SavedQuery, Sampling>();
  const waiting = new Map<SavedQuery, Task>();
  let current: Running | undefined;
  let cancelStart: (() => void) | undefined;
  /** As `performance.now()`. */
  let pausedUntil = 0;
  const closing = new AbortController();
  /** Runs for callers and refreshes, in the engine or before it. */
  let otherRuns = 0;

  const now = () => clock.now().getTime();
  const samplingOf = (query: SavedQuery): Sampling => {
    const known = samplings.get(query);
    if (known !== undefined) return known;
    // The first request is compared.
    const made: Sampling = { due: 1, startedAt: Number.NEGATIVE_INFINITY, rotation: openRotation() };
    samplings.set(query, made);
    return made;
  };
  const targetOf = ({ name }: SavedQuery, { version }: Shadow) =>
    queriesByName(catalog.queries).get(pinnedName({ base: parseVersionName(name).base, version }));

  const sample = (bound: BoundQuery, shadow: Shadow, { cacheStatus, document }: CachedResult) => {
    // STALE means that the engine fails.
    if (cacheStatus === 'STALE' || closing.signal.aborted) return;
    const { query } = bound;
    const sampling = samplingOf(query);
    sampling.rotation.note(bound.parameters);
    sampling.due = Math.min(1, sampling.due + shadow.share);
    // In floating point, ten times 0.1 is a little less than 1.
    if (sampling.due < 1 - 1e-9 || waiting.has(query) || waiting.size >= maxWaiting) return;
    const isComputed = cacheStatus === 'MISS' || cacheStatus === 'BYPASS';
    if (!isComputed && now() < sampling.startedAt + cachedEveryMs) return;
    if (!sampling.rotation.take(bound.parameters, now())) return;
    sampling.due = 0;
    sampling.startedAt = now();
    waiting.set(query, { bound, shadow, document: isComputed ? document : undefined, at: now() });
    startLater(startAfterMs);
  };

  const startLater = (ms: number) => {
    pausedUntil = Math.max(pausedUntil, performance.now() + ms);
    if (cancelStart !== undefined || current !== undefined || waiting.size === 0) return;
    cancelStart = clock.after(pausedUntil - performance.now(), () => {
      cancelStart = undefined;
      startNext();
    });
  };
  const startNext = () => {
    const [task] = waiting.values();
    if (task === undefined || closing.signal.aborted) return;
    const { query } = task.bound;
    waiting.delete(query);
    const target = targetOf(query, task.shadow);
    // One of the two may have been removed.
    const isServed = target !== undefined && catalog.queries.includes(query);
    if (isServed && otherRuns < engineConcurrency) {
      const yielding = new AbortController();
      const startedAt = performance.now();
      const ended = compare(task, target, yielding.signal).finally(() => {
        current = undefined;
        startLater(pauseFactor * (performance.now() - startedAt));
      });
      current = { query, target, yielding, ended };
      return;
    }
    if (isServed) onOutcome(query.name, 'dropped', 0);
    startLater(0);
  };

  const compare = async ({ bound, document, at }: Task, target: SavedQuery, yielding: AbortSignal) => {
    const { query } = bound;
    const deadline = AbortSignal.timeout(2 * engineTimeoutMs);
    comparisonLog.columns(query, target);
    try {
      const compared = await compareVersions(
        { ...options, withExamples: log.isLevelEnabled('debug') },
        bound,
        target,
        now() - at < freshMs ? document : undefined,
        AbortSignal.any([yielding, closing.signal, deadline]),
      );
      const difference = compared.outcome === 'differs' ? compared.difference : undefined;
      onOutcome(query.name, compared.outcome, (difference?.onlyOld ?? 0) + (difference?.onlyNew ?? 0));
      if (difference !== undefined) comparisonLog.difference(bound, target, difference);
    } catch (error) {
      if (closing.signal.aborted) return;
      if (yielding.aborted) return onOutcome(query.name, 'dropped', 0);
      onOutcome(query.name, 'failed', 0);
      comparisonLog.failure(query, target, deadline.aborted ? deadlineExceeded() : error);
    }
  };

  return {
    engine: {
      ...options.engine,
      async run(bound, runOptions) {
        otherRuns += 1;
        if (otherRuns >= engineConcurrency) current?.yielding.abort();
        try {
          return await options.engine.run(bound, runOptions);
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
    async replaceCatalog(next) {
      catalog = next;
      for (const query of waiting.keys()) if (!next.queries.includes(query)) waiting.delete(query);
      const running = current;
      if (running === undefined) return;
      if (next.queries.includes(running.query) && next.queries.includes(running.target)) return;
      // The engine releases a query that is no longer served only after its last run.
      running.yielding.abort();
      await running.ended;
    },
    async close() {
      closing.abort();
      cancelStart?.();
      waiting.clear();
      await current?.ended;
    },
  };
}

const deadlineExceeded = () => new GatewayError('ENGINE_TIMEOUT', 'The comparison took too long');
