/*---
id: 15000000-0000-4000-8000-000000000005
description: Requests whose host begins with the owner's name.
max_rows: 1000
caching: 900s
parameters:
  host:
    type: pattern
    required: true
    tenant: true
    tenant_pattern: '^https?://{host}\.[^/?#@\\\s]*(?:[/?#]|$)'
    description: The owner.
columns:
  id: { type: string, required: true, description: The row. }
---*/
select t.id
from edge_logs as t
cross join unnest(t.metadata) as m
cross join unnest(m.request) as request
where regexp_contains(request.url, @host)
order by id
