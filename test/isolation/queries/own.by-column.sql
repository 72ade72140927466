/*---
id: 15000000-0000-4000-8000-000000000001
description: Rows of one owner, by a column.
max_rows: 1000
row_arguments: all
caching: 900s
cache_warming: 300s
parameters:
  who: { type: string, required: true, tenant: true, description: The owner. }
  word: { type: string, description: Only rows with this text. }
columns:
  id: { type: string, required: true, description: The row. }
  event_message: { type: string, description: Its text. }
---*/
select t.id, t.event_message
from query.own.edge as t
where t.owner = @who and (@word = '' or t.event_message = @word)
order by id
