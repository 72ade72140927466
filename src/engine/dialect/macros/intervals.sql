-- Intervals are months, days and microseconds, each on its own, as in BigQuery.
create macro bq.in_interval(n, most) as case when n not between -most and most then bq.fail('interval out of range') else n end; -- n
create macro bq.interval_year(n bigint) as to_months(cast(bq.in_interval(n * 12, 120000) as integer)); -- interval
create macro bq.interval_quarter(n bigint) as to_months(cast(bq.in_interval(n * 3, 120000) as integer)); -- interval
create macro bq.interval_month(n bigint) as to_months(cast(bq.in_interval(n, 120000) as integer)); -- interval
create macro bq.interval_week(n bigint) as to_days(cast(bq.in_interval(n * 7, 3660000) as integer)); -- interval
create macro bq.interval_day(n bigint) as to_days(cast(bq.in_interval(n, 3660000) as integer)); -- interval
create macro bq.interval_hour(n bigint) as to_microseconds(bq.in_interval(n * 3600000000, 316224000000000000)); -- interval
create macro bq.interval_minute(n bigint) as to_microseconds(bq.in_interval(n * 60000000, 316224000000000000)); -- interval
create macro bq.interval_second(n bigint) as to_microseconds(bq.in_interval(n * 1000000, 316224000000000000)); -- interval
create macro bq.op_add(d date, i interval) as bq.valid_datetime(d + i); -- timestamp
create macro bq.op_add(d timestamp, i interval) as bq.valid_datetime(d + i); -- timestamp
create macro bq.op_add(t timestamptz, i interval) as bq.timestamp_of(epoch_us(t) + bq.us_without_months(i)); -- timestamptz
create macro bq.op_add(i interval, d date) as bq.valid_datetime(d + i); -- timestamp
create macro bq.op_add(i interval, d timestamp) as bq.valid_datetime(d + i); -- timestamp
create macro bq.op_add(i interval, t timestamptz) as bq.timestamp_of(epoch_us(t) + bq.us_without_months(i)); -- timestamptz
create macro bq.op_subtract(d date, i interval) as bq.valid_datetime(d - i); -- timestamp
create macro bq.op_subtract(d timestamp, i interval) as bq.valid_datetime(d - i); -- timestamp
create macro bq.op_subtract(t timestamptz, i interval) as bq.timestamp_of(epoch_us(t) - bq.us_without_months(i)); -- timestamptz
create macro bq.us_without_months(i) as case when extract(month from i) <> 0 or extract(year from i) <> 0 then bq.fail('a TIMESTAMP takes no months or years') else extract(day from i) * 86400000000 + extract(hour from i) * 3600000000 + extract(minute from i) * 60000000 + extract(microsecond from i) end; -- bigint
