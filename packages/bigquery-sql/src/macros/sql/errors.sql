-- DuckDB's error() is volatile, which is not allowed in TRY and therefore in SAFE. and SAFE_CAST; a failing cast is not volatile.
create macro bq.fail(message) as cast(cast('error: ' || message as tinyint) as "NULL"); -- bigint
-- A wrong operand does not matter beside one that is NULL. The condition is read only where the operand is wrong.
create macro bq.fail_if(condition, message) as bq.fail(case when condition then message end); -- bigint
