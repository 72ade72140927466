import type { BoundQuery } from '../../catalog/binding/bind.ts';
import type { SavedQuery } from '../../catalog/model/saved-query.ts';
import type { PluginHost } from '../../gateway/plugin.ts';
import type { ResultDocument } from '../../results/result-document.ts';

/** The version that a saved query is compared with, and how often. */
export type Shadow = NonNullable<SavedQuery['shadow']>;

/** A request whose rows are to be compared. */
export interface Task {
  readonly bound: BoundQuery;
  readonly shadow: Shadow;
  /** The rows, if they were computed for this request. */
  readonly document: ResultDocument | undefined;
  /** When the request was answered, by `elapsedMs`. */
  readonly at: number;
}

interface QueueOptions {
  readonly clock: PluginHost['clock'];
  /** The other version; undefined if one of the two is no longer served. */
  readonly targetOf: (task: Task) => SavedQuery | undefined;
  /** True if the engine has a place. */
  readonly canStart: () => boolean;
  /** @param signal aborted when the engine needs its place, or one of the queries is no longer served. It never rejects. */
  readonly compare: (task: Task, target: SavedQuery, signal: AbortSignal) => Promise<void>;
  /** Receives a comparison for which there was no place. */
  readonly onDropped: (query: SavedQuery) => void;
}

/** Runs comparisons one after another, with a pause after each. */
export interface ComparisonQueue {
  /** False while another request of the query waits, or enough others do. */
  hasPlace(query: SavedQuery): boolean;
  add(task: Task): void;
  /** Aborts the comparison that runs. */
  abort(): void;
  /** Ends comparisons of other queries than these. @returns resolves when they have ended */
  replaceQueries(queries: readonly SavedQuery[]): Promise<void>;
  close(): Promise<void>;
}

/** A comparison begins when the reply has been sent. */
const startAfterMs = 100;

/** The pause after a comparison, as a multiple of its duration: comparisons run at most a quarter of the time. */
const pauseFactor = 3;

/** Comparisons that wait, each of another query. */
const maxWaiting = 4;

/** A comparison that runs. */
interface Running {
  readonly query: SavedQuery;
  readonly target: SavedQuery;
  readonly yielding: AbortController;
  readonly ended: Promise<void>;
}

export function openComparisonQueue(options: QueueOptions): ComparisonQueue {
  const { clock, targetOf, canStart, compare, onDropped } = options;
  const waiting = new Map<SavedQuery, Task>();
  let current: Running | undefined;
  let cancelStart: (() => void) | undefined;
  /** As `performance.now()`. */
  let pausedUntil = 0;
  let isClosed = false;

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
    if (task === undefined || isClosed) return;
    const { query } = task.bound;
    waiting.delete(query);
    const target = targetOf(task);
    if (target !== undefined && canStart()) return start(task, target);
    if (target !== undefined) onDropped(query);
    startLater(0);
  };
  const start = (task: Task, target: SavedQuery) => {
    const yielding = new AbortController();
    const startedAt = performance.now();
    const ended = compare(task, target, yielding.signal).finally(() => {
      current = undefined;
      startLater(pauseFactor * (performance.now() - startedAt));
    });
    current = { query: task.bound.query, target, yielding, ended };
  };

  return {
    hasPlace: (query) => !waiting.has(query) && waiting.size < maxWaiting,
    add(task) {
      waiting.set(task.bound.query, task);
      startLater(startAfterMs);
    },
    abort: () => current?.yielding.abort(),
    async replaceQueries(queries) {
      for (const query of waiting.keys()) if (!queries.includes(query)) waiting.delete(query);
      const running = current;
      if (running === undefined) return;
      if (queries.includes(running.query) && queries.includes(running.target)) return;
      // The engine releases a query that is no longer served only after its last run.
      running.yielding.abort();
      await running.ended;
    },
    async close() {
      isClosed = true;
      cancelStart?.();
      waiting.clear();
      await current?.ended;
    },
  };
}
