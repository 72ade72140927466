/*---
id: 15000000-0000-4000-8000-000000000003
description: Pairs of rows of one owner, from two tables.
max_rows: 1000
caching: 900s
parameters:
  p: { type: string, required: true, tenant: true, description: The owner. }
columns:
  id: { type: string, required: true, description: The row of the first table. }
  other: { type: string, required: true, description: The row of the second table. }
---*/
with
  edge as (select t.id, t.project from edge_logs as t where t.project = @p),
  auth as (select t.id, t.project from auth_logs as t where t.project = @p)
select edge.id as id, auth.id as other
from edge
join auth on edge.project = auth.project
order by id, other
