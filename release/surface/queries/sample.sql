/*---
id: 5d0c2a30-5f0e-4a3e-9d51-0c6f3f5a2b10
aliases: [sample.alias]
description: A query with each kind of parameter and column, whose interfaces are listed.
tags: [sample]
max_rows: 100
caching: 60s
live: 5s
key: [id]
query_sandboxing: enabled
labels: [team]
row_arguments: all
page: { by: [id] }
parameters:
  tenant: { type: string, required: true, tenant: true, description: The tenant., example: a }
  texts: { type: string, repeated: true, description: A list of texts. }
  day: { type: date, description: A day. }
  clock: { type: datetime, description: A time without a zone. }
  moment: { type: timestamp, description: A time. }
  whole: { type: integer, default: 1, min: 0, max: 10, description: A whole number. }
  fraction: { type: float, description: A number. }
  flag: { type: boolean, description: A flag. }
  choice:
    type: enum
    enum: Choice
    description: A choice.
    default: one
    values:
      one: { name: ONE, description: The first. }
      two: { name: TWO, description: The second., also: [2] }
columns:
  id: { type: string, required: true, description: The key. }
  whole: { type: integer, unit: s, description: A whole number. }
  fraction: { type: float, description: A number. }
  exact: { type: numeric, description: A decimal. }
  flag: { type: boolean, description: A flag. }
  moment: { type: timestamp, description: A time. }
  clock: { type: datetime, description: A time without a zone. }
  day: { type: date, description: A day. }
  nested:
    type: record
    description: A record.
    fields:
      name: { type: string, description: A name. }
federation:
  extends: Project
  key: { ref: tenant }
  references:
    owner: { entity: User, key: { id: id } }
---*/
with samples as (
  select
    @tenant as id, cast(@whole as int64) as whole, cast(@fraction as float64) as fraction, numeric '1' as exact,
    cast(@flag as bool) as flag,
    timestamp(nullif(@moment, '')) as moment, datetime(nullif(@clock, '')) as clock, date(nullif(@day, '')) as day,
    struct(@choice as name) as nested
  from unnest([1]) where @tenant is not null
)
select * from samples where array_length(@texts) >= 0 order by id
