/** What the cache has done since the start, for whoever watches it. All are counts but the last two. */
export interface Counters {
  /** Answers given from the cache, still fresh. */
  hits: number;
  /** Answers that a caller waited for, each caller counted. */
  misses: number;
  /** Answers given although expired, because the engine failed. */
  stale: number;
  /** Answers computed in the background, before anybody had to wait for them. */
  refreshes: number;
  /** Engine runs that failed, for callers and in the background. */
  failures: number;
  /** Callers who waited for a run that another caller or gateway had begun. */
  sharedFlights: number;
  /** Engine runs that were begun. */
  runs: number;
  /** Answers put out of memory for lack of room. */
  evictions: number;
  /** Answers in memory now. */
  entries: number;
  /** What these take, in bytes. */
  bytes: number;
}

export function zeroCounters(): Counters {
  return {
    hits: 0,
    misses: 0,
    stale: 0,
    refreshes: 0,
    failures: 0,
    sharedFlights: 0,
    runs: 0,
    evictions: 0,
    entries: 0,
    bytes: 0,
  };
}
