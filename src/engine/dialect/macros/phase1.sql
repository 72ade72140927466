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
