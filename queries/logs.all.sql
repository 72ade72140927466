/*---
# yaml-language-server: $schema=../schemas/saved-query.schema.json
id: 2f9c7d14-0b8e-4a6d-8c35-7e1f5a90d2b8
description: Recent log records of one project, newest first, bounded by its tier's retention and an optional time range.
max_rows: 1000
page: { by: [timestamp, id] }
caching: disabled
query_sandboxing: disabled
parameters:
  project:
    type: string
    required: true
    tenant: true
    description: Project reference the records must belong to.
    example: mzqkvxwotrplbhnydsea
  project_tier:
    type: enum
    enum: ProjectTier
    description: Selects the retention window. Any other value, or none, means 1 day.
    default: FREE
    unknown: default
    values:
      FREE: { name: FREE, description: "Retention of 1 day." }
      PRO: { name: PRO, description: "Retention of 7 days." }
      PAYG: { name: PAYG, description: "Retention of 90 days." }
      ENTERPRISE: { name: ENTERPRISE, description: "Retention of 90 days." }
  iso_timestamp_start:
    type: timestamp
    description: Only records with a timestamp strictly later than this. No lower bound when absent or empty.
  iso_timestamp_end:
    type: timestamp
    description: Only records with a timestamp at or before this. No upper bound when absent or empty.
columns:
  id: { type: string, description: Identifier of the log record. }
  timestamp: { type: timestamp, required: true, description: When the record was made. }
  event_message: { type: string, description: The record as one line of text. }
  metadata: { type: record, repeated: true, required: true, description: The record's nested fields. }
---*/
-- Every stream has the same filters, and the name of its table; only the edge requests are returned. The bounds are
-- constant expressions, so that BigQuery prunes partitions by them. Records with the same timestamp are ordered by id:
-- otherwise each run might return them in another order, and other ones of them at the limit.
-- identifier is for the SQL of clients (docs/clients.md): the database of a record, which is the project's.
with
  edge_logs as (
    select t.id, t.timestamp, t.event_message, t.metadata, t.project as identifier
    from edge_logs as t
    where
      t.project = @project
      and t.timestamp > timestamp_sub(
        current_timestamp(),
        interval case @project_tier when 'PRO' then 7 when 'PAYG' then 90 when 'ENTERPRISE' then 90 else 1 end day
      )
      and t.timestamp > coalesce(timestamp(nullif(@iso_timestamp_start, '')), timestamp '0001-01-01 00:00:00+00')
      and t.timestamp <= coalesce(timestamp(nullif(@iso_timestamp_end, '')), timestamp '9999-12-31 23:59:59.999999+00')
  ),
  postgres_logs as (
    select t.id, t.timestamp, t.event_message, t.metadata, t.project as identifier
    from postgres_logs as t
    where
      t.project = @project
      and t.timestamp > timestamp_sub(
        current_timestamp(),
        interval case @project_tier when 'PRO' then 7 when 'PAYG' then 90 when 'ENTERPRISE' then 90 else 1 end day
      )
      and t.timestamp > coalesce(timestamp(nullif(@iso_timestamp_start, '')), timestamp '0001-01-01 00:00:00+00')
      and t.timestamp <= coalesce(timestamp(nullif(@iso_timestamp_end, '')), timestamp '9999-12-31 23:59:59.999999+00')
  ),
  function_edge_logs as (
    select t.id, t.timestamp, t.event_message, t.metadata
    from function_edge_logs as t
    cross join unnest(t.metadata) as m
    where
      m.project_ref = @project
      and t.timestamp > timestamp_sub(
        current_timestamp(),
        interval case @project_tier when 'PRO' then 7 when 'PAYG' then 90 when 'ENTERPRISE' then 90 else 1 end day
      )
      and t.timestamp > coalesce(timestamp(nullif(@iso_timestamp_start, '')), timestamp '0001-01-01 00:00:00+00')
      and t.timestamp <= coalesce(timestamp(nullif(@iso_timestamp_end, '')), timestamp '9999-12-31 23:59:59.999999+00')
  ),
  function_logs as (
    select t.id, t.timestamp, t.event_message, t.metadata
    from function_logs as t
    cross join unnest(t.metadata) as m
    where
      m.project_ref = @project
      and t.timestamp > timestamp_sub(
        current_timestamp(),
        interval case @project_tier when 'PRO' then 7 when 'PAYG' then 90 when 'ENTERPRISE' then 90 else 1 end day
      )
      and t.timestamp > coalesce(timestamp(nullif(@iso_timestamp_start, '')), timestamp '0001-01-01 00:00:00+00')
      and t.timestamp <= coalesce(timestamp(nullif(@iso_timestamp_end, '')), timestamp '9999-12-31 23:59:59.999999+00')
  ),
  auth_logs as (
    select t.id, t.timestamp, t.event_message, t.metadata
    from auth_logs as t
    where
      t.project = @project
      and t.timestamp > timestamp_sub(
        current_timestamp(),
        interval case @project_tier when 'PRO' then 7 when 'PAYG' then 90 when 'ENTERPRISE' then 90 else 1 end day
      )
      and t.timestamp > coalesce(timestamp(nullif(@iso_timestamp_start, '')), timestamp '0001-01-01 00:00:00+00')
      and t.timestamp <= coalesce(timestamp(nullif(@iso_timestamp_end, '')), timestamp '9999-12-31 23:59:59.999999+00')
  ),
  realtime_logs as (
    select t.id, t.timestamp, t.event_message, t.metadata
    from realtime_logs as t
    cross join unnest(t.metadata) as m
    where
      m.project = @project
      and t.timestamp > timestamp_sub(
        current_timestamp(),
        interval case @project_tier when 'PRO' then 7 when 'PAYG' then 90 when 'ENTERPRISE' then 90 else 1 end day
      )
      and t.timestamp > coalesce(timestamp(nullif(@iso_timestamp_start, '')), timestamp '0001-01-01 00:00:00+00')
      and t.timestamp <= coalesce(timestamp(nullif(@iso_timestamp_end, '')), timestamp '9999-12-31 23:59:59.999999+00')
  ),
  storage_logs as (
    select t.id, t.timestamp, t.event_message, t.metadata
    from storage_logs as t
    cross join unnest(t.metadata) as m
    where
      m.project = @project
      and t.timestamp > timestamp_sub(
        current_timestamp(),
        interval case @project_tier when 'PRO' then 7 when 'PAYG' then 90 when 'ENTERPRISE' then 90 else 1 end day
      )
      and t.timestamp > coalesce(timestamp(nullif(@iso_timestamp_start, '')), timestamp '0001-01-01 00:00:00+00')
      and t.timestamp <= coalesce(timestamp(nullif(@iso_timestamp_end, '')), timestamp '9999-12-31 23:59:59.999999+00')
  ),
  postgrest_logs as (
    select t.id, t.timestamp, t.event_message, t.metadata
    from postgrest_logs as t
    where
      t.project = @project
      and t.timestamp > timestamp_sub(
        current_timestamp(),
        interval case @project_tier when 'PRO' then 7 when 'PAYG' then 90 when 'ENTERPRISE' then 90 else 1 end day
      )
      and t.timestamp > coalesce(timestamp(nullif(@iso_timestamp_start, '')), timestamp '0001-01-01 00:00:00+00')
      and t.timestamp <= coalesce(timestamp(nullif(@iso_timestamp_end, '')), timestamp '9999-12-31 23:59:59.999999+00')
  ),
  pgbouncer_logs as (
    select t.id, t.timestamp, t.event_message, t.metadata
    from pgbouncer_logs as t
    where
      t.project = @project
      and t.timestamp > timestamp_sub(
        current_timestamp(),
        interval case @project_tier when 'PRO' then 7 when 'PAYG' then 90 when 'ENTERPRISE' then 90 else 1 end day
      )
      and t.timestamp > coalesce(timestamp(nullif(@iso_timestamp_start, '')), timestamp '0001-01-01 00:00:00+00')
      and t.timestamp <= coalesce(timestamp(nullif(@iso_timestamp_end, '')), timestamp '9999-12-31 23:59:59.999999+00')
  )
select id, timestamp, event_message, metadata
from edge_logs
order by timestamp desc, id
limit 100
