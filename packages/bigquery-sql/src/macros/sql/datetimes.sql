-- Datetimes are counted in microseconds from 1970-01-01; all results are between the years 1 and 9999.
create macro bq.datetime_of(us) as case when us not between -62135596800000000 and 253402300799999999 then bq.fail('datetime out of range') else make_timestamp(us) end; -- timestamp
create macro bq.valid_datetime(d) as case when d not between timestamp '0001-01-01 00:00:00' and timestamp '9999-12-31 23:59:59.999999' then bq.fail('datetime out of range') else d end; -- timestamp
create macro bq.datetime(year bigint, month bigint, day bigint, hour bigint, minute bigint, second bigint) as case when year is not null and month is not null and day is not null and hour is not null and minute is not null and second is not null then bq.valid_datetime(bq."date(year bigint, month bigint, day bigint)"(year, month, day) + to_microseconds(bq.clock_us(hour, minute, second))) end; -- timestamp strict
create macro bq.datetime(d date, t time) as (d + t); -- timestamp strict
create macro bq.datetime(d date) as cast(d as timestamp); -- timestamp strict
create macro bq.datetime(d timestamptz) as make_timestamp(epoch_us(d)); -- timestamp strict
create macro bq.datetime(d timestamptz, zone varchar) as list_transform([bq.civil(d, zone)], lambda t: bq.valid_datetime(t))[1]; -- timestamp strict
create macro bq.civil(t, zone) as case when zone = 'UTC' then make_timestamp(epoch_us(t)) when bq.is_offset(zone) then make_timestamp(epoch_us(t) + bq.offset_us(zone)) else timezone(bq.valid_zone(zone), t) end; -- timestamp
create macro bq.datetime(d timestamp) as d; -- timestamp strict
create macro bq.datetime(s varchar) as bq."cast_datetime(x varchar)"(s); -- timestamp strict

-- DATETIME_ADD, DATETIME_SUB
create macro bq.datetime_add_microsecond(d timestamp, n bigint) as bq.datetime_of(epoch_us(d) + n); -- timestamp strict
create macro bq.datetime_add_{millisecond|second|minute|hour|day|week}(d timestamp, n bigint) as bq.datetime_of(epoch_us(d) + bq.shift_of(n, {1000|1000000|60000000|3600000000|86400000000|604800000000}, d)); -- timestamp strict
create macro bq.datetime_add_month(d timestamp, n bigint) as bq.valid_datetime(bq.add_months(d, n, 1)); -- timestamp strict
create macro bq.datetime_add_quarter(d timestamp, n bigint) as bq.valid_datetime(bq.add_months(d, n, 3)); -- timestamp strict
create macro bq.datetime_add_year(d timestamp, n bigint) as bq.valid_datetime(bq.add_months(d, n, 12)); -- timestamp strict
create macro bq.datetime_sub_microsecond(d timestamp, n bigint) as bq.datetime_of(epoch_us(d) - n); -- timestamp strict
create macro bq.datetime_sub_{millisecond|second|minute|hour|day|week}(d timestamp, n bigint) as bq.datetime_of(epoch_us(d) - bq.shift_of(n, {1000|1000000|60000000|3600000000|86400000000|604800000000}, d)); -- timestamp strict
create macro bq.datetime_sub_month(d timestamp, n bigint) as bq.valid_datetime(bq.add_months(d, n, -1)); -- timestamp strict
create macro bq.datetime_sub_quarter(d timestamp, n bigint) as bq.valid_datetime(bq.add_months(d, n, -3)); -- timestamp strict
create macro bq.datetime_sub_year(d timestamp, n bigint) as bq.valid_datetime(bq.add_months(d, n, -12)); -- timestamp strict

-- DATETIME_DIFF counts boundaries since the year 1, so that integer division never sees a negative number.
create macro bq.us_from_year_1(d) as (epoch_us(d) + 62135596800000000); -- bigint
create macro bq.datetime_diff_microsecond(a timestamp, b timestamp) as (epoch_us(a) - epoch_us(b)); -- bigint strict
create macro bq.datetime_diff_{millisecond|second|minute|hour}(a timestamp, b timestamp) as (bq.us_from_year_1(a) // {1000|1000000|60000000|3600000000} - bq.us_from_year_1(b) // {1000|1000000|60000000|3600000000}); -- bigint strict
create macro bq.datetime_diff_{day|week|week_sunday|week_monday|week_tuesday|week_wednesday|week_thursday|week_friday|week_saturday|isoweek|month|quarter|year|isoyear}(a timestamp, b timestamp) as bq."date_diff_{}(a date, b date)"(cast(a as date), cast(b as date)); -- bigint strict

-- DATETIME_TRUNC
create macro bq.datetime_trunc_microsecond(d timestamp) as d; -- timestamp strict
create macro bq.datetime_trunc_{millisecond|second|minute|hour}(d timestamp) as make_timestamp(epoch_us(d) - bq.us_from_year_1(d) % {1000|1000000|60000000|3600000000}); -- timestamp strict
-- In a zone, the civil time of the first hours may be one of the year 0, of which a remainder is negative.
create macro bq.datetime_trunc_day(d timestamp) as cast(cast(d as date) as timestamp); -- timestamp strict
create macro bq.datetime_trunc_{month|quarter|year}(d timestamp) as cast(date_trunc('{}', d) as timestamp); -- timestamp strict
-- The first week that begins in the year 1 begins by 0001-01-08.
create macro bq.us_week_start(us, shift) as us - (us + shift * 86400000000) % 604800000000; -- bigint
create macro bq.datetime_trunc_{week|week_sunday|week_monday|week_tuesday|week_wednesday|week_thursday|week_friday|week_saturday|isoweek}(d timestamp) as case when epoch_us(d) >= -62134992000000000 then make_timestamp(bq.us_week_start(epoch_us(d), {719170|719170|719169|719168|719167|719166|719165|719164|719169})) else cast(bq."date_trunc_{}(d date)"(cast(d as date)) as timestamp) end; -- timestamp strict
create macro bq.datetime_trunc_isoyear(d timestamp) as cast(bq."date_trunc_isoyear(d date)"(cast(d as date)) as timestamp); -- timestamp strict

-- Conversion of the groups that a PARSE_ function has matched
create macro bq.parsed_number(s, low, high) as case when cast(s as bigint) between low and high then cast(s as bigint) else bq.fail('Failed to parse input string') end; -- bigint
create macro bq.parsed_short_year(s) as (cast(s as bigint) + case when cast(s as bigint) < 69 then 2000 else 1900 end); -- bigint
create macro bq.parsed_month(s) as ((strpos('janfebmaraprmayjunjulaugsepoctnovdec', lower(left(s, 3))) + 2) // 3); -- bigint
create macro bq.first_weekday(year, first) as make_date(year, 1, 1) + cast((7 + first - extract(dow from make_date(year, 1, 1))) % 7 as integer); -- date
create macro bq.date_of_week(year, week, first) as case when week = 0 and bq.first_weekday(year, first) = make_date(year, 1, 1) or bq.first_weekday(year, first) + cast((week - 1) * 7 as integer) > make_date(year, 12, 31) then bq.fail('The week number is invalid for the year') else bq.first_weekday(year, first) + cast((week - 1) * 7 as integer) end; -- date
create macro bq.date_of_day_of_year(year, n) as case when n = 366 and month(make_date(year, 2, 28) + 1) = 3 then bq.fail('not a leap year') else make_date(year, 1, 1) + cast(n - 1 as integer) end; -- date
create macro bq.parsed_seconds(s, us) as case when s = 60 then 60000000 else s * 1000000 + us end; -- bigint
create macro bq.parsed_offset(s) as case when s = 'Z' then 0 when bq.is_offset(s) then bq.offset_us(s) else bq.fail('Timezone offset out of valid range -14:00 to +14:00') end; -- bigint
