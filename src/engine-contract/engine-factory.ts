import type { Source } from '@querygate/bigquery-sql/problem';
import type { TypedParameter } from '@querygate/bigquery-sql/types';
import type { ResultColumn } from '../catalog/model/header-types.ts';
import type { AnalyzedCatalog } from '../catalog-analysis/analyze-catalog.ts';
import type { SavedQuery } from '../catalog/model/saved-query.ts';
import type { TableSchema } from '@querygate/bigquery-sql/table-schema';
import type { LoopTurns } from '../concurrency/loop-turns.ts';
import type { Problem } from '../errors.ts';
import type { Engine, EngineListener, Partitioning, QueryCheck } from './engine.ts';

/**
 * A kind of database, with the options of one: what `createGateway` and the command `querygate` take as their engine. Only
 * `name`, `sql` and `open` are required; a command that needs another member says so if it is missing.
 *
 * @see docs/engines.md
 */
export interface EngineFactory {
  /** In messages, as in `bigquery`. */
  readonly name: string;
  /**
   * `bigquery`: saved queries are BigQuery's SQL, which the gateway reads: it proves that a query returns rows of one
   * tenant, and finds the fields of records. `native`: the SQL is the engine's own, and the gateway takes it as it is.
   */
  readonly sql: 'bigquery' | 'native';
  readonly flags?: EngineFlags;
  /** @throws StartError if it cannot be opened, or if a saved query cannot run on it */
  open(host: EngineHost): Promise<Engine>;
  /** The problems of saved queries, found without running them. `querygate check` and `querygate diff` use it. */
  check?(catalog: AnalyzedCatalog, options: CheckOptions): Promise<readonly Problem[]>;
  /** The most bytes that a query may read, of an engine that reports them; undefined for any. */
  readonly maximumBytes?: number | undefined;
  /**
   * The columns that SQL without a header returns, for `querygate new`.
   *
   * @throws StartError if the SQL cannot run on the engine
   */
  columnsOf?(sql: string, options: ColumnsOptions): Promise<readonly ResultColumn[]>;
  /**
   * The SQL that the engine runs for a saved query, for `querygate compile`; without it, that is the saved SQL.
   *
   * @throws StartError if the query cannot run on the engine
   */
  sqlOf?(query: SavedQuery, catalog: AnalyzedCatalog): Promise<string>;
  /**
   * Opens the engine over the rows of a test instead of its own, for `querygate test`.
   *
   * @throws StartError if the rows cannot be read
   */
  openFixtures?(host: EngineHost, fixtures: Fixtures): Promise<Engine>;
}

/** The capabilities of an engine that the rest of the program must know. An absent flag means false. */
export interface EngineFlags {
  /** `check` says how many bytes each query would read: `querygate diff` compares them. */
  readonly reportsBytes?: true;
  /** The current time in SQL is the engine's own, not `host.now()`. */
  readonly hasClock?: true;
  /** All gateways with the same settings have one engine, outside of them: if it fails for one, it fails for all. */
  readonly isService?: true;
  /** The engine itself returns only rows of the tenant that a query is bound to: the gateway requires no proof. */
  readonly enforcesTenants?: true;
  /** Queries may read tables that no file in `tables` declares. */
  readonly hasOwnTables?: true;
  /** Approximate aggregates may differ from one run to the next: tests do not compare them. */
  readonly approximates?: true;
}

/** How much an engine may do at once, as the gateway is configured. */
export interface EngineLimits {
  /** The most queries that run at the same time. */
  readonly concurrency: number;
  /** The most queries that wait; another one is refused with ENGINE_BUSY. */
  readonly queueLength: number;
  /** How long a query may take, with its time in the queue, in milliseconds. */
  readonly timeoutMs: number;
}

/** The parts of the gateway that an engine uses. */
export interface EngineHost {
  readonly catalog: AnalyzedCatalog;
  readonly limits: EngineLimits;
  /** The value of CURRENT_TIMESTAMP() on an engine without a clock of its own. */
  now(): Date;
  /** Receives what the engine has to say besides results. */
  readonly events: EngineListener;
  /** Long work of the process, such as the conversion of many rows, is done in turns with that of others. */
  readonly turns: LoopTurns;
}

/** The options of a check of saved queries. */
export interface CheckOptions {
  readonly limits: EngineLimits;
  /** The most bytes that a query may read, if the engine reports them; undefined for `maximumBytes` of the engine. */
  readonly maximumBytes?: number | undefined;
  /** Called for each saved query by an engine that reports what a run would read. */
  onChecked(check: QueryCheck): void;
  /** Called for each table that queries read, if it is partitioned by time and the engine knows it. @param table as the SQL names it */
  onPartitioning?(table: string, partitioning: Partitioning): void;
  /** Called for what could not be checked, a sentence each. */
  onNote?(note: string): void;
}

/** The tables and parameters that SQL without a header refers to, and the limits of its engine. */
export interface ColumnsOptions {
  /** Where the SQL comes from, for problems. */
  readonly source: Source;
  readonly tables: readonly TableSchema[];
  /** The parameters in the SQL. */
  readonly parameters: readonly TypedParameter[];
  readonly limits: EngineLimits;
}

/** The rows of a test, by their table; other tables of the catalog are empty. */
export type Fixtures = Readonly<Record<string, FixtureRows>>;

/** Rows as in a JSON file, or the path of a file of rows: NDJSON, or another format that the engine reads. */
export type FixtureRows =
  | { readonly rows: readonly Readonly<Record<string, unknown>>[] }
  | { readonly file: string };
