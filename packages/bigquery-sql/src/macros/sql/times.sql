-- Times of day wrap around at midnight.
create macro bq.time_of(us) as (time '00:00:00' + to_microseconds(us)); -- time
create macro bq.time(hour bigint, minute bigint, second bigint) as bq.time_of(bq.clock_us(hour, minute, second)); -- time strict
create macro bq.clock_us(hour, minute, second) as case when hour not between 0 and 23 or minute not between 0 and 59 or second not between 0 and 60 then bq.fail_if(hour is not null and minute is not null and second is not null, 'time out of range') else hour * 3600000000 + minute * 60000000 + second * 1000000 end; -- bigint
create macro bq.time(t timestamptz) as cast(bq."datetime(d timestamptz)"(t) as time); -- time strict
create macro bq.time(t timestamptz, zone varchar) as cast(bq.civil(t, zone) as time); -- time strict
create macro bq.time(t timestamp) as cast(t as time); -- time strict
create macro bq.time(t time) as t; -- time strict
create macro bq.time_add_microsecond(t time, n bigint) as (t + to_microseconds(n % 86400000000)); -- time strict
create macro bq.time_add_millisecond(t time, n bigint) as (t + to_microseconds((n % 86400000) * 1000)); -- time strict
create macro bq.time_add_second(t time, n bigint) as (t + to_microseconds((n % 86400) * 1000000)); -- time strict
create macro bq.time_add_minute(t time, n bigint) as (t + to_microseconds((n % 1440) * 60000000)); -- time strict
create macro bq.time_add_hour(t time, n bigint) as (t + to_microseconds((n % 24) * 3600000000)); -- time strict
create macro bq.time_sub_microsecond(t time, n bigint) as (t - to_microseconds(n % 86400000000)); -- time strict
create macro bq.time_sub_millisecond(t time, n bigint) as (t - to_microseconds((n % 86400000) * 1000)); -- time strict
create macro bq.time_sub_second(t time, n bigint) as (t - to_microseconds((n % 86400) * 1000000)); -- time strict
create macro bq.time_sub_minute(t time, n bigint) as (t - to_microseconds((n % 1440) * 60000000)); -- time strict
create macro bq.time_sub_hour(t time, n bigint) as (t - to_microseconds((n % 24) * 3600000000)); -- time strict
create macro bq.time_diff_microsecond(a time, b time) as (epoch_us(a) - epoch_us(b)); -- bigint strict
create macro bq.time_diff_{millisecond|second|minute|hour}(a time, b time) as (epoch_us(a) // {1000|1000000|60000000|3600000000} - epoch_us(b) // {1000|1000000|60000000|3600000000}); -- bigint strict
create macro bq.time_trunc_microsecond(t time) as t; -- time strict
create macro bq.time_trunc_{millisecond|second|minute|hour}(t time) as (t - to_microseconds(epoch_us(t) % {1000|1000000|60000000|3600000000})); -- time strict
