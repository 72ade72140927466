/*---
id: 3f1f6a52-6f0e-4a53-9d8f-0f7f0b6d2c11
description: Active people of a city.
max_rows: 10
caching: 60s
parameters:
  city: { type: string, required: true, description: Where they live. }
columns:
  name: { type: string, description: Their first name. }
  age: { type: integer, description: In years. }
---*/
city = @city and status = active
