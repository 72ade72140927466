/** Every limit of what clients follow. The table in docs/operations.md names these keys. */
export const liveLimits = {
  /** Queries that clients follow in one process, each connection with one or several. Keys share them. */
  maxStreams: 12_000,
  /** Bytes of all results that clients follow in one process, with their events. Keys share them. */
  maxFollowedBytes: 128_000_000,
  /** Queries of one stream. */
  maxStreamQueries: 50,
  /** How long a request may wait for another result. */
  maxWaitMs: 60_000,
  /** How often a stream without events has a sign of life: some proxies and servers close a connection after 12 s without. */
  heartbeatMs: 10_000,
} as const;
