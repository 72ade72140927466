/**
 * The SQL that Supabase Studio's log pages send as `sql` to `logs.all`, for the nine streams that a self-hosted Studio
 * has pages for. The texts keep what matters to a parser: leading and inner comments, trailing commas and semicolons,
 * aliases without AS, keywords in both cases, aliases that shadow columns, strings in double quotes.
 *
 * Rules read from supabase/supabase, apps/studio/components/interfaces/Settings/Logs/Logs.utils.ts and Logs.constants.ts,
 * apps/studio/data/logs/safe-analytics-sql.ts, apps/studio/pages/project/[ref]/functions/[functionSlug]; and of older
 * versions studio/components/interfaces/Settings/Logs/Logs.utils.ts.
 */

export const streams = [
  'edge_logs',
  'postgres_logs',
  'function_edge_logs',
  'function_logs',
  'auth_logs',
  'realtime_logs',
  'storage_logs',
  'postgrest_logs',
  'pgbouncer_logs',
] as const;

export type Stream = (typeof streams)[number];

/** What a person has chosen on the page: options of a group are alternatives, groups must all hold. */
export type Filters = Readonly<Record<string, string | readonly string[]>>;

interface Page {
  /** What the list selects: [hosted by Supabase, self-hosted]. The first asks for `identifier` on two streams. */
  readonly list: readonly [hosted: string, selfHosted: string];
  readonly joins: readonly string[];
  readonly error?: string;
  readonly warning?: string;
  /** The predicate of each option, by `group.option`. */
  readonly options?: Readonly<Record<string, string>>;
  /** The self-hosted list leaves out joins and filters. */
  readonly plainSelfHosted?: boolean;
}

const statusOptions = {
  'status_code.error': 'response.status_code between 500 and 599',
  'status_code.success': 'response.status_code between 200 and 299',
  'status_code.warning': 'response.status_code between 400 and 499',
};
const statusError = 'response.status_code >= 500';
const statusWarning = 'response.status_code >= 400 AND response.status_code < 500';

const postgresError = `parsed.error_severity IN ('ERROR', 'FATAL', 'PANIC')`;

const authStatus = 'IFNULL(SAFE_CAST(metadata.status AS INT64), 0)';
const authLevel = `IFNULL(metadata.level, '')`;
const authError = `${authLevel} IN ('error', 'fatal') OR ${authStatus} >= 500`;
const authWarning = `${authLevel} = 'warning' OR ${authStatus} BETWEEN 400 AND 499`;
const authStatusBetween = (low: number, high: number) =>
  `cast(metadata.status as int64) between ${low} and ${high}`;

const plain = (table: string): Page => {
  const list = `id, ${table}.timestamp, event_message`;
  return { list: [list, list], joins: [] };
};
const one = (list: string) => [list, list] as const;

export const pages: Readonly<Record<Stream, Page>> = {
  edge_logs: {
    list: [
      'id, identifier, timestamp, event_message, request.method, request.path, request.search, response.status_code',
      'id, edge_logs.timestamp, event_message, request.method, request.path, request.search, response.status_code',
    ],
    joins: ['metadata) as m', 'm.request) as request', 'm.response) as response'],
    error: statusError,
    warning: statusWarning,
    options: {
      ...statusOptions,
      'product.database': `request.path like '/rest/%' or request.path like '/graphql/%'`,
      'product.storage': `request.path like '/storage/%'`,
      'product.auth': `request.path like '/auth/%'`,
      'product.realtime': `request.path like '/realtime/%'`,
      ...Object.fromEntries(
        ['get', 'post', 'put', 'patch', 'delete', 'options'].map((method) => [
          `method.${method}`,
          `request.method = '${method.toUpperCase()}'`,
        ]),
      ),
    },
  },
  postgres_logs: {
    list: [
      'identifier, postgres_logs.timestamp, id, event_message, parsed.error_severity, parsed.detail, parsed.hint',
      'postgres_logs.timestamp, id, event_message, parsed.error_severity, parsed.detail, parsed.hint',
    ],
    joins: ['metadata) as m', 'm.parsed) as parsed'],
    error: postgresError,
    warning: `parsed.error_severity IN ('WARNING')`,
    options: {
      'severity.error': `parsed.error_severity in ('ERROR', 'FATAL', 'PANIC')`,
      'severity.noError': `parsed.error_severity not in ('ERROR', 'FATAL', 'PANIC')`,
      'severity.log': `parsed.error_severity = 'LOG'`,
    },
  },
  function_edge_logs: {
    list: [
      'id, function_edge_logs.timestamp, event_message, response.status_code, request.method, request.pathname, m.function_id, m.execution_id, m.execution_time_ms, m.deployment_id, m.version',
      'id, function_edge_logs.timestamp, event_message',
    ],
    joins: ['metadata) as m', 'm.response) as response', 'm.request) as request'],
    error: statusError,
    warning: statusWarning,
    options: statusOptions,
    plainSelfHosted: true,
  },
  function_logs: {
    list: one(
      'id, function_logs.timestamp, event_message, metadata.event_type, metadata.function_id, metadata.execution_id, metadata.level',
    ),
    joins: ['metadata) as metadata'],
    error: `metadata.level IN ('error', 'fatal')`,
    warning: `metadata.level IN ('warning')`,
    options: {
      'severity.error': `metadata.level = 'error'`,
      'severity.notError': `metadata.level != 'error'`,
      'severity.log': `metadata.level = 'log'`,
      'severity.info': `metadata.level = 'info'`,
      'severity.debug': `metadata.level = 'debug'`,
      'severity.warn': `metadata.level = 'warn'`,
    },
  },
  auth_logs: {
    list: one(
      'id, auth_logs.timestamp, event_message, metadata.level, metadata.status, metadata.path, metadata.msg as msg, metadata.error',
    ),
    joins: ['metadata) as metadata'],
    error: authError,
    warning: authWarning,
    options: {
      'severity.error': authError,
      'severity.warning': authWarning,
      'severity.info': `NOT (${authError}) AND NOT (${authWarning})`,
      'status_code.server_error': authStatusBetween(500, 599),
      'status_code.client_error': authStatusBetween(400, 499),
      'status_code.redirection': authStatusBetween(300, 399),
      'status_code.success': authStatusBetween(200, 299),
      'endpoints.admin': 'REGEXP_CONTAINS(metadata.path, "/admin")',
      'endpoints.signup': 'REGEXP_CONTAINS(metadata.path, "/signup|/invite|/verify")',
      'endpoints.authentication':
        'REGEXP_CONTAINS(metadata.path, "/token|/authorize|/callback|/otp|/magiclink")',
      'endpoints.recover': 'REGEXP_CONTAINS(metadata.path, "/recover")',
      'endpoints.user': 'REGEXP_CONTAINS(metadata.path, "/user")',
      'endpoints.logout': 'REGEXP_CONTAINS(metadata.path, "/logout")',
    },
  },
  realtime_logs: plain('realtime_logs'),
  storage_logs: plain('storage_logs'),
  postgrest_logs: plain('postgrest_logs'),
  pgbouncer_logs: plain('pgbouncer_logs'),
};

/** As Studio writes a string: a quote is doubled, which BigQuery does not read as one string. */
const literal = (text: string) => `'${text.replaceAll("'", "''").replaceAll('\\', '\\\\')}'`;

/** The latest rows of a page. */
export function listSql(
  stream: Stream,
  filters: Filters = {},
  { hosted = false, limit = 100 }: { readonly hosted?: boolean; readonly limit?: number } = {},
): string {
  const { list, plainSelfHosted } = pages[stream];
  const order = 'order by timestamp desc';
  if (hosted) {
    return `select ${list[0]} from ${stream}\n  ${joins(stream)}\n  ${where(stream, filters)}\n  ${order}\n  limit ${limit}\n  `;
  }
  if (plainSelfHosted) return `\nselect ${list[1]}\nfrom ${stream}\n${order}\nlimit ${limit}\n`;
  if (stream === 'edge_logs') {
    return `\n-- local dev edge_logs query\nselect ${list[1]}\nfrom ${stream}\n${joins(stream)}\n${where(stream, filters)}\n${order}\nlimit ${limit};\n`;
  }
  return `\nselect ${list[1]}\nfrom ${stream}\n${joins(stream)}\n${where(stream, filters)}\n${order}\nlimit ${limit}\n  `;
}

/** How many rows came since the page was loaded. */
export const countSql = (stream: Stream, filters: Filters = {}) =>
  `SELECT count(*) as count FROM ${stream} ${joins(stream)} ${where(stream, filters)}`;

/** The rows of the histogram above the list. */
export function chartSql(stream: Stream, range: TimeRange, filters: Filters = {}): string {
  const { error = 'false', warning = 'false' } = pages[stream];
  const { from, unit } = chartSpan(range);
  const filter = where(stream, filters);
  return `
SELECT
-- log-event-chart
  timestamp_trunc(t.timestamp, ${unit}) as timestamp,
  count(CASE WHEN NOT (${error} OR ${warning}) THEN 1 END) as ok_count,
  count(CASE WHEN ${error} THEN 1 END) as error_count,
  count(CASE WHEN ${warning} THEN 1 END) as warning_count,
FROM
  ${stream} t
  ${joins(stream)}
  ${filter === '' ? 'where' : `${filter} and`} t.timestamp > ${literal(from.toISOString())}
GROUP BY
timestamp
ORDER BY
  timestamp ASC
  `;
}

/** The histogram of versions before 2024: one count, and every stream's metadata unnested under its own name. */
export function olderChartSql(stream: Stream, range: TimeRange, filters: Filters = {}): string {
  const { from, unit } = chartSpan(range);
  const nested = pages[stream].joins.flatMap((join) => /^m\.(\w+)/.exec(join)?.[1] ?? []);
  const more = nested.map((field) => ` \n  cross join unnest(metadata.${field}) as ${field}`).join('');
  const filter = where(stream, filters);
  return `
SELECT
-- event-chart
  timestamp_trunc(t.timestamp, ${unit}) as timestamp,
  count(t.timestamp) as count
FROM
  ${stream} t
  cross join unnest(t.metadata) as metadata${more}
  ${filter === '' ? 'where' : `${filter} and`} t.timestamp > '${from.toISOString()}'
GROUP BY
timestamp
ORDER BY
  timestamp ASC
  `;
}

/** One row with all its fields, when a person opens it. */
export const singleSql = (stream: Stream, id: string) =>
  `select id, timestamp, event_message, metadata from ${stream} where id = ${literal(id)} limit 1`;

export interface TimeRange {
  readonly start: Date;
  readonly end: Date;
}

/** The histogram reaches back before the chosen range: six hours in minutes, or five days in hours after 12 hours. */
export function chartSpan({ start, end }: TimeRange): { from: Date; unit: 'minute' | 'hour' } {
  const minutes = Math.trunc((end.getTime() - start.getTime()) / 60_000);
  const long = minutes > 12 * 60;
  const back = (long ? 120 : 6) * 3_600_000;
  return { from: new Date(start.getTime() - back), unit: long ? 'hour' : 'minute' };
}

function joins(stream: Stream): string {
  return pages[stream].joins.map((join) => `cross join unnest(${join}`).join('\n  ');
}

function where(stream: Stream, filters: Filters): string {
  const { options = {} } = pages[stream];
  const groups = Object.entries(filters).map(([group, chosen]) => {
    if (group === 'search_query') return `regexp_contains(event_message, ${literal(String(chosen))})`;
    if (typeof chosen === 'string') return `${group} = ${literal(chosen)}`;
    return chosen.map((option) => options[`${group}.${option}`]).join(' or ');
  });
  return groups.length === 0 ? '' : `where ${groups.map((group) => `(${group})`).join(' and ')}`;
}
