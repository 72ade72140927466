/*---
id: 15000000-0000-4000-8000-000000000007
description: Rows of everybody; a key that is bound to tenants may not ask.
max_rows: 1000
caching: 900s
columns:
  id: { type: string, required: true, description: The row. }
---*/
select t.id
from auth_logs as t
order by id
