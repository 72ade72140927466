import type { Expected } from '../compare-rows.ts';
import { visible, type Window } from './expected-pages.ts';

/** All rows that a statement of `explorer.ts` may return, as DuckDB's own SQL, and which of them it returns. */
interface ExpectedSql extends Pick<Expected, 'by' | 'limit'> {
  readonly sql: string;
}

/** A moment as REST writes a DATETIME: without the zeros at the end of its fraction. */
const datetime = (value: string) =>
  `regexp_replace(strftime(${value}, '%Y-%m-%dT%H:%M:%S.%f'), '\\.?0*$', '')`;

const hour = `date_trunc('hour', "timestamp")`;
const micros = (value: string) => `epoch_us(${value}) AS "timestamp"`;

/** The edge requests with the records that the reports read. */
const edge = (window: Window) => `(
  SELECT *, metadata[1].request[1] AS request, metadata[1].response[1] AS response,
    metadata[1].request[1].headers[1] AS headers, metadata[1].response[1].headers[1] AS response_headers
  FROM (${visible('edge_logs', window)}) WHERE len(metadata) = 1
)`;
const postgres = (window: Window) =>
  `(SELECT *, metadata[1].parsed[1] AS parsed FROM (${visible('postgres_logs', window)}) WHERE len(metadata) = 1)`;
const cron = `(parsed.application_name IS NOT DISTINCT FROM 'pg_cron' OR contains(event_message, 'cron job'))`;
const calls = (window: Window) =>
  `(SELECT *, metadata[1] AS call, metadata[1].response[1].status_code AS status_code
    FROM (${visible('function_edge_logs', window)}) WHERE len(metadata) = 1)`;
const auth = (window: Window) =>
  `(SELECT *, metadata[1] AS event, CAST(event_message AS JSON) AS message FROM (${visible('auth_logs', window)}))`;

const perHour =
  (values: string, where = 'true') =>
  (window: Window) => ({
    sql: `SELECT ${datetime(hour)} AS "timestamp", ${values} FROM ${edge(window)} WHERE ${where} GROUP BY ${hour}`,
    by: ['timestamp', 'asc'] as const,
  });

const routes =
  (by: string, where = 'true', more = '') =>
  (window: Window) => ({
    sql: `SELECT request.path AS path, request.method AS method, request.search AS search,
        response.status_code AS status_code, count(*) AS count${more}
      FROM ${edge(window)} WHERE ${where} GROUP BY ALL`,
    by: [by, 'desc'] as const,
    limit: 10,
  });

const missed = `response_headers.cf_cache_status IN ('BYPASS', 'DYNAMIC', 'EXPIRED', 'MISS', 'NONE/UNKNOWN')`;
const hit = `response_headers.cf_cache_status IN ('UPDATING', 'HIT', 'REVALIDATED', 'STALE')`;
const objectRead = `starts_with(request.path, '/storage/v1/object') AND request.method = 'GET'`;

const usage = (metric: string, value: string) => (window: Window) =>
  `SELECT ${micros(hour)}, '${metric}' AS metric, ${value} AS count, NULL AS login_type_provider
   FROM ${auth(window)} GROUP BY ${hour}`;
const action = `coalesce(message->'auth_event'->0->>'action', message->>'action')`;

export const expected: Readonly<Record<string, (window: Window) => ExpectedSql>> = {
  'explorer: commits by user': (window) => ({
    sql: `SELECT parsed.user_name AS user_name, count(*) AS count FROM ${postgres(window)}
      WHERE contains(event_message, 'COMMIT') GROUP BY ALL`,
  }),
  'explorer: addresses': (window) => ({
    sql: `SELECT ${datetime('"timestamp"')} AS "timestamp", headers.x_real_ip AS x_real_ip FROM ${edge(window)}
      WHERE headers.x_real_ip IS NOT NULL`,
    limit: 1000,
  }),
  'explorer: countries': (window) => ({
    sql: `SELECT metadata[1].request[1].cf[1].country AS country, count(*) AS count
      FROM (${visible('edge_logs', window)}) GROUP BY ALL`,
    by: ['count', 'desc'],
  }),
  'explorer: slow responses': (window) => ({
    sql: `SELECT ${datetime('"timestamp"')} AS "timestamp", event_message, response.origin_time AS origin_time
      FROM ${edge(window)} WHERE response.origin_time >= 101`,
    by: ['timestamp', 'desc'],
    limit: 100,
  }),
  'explorer: top paths': (window) => ({
    sql: `SELECT request.path AS path, request.search AS params, count(*) AS c FROM ${edge(window)} GROUP BY ALL`,
    by: ['c', 'desc'],
    limit: 100,
  }),
  'explorer: REST requests': (window) => ({
    sql: `SELECT ${datetime('"timestamp"')} AS "timestamp", event_message FROM ${edge(window)}
      WHERE contains(request.path, 'rest/v1')`,
    by: ['timestamp', 'desc'],
    limit: 100,
  }),
  'explorer: errors of the database': (window) => ({
    sql: `SELECT ${datetime('"timestamp"')} AS "timestamp", parsed.error_severity AS error_severity, event_message
      FROM ${postgres(window)} WHERE list_contains(['ERROR', 'FATAL', 'PANIC'], parsed.error_severity)`,
    by: ['timestamp', 'desc'],
    limit: 100,
  }),
  'explorer: errors by user': (window) => ({
    sql: `SELECT parsed.user_name AS user_name, parsed.error_severity AS error_severity, count(*) AS count
      FROM ${postgres(window)} WHERE list_contains(['ERROR', 'FATAL', 'PANIC'], parsed.error_severity) GROUP BY ALL`,
    by: ['count', 'desc'],
    limit: 100,
  }),
  // Every message has "level":"…": the pattern has an empty alternative.
  'explorer: auth events': (window) => ({
    sql: `SELECT ${micros('"timestamp"')}, event_message FROM (${visible('auth_logs', window)})`,
    limit: 100,
  }),
  'explorer: storage objects': (window) => ({
    sql: `SELECT request.method AS http_verb, request.path AS filepath, count(*) AS num_requests FROM ${edge(window)}
      WHERE contains(request.path, 'storage/v1/object/') GROUP BY ALL`,
    by: ['num_requests', 'desc'],
    limit: 100,
  }),
  'explorer: storage egress': (window) => ({
    sql: `SELECT request.method AS http_verb, request.path AS filepath,
        response_headers.cf_cache_status = 'HIT' AS cached, count(*) AS num_requests
      FROM ${edge(window)}
      WHERE regexp_matches(request.path, 'storage/v1/(object|render)/') AND request.method = 'GET' GROUP BY ALL`,
    by: ['num_requests', 'desc'],
    limit: 100,
  }),
  'report: requests': perHour('count(*) AS count'),
  'report: errors': perHour('count(*) AS count', 'response.status_code > 399'),
  'report: requests, filtered': perHour(
    'count(*) AS count',
    `contains(request.path, '/rest') AND request.method = 'GET'`,
  ),
  'report: response speed': perHour('avg(response.origin_time) AS avg'),
  'report: egress': perHour(
    'coalesce(sum(CAST(response_headers.content_length AS BIGINT)), 0) / 1000000 AS egress_mb',
  ),
  'report: top routes': routes('count'),
  'report: top routes with errors': routes('count', 'response.status_code > 399'),
  'report: slowest routes': routes('avg', 'true', ', avg(response.origin_time) AS avg'),
  'report: storage cache': (window) => ({
    sql: `SELECT ${micros(hour)}, count(*) FILTER (WHERE ${hit}) AS hit_count,
        count(*) FILTER (WHERE ${missed}) AS miss_count
      FROM ${edge(window)} WHERE ${objectRead} GROUP BY ${hour}`,
    by: ['timestamp', 'desc'],
  }),
  'report: storage cache misses': (window) => ({
    sql: `SELECT request.path AS path, request.search AS search, count(*) AS count
      FROM ${edge(window)} WHERE ${objectRead} AND ${missed} GROUP BY ALL`,
    by: ['count', 'desc'],
    limit: 12,
  }),
  'report: auth errors by status': (window) => ({
    sql: `SELECT ${micros(hour)}, response.status_code AS status_code, count(*) AS count FROM ${edge(window)}
      WHERE contains(request.path, 'auth/v1') AND response.status_code // 100 IN (4, 5)
      GROUP BY ${hour}, response.status_code`,
    by: ['timestamp', 'desc'],
  }),
  'report: auth usage': (window) => ({
    sql: [
      usage(
        'ActiveUsers',
        `count(DISTINCT event.user_id) FILTER (WHERE event.action IN ('login', 'user_signedup', 'token_refreshed'))`,
      )(window),
      usage('TotalSignUps', `count(*) FILTER (WHERE event.action = 'user_signedup')`)(window),
      usage(
        'PasswordResetRequests',
        `count(*) FILTER (WHERE event.action = 'user_recovery_requested')`,
      )(window),
      `SELECT ${micros(hour)}, 'SignInAttempts' AS metric, count(*) FILTER (WHERE event.action = 'login') AS count,
         event.login_method || ' (' || coalesce(event.provider, 'unknown') || ')' AS login_type_provider
       FROM ${auth(window)} GROUP BY ${hour}, login_type_provider`,
    ].join(' UNION ALL '),
    by: ['timestamp', 'desc'],
  }),
  'report: auth latency': (window) => ({
    sql: `SELECT ${micros(hour)},
        CASE ${action} WHEN 'login' THEN 'SignInLatency' WHEN 'user_signedup' THEN 'SignUpLatency' END AS metric,
        min(took) AS min_processing_time_ms, avg(took) AS avg_processing_time_ms, max(took) AS max_processing_time_ms,
        min(took) AS p0_processing_time_ms, max(took) AS p100_processing_time_ms
      FROM (SELECT *, CAST(event.duration AS DOUBLE) / 1e6 AS took FROM ${auth(window)})
      WHERE event.action IN ('login', 'user_signedup') GROUP BY 1, 2`,
    by: ['timestamp', 'desc'],
  }),
  'report: invocations': (window) => ({
    sql: `SELECT ${micros(hour)}, call.function_id AS function_id, count(*) AS count FROM ${calls(window)}
      GROUP BY ${hour}, call.function_id`,
    by: ['timestamp', 'desc'],
  }),
  'report: invocations, filtered': (window) => ({
    sql: `SELECT ${micros(hour)}, status_code, count(*) AS count FROM ${calls(window)}
      WHERE left(call.function_id, 8) IN ('3f2a9c1e', '7c1d4b2a') AND status_code > 199 AND call.execution_time_ms > 50
      GROUP BY ${hour}, status_code`,
    by: ['timestamp', 'desc'],
  }),
  'report: execution time': (window) => ({
    sql: `SELECT ${micros(`date_trunc('minute', "timestamp")`)}, call.function_id AS function_id,
        avg(call.execution_time_ms) AS avg_execution_time
      FROM ${calls(window)} GROUP BY 1, 2`,
    by: ['timestamp', 'desc'],
    limit: 1000,
  }),
  'cron jobs: list': (window) => ({
    sql: `SELECT id, ${micros('"timestamp"')}, event_message, parsed.error_severity AS error_severity,
        parsed.query AS query
      FROM ${postgres(window)} WHERE ${cron} AND parsed.error_severity = 'LOG'`,
    by: ['timestamp', 'desc'],
    limit: 100,
  }),
  'cron jobs: count': (window) => ({
    sql: `SELECT count(*) AS count FROM ${postgres(window)} WHERE ${cron}`,
  }),
  'schema changes': (window) => ({
    sql: `SELECT id, ${micros('"timestamp"')}, event_message, parsed.command_tag AS command_tag,
        parsed.user_name AS db_user
      FROM ${postgres(window)} WHERE regexp_matches(parsed.command_tag, '^(SELECT|(CREATE|ALTER) TABLE)$')`,
    by: ['timestamp', 'desc'],
    limit: 10,
  }),
};
