/*---
id: 15000000-0000-4000-8000-000000000002
description: Rows of one owner, by a field of an unnested record; the owner has a default.
max_rows: 1000
caching: 1s
parameters:
  ref: { type: string, default: abc, tenant: true, description: The owner. }
columns:
  id: { type: string, required: true, description: The row. }
  event_message: { type: string, description: Its text. }
---*/
select t.id, t.event_message
from function_edge_logs as t
cross join unnest(t.metadata) as m
where m.project_ref = @ref
order by id
