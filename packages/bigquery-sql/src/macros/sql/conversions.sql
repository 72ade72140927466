create macro bq.cast_string(x varchar) as x; -- varchar strict
create macro bq.cast_string(x bigint) as cast(x as varchar); -- varchar strict
create macro bq.cast_string(x boolean) as cast(x as varchar); -- varchar strict
-- BigQuery writes 15 digits if they are enough, else 17. DuckDB's text has as few digits as are enough: if up to 15, or 17, the same ones.
create macro bq.has_few_digits(x) as strlen(cast(x as varchar)) <= 16 and abs(x) > 0.0001 and abs(x) < 1e15; -- boolean
create macro bq.has_all_digits(x) as strlen(cast(x as varchar)) = 18 and x >= 1 and x < 1e15 or strlen(cast(x as varchar)) = 19 and x >= 0.1 and x < 1; -- boolean
create macro bq.needs_many_digits(x) as x >= 1 and x < 1e15 and strlen(cast(x as varchar)) > 16 and not ends_with(cast(x as varchar), '.0') or x >= 0.1 and x < 1 and strlen(cast(x as varchar)) > 17; -- boolean
create macro bq.float_text(x) as case when bq.has_few_digits(x) then case when ends_with(cast(x as varchar), '.0') then left(cast(x as varchar), -2) else cast(x as varchar) end when bq.has_all_digits(x) then cast(x as varchar) when isnan(x) then 'nan' when not bq.needs_many_digits(x) and cast(format('{:.15g}', x + 0.0) as double) = x then format('{:.15g}', x + 0.0) else format('{:.17g}', x) end; -- varchar
create macro bq.cast_string(x double) as bq.float_text(x); -- varchar strict
create macro bq.cast_string(x decimal(38,9)) as rtrim(rtrim(cast(x as varchar), '0'), '.'); -- varchar strict
create macro bq.cast_string(x blob) as decode(x); -- varchar strict
create macro bq.cast_string(x date) as strftime(x, '%Y-%m-%d'); -- varchar strict
create macro bq.time_text(x) as strftime(date '2000-01-01' + x, '%H:%M:%S') || bq.fraction_text(date '2000-01-01' + x); -- varchar
create macro bq.cast_string(x time) as list_transform([x], lambda x_: bq.time_text(x_))[1]; -- varchar strict
create macro bq.cast_string(x timestamp) as bq.datetime_text(x); -- varchar strict
create macro bq.utc_text(x) as cast(make_timestamp(epoch_us(x)) as varchar); -- varchar
create macro bq.cast_string(x timestamptz) as case when strlen(bq.utc_text(x)) in (19, 23, 26) then bq.utc_text(x) else left(bq.utc_text(x) || '00', case when strlen(bq.utc_text(x)) < 23 then 23 else 26 end) end || '+00'; -- varchar strict
-- DuckDB's text has no zeros at the end of a fraction: BigQuery's has three digits, or six.
create macro bq.datetime_padded(text) as left(text || '00', case when strlen(text) < 23 then 23 else 26 end); -- varchar
create macro bq.datetime_text(x) as case when strlen(cast(x as varchar)) in (19, 23, 26) then cast(x as varchar) else bq.datetime_padded(cast(x as varchar)) end; -- varchar
create macro bq.fraction_text(x) as case when microsecond(x) % 1000000 = 0 then '' when microsecond(x) % 1000 = 0 then strftime(x, '.%g') else strftime(x, '.%f') end; -- varchar
create macro bq.bad_value(type, x) as bq.fail('Bad ' || type || ' value: ' || x); -- varchar

create macro bq.cast_int64(x bigint) as x; -- bigint strict
create macro bq.cast_int64(x boolean) as cast(x as bigint); -- bigint strict
create macro bq.cast_int64(x double) as cast(round(x) as bigint); -- bigint strict
-- Without | 0, DuckDB compares round(x) with a constant, and does not see that it is out of range.
create macro bq.cast_int64(x decimal(38,9)) as cast(round(x) as bigint) | 0; -- bigint strict
-- SAFE_CAST of a STRING finds out by a pattern what fails: TRY takes the time of an exception for each such value.
create macro bq.int64_of_text(x) as case when try_cast(x as bigint) is not null and regexp_full_match(x, '\s*[+-]?\d+\s*') then try_cast(x as bigint) when x < ':' and (contains(x, '0x') or contains(x, '0X')) and regexp_full_match(x, '\s*[+-]?0[xX][0-9a-fA-F]{1,16}\s*') then bq.hex_int64(x) end; -- bigint
-- DuckDB reads what BigQuery does not: 1e3, 1_000, 1.5. Only of an exponent the number has as many digits as the text has characters, and then two zeros.
create macro bq.is_all_digits(x) as cast('[0, 9, 99, 999, 9999, 99999, 999999, 9999999, 99999999, 999999999, 9999999999, 99999999999, 999999999999, 9999999999999, 99999999999999, 999999999999999, 9999999999999999, 99999999999999999, 999999999999999999]' as bigint[])[strlen(x)] < try_cast(x as bigint) and try_cast(x as bigint) % 100 <> 0; -- boolean
-- A text that DuckDB writes in the same way is one that BigQuery takes, too.
create macro bq.is_own_text(x) as cast(try_cast(x as bigint) as varchar) = x; -- boolean
create macro bq.cast_int64(x varchar) as case when bq.is_all_digits(x) then try_cast(x as bigint) when bq.is_own_text(x) then try_cast(x as bigint) else coalesce(bq.int64_of_text(x), bq.bad_value('int64', x)) end; -- bigint strict
create macro bq.safe_cast_int64(x varchar) as case when bq.is_all_digits(x) then try_cast(x as bigint) when bq.is_own_text(x) then try_cast(x as bigint) else bq.int64_of_text(x) end; -- bigint
create macro bq.hex_int64(x) as try_cast(case when contains(x, '-') then -1 else 1 end * cast(cast('0' || regexp_extract(x, '[xX][0-9a-fA-F]+') as ubigint) as hugeint) as bigint); -- bigint

create macro bq.cast_float64(x bigint) as cast(x as double); -- double strict
create macro bq.cast_float64(x double) as x; -- double strict
create macro bq.cast_float64(x decimal(38,9)) as cast(cast(x as varchar) as double); -- double strict
create macro bq.float64_of_text(x) as case when regexp_full_match(x, '(?i)\s*[+-]?((\d+\.?\d*|\.\d+)(e[+-]?\d+)?|inf|infinity|nan)\s*') then try_cast(x as double) when regexp_full_match(x, '\s*[+-]?0[xX][0-9a-fA-F]{1,16}\s*') then cast(cast('0' || regexp_extract(x, '[xX][0-9a-fA-F]+') as ubigint) as double) * case when contains(x, '-') then -1 else 1 end end; -- double
-- Of what DuckDB reads as a finite number, BigQuery refuses +-1, 1_000 and a vertical tab.
create macro bq.safe_cast_float64(x varchar) as case when isfinite(try_cast(x as double)) and x >= '-' and not contains(x, '_') and not contains(x, chr(11)) then try_cast(x as double) else bq.float64_of_text(x) end; -- double
create macro bq.cast_float64(x varchar) as coalesce(bq.safe_cast_float64(x), bq.bad_value('double', x)); -- double strict

create macro bq.cast_numeric(x bigint) as cast(x as decimal(38,9)); -- decimal(38,9) strict
create macro bq.cast_numeric(x decimal(38,9)) as x; -- decimal(38,9) strict
create macro bq.numeric_of_float(x) as bq.numeric_of_billionths(case when abs(x) >= 1e30 then bq.fail('numeric out of range: ' || x) when x = 0 or bq.binary_scale(x) > 125 then 0 when bq.binary_scale(x) <= 0 then cast(trunc(x) as hugeint) * 1000000000 else cast(trunc(x) as hugeint) * 1000000000 + bq.fraction_billionths(x - trunc(x)) end); -- decimal(38,9)
create macro bq.cast_numeric(x double) as list_transform([x], lambda x_: bq.numeric_of_float(x_))[1]; -- decimal(38,9) strict
create macro bq.fraction_billionths(x) as case when x = 0 or bq.binary_scale(x) > 125 then 0 else cast(sign(x) as hugeint) * bq.units_at_digit(x, 9, 1) end; -- bigint
-- DuckDB rounds a number with an exponent by its first digit, however small it is.
create macro bq.without_exponent(x) as case when contains(x, 'e') or contains(x, 'E') then host_numeric(x) else x end; -- varchar
create macro bq.numeric_of_text(x) as case when regexp_full_match(x, '\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*') then try_cast(bq.without_exponent(x) as decimal(38,9)) end; -- decimal(38,9)
-- DuckDB reads DECIMAL(18) from a text a hundred times faster than DECIMAL(38).
create macro bq.is_short_numeric(x) as regexp_full_match(x, '[+-]?\d{1,9}(\.\d{0,9})?'); -- boolean
-- TRY_CAST, because DuckDB casts fields of a STRUCT also for rows that CASE leaves out (conformance/duckdb/early-casts.md).
create macro bq.short_numeric(x) as cast(try_cast(x as decimal(18,9)) as decimal(38,9)); -- decimal(38,9)
create macro bq.cast_numeric(x varchar) as case when bq.is_short_numeric(x) then bq.short_numeric(x) else coalesce(bq.numeric_of_text(x), bq.bad_value('NUMERIC', x)) end; -- decimal(38,9) strict
create macro bq.safe_cast_numeric(x varchar) as case when bq.is_short_numeric(x) then bq.short_numeric(x) else bq.numeric_of_text(x) end; -- decimal(38,9)
create macro bq.numeric_parsed(x) as case when regexp_full_match(x, '\s*[+-]?\s*([\d,]*\d[\d,]*\.?\d*|\.\d+)([eE][+-]?\d+)?\s*|\s*([\d,]*\d[\d,]*\.?\d*|\.\d+)([eE][+-]?\d+)?\s*[+-]\s*') then cast(bq.without_exponent(regexp_replace(regexp_replace(x, '[\s,]', '', 'g'), '^(.*)([+-])$', '\2\1')) as decimal(38,9)) else bq.bad_value('NUMERIC', x) end; -- decimal(38,9)
create macro bq.parse_numeric(x varchar) as list_transform([x], lambda x_: bq.numeric_parsed(x_))[1]; -- decimal(38,9)

create macro bq.cast_bool(x boolean) as x; -- boolean strict
create macro bq.cast_bool(x bigint) as x <> 0; -- boolean strict
create macro bq.safe_cast_bool(x varchar) as case when lower(x) = 'true' then true when lower(x) = 'false' then false end; -- boolean
create macro bq.cast_bool(x varchar) as coalesce(bq.safe_cast_bool(x), bq.bad_value('bool', x)); -- boolean strict
create macro bq.cast_bytes(x blob) as x; -- blob strict
create macro bq.cast_bytes(x varchar) as encode(x); -- blob strict
create macro bq.cast_json(x json) as x; -- json strict

create macro bq.cast_date(x date) as x; -- date strict
create macro bq.cast_date(x timestamp) as cast(x as date); -- date strict
create macro bq.cast_date(x timestamptz) as cast(make_timestamp(epoch_us(x)) as date); -- date strict
-- Of a date that DuckDB reads, ten characters of which the last one is a digit leave four, two and two digits.
create macro bq.has_usual_date(x) as x glob '????-??-?[0-9]' and x >= '0001'; -- boolean
create macro bq.usual_date(x) as case when bq.has_usual_date(x) then try_cast(x as date) end; -- date
-- A text of a format that begins with the year, and whose digits are all there.
create macro bq.shaped_time(x, format, shape) as case when x glob shape and x >= '0001' then try_strptime(x, format) end; -- timestamp
create macro bq.usual_time(x, format) as case when strftime(try_strptime(x, format), format) = x and try_strptime(x, format) between timestamp '0001-01-01 00:00:00' and timestamp '9999-12-31 23:59:59' then try_strptime(x, format) end; -- timestamp
create macro bq.safe_cast_date(x varchar) as case when bq.has_usual_date(x) then try_cast(x as date) when regexp_full_match(x, '\d{4}-\d{1,2}-\d{1,2}') and x >= '0001' then try_cast(x as date) end; -- date
create macro bq.cast_date(x varchar) as coalesce(bq.safe_cast_date(x), bq.bad_value('date', x)); -- date strict
create macro bq.cast_time(x time) as x; -- time strict
create macro bq.cast_time(x timestamp) as cast(x as time); -- time strict
create macro bq.cast_time(x timestamptz) as cast(make_timestamp(epoch_us(x)) as time); -- time strict
create macro bq.cast_time(x varchar) as list_transform([x], lambda x_: case when regexp_full_match(x_, '((?:[01]?\d|2[0-3]):\d{1,2}:\d{1,2}(?:\.\d{1,6})?)') then cast(bq.moment('2000-01-01', x_) as time) else bq.bad_value('time', x_) end)[1]; -- time strict
create macro bq.cast_datetime(x date) as cast(x as timestamp); -- timestamp strict
create macro bq.cast_datetime(x timestamp) as x; -- timestamp strict
create macro bq.cast_datetime(x timestamptz) as make_timestamp(epoch_us(x)); -- timestamp strict
create macro bq.datetime_read(x, parts) as case when parts.day is null or parts.day = '' or starts_with(parts.day, '0000') then bq.bad_value('datetime', x) else bq.valid_datetime(bq.moment(parts.day, parts.clock)) end; -- timestamp
create macro bq.is_usual_datetime(x) as regexp_full_match(x, '\d{4}-\d\d-\d\d([ T]([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,6})?)?') and x >= '0001'; -- boolean
create macro bq.datetime_in(x) as list_transform([regexp_extract(x, '^(\d{4}-\d{1,2}-\d{1,2})(?:[ tT]((?:[01]?\d|2[0-3]):\d{1,2}:\d{1,2}(?:\.\d{1,6})?))?$', ['day', 'clock'])], lambda parts: bq.datetime_read(x, parts))[1]; -- timestamp
create macro bq.cast_datetime(x varchar) as case when bq.is_usual_datetime(x) then coalesce(try_cast(x as timestamp), bq.bad_value('datetime', x)) else bq.datetime_in(x) end; -- timestamp strict
create macro bq.safe_cast_datetime(x varchar) as case when bq.is_usual_datetime(x) then try_cast(x as timestamp) when regexp_matches(x, '^\d{4}-\d{1,2}-\d{1,2}([ tT]|$)') then list_transform([x], lambda x_: try(bq.datetime_in(x_)))[1] end; -- timestamp
create macro bq.moment(day, clock) as cast(rtrim(day || ' ' || regexp_replace(clock, ':60(\.\d+)?$', ':59')) as timestamp) + to_seconds(cast(regexp_matches(clock, ':60(\.\d+)?$') as bigint)); -- timestamp
create macro bq.exact_moment(day, clock) as cast(rtrim(day || ' ' || regexp_replace(clock, ':60(\.\d+)?$', ':59\1')) as timestamp) + to_seconds(cast(regexp_matches(clock, ':60(\.\d+)?$') as bigint)); -- timestamp
create macro bq.cast_timestamp(x timestamptz) as x; -- timestamptz strict
create macro bq.cast_timestamp(x date) as make_timestamptz(epoch_us(x)); -- timestamptz strict
create macro bq.cast_timestamp(x timestamp) as make_timestamptz(epoch_us(x)); -- timestamptz strict
create macro bq.cast_timestamp(x varchar) as case when bq.is_usual_timestamp(x) then coalesce(bq.usual_timestamp(x), bq.bad_value('timestamp', x)) else bq.timestamp_in_zone(x, 'UTC') end; -- timestamptz strict
create macro bq.safe_cast_timestamp(x varchar) as case when bq.is_usual_timestamp(x) then bq.usual_timestamp(x) when regexp_matches(x, '^\d{4}-\d{1,2}-\d{1,2}([ tT+-]|$)') then list_transform([x], lambda x_: try(bq.timestamp_in_zone(x_, 'UTC')))[1] end; -- timestamptz
create macro bq.is_usual_timestamp(x) as regexp_full_match(x, '\d{4}-\d\d-\d\d[ T]([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,6})?(Z|\+00(:00)?)?') and x >= '0001'; -- boolean
create macro bq.usual_timestamp(x) as make_timestamptz(epoch_us(try_cast(x as timestamp))); -- timestamptz
create macro bq.timestamp_read(x, parts, zone) as case when parts.day is null or parts.day = '' or starts_with(parts.day, '0000') then bq.bad_value('timestamp', x) else bq.timestamp_of(epoch_us(bq.local_in_zone(bq.exact_moment(parts.day, parts.clock), bq.zone_read(parts.zone || parts.offset, zone)))) end; -- timestamptz
create macro bq.timestamp_in_zone(x varchar, zone varchar) as list_transform([regexp_extract(x, '^(\d{4}-\d{1,2}-\d{1,2})(?:[ tT](?:((?:[01]?\d|2[0-3]):\d{1,2}:\d{1,2}(?:\.\d{1,6})?)([zZ]|[+-]\d{1,2}(?::?\d{1,2})?| [A-Z].*)?|([+-]\d{1,2}(?::?\d{1,2})?)))?$', ['day', 'clock', 'zone', 'offset'])], lambda parts: bq.timestamp_read(x, parts, zone))[1]; -- timestamptz
create macro bq.zone_read(zone, otherwise) as case zone when '' then otherwise when 'Z' then 'UTC' when 'z' then 'UTC' else ltrim(zone, ' ') end; -- varchar
create macro bq.local_in_zone(t, zone) as list_transform([row(t, zone)], lambda l: case when regexp_full_match(l[2], '(UTC)?[+-]\d{1,2}(:?\d{1,2})?') then timezone('UTC', l[1] - to_minutes(bq.offset_minutes(l[2]))) else bq."timestamp(d timestamp, zone varchar)"(l[1], l[2]) end)[1]; -- timestamptz
create macro bq.offset_minutes(zone) as case when cast(regexp_extract(zone, '[+-](\d{1,2})', 1) as bigint) * 60 + cast('0' || regexp_extract(zone, '[+-]\d{1,2}:?(\d{0,2})', 1) as bigint) > 840 or cast('0' || regexp_extract(zone, '[+-]\d{1,2}:?(\d{0,2})', 1) as bigint) > 59 then bq.fail('Invalid time zone: ' || zone) else (cast(regexp_extract(zone, '[+-](\d{1,2})', 1) as bigint) * 60 + cast('0' || regexp_extract(zone, '[+-]\d{1,2}:?(\d{0,2})', 1) as bigint)) * case when contains(zone, '-') then -1 else 1 end end; -- bigint

create macro bq.json_double(x) as case when json_type(x) in ('BIGINT', 'UBIGINT', 'DOUBLE') then try_cast(cast(x as varchar) as double) else bq.fail('not a JSON number: ' || cast(x as varchar)) end; -- double
create macro bq.json_int64(x) as case when json_type(x) = 'DOUBLE' and bq.json_double(x) = trunc(bq.json_double(x)) then cast(bq.json_double(x) as bigint) when json_type(x) in ('BIGINT', 'UBIGINT') then coalesce(try_cast(cast(x as varchar) as bigint), bq.fail('out of range: ' || cast(x as varchar))) else bq.fail('not an integer: ' || cast(x as varchar)) end; -- bigint
create macro bq.int64(x json) as list_transform([x], lambda x_: bq.json_int64(x_))[1]; -- bigint
create macro bq.json_float64(x) as bq.json_double(x); -- double
create macro bq.float64(x json) as list_transform([x], lambda x_: bq.json_float64(x_))[1]; -- double
create macro bq.json_bool(x) as case when json_type(x) = 'BOOLEAN' then cast(x as varchar) = 'true' else bq.fail('not a JSON boolean: ' || cast(x as varchar)) end; -- boolean
create macro bq.bool(x json) as list_transform([x], lambda x_: bq.json_bool(x_))[1]; -- boolean
create macro bq.json_string(x) as case when json_type(x) = 'VARCHAR' then x ->> '$' else bq.fail('not a JSON string: ' || cast(x as varchar)) end; -- varchar
create macro bq.string(x json) as list_transform([x], lambda x_: bq.json_string(x_))[1]; -- varchar
create macro bq.string(x date) as bq."cast_string(x date)"(x); -- varchar
create macro bq.string(x time) as bq."cast_string(x time)"(x); -- varchar
create macro bq.string(x timestamp) as bq."cast_string(x timestamp)"(x); -- varchar
create macro bq.string(x timestamptz) as bq."cast_string(x timestamptz)"(x); -- varchar
create macro bq.lax_text(x) as case when json_type(x) = 'VARCHAR' then x ->> '$' else cast(x as varchar) end; -- varchar
create macro bq.number_in(text) as case when regexp_full_match(text, '(?i)\s*[+-]?((\d+\.?\d*|\.\d+)(e[+-]?\d+)?|inf|infinity|nan)\s*') then try_cast(text as double) end; -- double
create macro bq.whole_number_in(text) as case when regexp_full_match(text, '\s*[+-]?\d+\s*') then try_cast(text as bigint) else try_cast(round(bq.number_in(text)) as bigint) end; -- bigint
create macro bq.json_lax_int64(x) as case when json_type(x) = 'BOOLEAN' then cast(cast(x as varchar) = 'true' as bigint) when json_type(x) not in ('ARRAY', 'OBJECT', 'NULL') then bq.whole_number_in(bq.lax_text(x)) end; -- bigint
create macro bq.lax_int64(x json) as list_transform([x], lambda x_: bq.json_lax_int64(x_))[1]; -- bigint
create macro bq.json_lax_float64(x) as case when json_type(x) in ('BIGINT', 'UBIGINT', 'DOUBLE', 'VARCHAR') then bq.number_in(bq.lax_text(x)) end; -- double
create macro bq.lax_float64(x json) as list_transform([x], lambda x_: bq.json_lax_float64(x_))[1]; -- double
create macro bq.json_lax_bool(x) as case json_type(x) when 'BOOLEAN' then cast(x as varchar) = 'true' when 'VARCHAR' then case lower(x ->> '$') when 'true' then true when 'false' then false end when 'ARRAY' then null when 'OBJECT' then null when 'NULL' then null else try_cast(cast(x as varchar) as double) <> 0 end; -- boolean
create macro bq.lax_bool(x json) as list_transform([x], lambda x_: bq.json_lax_bool(x_))[1]; -- boolean
create macro bq.json_lax_string(x) as case when json_type(x) = 'DOUBLE' then bq.float_text(try_cast(cast(x as varchar) as double)) when json_type(x) in ('VARCHAR', 'BOOLEAN', 'BIGINT', 'UBIGINT') then bq.lax_text(x) end; -- varchar
create macro bq.lax_string(x json) as list_transform([x], lambda x_: bq.json_lax_string(x_))[1]; -- varchar
