/**
 * The statements that Studio's Logs Explorer offers as templates, and those of its other pages that read `logs.all`:
 * API, storage, auth and edge function reports, and the latest schema changes. Each is written anew with the constructs
 * of the original. `needs` names a field that Studio reads and the shipped tables do not have.
 *
 * Rules read from supabase/supabase, apps/studio: components/interfaces/Settings/Logs/Logs.constants.ts (TEMPLATES),
 * components/interfaces/Reports/Reports.constants.ts and SharedAPIReport/SharedAPIReport.constants.ts,
 * data/reports/v2/auth.config.ts and edge-functions.config.ts, hooks/analytics/useProjectDdlLogs.ts.
 */
export interface Statement {
  readonly sql: string;
  readonly needs?: string;
}

const edge = (alias = '') => `edge_logs ${alias}
  cross join unnest(metadata) as m
  cross join unnest(m.request) as r`;

const reportJoins = `edge_logs t
          cross join unnest(metadata) as m
          cross join unnest(m.response) as response
          cross join unnest(m.request) as request
          cross join unnest(request.headers) as headers`;

const perHour = (values: string, where = '', joins = '') => `
        --reports-api
        select
          cast(timestamp_trunc(t.timestamp, hour) as datetime) as timestamp,
          ${values}
        FROM ${reportJoins}${joins}
          ${where}
        GROUP BY
          timestamp
        ORDER BY
          timestamp ASC`;

const routes = (order: string, where = '', more = '') => `
        -- reports-api-routes
        select
          request.path as path,
          request.method as method,
          request.search as search,
          response.status_code as status_code,
          count(t.id) as count${more}
        from ${reportJoins}
        ${where}
        group by
          request.path, request.method, request.search, response.status_code
        order by
          ${order} desc
        limit 10
        `;

const megabytes = (field: string) =>
  `coalesce(safe_divide(sum(cast(coalesce(${field}, "0") as int64)), 1000000), 0)`;

const cacheJoins = `edge_logs f
  cross join unnest(f.metadata) as m
  cross join unnest(m.request) as r
  cross join unnest(m.response) as res
  cross join unnest(res.headers) as h`;

const functionJoins = `function_edge_logs
  CROSS JOIN UNNEST(metadata) AS m
  CROSS JOIN UNNEST(m.request) AS request
  CROSS JOIN UNNEST(m.response) AS response
  CROSS JOIN UNNEST(response.headers) AS h`;

const authErrors = (column: string, name: string) => `
        --auth-errors
  select ${''}
    timestamp_trunc(timestamp, hour) as timestamp,
    count(*) as count,
    ${column}
  from edge_logs
    cross join unnest(metadata) as m
    cross join unnest(m.request) as request
    cross join unnest(m.response) as response
    cross join unnest(response.headers) as h
  where path like '%auth/v1%'
    and response.status_code >= 400 and response.status_code <= 599
  group by timestamp, ${name}
  order by timestamp desc
      `;

const authParams = ({ start, end }: Bounds) => `params AS (
      SELECT
        COALESCE(PARSE_TIMESTAMP('%Y-%m-%dT%H:%M:%E*S%Ez', '${start}'), TIMESTAMP('${start}')) AS start_ts,
        COALESCE(PARSE_TIMESTAMP('%Y-%m-%dT%H:%M:%E*S%Ez', '${end}'), TIMESTAMP('${end}')) AS end_ts
    )`;

const cronJoins = `cross join unnest(metadata) as m
  cross join unnest(m.parsed) as parsed`;

const json = (path: string) => `JSON_VALUE(event_message, '$.${path}')`;

/** Of the chosen time, as ISO text. */
interface Bounds {
  readonly start: string;
  readonly end: string;
}

export const statements: Readonly<Record<string, (bounds: Bounds) => Statement>> = {
  'explorer: commits by user': () => ({
    sql: `select
  p.user_name,
  count(*) as count
from postgres_logs
  left join unnest(metadata) as m on true
  left join unnest(m.parsed) as p on true
where
  regexp_contains(event_message, 'COMMIT')
group by
  p.user_name
  `,
  }),
  'explorer: addresses': () => ({
    sql: `select
  cast(timestamp as datetime) as timestamp,
  h.x_real_ip
from edge_logs
  left join unnest(metadata) as m on true
  left join unnest(m.request) as r on true
  left join unnest(r.headers) as h on true
where h.x_real_ip is not null
`,
  }),
  'explorer: countries': () => ({
    sql: `select
  cf.country,
  count(*) as count
from edge_logs
  left join unnest(metadata) as m on true
  left join unnest(m.request) as r on true
  left join unnest(r.cf) as cf on true
group by
  cf.country
order by
  count desc
`,
  }),
  'explorer: slow responses': () => ({
    sql: `select
  cast(timestamp as datetime) as timestamp,
  event_message,
  r.origin_time
from edge_logs
  cross join unnest(metadata) as m
  cross join unnest(m.response) as r
where
  r.origin_time > 100
order by
  timestamp desc
limit 100
`,
  }),
  'explorer: top paths': () => ({
    sql: `select
  r.path as path,
  r.search as params,
  count(timestamp) as c
from ${edge()}
group by
  path,
  params
order by
  c desc
limit 100
`,
  }),
  'explorer: REST requests': () => ({
    sql: `select
  cast(timestamp as datetime) as timestamp,
  event_message
from ${edge()}
where
  path like '%rest/v1%'
order by
  timestamp desc
limit 100
`,
  }),
  'explorer: errors of the database': () => ({
    sql: `select
  cast(t.timestamp as datetime) as timestamp,
  p.error_severity,
  event_message
from postgres_logs as t
  cross join unnest(metadata) as m
  cross join unnest(m.parsed) as p
where
  p.error_severity in ('ERROR', 'FATAL', 'PANIC')
order by
  timestamp desc
limit 100
`,
  }),
  'explorer: errors by user': () => ({
    sql: `select
  count(t.timestamp) as count,
  p.user_name,
  p.error_severity
from postgres_logs as t
  cross join unnest(metadata) as m
  cross join unnest(m.parsed) as p
where
  p.error_severity in ('ERROR', 'FATAL', 'PANIC')
group by
  p.user_name,
  p.error_severity
order by
  count desc
limit 100
`,
  }),
  'explorer: auth events': () => ({
    sql: `select
  t.timestamp,
  event_message
from auth_logs as t
where
  regexp_contains(event_message,"level.{3}(info|warning||error|fatal)")
  -- and regexp_contains(event_message,"path.{3}(/token|/recover|/signup|/otp)")
limit 100
`,
  }),
  'explorer: storage objects': () => ({
    sql: `select
  r.method as http_verb,
  r.path as filepath,
  count(*) as num_requests
from edge_logs
  cross join unnest(metadata) as m
  cross join unnest(m.request) AS r
  cross join unnest(r.headers) AS h
where
  path like '%storage/v1/object/%'
group by
  r.path, r.method
order by
  num_requests desc
limit 100
`,
  }),
  'explorer: storage egress': () => ({
    sql: `select
  request.method as http_verb,
  request.path as filepath,
  (responseHeaders.cf_cache_status = 'HIT') as cached,
  count(*) as num_requests
from
  edge_logs
  cross join unnest(metadata) as metadata
  cross join unnest(metadata.request) as request
  cross join unnest(metadata.response) as response
  cross join unnest(response.headers) as responseHeaders
where
  (path like '%storage/v1/object/%' or path like '%storage/v1/render/%')
  and request.method = 'GET'
group by 1, 2, 3
order by num_requests desc
limit 100;
`,
  }),
  'report: requests': () => ({ sql: perHour('count(t.id) as count') }),
  'report: errors': () => ({
    sql: perHour('count(t.id) as count', 'WHERE\n          response.status_code >= 400'),
  }),
  'report: requests, filtered': () => ({
    sql: perHour(
      'count(t.id) as count',
      `WHERE REGEXP_CONTAINS(request.path, '/rest') AND request.method = 'GET'`,
    ),
  }),
  'report: response speed': () => ({ sql: perHour('avg(response.origin_time) as avg') }),
  'report: traffic': () => ({
    sql: perHour(
      `${megabytes('headers.content_length')} as ingress_mb,
          ${megabytes('resp_headers.content_length')} as egress_mb,`,
      '',
      '\n          cross join unnest(response.headers) as resp_headers',
    ),
    needs: 'content_length',
  }),
  'report: egress': () => ({
    sql: perHour(
      `${megabytes('resp_headers.content_length')} as egress_mb,`,
      '',
      '\n          cross join unnest(response.headers) as resp_headers',
    ),
  }),
  'report: top routes': () => ({ sql: routes('count') }),
  'report: top routes with errors': () => ({
    sql: routes('count', 'where\n          response.status_code >= 400'),
  }),
  'report: slowest routes': () => ({
    sql: routes('avg', '', ',\n          avg(response.origin_time) as avg'),
  }),
  'report: storage cache': () => ({
    sql: `
        -- reports-storage-cache-hit-rate
SELECT
  timestamp_trunc(timestamp, hour) as timestamp,
  countif( h.cf_cache_status in ('HIT', 'STALE', 'REVALIDATED', 'UPDATING') ) as hit_count,
  countif( h.cf_cache_status in ('MISS', 'NONE/UNKNOWN', 'EXPIRED', 'BYPASS', 'DYNAMIC') ) as miss_count
from ${cacheJoins}
where starts_with(r.path, '/storage/v1/object') and r.method = 'GET'
group by timestamp
order by timestamp desc
`,
  }),
  'report: storage cache misses': () => ({
    sql: `
SELECT
  r.path as path,
  r.search as search,
  count(id) as count
from ${cacheJoins}
where starts_with(r.path, '/storage/v1/object')
  and r.method = 'GET'
  and h.cf_cache_status in ('MISS', 'NONE/UNKNOWN', 'EXPIRED', 'BYPASS', 'DYNAMIC')
group by path, search
order by count desc
limit 12
    `,
  }),
  'report: auth errors by status': () => ({ sql: authErrors('response.status_code', 'status_code') }),
  'report: auth errors by code': () => ({
    sql: authErrors('h.x_sb_error_code as error_code', 'error_code'),
    needs: 'x_sb_error_code',
  }),
  'report: auth usage': (bounds) => ({
    sql: `
    -- usage-all (single fetch)
    WITH
    ${authParams(bounds)},

    base AS (
      SELECT
        TIMESTAMP_TRUNC(timestamp, hour) AS ts,
        COALESCE(${json('auth_event.action')}, ${json('action')}) AS action,
        COALESCE(${json('auth_event.actor_id')}, ${json('user_id')}) AS actor_id,
        COALESCE(${json('provider')}, 'unknown') AS provider,
        ${json('login_method')} AS login_method,
        CASE
          WHEN ${json('metering')} IS NOT NULL THEN LOWER(${json('metering')})
          WHEN JSON_QUERY(event_message, '$.metering') = 'true' THEN 'true'
          ELSE ''
        END AS metering
      FROM auth_logs, params
      WHERE timestamp >= start_ts AND timestamp < end_ts
    ),

    agg_usage AS (
      SELECT
        ts,
        COUNT(DISTINCT IF(action IN ('login','user_signedup','token_refreshed'), actor_id, NULL)) AS active_users,
        COUNTIF(action = 'user_signedup') AS total_signups,
        COUNTIF(action = 'user_recovery_requested') AS password_reset_requests
      FROM base
      GROUP BY ts
    ),

    agg_signin AS (
      SELECT
        ts,
        CASE
          WHEN COALESCE(provider, '') != '' THEN CONCAT(login_method, ' (', provider, ')')
          ELSE login_method
        END AS login_type_provider,
        COUNTIF(action = 'login') AS count
      FROM base
      GROUP BY ts, login_type_provider
    )

    -- emit tall result
    SELECT ts AS timestamp, 'ActiveUsers' AS metric, active_users AS count,
           CAST(NULL AS STRING) AS provider,
           CAST(NULL AS STRING) AS login_type_provider
    FROM agg_usage

    UNION ALL
    SELECT ts, 'TotalSignUps', total_signups, CAST(NULL AS STRING) AS provider, CAST(NULL AS STRING)
    FROM agg_usage

    UNION ALL
    SELECT ts, 'PasswordResetRequests', password_reset_requests, CAST(NULL AS STRING) AS provider, CAST(NULL AS STRING)
    FROM agg_usage

    UNION ALL
    SELECT ts, 'SignInAttempts', count, CAST(NULL AS STRING) AS provider, login_type_provider
    FROM agg_signin

    ORDER BY timestamp DESC
  `,
  }),
  'report: auth latency': (bounds) => ({
    sql: `
    WITH ${authParams(bounds)},
    base AS (
      SELECT
        TIMESTAMP_TRUNC(timestamp, hour) AS ts,
        CASE COALESCE(${json('auth_event.action')}, ${json('action')})
          WHEN 'login' THEN 'SignInLatency'
          WHEN 'user_signedup' THEN 'SignUpLatency'
          ELSE NULL
        END AS metric,
        COALESCE(
          SAFE_CAST(${json('processing_time_ms')} AS FLOAT64),
          SAFE_CAST(${json('duration_us')} AS FLOAT64) / 1000.0,
          SAFE_CAST(${json('duration')} AS FLOAT64) / 1000000.0
        ) AS latency_ms
      FROM auth_logs, params
      WHERE timestamp >= start_ts AND timestamp < end_ts
    ),
    filtered AS (SELECT ts, metric, latency_ms FROM base WHERE metric IS NOT NULL),
    basic AS (
      SELECT ts, metric, MIN(latency_ms) AS min, AVG(latency_ms) AS avg, MAX(latency_ms) AS max
      FROM filtered
      GROUP BY ts, metric
    ),
    pct AS (
      SELECT ts, metric, APPROX_QUANTILES(latency_ms, 100) AS q
      FROM filtered
      GROUP BY ts, metric
    )
    SELECT
      b.ts AS timestamp,
      b.metric,
      b.min  AS min_processing_time_ms,
      b.avg  AS avg_processing_time_ms,
      b.max  AS max_processing_time_ms,
      q[OFFSET(0)] AS p0_processing_time_ms,
      q[OFFSET(100)] AS p100_processing_time_ms
    FROM basic b
    JOIN pct USING (ts, metric)
    ORDER BY timestamp DESC, metric
  `,
  }),
  'report: invocations': () => ({
    sql: `
--edgefn-report-invocations
select
  timestamp_trunc(timestamp, hour) as timestamp,
  function_id,
  count(*) as count
from
  ${functionJoins}
group by
  timestamp,
  function_id
order by
  timestamp desc;
`,
  }),
  'report: invocations, filtered': () => ({
    sql: `
select
  timestamp_trunc(timestamp, hour) as timestamp,
  response.status_code as status_code,
  count(response.status_code) as count
from
  ${functionJoins}
  WHERE function_id IN ('3f2a9c1e-5b7d-4e8f-9a6b-1c2d3e4f5a6b','7c1d4b2a-90e3-4f5c-8a17-d2e6b03f9c58') AND response.status_code >= 200 AND m.execution_time_ms > 50
group by
  timestamp,
  status_code
order by
  timestamp desc
`,
  }),
  'report: execution time': () => ({
    sql: `
--edgefn-report-execution-time
select
  timestamp_trunc(timestamp, minute) as timestamp,
  function_id,
  avg(m.execution_time_ms) as avg_execution_time
from
  ${functionJoins}
group by
  timestamp,
  function_id
order by
  timestamp desc
`,
  }),
  'report: invocations by region': () => ({
    sql: `
select
  timestamp_trunc(timestamp, hour) as timestamp,
  h.x_sb_edge_region as region,
  count(*) as count
from
  function_edge_logs
  cross join unnest(metadata) as m
  cross join unnest(m.response) as r
  cross join unnest(r.headers) as h
  WHERE h.x_sb_edge_region is not null
group by
  timestamp,
  region
order by
  timestamp desc
`,
    needs: 'x_sb_edge_region',
  }),
  // The pages of cron jobs read the database's stream: these are the conditions of Supabase's own platform.
  'cron jobs: list': () => ({
    sql: `select id, postgres_logs.timestamp, event_message, parsed.error_severity, parsed.query
from postgres_logs
${cronJoins}
where ( parsed.application_name = 'pg_cron' or regexp_contains(event_message, 'cron job') ) AND (parsed.error_severity = 'LOG')
order by timestamp desc
limit 100
`,
  }),
  'cron jobs: count': () => ({
    sql: `SELECT count(*) as count FROM postgres_logs ${cronJoins} where ( parsed.application_name = 'pg_cron' or regexp_contains(event_message, 'cron job') )`,
  }),
  'schema changes': () => ({
    sql: [
      'select',
      '  id,',
      '  timestamp,',
      '  event_message,',
      '  metadata[0].parsed[0].command_tag as command_tag,',
      '  metadata[0].parsed[0].user_name as db_user',
      'from postgres_logs',
      `where metadata[0].parsed[0].command_tag IN ('SELECT', 'CREATE TABLE', 'ALTER TABLE')`,
      'order by timestamp desc',
      'limit 10',
    ].join('\n'),
  }),
};
