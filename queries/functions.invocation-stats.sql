/*---
# yaml-language-server: $schema=../schemas/saved-query.schema.json
id: 8d5a1f0e-6c3b-4f7e-9a52-1b7c0e4d2f63
# The name that Supabase Studio used before.
aliases: [functions.inv-stats]
description: Time-bucketed statistics on serverless function invocations - counts, execution times and errors.
max_rows: 1000
caching: 900s
cache_warming: 300s
incremental: true
query_sandboxing: disabled
parameters:
  project:
    type: string
    required: true
    tenant: true
    description: Project reference that the function records must carry.
    example: mzqkvxwotrplbhnydsea
  function_id:
    type: string
    description: Only records of this function; all functions of the project when absent or empty.
  interval:
    type: enum
    enum: InvocationInterval
    description: Window and bucket size. Any other value, or none, behaves as 1day.
    default: 1day
    unknown: default
    example: 1hr
    values:
      5min: { name: FIVE_MINUTES, description: "The last 5 minutes, one bucket a second." }
      15min: { name: FIFTEEN_MINUTES, description: "The last 15 minutes, one bucket a minute." }
      1hr: { name: ONE_HOUR, description: "The last hour, one bucket a minute." }
      1day: { name: ONE_DAY, description: "The last day, one bucket an hour." }
      7day: { name: SEVEN_DAYS, description: "The last 7 days, one bucket a day." }
columns:
  timestamp: { type: timestamp, required: true, description: Bucket start. }
  min_execution_time: { type: float, unit: ms, description: Minimum execution time in the bucket. }
  max_execution_time: { type: float, unit: ms, description: Maximum execution time in the bucket. }
  avg_execution_time: { type: float, unit: ms, description: Average execution time in the bucket. }
  p95_execution_time: { type: float, unit: ms, description: Approximate 95th percentile of execution time. }
  p99_execution_time: { type: float, unit: ms, description: Approximate 99th percentile of execution time. }
  count: { type: integer, required: true, description: Number of records in the bucket. }
  error_count: { type: integer, required: true, description: Number of records with status code 400 or higher. }
---*/
-- The buckets run from the one that contains now − window to the one that contains now, both included, so that the first
-- and the last may be incomplete. A bucket without invocations gives no row: the join drops it.
with
  buckets as (
    select bucket
    from
      unnest(
        case @interval
          when '5min' then generate_timestamp_array(
            timestamp_trunc(timestamp_sub(current_timestamp(), interval 5 minute), second),
            timestamp_trunc(current_timestamp(), second),
            interval 1 second
          )
          when '15min' then generate_timestamp_array(
            timestamp_trunc(timestamp_sub(current_timestamp(), interval 15 minute), minute),
            timestamp_trunc(current_timestamp(), minute),
            interval 1 minute
          )
          when '1hr' then generate_timestamp_array(
            timestamp_trunc(timestamp_sub(current_timestamp(), interval 1 hour), minute),
            timestamp_trunc(current_timestamp(), minute),
            interval 1 minute
          )
          when '7day' then generate_timestamp_array(
            timestamp_trunc(timestamp_sub(current_timestamp(), interval 7 day), day),
            timestamp_trunc(current_timestamp(), day),
            interval 1 day
          )
          else generate_timestamp_array(
            timestamp_trunc(timestamp_sub(current_timestamp(), interval 1 day), hour),
            timestamp_trunc(current_timestamp(), hour),
            interval 1 hour
          )
        end
      ) as bucket
  ),
  invocations as (
    select
      case @interval
        when '5min' then timestamp_trunc(t.timestamp, second)
        when '15min' then timestamp_trunc(t.timestamp, minute)
        when '1hr' then timestamp_trunc(t.timestamp, minute)
        when '7day' then timestamp_trunc(t.timestamp, day)
        else timestamp_trunc(t.timestamp, hour)
      end as bucket,
      m.execution_time_ms,
      response.status_code
    from function_edge_logs as t
    cross join unnest(t.metadata) as m
    left join unnest(m.response) as response on true
    where
      -- A constant expression, so that BigQuery prunes partitions by it.
      t.timestamp >= case @interval
        when '5min' then timestamp_trunc(timestamp_sub(current_timestamp(), interval 5 minute), second)
        when '15min' then timestamp_trunc(timestamp_sub(current_timestamp(), interval 15 minute), minute)
        when '1hr' then timestamp_trunc(timestamp_sub(current_timestamp(), interval 1 hour), minute)
        when '7day' then timestamp_trunc(timestamp_sub(current_timestamp(), interval 7 day), day)
        else timestamp_trunc(timestamp_sub(current_timestamp(), interval 1 day), hour)
      end
      and m.project_ref = @project
      and (@function_id = '' or m.function_id = @function_id)
  ),
  stats as (
    select
      bucket,
      min(execution_time_ms) as min_execution_time,
      max(execution_time_ms) as max_execution_time,
      avg(execution_time_ms) as avg_execution_time,
      approx_quantiles(execution_time_ms, 100) as quantiles,
      count(*) as invocation_count,
      countif(status_code >= 400) as error_count,
      -- The rows below lack the counts of status classes; a copy of this query may return them.
      countif(status_code between 100 and 199) as count_1xx,
      countif(status_code between 200 and 299) as count_2xx,
      countif(status_code between 300 and 399) as count_3xx,
      countif(status_code between 400 and 499) as count_4xx,
      countif(status_code between 500 and 599) as count_5xx
    from buckets
    join invocations using (bucket)
    group by bucket
  )
select
  bucket as timestamp,
  min_execution_time,
  max_execution_time,
  avg_execution_time,
  quantiles[offset(95)] as p95_execution_time,
  quantiles[offset(99)] as p99_execution_time,
  invocation_count as count,
  error_count
from stats
order by timestamp
