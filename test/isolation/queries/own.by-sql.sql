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
with mine as (select o.id, o.event_message, o.timestamp from query.`own.of-one`(owner => @who) as o)
select id, event_message from mine order by id
