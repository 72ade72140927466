/*---
# yaml-language-server: $schema=../schemas/saved-query.schema.json
id: c41e8b72-93da-4d05-b6f1-5a2e7f80c9d4
description: Time-bucketed counts of API requests of one project, by API area - REST, storage, auth and realtime.
max_rows: 1000
caching: 900s
cache_warming: 300s
incremental: true
query_sandboxing: disabled
parameters:
  project:
    type: pattern
    required: true
    tenant: true
    # The host only: a reference may also occur in a path, in a query string or before an @.
    tenant_pattern: '^https?://{project}\.[^/?#@\\\s]*(?:[/?#]|$)'
    description: Regular expression (RE2 syntax) matched against the request URL; only matching requests are counted.
    example: mzqkvxwotrplbhnydsea
  interval:
    type: enum
    enum: UsageInterval
    required: true
    description: Window and bucket size.
    unknown: refuse
    # The one that shows more than two buckets.
    example: daily
    values:
      # Supabase Studio also sends 1hr, 1day and 7day. No value means 1day, a day in hours.
      minutely: { name: MINUTELY, also: [1hr], description: "The last 60 minutes, one bucket a minute." }
      hourly: { name: HOURLY, description: "The last hour, one bucket an hour." }
      daily: { name: DAILY, also: [7day], description: "The last 7 days, one bucket a day." }
columns:
  timestamp: { type: datetime, required: true, description: Bucket start. }
  total_rest_requests: { type: integer, required: true, description: Requests whose path matches /rest. }
  total_storage_requests: { type: integer, required: true, description: Requests whose path matches /storage. }
  total_auth_requests: { type: integer, required: true, description: Requests whose path matches /auth. }
  total_realtime_requests: { type: integer, required: true, description: Requests whose path matches /realtime. }
---*/
with
  requests as (
    select
      case @interval
        when 'minutely' then timestamp_trunc(t.timestamp, minute)
        when 'hourly' then timestamp_trunc(t.timestamp, hour)
        when 'daily' then timestamp_trunc(t.timestamp, day)
      end as bucket,
      request.path
    from edge_logs as t
    cross join unnest(t.metadata) as m
    cross join unnest(m.request) as request
    where
      -- A constant expression, so that BigQuery prunes partitions by it.
      t.timestamp >= case @interval
        when 'minutely' then timestamp_sub(current_timestamp(), interval 60 minute)
        when 'hourly' then timestamp_sub(current_timestamp(), interval 1 hour)
        when 'daily' then timestamp_sub(current_timestamp(), interval 7 day)
      end
      and regexp_contains(request.url, @project)
  )
-- A bucket without requests gives no row. A request may count in several areas: each column looks for its own path.
select
  datetime(bucket, 'UTC') as timestamp,
  countif(regexp_contains(path, '/rest')) as total_rest_requests,
  countif(regexp_contains(path, '/storage')) as total_storage_requests,
  countif(regexp_contains(path, '/auth')) as total_auth_requests,
  countif(regexp_contains(path, '/realtime')) as total_realtime_requests
from requests
group by bucket
order by timestamp
