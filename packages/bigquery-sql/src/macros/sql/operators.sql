-- Operators whose semantics differ from DuckDB's.
create macro bq.op_add(a bigint, b bigint) as (a + b); -- bigint strict
create macro bq.op_add(a decimal(38,9), b decimal(38,9)) as (a + b); -- decimal(38,9) strict
create macro bq.op_add(a double, b double) as bq.float_or_error2(a + b, a, b, '+'); -- double strict
create macro bq.op_add(a date, b bigint) as bq."date_add_day(d date, n bigint)"(a, b); -- date strict
create macro bq.op_add(a bigint, b date) as bq."date_add_day(d date, n bigint)"(b, a); -- date strict
create macro bq.op_add(a date, b interval) as bq.valid_datetime(cast(a as timestamp) + b); -- timestamp strict
create macro bq.op_add(a timestamp, b interval) as bq.valid_datetime(a + b); -- timestamp strict
create macro bq.op_add(a timestamptz, b interval) as case when a is not null then bq.timestamp_of(epoch_us(a) + bq.interval_us(b)) end; -- timestamptz strict
create macro bq.op_add(a interval, b date) as bq."op_add(a date, b interval)"(b, a); -- timestamp strict
create macro bq.op_add(a interval, b timestamp) as bq."op_add(a timestamp, b interval)"(b, a); -- timestamp strict
create macro bq.op_add(a interval, b timestamptz) as bq."op_add(a timestamptz, b interval)"(b, a); -- timestamptz strict
create macro bq.op_add(a interval, b interval) as bq.interval_in_range(a + b); -- interval strict
create macro bq.op_subtract(a bigint, b bigint) as (a - b); -- bigint strict
create macro bq.op_subtract(a decimal(38,9), b decimal(38,9)) as (a - b); -- decimal(38,9) strict
create macro bq.op_subtract(a double, b double) as bq.float_or_error2(a - b, a, b, '-'); -- double strict
create macro bq.op_subtract(a date, b bigint) as bq."date_sub_day(d date, n bigint)"(a, b); -- date strict
create macro bq.op_subtract(a date, b date) as to_days(cast(a - b as integer)); -- interval strict
create macro bq.op_subtract(a timestamptz, b timestamptz) as to_microseconds(epoch_us(a) - epoch_us(b)); -- interval strict
create macro bq.op_subtract(a timestamp, b timestamp) as (to_days(cast((epoch_us(a) - epoch_us(b)) // 86400000000 as integer)) + to_microseconds((epoch_us(a) - epoch_us(b)) % 86400000000)); -- interval strict
create macro bq.op_subtract(a time, b time) as to_microseconds(epoch_us(a) - epoch_us(b)); -- interval strict
create macro bq.op_subtract(a date, b interval) as bq.valid_datetime(cast(a as timestamp) - b); -- timestamp strict
create macro bq.op_subtract(a timestamp, b interval) as bq.valid_datetime(a - b); -- timestamp strict
create macro bq.op_subtract(a timestamptz, b interval) as case when a is not null then bq.timestamp_of(epoch_us(a) - bq.interval_us(b)) end; -- timestamptz strict
create macro bq.op_subtract(a interval, b interval) as bq.interval_in_range(a - b); -- interval strict
create macro bq.interval_us(i) as case when datepart('year', i) <> 0 or datepart('month', i) <> 0 then bq.fail('TIMESTAMP +/- INTERVAL is not supported for intervals with months or years') else datepart('day', i) * 86400000000 + datepart('hour', i) * 3600000000 + datepart('minute', i) * 60000000 + datepart('microsecond', i) end; -- bigint
create macro bq.op_multiply(a bigint, b bigint) as (a * b); -- bigint strict
create macro bq.op_multiply(a decimal(38,9), b decimal(38,9)) as bq.numeric_multiply(a, b); -- decimal(38,9) strict
create macro bq.op_multiply(a decimal(38,9), b bigint) as (a * cast(b as decimal(19,0))); -- decimal(38,9) strict
create macro bq.op_multiply(a bigint, b decimal(38,9)) as (cast(a as decimal(19,0)) * b); -- decimal(38,9) strict
create macro bq.op_multiply(a double, b double) as bq.float_or_error2(a * b, a, b, '*'); -- double strict
create macro bq.op_multiply(a interval, b bigint) as bq.interval_of(bq.interval_months(a) * b, bq.interval_days(a) * b, bq.interval_micros(a) * b); -- interval strict
create macro bq.op_multiply(a bigint, b interval) as bq.interval_of(bq.interval_months(b) * a, bq.interval_days(b) * a, bq.interval_micros(b) * a); -- interval strict
create macro bq.op_divide(a bigint, b bigint) as case when b = 0 then bq.fail('division by zero: ' || a || ' / 0') else cast(a as double) / b end; -- double strict
create macro bq.op_divide(a double, b bigint) as case when b = 0 then bq.fail('division by zero: ' || a || ' / 0') else a / b end; -- double strict
create macro bq.op_divide(a double, b double) as case when isfinite(a / b) then a / b when b = 0 then bq.fail('division by zero: ' || a || ' / ' || b) else bq.float_or_error2(a / b, a, b, '/') end; -- double strict
create macro bq.op_divide(a decimal(38,9), b decimal(38,9)) as bq.numeric_divide(a, b); -- decimal(38,9) strict
create macro bq.op_divide(a decimal(38,9), b bigint) as bq.numeric_divide(a, cast(b as decimal(38,9))); -- decimal(38,9) strict
create macro bq.op_divide(a interval, b bigint) as list_transform([row(a, b)], lambda x: case when x[2] = 0 then bq.fail_if(x[1] is not null, 'Interval division by zero') else bq.interval_divided(bq.interval_months(x[1]), bq.interval_days(x[1]), bq.interval_micros(x[1]), x[2]) end)[1]; -- interval strict
create macro bq.op_negate(a bigint) as (- a); -- bigint
create macro bq.op_negate(a decimal(38,9)) as (- a); -- decimal(38,9)
create macro bq.op_negate(a double) as (- a); -- double
create macro bq.op_negate(a interval) as (- a); -- interval
create macro bq.op_concat(a varchar, b varchar) as (a || b); -- varchar
create macro bq.op_concat(a blob, b blob) as (a || b); -- blob
-- The time of DuckDB's LIKE is the length of the text to the power of the number of its "%", except for a constant pattern.
create macro bq.like_constant(a varchar, b varchar) as a like b; -- boolean
create macro bq.like_matches(a varchar, pattern varchar) as regexp_full_match(a, pattern, 's'); -- boolean
create macro bq.like_pattern(b varchar) as array_to_string(list_transform(regexp_extract_all(b, '(?s)\\.|.'), lambda part: case when part = '%' then '.*' when part = '_' then '.' when starts_with(part, '\') then regexp_escape(substr(part, 2)) else regexp_escape(part) end), ''); -- varchar
create macro bq.op_like(a varchar, b varchar) as case when a is null then null when regexp_matches(b, '^(?:[^\\]|\\.)*\\$', 's') then bq.fail('LIKE pattern ends with a backslash') when strlen(b) - strlen(replace(b, '%', '')) < 2 then a like b escape '\' when strlen(b) - strlen(replace(b, '%', '')) > 100 then bq.fail('LIKE with a pattern of more than 100 "%" is not supported') else bq.like_matches(a, bq.like_pattern(b)) end; -- boolean
create macro bq.op_like(a blob, b blob) as bq."op_like(a varchar, b varchar)"(bq.bytes_as_text(a), bq.bytes_as_text(b)); -- boolean
create macro bq.op_bitand(a bigint, b bigint) as (a & b); -- bigint
create macro bq.op_bitor(a bigint, b bigint) as (a | b); -- bigint
create macro bq.op_bitxor(a bigint, b bigint) as xor(a, b); -- bigint
create macro bq.op_bitnot(a bigint) as (~ a); -- bigint
-- DuckDB casts fields of a STRUCT also for rows that CASE leaves out (conformance/duckdb/early-casts.md), and no empty value to bits.
create macro bq.bits_of(b) as cast(nullif(b, ''::blob) as bit); -- any
create macro bq.op_bitand(a blob, b blob) as case when octet_length(a) <> octet_length(b) then bq.fail('& over BYTES requires equal lengths') when octet_length(a) = 0 and b is not null then a else cast(bq.bits_of(a) & bq.bits_of(b) as blob) end; -- blob
create macro bq.op_bitor(a blob, b blob) as case when octet_length(a) <> octet_length(b) then bq.fail('| over BYTES requires equal lengths') when octet_length(a) = 0 and b is not null then a else cast(bq.bits_of(a) | bq.bits_of(b) as blob) end; -- blob
create macro bq.op_bitxor(a blob, b blob) as case when octet_length(a) <> octet_length(b) then bq.fail('^ over BYTES requires equal lengths') when octet_length(a) = 0 and b is not null then a else cast(xor(bq.bits_of(a), bq.bits_of(b)) as blob) end; -- blob
create macro bq.op_bitnot(a blob) as case when octet_length(a) = 0 then a else cast(~ bq.bits_of(a) as blob) end; -- blob
create macro bq.op_shiftleft(a bigint, b bigint) as case when b < 0 then bq.fail_if(a is not null, 'shift by a negative offset') when b > 63 then 0 * a else bq.signed64(((bq.unsigned64(a)) << try_cast(b as integer)) & cast(18446744073709551615 as hugeint)) end; -- bigint
create macro bq.op_shiftright(a bigint, b bigint) as case when b < 0 then bq.fail_if(a is not null, 'shift by a negative offset') when b > 63 then 0 * a else bq.signed64(bq.unsigned64(a) >> try_cast(b as integer)) end; -- bigint
create macro bq.op_shiftleft(a blob, b bigint) as case when b < 0 then bq.fail_if(a is not null, 'shift by a negative offset') when b = 0 or octet_length(a) = 0 and b is not null then a else cast(bq.bits_of(a) << cast(case when b > 8 * octet_length(a) then 8 * octet_length(a) else b end as integer) as blob) end; -- blob
create macro bq.op_shiftright(a blob, b bigint) as case when b < 0 then bq.fail_if(a is not null, 'shift by a negative offset') when b = 0 or octet_length(a) = 0 and b is not null then a else cast(bq.bits_of(a) >> cast(case when b > 8 * octet_length(a) then 8 * octet_length(a) else b end as integer) as blob) end; -- blob
create macro bq.unsigned64(a) as case when a < 0 then cast(a as hugeint) + 18446744073709551616 else cast(a as hugeint) end; -- a
create macro bq.signed64(a) as cast(case when a > 9223372036854775807 then a - 18446744073709551616 else a end as bigint); -- bigint
-- NaN is equal to nothing and neither less nor greater than anything.
create macro bq.op_equal(a double, b double) as case when isnan(a) and b is not null then false else a = b end; -- boolean
create macro bq.op_unequal(a double, b double) as case when isnan(a) and b is not null then true else a <> b end; -- boolean
create macro bq.op_less(a double, b double) as case when isnan(b) and a is not null then false else a < b end; -- boolean
create macro bq.op_at_most(a double, b double) as case when isnan(b) and a is not null then false else a <= b end; -- boolean
-- A literal name is quoted, so that one with dots stays one name; a pointer takes any name, but reads numbers in arrays.
create macro bq.json_field(j, name) as json_extract(j, '$."' || name || '"'); -- json
create macro bq.json_member(j, name) as case when json_type(j) = 'OBJECT' then json_extract(j, '/' || replace(replace(name, '~', '~0'), '/', '~1')) end; -- json
create macro bq.json_element(j, i) as case when i >= 0 then json_extract(j, '$[' || i || ']') end; -- json
-- NULL IN an empty array is FALSE; NULL IN any other array is NULL.
create macro bq.op_in(x, a) as case when a is null or len(a) = 0 then false when x is null then null when list_contains(a, x) then true when list_count(a) < len(a) then null else false end; -- boolean
