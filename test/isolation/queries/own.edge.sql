/*---
serve: off
description: The logs of all owners, which each reader restricts to one.
---*/
select t.id, t.event_message, t.timestamp, t.project as owner from edge_logs as t
