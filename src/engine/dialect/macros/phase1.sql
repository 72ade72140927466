create macro bq.op_add(a bigint, b bigint) as (a + b); -- bigint
create macro bq.op_add(a decimal(38,9), b decimal(38,9)) as (a + b); -- decimal(38,9)
create macro bq.op_add(a double, b double) as (a + b); -- double
create macro bq.op_subtract(a bigint, b bigint) as (a - b); -- bigint
create macro bq.op_subtract(a decimal(38,9), b decimal(38,9)) as (a - b); -- decimal(38,9)
create macro bq.op_subtract(a double, b double) as (a - b); -- double
create macro bq.op_multiply(a bigint, b bigint) as (a * b); -- bigint
create macro bq.op_multiply(a double, b double) as (a * b); -- double
create macro bq.op_divide(a double, b double) as case when b = 0 then bq.fail('division by zero: ' || a || ' / ' || b) else a / b end; -- double
create macro bq.op_negate(a bigint) as (- a); -- bigint
create macro bq.op_negate(a double) as (- a); -- double
create macro bq.op_concat(a varchar, b varchar) as (a || b); -- varchar
create macro bq.op_like(a varchar, b varchar) as (a like b escape '\'); -- boolean
create macro bq.at_offset(a, i) as case when i < 0 or i >= len(a) then bq.fail('Array index ' || i || ' is out of bounds') else a[i + 1] end; -- element of a
create macro bq.at_ordinal(a, i) as case when i < 1 or i > len(a) then bq.fail('Array index ' || i || ' is out of bounds') else a[i] end; -- element of a
create macro bq.at_safe_offset(a, i) as case when i >= 0 then a[i + 1] end; -- element of a
create macro bq.at_safe_ordinal(a, i) as case when i >= 1 then a[i] end; -- element of a
create macro bq.timestamp_of(us) as case when us between -62135596800000000 and 253402300799999999 then make_timestamptz(us) else bq.fail('timestamp out of range') end; -- timestamptz
create macro bq.floor_to(n, unit) as n - ((n % unit) + unit) % unit; -- n
create macro bq.timestamp_trunc_microsecond(t timestamptz) as t; -- timestamptz
create macro bq.timestamp_trunc_millisecond(t timestamptz) as make_timestamptz(bq.floor_to(epoch_us(t), 1000)); -- timestamptz
create macro bq.timestamp_trunc_second(t timestamptz) as make_timestamptz(bq.floor_to(epoch_us(t), 1000000)); -- timestamptz
create macro bq.timestamp_trunc_minute(t timestamptz) as make_timestamptz(bq.floor_to(epoch_us(t), 60000000)); -- timestamptz
create macro bq.timestamp_trunc_hour(t timestamptz) as make_timestamptz(bq.floor_to(epoch_us(t), 3600000000)); -- timestamptz
create macro bq.timestamp_trunc_day(t timestamptz) as make_timestamptz(bq.floor_to(epoch_us(t), 86400000000)); -- timestamptz
create macro bq.timestamp_add_microsecond(t timestamptz, n bigint) as bq.timestamp_of(epoch_us(t) + n); -- timestamptz
create macro bq.timestamp_add_millisecond(t timestamptz, n bigint) as bq.timestamp_of(epoch_us(t) + n * 1000); -- timestamptz
create macro bq.timestamp_add_second(t timestamptz, n bigint) as bq.timestamp_of(epoch_us(t) + n * 1000000); -- timestamptz
create macro bq.timestamp_add_minute(t timestamptz, n bigint) as bq.timestamp_of(epoch_us(t) + n * 60000000); -- timestamptz
create macro bq.timestamp_add_hour(t timestamptz, n bigint) as bq.timestamp_of(epoch_us(t) + n * 3600000000); -- timestamptz
create macro bq.timestamp_add_day(t timestamptz, n bigint) as bq.timestamp_of(epoch_us(t) + n * 86400000000); -- timestamptz
create macro bq.timestamp_sub_microsecond(t timestamptz, n bigint) as bq.timestamp_of(epoch_us(t) - n); -- timestamptz
create macro bq.timestamp_sub_millisecond(t timestamptz, n bigint) as bq.timestamp_of(epoch_us(t) - n * 1000); -- timestamptz
create macro bq.timestamp_sub_second(t timestamptz, n bigint) as bq.timestamp_of(epoch_us(t) - n * 1000000); -- timestamptz
create macro bq.timestamp_sub_minute(t timestamptz, n bigint) as bq.timestamp_of(epoch_us(t) - n * 60000000); -- timestamptz
create macro bq.timestamp_sub_hour(t timestamptz, n bigint) as bq.timestamp_of(epoch_us(t) - n * 3600000000); -- timestamptz
create macro bq.timestamp_sub_day(t timestamptz, n bigint) as bq.timestamp_of(epoch_us(t) - n * 86400000000); -- timestamptz
create macro bq.timestamp_series(a, b, step) as list_transform(generate_series(epoch_us(a), epoch_us(b), step), lambda us: make_timestamptz(us)); -- a[]
create macro bq.generate_timestamp_array_second(a timestamptz, b timestamptz, n bigint) as bq.timestamp_series(a, b, n * 1000000); -- timestamptz[]
create macro bq.generate_timestamp_array_minute(a timestamptz, b timestamptz, n bigint) as bq.timestamp_series(a, b, n * 60000000); -- timestamptz[]
create macro bq.generate_timestamp_array_hour(a timestamptz, b timestamptz, n bigint) as bq.timestamp_series(a, b, n * 3600000000); -- timestamptz[]
create macro bq.generate_timestamp_array_day(a timestamptz, b timestamptz, n bigint) as bq.timestamp_series(a, b, n * 86400000000); -- timestamptz[]
create macro bq.timestamp(s varchar) as cast(s as timestamptz); -- timestamptz
create macro bq.timestamp(t timestamptz) as t; -- timestamptz
create macro bq.datetime(t timestamptz) as timezone('UTC', t); -- timestamp
create macro bq.datetime(t timestamptz, zone varchar) as timezone(zone, t); -- timestamp
