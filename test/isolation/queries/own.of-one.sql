/*---
serve: off
parameters:
  owner: { type: string, description: The owner. }
---*/
select * from query.own.edge as e where e.owner = @owner
