/*---
id: 5d0c2a30-5f0e-4a3e-9d51-0c6f3f5a2b11
description: The next version of the query.
max_rows: 100
caching: disabled
deprecated: { since: 2026-01-01, sunset: 2027-01-01, reason: It is an example., successor: sample }
parameters:
  tenant: { type: string, required: true, tenant: true, description: The tenant., example: a }
columns:
  id: { type: string, required: true, description: The key. }
---*/
select @tenant as id
