/*---
id: 8a2d7b1c-3a45-4f6e-8b0a-5d2f4c9e7a22
description: Films whose title contains a text.
max_rows: 100
caching: disabled
parameters:
  text: { type: string, required: true, example: The, description: A part of the title. }
columns:
  title: { type: string, required: true, description: The title. }
  year: { type: integer, required: true, description: The year. }
---*/
select title, year
from films
where instr(lower(title), lower(@text)) > 0
order by year, title
