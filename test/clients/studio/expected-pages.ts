import { chartSpan, type Filters, type Stream, type TimeRange } from './log-pages.ts';

/**
 * The rows that the log pages' statements must give, as SELECTs in DuckDB's own SQL over the demo's plain tables: the
 * project and the time of the saved query, then the page's own conditions. Written by hand, stream by stream.
 */

interface Hand {
  /** Where the project's reference is. */
  readonly owner: string;
  /** The nested records that the page reads, if it unnests any. Rows without metadata have none. */
  readonly records?: string;
  readonly list?: string;
  /** The list of a self-hosted Studio has the three first columns only, and knows no filter. */
  readonly plainList?: boolean;
  /** The hosted list has the database of a row, which is the project. */
  readonly hasIdentifier?: boolean;
  readonly isError?: string;
  readonly isWarning?: string;
  readonly options?: Readonly<Record<string, string>>;
}

const edgeStatus = {
  'status_code.error': 'response.status_code // 100 = 5',
  'status_code.success': 'response.status_code // 100 = 2',
  'status_code.warning': 'response.status_code // 100 = 4',
};
const severe = `list_contains(['PANIC', 'FATAL', 'ERROR'], parsed.error_severity)`;
const status = 'coalesce(try_cast(event.status AS INTEGER), 0)';
const authError = `(event.level = 'error' OR event.level = 'fatal' OR ${status} > 499)`;
const authWarning = `(event.level IS NOT DISTINCT FROM 'warning' OR ${status} // 100 = 4)`;
const pathHas = (...parts: string[]) =>
  `(${parts.map((part) => `contains(event.path, '${part}')`).join(' OR ')})`;

const hands: Readonly<Record<Stream, Hand>> = {
  edge_logs: {
    owner: 'project',
    hasIdentifier: true,
    records: 'metadata[1].request[1] AS request, metadata[1].response[1] AS response',
    list: 'request.method AS method, request.path AS path, request.search AS search, response.status_code AS status_code',
    isError: 'response.status_code // 100 >= 5',
    isWarning: 'response.status_code // 100 = 4',
    options: {
      ...edgeStatus,
      'product.database': `(starts_with(request.path, '/rest/') OR starts_with(request.path, '/graphql/'))`,
      'product.storage': `starts_with(request.path, '/storage/')`,
      'product.auth': `starts_with(request.path, '/auth/')`,
      'product.realtime': `starts_with(request.path, '/realtime/')`,
      'method.get': `lower(request.method) = 'get'`,
      'method.post': `lower(request.method) = 'post'`,
      'method.put': `lower(request.method) = 'put'`,
      'method.patch': `lower(request.method) = 'patch'`,
      'method.delete': `lower(request.method) = 'delete'`,
      'method.options': `lower(request.method) = 'options'`,
    },
  },
  postgres_logs: {
    owner: 'project',
    hasIdentifier: true,
    records: 'metadata[1].parsed[1] AS parsed',
    list: 'parsed.error_severity AS error_severity, parsed.detail AS detail, parsed.hint AS hint',
    isError: severe,
    isWarning: `parsed.error_severity = 'WARNING'`,
    options: {
      'severity.error': severe,
      'severity.noError': `NOT ${severe}`,
      'severity.log': `parsed.error_severity = 'LOG'`,
    },
  },
  function_edge_logs: {
    owner: 'metadata[1].project_ref',
    records: 'metadata[1] AS call, metadata[1].request[1] AS request, metadata[1].response[1] AS response',
    list: `response.status_code AS status_code, request.method AS method, request.pathname AS pathname,
      call.function_id AS function_id, call.execution_id AS execution_id, call.execution_time_ms AS execution_time_ms,
      call.deployment_id AS deployment_id, call.version AS version`,
    plainList: true,
    isError: 'response.status_code // 100 >= 5',
    isWarning: 'response.status_code // 100 = 4',
    options: edgeStatus,
  },
  function_logs: {
    owner: 'metadata[1].project_ref',
    records: 'metadata[1] AS event',
    list: `event.event_type AS event_type, event.function_id AS function_id, event.execution_id AS execution_id,
      event.level AS level`,
    isError: `event.level = 'error' OR event.level = 'fatal'`,
    isWarning: `event.level = 'warning'`,
    options: {
      'severity.error': `event.level = 'error'`,
      'severity.notError': `event.level <> 'error'`,
      'severity.log': `event.level = 'log'`,
      'severity.info': `event.level = 'info'`,
      'severity.debug': `event.level = 'debug'`,
      'severity.warn': `event.level = 'warn'`,
    },
  },
  auth_logs: {
    owner: 'project',
    records: 'metadata[1] AS event',
    list: 'event.level AS level, event.status AS status, event.path AS path, event.msg AS msg, event.error AS error',
    isError: authError,
    isWarning: authWarning,
    options: {
      'severity.error': authError,
      'severity.warning': authWarning,
      'severity.info': `coalesce(event.level, '') NOT IN ('error', 'fatal', 'warning') AND ${status} < 400`,
      'status_code.server_error': `${status} // 100 = 5`,
      'status_code.client_error': `${status} // 100 = 4`,
      'status_code.redirection': `${status} // 100 = 3`,
      'status_code.success': `${status} // 100 = 2`,
      'endpoints.admin': pathHas('/admin'),
      'endpoints.signup': pathHas('/signup', '/invite', '/verify'),
      'endpoints.authentication': pathHas('/token', '/authorize', '/callback', '/otp', '/magiclink'),
      'endpoints.recover': pathHas('/recover'),
      'endpoints.user': pathHas('/user'),
      'endpoints.logout': pathHas('/logout'),
    },
  },
  realtime_logs: { owner: 'metadata[1].project' },
  storage_logs: { owner: 'metadata[1].project' },
  postgrest_logs: { owner: 'project' },
  pgbouncer_logs: { owner: 'project' },
};

export interface Window extends TimeRange {
  readonly project: string;
}

/** What the saved query lets the caller read. */
export const visible = (stream: Stream, { project, start, end }: Window) =>
  `SELECT * FROM ${stream} WHERE ${hands[stream].owner} = '${project}'
    AND "timestamp" > ${moment(start)} AND "timestamp" <= ${moment(end)}`;

export function expectedList(
  stream: Stream,
  window: Window,
  filters: Filters = {},
  { hosted = false, limit = 100 }: { readonly hosted?: boolean; readonly limit?: number } = {},
): string {
  const { list, plainList = false, hasIdentifier = false } = hands[stream];
  const short = plainList && !hosted;
  const source = short ? visible(stream, window) : `${chosen(stream, window, filters)}`;
  const identifier = hosted && hasIdentifier ? ', project AS identifier' : '';
  return `SELECT id, epoch_us("timestamp") AS "timestamp", event_message${identifier}${list && !short ? `, ${list}` : ''}
    FROM (${source}) ORDER BY "timestamp" DESC LIMIT ${limit}`;
}

export const expectedCount = (stream: Stream, window: Window, filters: Filters = {}) =>
  `SELECT count(*) AS count FROM (${chosen(stream, window, filters)})`;

export function expectedChart(stream: Stream, window: Window, filters: Filters = {}): string {
  const { isError = 'false', isWarning = 'false' } = hands[stream];
  const { from, unit } = chartSpan(window);
  return `
    WITH judged AS (
      SELECT date_trunc('${unit}', "timestamp") AS bucket, (${isError}) AS failed, (${isWarning}) AS warned
      FROM (${chosen(stream, { ...window, start: from }, filters)})
    )
    SELECT epoch_us(bucket) AS "timestamp",
      count(*) FILTER (WHERE NOT failed AND NOT warned) AS ok_count,
      count(*) FILTER (WHERE failed) AS error_count,
      count(*) FILTER (WHERE warned) AS warning_count
    FROM judged GROUP BY bucket ORDER BY bucket`;
}

export function expectedOlderChart(stream: Stream, window: Window, filters: Filters = {}): string {
  const { from, unit } = chartSpan(window);
  return `
    SELECT epoch_us(date_trunc('${unit}', "timestamp")) AS "timestamp", count(*) AS count
    FROM (${chosen(stream, { ...window, start: from }, filters)}) WHERE len(metadata) = 1 GROUP BY 1 ORDER BY 1`;
}

export const expectedSingle = (stream: Stream, window: Window, id: string) =>
  `SELECT id, epoch_us("timestamp") AS "timestamp", event_message, metadata FROM (${visible(stream, window)})
    WHERE id = '${id}'`;

/** The visible rows with their nested records that a page's filters keep. */
function chosen(stream: Stream, window: Window, filters: Filters): string {
  const { options = {}, records } = hands[stream];
  const conditions = Object.entries(filters).map(([group, choice]) => {
    if (group === 'search_query') return `regexp_matches(event_message, $$${String(choice)}$$)`;
    if (typeof choice === 'string') return `metadata[1].function_id = '${choice}'`;
    return `(${choice.map((option) => `(${options[`${group}.${option}`]})`).join(' OR ')})`;
  });
  const where = [...(records ? ['len(metadata) = 1'] : []), ...conditions].join(' AND ') || 'true';
  return `SELECT * FROM (SELECT *${records ? `, ${records}` : ''} FROM (${visible(stream, window)})) WHERE ${where}`;
}

const moment = (date: Date) => `TIMESTAMP '${date.toISOString().replace('T', ' ').replace('Z', '')}'`;
