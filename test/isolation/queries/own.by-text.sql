/*---
id: 15000000-0000-4000-8000-000000000006
description: Rows of one owner, by a pattern for the whole name.
max_rows: 1000
caching: 2s
parameters:
  name: { type: pattern, required: true, tenant: true, tenant_pattern: '^{name}$', description: The owner. }
columns:
  id: { type: string, required: true, description: The row. }
---*/
select t.id
from auth_logs as t
where regexp_contains(t.project, @name)
order by id
