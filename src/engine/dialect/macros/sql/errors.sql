-- DuckDB's error() is volatile, which TRY, and so SAFE. and SAFE_CAST, does not allow: a cast that fails is not.
create macro bq.fail(message) as cast(cast('error: ' || message as tinyint) as "NULL"); -- bigint
