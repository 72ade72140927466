/*---
id: 15000000-0000-4000-8000-000000000008
description: The rows of one owner, over which callers send SQL.
max_rows: 5000
caching: 60s
query_sandboxing: enabled
parameters:
  who: { type: string, required: true, tenant: true, description: The owner. }
columns:
  id: { type: string, required: true, description: The row. }
  event_message: { type: string, description: Its text. }
---*/
with mine as (select t.id, t.event_message, t.timestamp from edge_logs as t where t.project = @who)
select id, event_message from mine order by id
