-- Dates are counted in days from 1970-01-01; all results are between the years 1 and 9999.
create macro bq.unix_date(d date) as (d - date '1970-01-01'); -- bigint strict
create macro bq.date_of(days) as case when days not between -719162 and 2932896 then bq.fail('date out of range') else date '1970-01-01' + try_cast(days as integer) end; -- date
create macro bq.valid_date(d) as case when d not between date '0001-01-01' and date '9999-12-31' then bq.fail('date out of range') else d end; -- date
create macro bq.date_from_unix_date(n bigint) as bq.date_of(n); -- date
create macro bq.date(year bigint, month bigint, day bigint) as case when year between 1 and 9999 and month between 1 and 12 and day between 1 and 31 then make_date(year, month, day) when year is not null and month is not null and day is not null then bq.fail('date out of range') end; -- date strict
create macro bq.date(d timestamptz) as cast(bq."datetime(d timestamptz)"(d) as date); -- date strict
create macro bq.date(d timestamptz, zone varchar) as cast(bq."datetime(d timestamptz, zone varchar)"(d, zone) as date); -- date strict
create macro bq.date(d timestamp) as cast(d as date); -- date strict
create macro bq.date(d date) as d; -- date strict
create macro bq.date_of_text(s) as case when regexp_full_match(s, '\d{4}-\d{1,2}-\d{1,2}') then bq."cast_date(x varchar)"(s) else cast(timezone('UTC', bq."cast_timestamp(x varchar)"(s)) as date) end; -- date
create macro bq.date(s varchar) as list_transform([s], lambda s_: bq.date_of_text(s_))[1]; -- date strict

-- Adding months keeps the day of the month, or takes the last day of a shorter month.
create macro bq.add_months(d, n, size) as (d + to_months(cast(case when n between -120000 and 120000 then n * size when d is not null and n is not null then bq.fail('date out of range') end as integer))); -- d
-- More than all years is an error, except of NULL.
create macro bq.shift_of(n, size, d) as case when n between -(640000000000000000 // size) and 640000000000000000 // size then n * size when d is not null and n is not null then bq.fail('date out of range') end; -- bigint
create macro bq.date_add_day(d date, n bigint) as bq.date_of(bq.unix_date(d) + n); -- date strict
create macro bq.date_add_week(d date, n bigint) as bq.date_of(bq.unix_date(d) + bq.shift_of(n, 7, d)); -- date strict
create macro bq.date_add_month(d date, n bigint) as bq.valid_date(cast(bq.add_months(d, n, 1) as date)); -- date strict
create macro bq.date_add_quarter(d date, n bigint) as bq.valid_date(cast(bq.add_months(d, n, 3) as date)); -- date strict
create macro bq.date_add_year(d date, n bigint) as bq.valid_date(cast(bq.add_months(d, n, 12) as date)); -- date strict
create macro bq.date_add_{day|week|month|quarter|year}(d timestamp, n bigint) as bq.datetime_add_{}(d, n); -- timestamp strict
create macro bq.date_sub_day(d date, n bigint) as bq.date_of(bq.unix_date(d) - n); -- date strict
create macro bq.date_sub_week(d date, n bigint) as bq.date_of(bq.unix_date(d) - bq.shift_of(n, 7, d)); -- date strict
create macro bq.date_sub_month(d date, n bigint) as bq.valid_date(cast(bq.add_months(d, n, -1) as date)); -- date strict
create macro bq.date_sub_quarter(d date, n bigint) as bq.valid_date(cast(bq.add_months(d, n, -3) as date)); -- date strict
create macro bq.date_sub_year(d date, n bigint) as bq.valid_date(cast(bq.add_months(d, n, -12) as date)); -- date strict
create macro bq.date_sub_{day|week|month|quarter|year}(d timestamp, n bigint) as bq.datetime_sub_{}(d, n); -- timestamp strict

-- Weeks are counted from a day before the year 1, so that integer division never sees a negative number: 719170 for weeks that start on Sunday.
create macro bq.week_count(d, shift) as ((bq.unix_date(d) + shift) // 7); -- bigint
create macro bq.week_start(d, shift) as case when d >= date '0001-01-08' then d - cast((bq.unix_date(d) + shift) % 7 as integer) else bq.date_of(bq.week_count(d, shift) * 7 - shift) end; -- date
create macro bq.week_end(d, shift) as bq.date_of(bq.week_count(d, shift) * 7 - shift + 6); -- date
create macro bq.week_of_year(d, shift) as ((extract(dayofyear from d) + 6 - (bq.unix_date(d) + shift) % 7) // 7); -- bigint
create macro bq.isoyear_start(year) as cast(date_trunc('week', make_date(year, 1, 4)) as date); -- date

-- DATE_DIFF counts the boundaries between two dates.
create macro bq.date_diff_day(a date, b date) as (a - b); -- bigint strict
create macro bq.date_diff_{week|week_sunday|week_monday|week_tuesday|week_wednesday|week_thursday|week_friday|week_saturday|isoweek}(a date, b date) as (bq.week_count(a, {719170|719170|719169|719168|719167|719166|719165|719164|719169}) - bq.week_count(b, {719170|719170|719169|719168|719167|719166|719165|719164|719169})); -- bigint strict
create macro bq.date_diff_month(a date, b date) as ((extract(year from a) - extract(year from b)) * 12 + extract(month from a) - extract(month from b)); -- bigint strict
create macro bq.date_diff_quarter(a date, b date) as ((extract(year from a) - extract(year from b)) * 4 + extract(quarter from a) - extract(quarter from b)); -- bigint strict
create macro bq.date_diff_year(a date, b date) as (extract(year from a) - extract(year from b)); -- bigint strict
create macro bq.date_diff_isoyear(a date, b date) as (extract(isoyear from a) - extract(isoyear from b)); -- bigint strict
create macro bq.date_diff_{day|week|week_sunday|week_monday|week_tuesday|week_wednesday|week_thursday|week_friday|week_saturday|isoweek|month|quarter|year|isoyear}(a timestamp, b timestamp) as bq."date_diff_{}(a date, b date)"(cast(a as date), cast(b as date)); -- bigint strict

-- DATE_TRUNC
create macro bq.date_trunc_day(d date) as d; -- date strict
create macro bq.date_trunc_{week|week_sunday|week_monday|week_tuesday|week_wednesday|week_thursday|week_friday|week_saturday|isoweek}(d date) as bq.week_start(d, {719170|719170|719169|719168|719167|719166|719165|719164|719169}); -- date strict
create macro bq.date_trunc_{month|quarter|year}(d date) as cast(date_trunc('{}', d) as date); -- date strict
create macro bq.date_trunc_isoyear(d date) as bq.isoyear_start(extract(isoyear from d)); -- date strict
create macro bq.date_trunc_{day|week|week_sunday|week_monday|week_tuesday|week_wednesday|week_thursday|week_friday|week_saturday|isoweek|month|quarter|year|isoyear}(d timestamp) as bq.datetime_trunc_{}(d); -- timestamp strict
create macro bq.date_trunc_{day|week|week_sunday|week_monday|week_tuesday|week_wednesday|week_thursday|week_friday|week_saturday|isoweek|month|quarter|year|isoyear}(d timestamptz) as bq."timestamp_trunc_{}(t timestamptz)"(d); -- timestamptz strict
create macro bq.date_trunc_{day|week|week_sunday|week_monday|week_tuesday|week_wednesday|week_thursday|week_friday|week_saturday|isoweek|month|quarter|year|isoyear}(d timestamptz, zone varchar) as bq."timestamp_trunc_{}(t timestamptz, zone varchar)"(d, zone); -- timestamptz strict

-- LAST_DAY
create macro bq.last_day(d date) as last_day(d); -- date
create macro bq.last_day(d timestamp) as bq."last_day(d date)"(cast(d as date)); -- date
create macro bq.last_day_month(d date) as last_day(d); -- date
create macro bq.last_day_quarter(d date) as last_day(cast(date_trunc('quarter', d) + to_months(2) as date)); -- date
create macro bq.last_day_year(d date) as make_date(extract(year from d), 12, 31); -- date
create macro bq.last_day_{week|week_sunday|week_monday|week_tuesday|week_wednesday|week_thursday|week_friday|week_saturday|isoweek}(d date) as bq.week_end(d, {719170|719170|719169|719168|719167|719166|719165|719164|719169}); -- date
create macro bq.last_day_isoyear(d date) as bq.date_of(bq.unix_date(bq.isoyear_start(extract(isoyear from d) + 1)) - 1); -- date
create macro bq.last_day_{month|quarter|year|week|week_sunday|week_monday|week_tuesday|week_wednesday|week_thursday|week_friday|week_saturday|isoweek|isoyear}(d timestamp) as bq."last_day_{}(d date)"(cast(d as date)); -- date

-- GENERATE_DATE_ARRAY: each date is computed from the previous one, so that a day cut off by a short month is not restored; after 400 steps every possible month length has occurred.
create macro bq.day_series(a, b, step) as case when a is null or b is null then null when step = 0 then bq.fail('Sequence step cannot be 0.') when (bq.unix_date(b) - bq.unix_date(a)) // step > 1048574 then bq.fail('Cannot generate arrays with more than 1048575 elements') else list_transform(generate_series(bq.unix_date(a), bq.unix_date(b), step), lambda n: date '1970-01-01' + cast(n as integer)) end; -- a[]
create macro bq.month_series(a, b, step) as case when a is null or b is null then null when step = 0 then bq.fail('Sequence step cannot be 0.') else list_filter(list_transform(generate_series(0, bq."date_diff_month(a date, b date)"(b, a) // step), lambda k: make_date(extract(year from a + to_months(cast(k * step as integer))), extract(month from a + to_months(cast(k * step as integer))), list_min(list_transform(case when extract(day from a) > 28 then generate_series(0, least(k, 400)) else [0] end, lambda j: extract(day from a + to_months(cast(j * step as integer))))))), lambda d: case when step > 0 then d <= b else d >= b end) end; -- a[]
create macro bq.generate_date_array(a date, b date) as bq.day_series(a, b, 1); -- date[]
create macro bq.generate_date_array_day(a date, b date, n bigint) as bq.day_series(a, b, n); -- date[]
create macro bq.generate_date_array_week(a date, b date, n bigint) as bq.day_series(a, b, n * 7); -- date[]
create macro bq.generate_date_array_month(a date, b date, n bigint) as bq.month_series(a, b, n); -- date[]
create macro bq.generate_date_array_quarter(a date, b date, n bigint) as bq.month_series(a, b, n * 3); -- date[]
create macro bq.generate_date_array_year(a date, b date, n bigint) as bq.month_series(a, b, n * 12); -- date[]

-- DATE_BUCKET, DATETIME_BUCKET, TIMESTAMP_BUCKET: the start of the bucket, of which one starts at the origin. Widths have one part.
create macro bq.bucket_width(months, days, us) as case when months < 0 or days < 0 or us < 0 then bq.fail('Negative bucket width INTERVAL is not allowed') when cast(months > 0 as bigint) + cast(days > 0 as bigint) + cast(us > 0 as bigint) <> 1 then bq.fail('Exactly one non-zero INTERVAL part in bucket width is required') else days * 86400000000 + us end; -- bigint
create macro bq.bucket_start(n, width, origin) as n - bq.floor_rest(n - origin, width); -- bigint
create macro bq.floor_rest(n, width) as (n % width + width) % width; -- bigint
create macro bq.month_number(d) as extract(year from d) * 12 + extract(month from d) - 1; -- bigint
create macro bq.is_last_day(d) as day(d) = day(last_day(d)); -- boolean
create macro bq.us_of_month(d, day) as day * 86400000000 + epoch_us(d) - epoch_us(cast(cast(d as date) as timestamp)); -- bigint
create macro bq.is_before_in_month(d, origin) as bq.us_of_month(d, case when bq.is_last_day(d) and bq.is_last_day(origin) then day(origin) else day(d) end) < bq.us_of_month(origin, day(origin)); -- boolean
create macro bq.month_bucket_number(d, n, origin) as bq.bucket_start(bq.month_number(d), n, bq.month_number(origin)) - case when (bq.month_number(d) - bq.month_number(origin)) % n = 0 and bq.is_before_in_month(d, origin) then n else 0 end; -- bigint
create macro bq.day_in_month(first, origin) as first + cast(least(day(origin), day(last_day(first))) - 1 as integer); -- date
create macro bq.month_bucket(d, n, origin) as bq.valid_datetime(bq.day_in_month(make_date(bq.month_bucket_number(d, n, origin) // 12, bq.month_bucket_number(d, n, origin) % 12 + 1, 1), origin) + cast(origin as time)); -- timestamp
create macro bq.date_bucket(d date, width interval, origin date) as case when bq.interval_micros(width) > 0 then bq.fail('Only MONTH and DAY parts are allowed in bucket width INTERVAL') when bq.bucket_width(bq.interval_months(width), bq.interval_days(width), bq.interval_micros(width)) > 0 then bq.date_of(bq.bucket_start(bq.unix_date(d), bq.interval_days(width), bq.unix_date(origin))) when d is not null and origin is not null and width is not null then cast(bq.month_bucket(cast(d as timestamp), bq.interval_months(width), cast(origin as timestamp)) as date) end; -- date
create macro bq.date_bucket(d date, width interval) as bq."date_bucket(d date, width interval, origin date)"(d, width, date '1950-01-01'); -- date
create macro bq.datetime_bucket(d timestamp, width interval, origin timestamp) as case when bq.bucket_width(bq.interval_months(width), bq.interval_days(width), bq.interval_micros(width)) > 0 then bq.datetime_of(bq.bucket_start(epoch_us(d), bq.interval_days(width) * 86400000000 + bq.interval_micros(width), epoch_us(origin))) when d is not null and origin is not null and width is not null then bq.month_bucket(d, bq.interval_months(width), origin) end; -- timestamp
create macro bq.datetime_bucket(d timestamp, width interval) as bq."datetime_bucket(d timestamp, width interval, origin timestamp)"(d, width, timestamp '1950-01-01 00:00:00'); -- timestamp
create macro bq.timestamp_bucket(t timestamptz, width interval, origin timestamptz) as case when bq.interval_months(width) > 0 then bq.fail('MONTH part is not allowed in bucket width INTERVAL') else bq.timestamp_of(bq.bucket_start(epoch_us(t), bq.bucket_width(bq.interval_months(width), bq.interval_days(width), bq.interval_micros(width)), epoch_us(origin))) end; -- timestamptz
create macro bq.timestamp_bucket(t timestamptz, width interval) as bq."timestamp_bucket(t timestamptz, width interval, origin timestamptz)"(t, width, make_timestamptz(-631152000000000)); -- timestamptz
-- GoogleSQL takes the types of the others, too, which BigQuery's reference does not.
create macro bq.date_bucket(d {timestamp|timestamptz}, width interval) as bq.fail('DATE_BUCKET takes a DATE'); -- unsupported: DATE_BUCKET takes a DATE: write {DATETIME|TIMESTAMP}_BUCKET for a {DATETIME|TIMESTAMP}
create macro bq.date_bucket(d {timestamp|timestamptz}, width interval, origin {timestamp|timestamptz}) as bq.fail('DATE_BUCKET takes a DATE'); -- unsupported: DATE_BUCKET takes a DATE: write {DATETIME|TIMESTAMP}_BUCKET for a {DATETIME|TIMESTAMP}
create macro bq.datetime_bucket(d {date|timestamptz}, width interval) as bq.fail('DATETIME_BUCKET takes a DATETIME'); -- unsupported: DATETIME_BUCKET takes a DATETIME: write {DATE|TIMESTAMP}_BUCKET for a {DATE|TIMESTAMP}
create macro bq.datetime_bucket(d {date|timestamptz}, width interval, origin {date|timestamptz}) as bq.fail('DATETIME_BUCKET takes a DATETIME'); -- unsupported: DATETIME_BUCKET takes a DATETIME: write {DATE|TIMESTAMP}_BUCKET for a {DATE|TIMESTAMP}
create macro bq.timestamp_bucket(d {date|timestamp}, width interval) as bq.fail('TIMESTAMP_BUCKET takes a TIMESTAMP'); -- unsupported: TIMESTAMP_BUCKET takes a TIMESTAMP: write {DATE|DATETIME}_BUCKET for a {DATE|DATETIME}
create macro bq.timestamp_bucket(d {date|timestamp}, width interval, origin {date|timestamp}) as bq.fail('TIMESTAMP_BUCKET takes a TIMESTAMP'); -- unsupported: TIMESTAMP_BUCKET takes a TIMESTAMP: write {DATE|DATETIME}_BUCKET for a {DATE|DATETIME}
