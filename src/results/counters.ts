/** Counts of the cache since the start. All but the last two only rise. */
export interface Counters {
  /** Fresh results returned from the cache. */
  hits: number;
  /** Results that a caller waited for, each caller counted. */
  misses: number;
  /** Stale results returned because the engine failed. */
  stale: number;
  /** Results computed in the background, before a caller had to wait for them. */
  refreshes: number;
  /** Engine runs that failed, for callers and in the background. */
  failures: number;
  /** Callers who waited for a run that another caller or gateway had started. */
  sharedRuns: number;
  /** Engine runs that were started. */
  runs: number;
  /** Results evicted from memory for lack of room. */
  evictions: number;
  /** Results in memory now. */
  entries: number;
  /** The memory that these take, with what was made of them, in bytes. */
  bytes: number;
}

export function zeroCounters(): Counters {
  return {
    hits: 0,
    misses: 0,
    stale: 0,
    refreshes: 0,
    failures: 0,
    sharedRuns: 0,
    runs: 0,
    evictions: 0,
    entries: 0,
    bytes: 0,
  };
}
