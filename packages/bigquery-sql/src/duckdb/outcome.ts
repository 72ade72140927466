import type { DataRow } from '../files/data-row.ts';

/**
 * A value of a result, without loss:
 *
 * - INT64, NUMERIC, BIGNUMERIC: a string of digits; a fraction without trailing zeros
 * - FLOAT64: a number; 'NaN', 'Infinity' and '-Infinity' are strings
 * - BOOL: true or false; STRING: a string; BYTES: base64; JSON: its JSON text
 * - DATE: YYYY-MM-DD; TIME: HH:MM:SS.ffffff; DATETIME: both, joined by T; TIMESTAMP: the same in UTC, with Z
 * - INTERVAL: BigQuery's text, Y-M D H:M:S with an optional fraction
 * - RANGE: `[start, end)`, where UNBOUNDED is a missing bound
 * - ARRAY: an array; STRUCT: an array of the values of its fields, whose names are in the type
 */
export type Cell = null | boolean | number | string | readonly Cell[];

interface ResultColumn {
  /** Names may repeat. */
  readonly name: string;
  /** In BigQuery's syntax: `ARRAY<STRUCT<id INT64, STRING>>`. */
  readonly type: string;
}

/** The rows of a statement. */
export interface Result {
  readonly columns: readonly ResultColumn[];
  readonly rows: readonly (readonly Cell[])[];
  /** True if there were more rows than the maximum; those were not read. */
  readonly truncated?: true;
}

/** Lines and columns count from 1. */
export interface StatementProblem {
  readonly message: string;
  readonly line: number;
  readonly column: number;
}

/**
 * refused: the statement is wrong or unsupported, and did not run. run time: it failed for its values, or in time.
 * crash: a defect of Querygate.
 */
export type Stage = 'refused' | 'run time' | 'crash';

/** Why a statement has no rows. */
export interface Failure {
  readonly error: StatementProblem & {
    readonly stage: Stage;
    /** The row of a text file that a view reads, and that DuckDB cannot. */
    readonly dataRow?: DataRow;
    /** Further problems of the same statement. */
    readonly more?: readonly StatementProblem[];
  };
}

/** How a statement would run. */
export interface Explanation {
  /** The generic plan: without passes, for all values of the parameters. */
  readonly generic: string;
  /** The plan after the passes, for all values of the parameters. */
  readonly custom: string;
  readonly passes: readonly PassEffect[];
}

/** The effect of a pass on a statement. */
export interface PassEffect {
  readonly name: string;
  /** The changes that the pass made; undefined if it changed nothing. */
  readonly effect: string | undefined;
}

/** The outcome of running or explaining a statement; only a failure has an `error`. */
export type Outcome = Result | Failure | Explanation;
