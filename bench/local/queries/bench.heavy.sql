/*---
id: 6f1d2b90-47c8-4c1e-9a35-e0b7d84c52f1
description: Reads every edge request there is, its widest fields included; for the bench alone.
max_rows: 1000
caching: disabled
parameters:
  pattern: { type: pattern, required: true, description: Regular expression that no request matches. }
columns:
  country: { type: string, description: Where the requests came from. }
  requests: { type: integer, required: true, description: How many there were. }
  matching: { type: integer, required: true, description: How many of them match. }
---*/
select
  cf.country,
  count(*) as requests,
  countif(
    regexp_contains(t.event_message, @pattern)
    or regexp_contains(request.url, @pattern)
    or regexp_contains(headers.user_agent, @pattern)
  ) as matching
from edge_logs as t
cross join unnest(t.metadata) as m
cross join unnest(m.request) as request
cross join unnest(request.headers) as headers
cross join unnest(request.cf) as cf
group by country
order by country
