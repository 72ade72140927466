import type { TableSchema } from './tables/table-schema.ts';

/** One allowed value of an enum parameter. */
export interface EnumValue {
  /** What the SQL receives and REST callers write, e.g. `5min`. */
  readonly value: string;
  /** The GraphQL enum value, e.g. `FIVE_MINUTES`. */
  readonly name: string;
  readonly description: string;
}

interface ParameterBase {
  readonly name: string;
  readonly description: string;
  readonly required: boolean;
  /** The raw text an absent parameter stands for; never on a required one. */
  readonly default: string | undefined;
  /** A value that gives rows in the worked examples. */
  readonly example: string | undefined;
}

/**
 * string: any text. pattern: a regular expression in RE2's syntax. timestamp: ISO 8601 text. The others: what their
 * name says, as text. Every parameter reaches the SQL as a STRING, absent optional ones as ''.
 */
export interface PlainParameter extends ParameterBase {
  readonly type: 'string' | 'pattern' | 'timestamp' | 'integer' | 'float' | 'boolean';
}

export interface EnumParameter extends ParameterBase {
  readonly type: 'enum';
  /** The GraphQL enum's name. */
  readonly enum: string;
  readonly values: readonly EnumValue[];
  /** What an unlisted value means: the default, or a refusal. */
  readonly unknown: 'default' | 'refuse';
}

export type Parameter = PlainParameter | EnumParameter;

export const columnTypes = [
  'string',
  'integer',
  'float',
  'numeric',
  'boolean',
  'timestamp',
  'datetime',
  'date',
  'time',
  'bytes',
  'json',
  'record',
] as const;

/** One column of the result, in the spec's words. */
export interface Column {
  readonly name: string;
  readonly type: (typeof columnTypes)[number];
  /** True where the column is an array of `type`. */
  readonly repeated: boolean;
  /** True where the SQL never yields NULL. */
  readonly required: boolean;
  readonly unit: string | undefined;
  readonly description: string;
}

/** How long an answer may be reused, and how often it is refreshed while in demand. Seconds. */
export interface CachePolicy {
  readonly ttlSeconds: number;
  readonly warmingSeconds: number | undefined;
  /** How much longer an expired answer may be given, marked stale, while the engine fails. */
  readonly staleIfErrorSeconds: number;
}

/** Whose rows a query gives, where callers may be bound to some. */
export interface Tenant {
  /** The parameter that names the tenant: a string, or a pattern. */
  readonly parameter: string;
  /** Where the parameter is a pattern: the one that runs for a caller who is bound, `{parameter}` in the tenant's place. */
  readonly pattern: string | undefined;
}

/** Where a text stands, for messages: the file, and the line (from 1) of the text's first character. */
export interface Source {
  readonly file: string;
  readonly line: number;
}

/**
 * A saved query, the spec's "endpoint": one file of the queries folder.
 *
 * @see spec "Endpoint definition"
 */
export interface SavedQuery {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  /** BigQuery SQL with named parameters, as it stands below the header. */
  readonly sql: string;
  readonly source: Source;
  readonly maxRows: number;
  readonly caching: CachePolicy | 'disabled';
  /** Sets of raw parameters, by name, whose answers are kept warm from the start on. */
  readonly warm: readonly Readonly<Record<string, string>>[];
  /** The labels that a request may set for the engine's bill. */
  readonly labels: readonly string[];
  readonly parameters: readonly Parameter[];
  /** undefined: callers who are bound to tenants may not ask it. */
  readonly tenant: Tenant | undefined;
  readonly columns: readonly Column[];
}

/** All that can be asked, and the tables it is asked of. */
export interface Catalog {
  readonly queries: readonly SavedQuery[];
  readonly tables: readonly TableSchema[];
}
