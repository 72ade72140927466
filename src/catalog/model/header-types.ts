import type { Column } from './saved-query.ts';

/** A column of a SQL result, in the words of a saved query's header. */
export interface ResultColumn {
  readonly name: string;
  /**
   * One of `columnTypes`, or the engine's own name of a type that no header can declare; undefined for an untyped NULL,
   * which every column accepts.
   */
  readonly type: string | undefined;
  readonly repeated: boolean;
  /** Of a record, as far as they are known. */
  readonly fields?: readonly ResultColumn[] | undefined;
}

/** The type in a header for each scalar type of BigQuery that a header can declare, and for its legacy names. */
export const headerTypes: Readonly<Record<string, Column['type']>> = {
  STRING: 'string',
  INTEGER: 'integer',
  INT64: 'integer',
  FLOAT: 'float',
  FLOAT64: 'float',
  NUMERIC: 'numeric',
  BIGNUMERIC: 'numeric',
  BOOLEAN: 'boolean',
  BOOL: 'boolean',
  TIMESTAMP: 'timestamp',
  DATETIME: 'datetime',
  DATE: 'date',
  TIME: 'time',
  BYTES: 'bytes',
  JSON: 'json',
};

/** A column as it is stored with the rows of a caller's SQL. */
export const withoutFields = ({ name, type, repeated }: ResultColumn): ResultColumn => ({
  name,
  type,
  repeated,
});
