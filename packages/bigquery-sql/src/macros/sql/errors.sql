-- DuckDB's error() is volatile, which is not allowed in TRY and therefore in SAFE. and SAFE_CAST; a failing cast is not volatile.
create macro bq.fail(message) as cast(cast('error: ' || message as tinyint) as "NULL"); -- bigint
