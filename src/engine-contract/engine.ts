import type { AnalyzedCatalog } from '../catalog-analysis/analyze-catalog.ts';
import type { BoundQuery } from '../catalog/binding/bind.ts';
import type { SavedQuery } from '../catalog/model/saved-query.ts';
import type { Owner } from '../concurrency/fair-share.ts';
import type { Problem } from '../errors.ts';
import type { Principal } from '../keys/principal.ts';
import type { Span } from '../trace/span.ts';
import type { ResultColumn } from '../catalog/model/header-types.ts';

/** Refreshes that take one moment for the current time, so that they can share what they read. */
export interface Wave {
  /** The current time in SQL, in milliseconds since the epoch. */
  readonly moment: number;
  /** No refresh of the wave begins at this time or later. */
  readonly until: number;
}

/** A table, and the column that has the times of its rows. */
export interface TimedTable {
  readonly name: string;
  readonly time: string;
}

/** From `from` on, before `until`, in microseconds since the epoch. */
export interface TimeRange {
  readonly from: number;
  readonly until: number;
}

/** The rows of some tables, compared with an earlier state of them. */
export interface TableChanges {
  /**
   * Names the rows as they are, for a later call: runs that begin from now on see them, or newer ones. A look that began
   * earlier never names newer ones; empty if it is not known.
   */
  readonly state: string;
  /**
   * The times of the rows that have been added or removed since; `late` for any rows that come late, as the header of the query
   * says how late; undefined if it is not known.
   */
  readonly changed: readonly TimeRange[] | 'late' | undefined;
  /** True if no row comes late without being one of them. */
  readonly knowsLate?: true;
}

/** A result that another one replaces. */
export interface EarlierRows {
  /** As `Rows` had them. */
  readonly state: string | undefined;
  readonly truncated: boolean;
  readonly rowCount: number;
  /** `{"result":[…]}` in UTF-8. */
  readonly document: Buffer;
}

/** The refreshes that a run belongs to. */
export interface Refresh {
  /** When the run of the result began that it replaces, in milliseconds since the epoch; undefined for a first one. */
  readonly replaces: number | undefined;
  /**
   * The values of the tenant's parameter with which the same query is due now too, its other parameters being equal; the
   * query's own is one of them.
   */
  tenants(): readonly string[];
}

/** The options of one run, besides the query and its parameters. */
export interface RunOptions {
  /** Aborted when no caller waits for the result any longer. */
  readonly signal: AbortSignal;
  /** Keys take turns in the engine's queue; runs for no key, such as refreshes, come last. */
  readonly owner?: Owner;
  /** The key that pays for the run; undefined for runs that are everybody's, such as refreshes. */
  readonly payer?: Principal | undefined;
  /** An engine that bills for bytes refuses a run that would cost more, with QUERY_TOO_EXPENSIVE and `isOverMaximum`. */
  readonly maximumBytesBilled?: number | undefined;
  /**
   * Called if a run that has failed is billed all the same, or if the cost beside its rows was not final, as soon as the bill
   * is known: perhaps after it has ended.
   */
  readonly onBill?: ((cost: Cost) => void) | undefined;
  /** Called when the run has left the queue; again if it is restarted. */
  readonly onStart?: (() => void) | undefined;
  /** The wave of refreshes that it belongs to, of a query with materialized parts. */
  readonly wave?: Wave | undefined;
  /** The result that the run replaces; undefined if it may not be used. */
  readonly before?: (() => EarlierRows | undefined) | undefined;
  /** For what plug-ins do: undefined for a run that callers wait for. */
  readonly refresh?: Refresh | undefined;
  /** The step of a traced request that the run is. */
  readonly span?: Span | undefined;
  /**
   * Called when a query has run, before its rows are read: the caller may make the engine wait, to bound how many results
   * are in memory.
   */
  readonly beforeRows?: (signal: AbortSignal) => Promise<void>;
}

/**
 * The cost of one run, as far as the engine reports it; for logs, metrics and billing. Its counts are whole numbers from 0 on:
 * the gateway rounds fractions, and leaves out NaN and members of other types.
 */
export interface Cost {
  /** Bytes that the run has read; undefined if the engine does not say it, as below. */
  readonly bytesProcessed: number | undefined;
  /** Bytes that are paid for. */
  readonly bytesBilled: number | undefined;
  /** Milliseconds of one slot, summed over all slots. */
  readonly slotMs: number | undefined;
  /** True if the rows came from the engine's own result cache. */
  readonly cacheHit: boolean | undefined;
  /** undefined if the engine ran the query without creating a job. */
  readonly jobId: string | undefined;
}

/**
 * The rows of one run, in the order of the SQL, each as the JSON text of one object whose keys are the column names.
 * NULL columns are left out. Timestamps are integers (microseconds since the epoch), datetimes
 * `YYYY-MM-DDTHH:MM:SS[.ffffff]`, integers exact JSON numbers, nested records arrays of objects.
 *
 * @see docs/rest.md for the column types
 */
export interface Rows {
  readonly rows: readonly string[];
  /** The same rows as bytes, of an engine that has them so: they go out as they are, and `rows` are not read. */
  readonly document?: RowsDocument;
  /** True if the SQL had more rows than the query's max rows; those were not read. */
  readonly truncated: boolean;
  /** When the rows were read, in milliseconds since the epoch; undefined: in this run. */
  readonly computedAt?: number;
  /** Only from engines that bill for queries. */
  readonly cost?: Cost;
  /** The version of the data that the rows are of, from engines whose data has versions. */
  readonly dataVersion?: string;
  /** Only of a caller's SQL: no header declares its columns. */
  readonly columns?: readonly ResultColumn[];
  /** A note for a later run, stored with the result. */
  readonly state?: string;
}

/** The bytes of a result: `{"result":[…]}` in UTF-8, as REST sends it. */
export interface RowsDocument {
  /** To be joined; a part may begin and end anywhere. */
  readonly parts: readonly Uint8Array[];
  readonly rowCount: number;
}

/**
 * Runs saved SQL. Opening an engine checks every saved query, so that `run` need not check its SQL again.
 *
 * `run` throws GatewayError ENGINE_FAILED | ENGINE_TIMEOUT | DATA_UNREADABLE | CANCELLED | INVALID_PARAMETER, and an
 * engine that is reached over the network also ENGINE_BUSY | ENGINE_QUOTA_EXCEEDED | ENGINE_UNAVAILABLE |
 * ENGINE_MISCONFIGURED | QUERY_TOO_EXPENSIVE; errors with status 503 say when to try again. `close` stops running
 * queries; it is safe to call twice.
 */
export interface Engine {
  /** Replaces the catalog while queries run; undefined if the engine runs any query. */
  readonly updates?: CatalogUpdates;
  /** Identifies the data that is queried: engines with the same source may share cached results. */
  readonly source: string;
  /** Runs a saved query once. @throws GatewayError as above; any other error is a defect of the engine */
  run(bound: BoundQuery, options: RunOptions): Promise<Rows>;
  /**
   * The version of the data that a run would read now: another one if rows of the query's tables have changed. Left out by
   * engines whose data has no versions; undefined for a query of no such data.
   */
  dataVersionOf?(query: SavedQuery): string | undefined;
  /**
   * The bytes that a run would read, without running it; left out by engines that do not know it.
   *
   * @param options `timeoutMs` if it may take less time than a run
   * @throws GatewayError as `run` does
   */
  estimateBytes?(
    bound: BoundQuery,
    options: Pick<RunOptions, 'signal' | 'owner'> & { readonly timeoutMs?: number },
  ): Promise<number | undefined>;
  /**
   * The rows of tables that have changed; left out by engines that cannot say it.
   *
   * @param since a state of the same tables; undefined without one
   */
  changes?(
    tables: readonly TimedTable[],
    since: string | undefined,
    signal: AbortSignal,
  ): Promise<TableChanges>;
  /** Gives back what is open. */
  close(): Promise<void>;
}

/** How an engine takes up another version of the catalog. Calls do not overlap. */
export interface CatalogUpdates {
  /**
   * Checks a version beside the current one. Only what differs from the versions that were checked before takes time.
   *
   * @returns the problems of each query that cannot run
   */
  check(catalog: AnalyzedCatalog): Promise<ReadonlyMap<SavedQuery, readonly Problem[]>>;
  /**
   * Makes a version that was checked the current one, once the rows of its tables are there. Queries of earlier versions
   * can still be run.
   *
   * @returns call it when nothing runs queries that only the previous version has any more
   */
  replace(catalog: AnalyzedCatalog): Promise<() => Promise<void>>;
}

/** The outcome of checking one saved query without running it. */
export interface QueryCheck {
  readonly query: SavedQuery;
  /** The bytes that a run with the header's example values would read; undefined if the engine does not report them. */
  readonly bytesProcessed: number | undefined;
  readonly problems: readonly Problem[];
}

/** How a table is divided, so that a query need not read all of it. */
export interface Partitioning {
  readonly column: string;
  /** How long one partition is. */
  readonly unit: 'HOUR' | 'DAY' | 'MONTH' | 'YEAR';
}

/** The outcome of one look at the data folder. */
export interface ImportReport {
  readonly rows: number;
  readonly rejected: number;
  /** True if the engine has all rows of the folder now. */
  readonly isComplete: boolean;
  /** When the oldest of the files that wait was written, in milliseconds since the epoch. */
  readonly waitingSince?: number | undefined;
  /** How many tables have no rows, and no problem that says why. */
  readonly emptyTables?: number;
  /** How many tables have files that cannot be read: queries of them fail. */
  readonly unreadableTables?: number;
  /** How many files and folders with rows are named after no table. */
  readonly otherFiles?: number;
  /** The same in words: what may be a mistake of the operator, as it is now. */
  readonly warnings?: readonly string[];
}

/** SQL of a caller whose process had to be ended, or has ended. */
export interface StoppedSql {
  readonly owner: Owner;
  readonly endpoint: string;
  readonly sqlSha256: string;
  readonly reason: string;
  /** True if the key may send no SQL for a while, because this has happened too often. */
  readonly rests: boolean;
}

/** Receives what an engine reports besides results. */
export interface EngineListener {
  /** A problem that the operator should fix. */
  problem(message: string): void;
  /** Called when the engine can't run anything until it is opened again. */
  unusable?(error: Error): void;
  /** Called when work goes on for seconds after it was interrupted: only the end of the process would end it. */
  stuck?(message: string): void;
  /** A completed action, for the log: rows imported, rows dropped. */
  news(message: string): void;
  /** Called whenever an engine that imports files has looked for changes. */
  imported?(report: ImportReport): void;
  /** Called when `dataVersionOf` has changed for some queries. */
  dataChanged?(): void;
  /** The progress of opening the engine: one short line, which replaces the previous one. */
  progress?(line: string): void;
  /** Called for SQL of a caller that did not end by itself. */
  sqlStopped?(stopped: StoppedSql): void;
  /** Called for each saved query by an engine whose check reports more than an error at start. */
  queryChecked?(check: QueryCheck): void;
}
