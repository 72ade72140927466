/*---
id: 3f1f6a52-6f0e-4a53-9d8f-0f7f0b6d2c11
description: The films of a year, the longest first.
max_rows: 100
caching: disabled
parameters:
  year: { type: integer, bind: INT64, required: true, example: 1994, description: The year. }
columns:
  title: { type: string, required: true, description: The title. }
  minutes: { type: integer, unit: minutes, description: How long it is. }
  genres: { type: string, repeated: true, description: What it is counted among. }
---*/
select title, minutes, genres
from films
where year = @year
order by minutes desc, title
