import type { Budget } from '../../config/budget.ts';
import type { Problem, Source } from '@querygate/bigquery-sql/problem';
import type { TableSchema } from '@querygate/bigquery-sql/table-schema';
import type { ListedView } from '@querygate/bigquery-sql/tree';
import type { ParameterType, TypedParameter } from '@querygate/bigquery-sql/types';
import type { Federation } from './entity-keys.ts';

/** One allowed value of an enum parameter. */
interface EnumValue {
  /** The text in REST requests and in the SQL, e.g. `5min`. */
  readonly value: string;
  /** Further texts in REST requests that mean the same; the SQL and the cache key have `value`. */
  readonly also: readonly string[];
  /** The GraphQL enum value, e.g. `FIVE_MINUTES`. */
  readonly name: string;
  readonly description: string;
}

/** The raw text of a parameter; the texts of its elements, if it is a list. */
export type ParameterText = string | readonly string[];

interface ParameterBase {
  readonly name: string;
  readonly description: string;
  readonly required: boolean;
  /**
   * The raw text of an absent parameter; a required one has no default. Of a date or a moment it may be relative: `-1d`
   * (`files/relative-time.ts`).
   */
  readonly default: ParameterText | undefined;
  /** A value that returns rows, for documentation and examples; relative as the default. */
  readonly example: ParameterText | undefined;
  /** Its type in the SQL; STRING if it is not set. */
  readonly bind?: ParameterType;
  /** True for a list, which reaches the SQL as an ARRAY. */
  readonly repeated?: boolean;
  /** The most values of a list. */
  readonly maxItems?: number;
  /** The least and the greatest value, raw: of numbers, and of dates and moments, where they may be relative. */
  readonly min?: string;
  readonly max?: string;
  /** The most characters of a string. */
  readonly maxLength?: number;
  /** A regular expression of RE2 that a string must match somewhere. */
  readonly pattern?: string;
}

/**
 * string: any text. pattern: a regular expression in RE2's syntax. timestamp: ISO 8601, a point in time; datetime: the
 * same without a zone; date: the day alone. The SQL receives every parameter as a STRING, and an absent optional one as '',
 * unless the parameter has another `bind`: then an absent one is NULL. An absent list is empty.
 */
export interface PlainParameter extends ParameterBase {
  readonly type: 'string' | 'pattern' | 'date' | 'datetime' | 'timestamp' | 'integer' | 'float' | 'boolean';
}

export interface EnumParameter extends ParameterBase {
  readonly type: 'enum';
  /** The GraphQL enum's name. */
  readonly enum: string;
  readonly values: readonly EnumValue[];
  /** How an unlisted value is treated: as the default, or as an error. */
  readonly unknown: 'default' | 'refuse';
}

/** A parameter of a saved query. */
export type Parameter = PlainParameter | EnumParameter;

/** The types that decide how a value is written and compared. */
export interface ValueType {
  readonly type: Parameter['type'];
  readonly bind?: ParameterType | undefined;
}

/** The types that a column can have. */
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

/** A field of a record, at any depth. */
export interface RecordField {
  /** As the SQL has it, and REST. */
  readonly name: string;
  readonly type: (typeof columnTypes)[number];
  /** True if it is an array of `type`. */
  readonly repeated: boolean;
  /** True if it is never NULL where its record is not. */
  readonly required: boolean;
  readonly unit?: string | undefined;
  readonly description?: string | undefined;
  /** The fields of a record, in the order of the SQL; undefined if they are not known: then it may be any JSON object. */
  readonly fields?: readonly RecordField[] | undefined;
  /** True if the header says that a record may be any JSON object: its fields are not those of the SQL's type. */
  readonly isFreeForm?: boolean | undefined;
  /** The line of the file whose header declares it, for messages; undefined if the SQL's type gives it. */
  readonly line?: number | undefined;
}

/** One column of the result. */
export interface Column extends RecordField {
  /** True if the SQL never yields NULL. */
  readonly required: boolean;
  readonly unit: string | undefined;
  readonly description: string;
}

/** The columns by which callers may filter and order the rows of a result. */
export interface RowArgumentColumns {
  readonly filter: readonly Column[];
  readonly order: readonly Column[];
  /** How the SQL is written for arguments over all of its rows; undefined: they see those of a result. */
  readonly push?: PushedSource | undefined;
}

/** The part of the SQL that goes into the FROM of another SELECT, after the text before it. */
export interface PushedSource {
  /** The last SELECT in the SQL; with ORDER BY and LIMIT if it has a LIMIT. */
  readonly start: number;
  readonly end: number;
  /** The order of the SQL, of columns of the result. */
  readonly order: readonly OrderKey[];
}

export interface OrderKey {
  readonly column: string;
  readonly descending: boolean;
  readonly nullsFirst: boolean;
}

/** The types of columns by which pages are ordered. */
export const pageKeyTypes = ['string', 'integer', 'timestamp', 'datetime', 'date'] as const;

/** A column by whose values pages begin and end. */
export interface PageKey {
  readonly column: string;
  readonly type: (typeof pageKeyTypes)[number];
  readonly isNullable: boolean;
  readonly descending: boolean;
}

/** How the rows of a query are divided into pages. */
export interface RowPages {
  /** The columns of the SQL's last ORDER BY, which together are different in each row. */
  readonly keys: readonly [PageKey, ...PageKey[]];
  /** The last SELECT in the SQL, without ORDER BY and LIMIT. */
  readonly body: { readonly start: number; readonly end: number };
  /** How many rows the SQL returns at most without pages; undefined if it has no LIMIT, or not as a number. */
  readonly limit?: number | undefined;
}

/** How long a result may be reused, and how often it is refreshed while clients request it. Seconds. */
export interface CachePolicy {
  readonly ttlSeconds: number;
  readonly warmingSeconds: number | undefined;
  /** How long after its expiry a result may still be served, marked stale, while the engine fails. */
  readonly staleIfErrorSeconds: number;
  /** How often it is refreshed while a client follows it; undefined: as `warmingSeconds` says. */
  readonly liveSeconds?: number | undefined;
}

/** How refreshes read only what has changed. Both count only where the engine does not know which rows have come since. */
export interface IncrementalPolicy {
  /** How late rows come, after their time. Seconds. */
  readonly lateSeconds: number;
  /** How often all is read again, for rows that have come later than that. Seconds. */
  readonly reconcileSeconds: number;
}

/** How often a result is refreshed while a client follows it, in seconds; undefined if it cannot be followed. */
export function followSeconds(caching: CachePolicy | 'disabled'): number | undefined {
  if (caching === 'disabled') return undefined;
  const { liveSeconds, warmingSeconds } = caching;
  if (liveSeconds === undefined || warmingSeconds === undefined) return liveSeconds ?? warmingSeconds;
  return Math.min(liveSeconds, warmingSeconds);
}

/** The parameter that selects the tenant whose rows a query returns; keys can be restricted to tenants. */
export interface Tenant {
  /** The parameter's name; its type is string or pattern. Each value of a list must be one of the caller's tenants. */
  readonly parameter: string;
  /**
   * If the parameter is a pattern: the pattern that runs for restricted callers, with the placeholder `{parameter}`.
   */
  readonly pattern: string | undefined;
}

/** One metric of the text that Prometheus scrapes: a sample for each row. */
interface PrometheusMetric {
  readonly name: string;
  readonly type: 'gauge' | 'counter';
  readonly help: string;
  /** The column with the values. */
  readonly column: string;
}

/** How rows become text that Prometheus scrapes. */
export interface PrometheusText {
  readonly metrics: readonly PrometheusMetric[];
  /** Columns whose values distinguish the samples of a metric. */
  readonly labels: readonly string[];
}

/** That callers should use another query. */
export interface Deprecation {
  /** The day since which it is deprecated, as `YYYY-MM-DD`. */
  readonly since: string;
  /** The day on which it will be removed. */
  readonly sunset: string | undefined;
  readonly reason: string | undefined;
  /** The name of the query to use instead. */
  readonly successor: string | undefined;
}

/** Another version of the same name that is run beside this one, to compare the rows. */
export interface Shadow {
  readonly version: number;
  /** Of the requests, more than 0 and at most 1. */
  readonly share: number;
}

/**
 * A saved query, the spec's "endpoint": one file of the queries folder.
 *
 * @see spec "Endpoint definition"
 */
export interface SavedQuery {
  /** A UUID, in lower case. */
  readonly id: string;
  /** The name of its file: that of the endpoint, with `@<number>` if it is a numbered version. */
  readonly name: string;
  /** True if its header says that it is the version which the name without a number means. */
  readonly isDefault?: boolean | undefined;
  /** Since when it should not be used; undefined: it may be. */
  readonly deprecated?: Deprecation | undefined;
  /** With which version it is compared in the background. */
  readonly shadow?: Shadow | undefined;
  /** Further addresses in REST paths and in key files; everything else knows the query by its name. UUIDs are in lower case. */
  readonly aliases: readonly string[];
  /** For people who call it. */
  readonly description: string;
  /** Sets of queries that it belongs to. */
  readonly tags?: readonly string[] | undefined;
  /** BigQuery SQL with named parameters: the file's text below the header, with the parts that it reads of other files. */
  readonly sql: string;
  /** The file, and the line at which its SQL begins; where its parts were written. */
  readonly source: Source;
  /** The common tables of its SQL that are parts of other files. */
  readonly hiddenTables?: readonly string[] | undefined;
  /** Those of them whose rows are computed once for the queries that are refreshed together. */
  readonly materializedTables?: readonly string[] | undefined;
  /** The views of the folder, if its SQL reads INFORMATION_SCHEMA. */
  readonly listedViews?: readonly ListedView[] | undefined;
  /** The views and functions in its SQL that BigQuery may have under their own names. */
  readonly definitions?: readonly Definition[] | undefined;
  /** A digest of the schemas of the tables that its SQL names; undefined if it names none. */
  readonly schemas?: string | undefined;
  /** How many rows a result has at most. */
  readonly maxRows: number;
  /** How long results are fresh, in seconds. */
  readonly caching: CachePolicy | 'disabled';
  /** Sets of raw parameters, by name, whose results are kept in the cache from the start on. */
  readonly warm: readonly Readonly<Record<string, ParameterText>>[];
  /** The most that its runs may cost; undefined: unlimited. */
  readonly budget?: Budget | undefined;
  /** Where BigQuery runs it; undefined: where the settings say. */
  readonly reservation?: string | undefined;
  /** How its refreshes read only what has changed; undefined: they read all. */
  readonly incremental?: IncrementalPolicy | undefined;
  /** Off if its rows are never computed together with those of other tenants. */
  readonly batch?: 'off' | undefined;
  /** Keys of the labels that a request may set for the engine's bill. */
  readonly labels: readonly string[];
  /** In the order of the header. */
  readonly parameters: readonly Parameter[];
  /** True if REST requests with other parameters are refused, instead of answered without them. */
  readonly isStrict?: boolean | undefined;
  /** undefined: callers who are restricted to tenants have no access. */
  readonly tenant: Tenant | undefined;
  /** The author's reason why it is not checked that the SQL returns rows of the tenant only. */
  readonly tenantUnchecked: string | undefined;
  /** Of the result, in the order of the header. */
  readonly columns: readonly Column[];
  /** undefined: callers get the rows as they are. */
  readonly rowArguments?: RowArgumentColumns | undefined;
  /** How callers read more rows than one result has; undefined: they do not. */
  readonly pages?: RowPages | undefined;
  /** Columns whose values distinguish the rows of a result; undefined: their order does. */
  readonly rowKey?: readonly string[] | undefined;
  /** undefined: in a graph of several subgraphs it is a root field only. */
  readonly federation?: Federation | undefined;
  /** undefined: the rows are not available as Prometheus text. */
  readonly prometheus?: PrometheusText | undefined;
  /**
   * Enabled if a caller may send a SELECT over the query's common tables, which runs in place of its own last SELECT.
   */
  readonly querySandboxing: 'enabled' | 'disabled';
}

/** A view or a function in the SQL of a query. */
export interface Definition {
  /** As the SQL has it, once. */
  readonly text: string;
  /** In its place, for an engine that has it: as many lines. */
  readonly stored: string;
  readonly written: WrittenDefinition;
}

/** A view or a function as its file has it. */
export interface WrittenDefinition {
  readonly kind: 'view' | 'function';
  /** With the project and dataset that its file names. */
  readonly name: string;
  readonly source: Source & { readonly text: string };
  /** Where its name is in the text. */
  readonly start: number;
  /** The query of a view, or the expression of a function. */
  readonly sql?: TextAt;
  /** The code of a function in another language. */
  readonly code?: string;
  /** Of a function: names and types. */
  readonly parameters?: TextAt;
}

/** A part of a text, and where it begins there. */
export interface TextAt {
  readonly text: string;
  readonly start: number;
}

/** A part of queries as a query by itself. */
export interface PartSql extends Pick<SavedQuery, 'sql' | 'source'> {
  readonly parameters: readonly TypedParameter[];
  /** Those of what it reads, without which its SQL is not put together. */
  readonly problems: readonly Problem[];
}

/** All saved queries, and the tables that they read. */
export interface Catalog {
  /** Every version of each. */
  readonly queries: readonly SavedQuery[];
  /** All queries, if `queries` are a part of them: which version is the default does not depend on the part. */
  readonly all?: readonly SavedQuery[] | undefined;
  /** Parts that none of the queries reads; undefined: they are not known. */
  readonly unreadParts?: readonly PartSql[] | undefined;
  /** The schemas that are known. */
  readonly tables: readonly TableSchema[];
}
