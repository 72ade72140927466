-- The traffic of the bench, in place of the demo's own: fifty projects at an even pace, counted back from one moment, so
-- that a longer table has the rows of a shorter one and older ones. The session's variable `every` is the number of
-- microseconds between two rows.

-- The biggest of {projects} has a fifth of all rows, each following one fewer, the last a thousandth.
CREATE OR REPLACE MACRO demo.project_of(key) AS
  CASE
    WHEN demo.chance(key, 'project') < 0.2 THEN 1
    ELSE 2 + CAST(floor(ln(1 - demo.chance(key, 'which') * (1 - 0.9136 ** ({projects} - 1))) / ln(0.9136)) AS BIGINT)
  END;

-- In the order in which a log shipper writes: what happened up to five seconds before.
CREATE OR REPLACE MACRO demo.events(stream, seconds, busiest, begins, ends) AS TABLE
  WITH arrived AS (
    SELECT number, hash(stream, number) AS key
    FROM range(
      ({now} - epoch_us(begins)) // getvariable('every'),
      ({now} - epoch_us(ends) + getvariable('every')) // getvariable('every') - 1,
      -1
    ) AS numbers(number)
  ),
  sent AS (
    SELECT key, demo.project_of(key) AS number, number * getvariable('every') + demo.between(key, 'late', 0, 5000000) AS age
    FROM arrived
  )
  SELECT key, ref, region, functions, main_function, make_timestamp({now} - age) AS happened
  FROM sent
  JOIN demo.projects USING (number);
