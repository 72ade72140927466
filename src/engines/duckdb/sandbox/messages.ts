import type { BoundValues } from '../../../catalog/binding/bind.ts';
import type { ResultColumn } from '../../../catalog/model/header-types.ts';
import type { KnownValues } from '@querygate/bigquery-sql/passes';

/** Kinds of frames to a sandbox: what is sent with most is written by V8's serializer. */
export const toSandbox = { open: 1, outline: 2, judge: 3, run: 4, rows: 5, cancel: 6, warmUp: 7 } as const;

/** Kinds of frames from a sandbox: JSON, but for the rows. Their content is not trusted. */
export const fromSandbox = { ready: 1, reads: 2, done: 3, rows: 4, failed: 5 } as const;

/** With `open`: the limits of its DuckDB, and where it finds rows and writes what does not fit into memory. */
export interface SandboxSettings {
  readonly folder: string;
  readonly memoryBytes: number;
  readonly diskBytes: number;
}

/** With `judge`: a caller's SQL. It answers with what the SQL reads, and runs it when `run` names files of these rows. */
export interface TextRequest {
  /** The number of the outline, which was sent before. */
  readonly outline: number;
  readonly sql: string;
  readonly parameters: BoundValues;
  readonly known: KnownValues;
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly maxRows: number;
}

/** With `done`. `rows` then requests the rows: `{"result":[…]}` in bytes. */
export interface TextResult {
  readonly rowCount: number;
  readonly truncated: boolean;
  readonly columns: readonly ResultColumn[];
}

/** With `failed`: an error as the caller may see it. */
export interface TextFailure {
  readonly code: string;
  readonly message: string;
  readonly parameter?: string | undefined;
  /** For the log. */
  readonly cause?: string | undefined;
  /** True if the process is of no further use. */
  readonly ends: boolean;
}
