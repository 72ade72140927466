/*---
id: 1c9e4f70-52ab-4d7d-9a66-0e3b8d5f6a33
description: How many films each year has, also as metrics for Prometheus.
max_rows: 100
caching: 60s
prometheus:
  labels: [year]
  metrics:
    films: { column: films }
columns:
  year: { type: integer, required: true, description: The year. }
  films: { type: integer, required: true, description: How many there are. }
  minutes: { type: float, unit: minutes, description: How long they are on average. }
  longest:
    type: record
    description: The longest one.
    fields:
      title: { type: string, description: The title. }
      minutes: { type: integer, description: How long it is. }
  counted: { type: timestamp, required: true, description: When they were counted. }
---*/
select
  year,
  count(*) as films,
  avg(minutes) as minutes,
  json_object('title', title, 'minutes', max(minutes)) as longest,
  now() as counted
from films
group by year
order by year
