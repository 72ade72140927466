import type { BoundQuery } from '../catalog/binding/bind.ts';

/** What one run needs besides the question. */
export interface RunOptions {
  /** Aborted when nobody waits for the answer any longer. */
  readonly signal: AbortSignal;
}

/** What one run cost, as far as the engine tells; for logs, metrics and whoever pays. */
export interface Cost {
  readonly bytesProcessed: number | undefined;
  readonly bytesBilled: number | undefined;
  /** Milliseconds of one slot, summed over all slots. */
  readonly slotMs: number | undefined;
  /** True where the engine gave rows that it had kept. */
  readonly cacheHit: boolean | undefined;
  /** undefined where the engine ran the query without making a job. */
  readonly jobId: string | undefined;
}

/**
 * The rows of one run, in the order of the SQL, each as the JSON text of one object whose keys are the column names.
 * NULL columns are left out. Timestamps are integers (microseconds since the epoch), datetimes
 * `YYYY-MM-DDTHH:MM:SS[.ffffff]`, integers exact JSON numbers, nested records arrays of objects.
 *
 * @see design "Doors": column types on the REST wire
 */
export interface Rows {
  readonly rows: readonly string[];
  /** True where the SQL had more rows than the query's max rows; those were not read. */
  readonly truncated: boolean;
  /** Only from engines that are paid for. */
  readonly cost?: Cost;
}

/**
 * Where saved SQL runs. Opening an engine checks every saved query; running one needs no further look at its SQL.
 *
 * `run` throws GatewayError ENGINE_FAILED | ENGINE_TIMEOUT | DATA_UNREADABLE | CANCELLED | INVALID_PARAMETER, and from
 * an engine that is asked over the network also ENGINE_BUSY | ENGINE_QUOTA_EXCEEDED | ENGINE_UNAVAILABLE |
 * ENGINE_MISCONFIGURED | QUERY_TOO_EXPENSIVE; the 503s say when to ask again.
 * `close` stops what runs; it is safe to call twice.
 */
export interface Engine {
  /** What its rows are read from: answers of one source may stand for each other. */
  readonly source: string;
  run(bound: BoundQuery, options: RunOptions): Promise<Rows>;
  close(): Promise<void>;
}
