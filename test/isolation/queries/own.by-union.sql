/*---
id: 15000000-0000-4000-8000-000000000004
description: The first rows of one owner, from three tables.
max_rows: 5
caching: disabled
parameters:
  tenant: { type: string, required: true, tenant: true, description: The owner. }
columns:
  id: { type: string, required: true, description: The row. }
---*/
select id
from (
  select t.id from edge_logs as t where t.project = @tenant
  union all
  select t.id from auth_logs as t where t.project = @tenant
  union all
  select t.id
  from function_edge_logs as t
  cross join unnest(t.metadata) as m
  where m.project_ref = @tenant
)
order by id
