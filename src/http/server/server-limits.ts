/**
 * What a connection may take, in milliseconds and pieces. A request is some hundred bytes of head, and at most 256 KB of
 * body: who needs longer for them holds a connection and asks nothing. A kept connection outlives the idle time of the
 * usual balancers (60 s), so that it is they who close it and never send a request into a connection that is closing.
 */
export const serverLimits = {
  headersMs: 5_000,
  requestMs: 10_000,
  checkEveryMs: 500,
  keepAliveMs: 72_000,
  slowReaderMs: 60_000,
  connections: 10_000,
} as const;
