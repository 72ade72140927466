-- Timestamps are counted in microseconds from 1970-01-01 UTC; all results are between the years 1 and 9999.
create macro bq.timestamp_of(us) as case when us not between -62135596800000000 and 253402300799999999 then bq.fail('timestamp out of range') else make_timestamptz(us) end; -- timestamptz
create macro bq.timestamp(t timestamptz) as t; -- timestamptz strict
create macro bq.timestamp(d timestamp) as make_timestamptz(epoch_us(d)); -- timestamptz strict
create macro bq.timestamp(d date) as make_timestamptz(epoch_us(d)); -- timestamptz strict
create macro bq.timestamp(d timestamp, zone varchar) as list_transform([d], lambda t: bq.timestamp_of(epoch_us(t) - bq.offset_of_civil(t, zone)))[1]; -- timestamptz strict
create macro bq.timestamp(d date, zone varchar) as bq."timestamp(d timestamp, zone varchar)"(cast(d as timestamp), zone); -- timestamptz strict
create macro bq.timestamp(s varchar) as bq."cast_timestamp(x varchar)"(s); -- timestamptz strict
create macro bq.timestamp(s varchar, zone varchar) as bq."timestamp(d timestamp, zone varchar)"(bq."cast_datetime(x varchar)"(case when zone is not null then s end), zone); -- timestamptz strict
create macro bq.timestamp_seconds(n bigint) as bq.timestamp_of(n * 1000000); -- timestamptz strict
create macro bq.timestamp_millis(n bigint) as bq.timestamp_of(n * 1000); -- timestamptz strict
create macro bq.timestamp_micros(n bigint) as bq.timestamp_of(n); -- timestamptz strict
create macro bq.unix_seconds(t timestamptz) as (bq.floor_to(epoch_us(t), 1000000) // 1000000); -- bigint strict
create macro bq.unix_millis(t timestamptz) as (bq.floor_to(epoch_us(t), 1000) // 1000); -- bigint strict
create macro bq.unix_micros(t timestamptz) as epoch_us(t); -- bigint strict

-- Zones: an offset such as +05:30 or UTC-8, or an IANA name. DuckDB would also accept names in lower case and abbreviations. Its
-- timezone() fails past TRY where there is no such zone, so a cast looks first.
create macro bq.is_offset(zone) as regexp_full_match(zone, '(UTC)?[+-]((0?\d|1[0-3])(:[0-5]?\d)?|(0\d|1[0-3])[0-5]\d|14(:?0?0)?)'); -- boolean
create macro bq.offset_us(zone) as (-epoch_us(cast('1970-01-01 00:00:00' || regexp_replace(regexp_replace(ltrim(zone, 'UTC'), '^(.)(\d)(:|$)', '\10\2\3'), ':(\d)$', ':0\1') as timestamptz))); -- bigint
create macro bq.is_zone_name(zone) as regexp_full_match(zone, '[A-Z][A-Za-z0-9_+-]*(/[A-Z][A-Za-z0-9_+-]*)*') and not regexp_full_match(zone, 'A[CEGRS]T|B[ES]T|C[ANST]T|CTT|E[AC]T|I[ES]T|JST|MIT|N[ES]T|P[LNRS]T|SST|VST|Z|GMT[+-][1-9].*'); -- boolean
create macro bq.valid_zone(zone) as case when not bq.is_zone_name(zone) or try_cast('1970-01-01 00:00:00 ' || zone as timestamptz) is null then bq.fail('Invalid time zone: ' || zone) else zone end; -- varchar

-- A civil time that occurs twice refers to its first occurrence, to which the offset of the previous day still applies.
create macro bq.offset_at(t, zone) as (epoch_us(timezone(zone, t)) - epoch_us(t)); -- bigint
create macro bq.offset_of_civil(d, zone) as case when zone = 'UTC' then 0 when bq.is_offset(zone) then bq.offset_us(zone) when bq.offset_at(make_timestamptz(epoch_us(d) - bq.offset_before(d, zone)), zone) = bq.offset_before(d, zone) then bq.offset_before(d, zone) else epoch_us(d) - epoch_us(timezone(bq.valid_zone(zone), d)) end; -- bigint
create macro bq.offset_before(d, zone) as bq.offset_at(timezone(bq.valid_zone(zone), d) - to_days(1), zone); -- bigint

-- Offsets are written in whole minutes, and so are civil times, although some zones had offsets with seconds before 1900.
create macro bq.offset_text(us) as (case when us < 0 then '-' else '+' end || lpad(cast(abs(us) // 3600000000 as varchar), 2, '0') || lpad(cast(abs(us) // 60000000 % 60 as varchar), 2, '0')); -- varchar
create macro bq.offset_with_colon(us) as regexp_replace(bq.offset_text(us), '(..)$', ':\1'); -- varchar
create macro bq.zone_name(us) as ('UTC' || regexp_replace(regexp_replace(bq.offset_text(us), '^.0000$', ''), '^(.)0?(\d+)00$', '\1\2')); -- varchar

-- STRING(timestamp, zone)
create macro bq.string(t timestamptz, zone varchar) as list_transform([bq.civil_to_show(t, zone)], lambda d: strftime(d, '%Y-%m-%d %H:%M:%S') || bq.fraction_text(d) || regexp_replace(bq.offset_with_colon(epoch_us(d) - epoch_us(t)), ':00$', ''))[1]; -- varchar
create macro bq.civil_to_show(t, zone) as list_transform([bq.civil(t, zone)], lambda d: make_timestamp(epoch_us(d) - (epoch_us(d) - epoch_us(t)) % 60000000))[1]; -- timestamp

-- TIMESTAMP_ADD, TIMESTAMP_SUB
create macro bq.timestamp_add_microsecond(t timestamptz, n bigint) as bq.timestamp_of(epoch_us(t) + n); -- timestamptz strict
create macro bq.timestamp_add_{millisecond|second|minute|hour|day}(t timestamptz, n bigint) as bq.timestamp_of(epoch_us(t) + bq.shift_of(n, {1000|1000000|60000000|3600000000|86400000000}, t)); -- timestamptz strict
create macro bq.timestamp_sub_microsecond(t timestamptz, n bigint) as bq.timestamp_of(epoch_us(t) - n); -- timestamptz strict
create macro bq.timestamp_sub_{millisecond|second|minute|hour|day}(t timestamptz, n bigint) as bq.timestamp_of(epoch_us(t) - bq.shift_of(n, {1000|1000000|60000000|3600000000|86400000000}, t)); -- timestamptz strict

-- TIMESTAMP_DIFF counts whole parts
create macro bq.timestamp_diff_microsecond(a timestamptz, b timestamptz) as (epoch_us(a) - epoch_us(b)); -- bigint strict
create macro bq.timestamp_diff_{millisecond|second|minute|hour|day}(a timestamptz, b timestamptz) as ((epoch_us(a) - epoch_us(b)) // {1000|1000000|60000000|3600000000|86400000000}); -- bigint strict

-- TIMESTAMP_TRUNC
create macro bq.floor_to(n, unit) as n - ((n % unit) + unit) % unit; -- n
create macro bq.timestamp_trunc_microsecond(t timestamptz) as t; -- timestamptz strict
create macro bq.timestamp_trunc_millisecond(t timestamptz) as make_timestamptz(bq.floor_to(epoch_us(t), 1000)); -- timestamptz strict
create macro bq.timestamp_trunc_{second|minute|hour|day}(t timestamptz) as make_timestamptz(epoch_us(t) - ((epoch_us(t) % {1000000|60000000|3600000000|86400000000}) + {1000000|60000000|3600000000|86400000000}) % {1000000|60000000|3600000000|86400000000}); -- timestamptz strict
create macro bq.timestamp_trunc_{week|week_sunday|week_monday|week_tuesday|week_wednesday|week_thursday|week_friday|week_saturday|isoweek}(t timestamptz) as case when epoch_us(t) >= -62134992000000000 then make_timestamptz(bq.us_week_start(epoch_us(t), {719170|719170|719169|719168|719167|719166|719165|719164|719169})) else bq."timestamp(d timestamp)"(bq.datetime_trunc_{}(bq."datetime(d timestamptz)"(t))) end; -- timestamptz strict
create macro bq.timestamp_trunc_{month|quarter|year|isoyear}(t timestamptz) as bq."timestamp(d timestamp)"(bq.datetime_trunc_{}(bq."datetime(d timestamptz)"(t))); -- timestamptz strict
create macro bq.timestamp_trunc_{microsecond|millisecond|second|minute|hour|day|week|week_sunday|week_monday|week_tuesday|week_wednesday|week_thursday|week_friday|week_saturday|isoweek|month|quarter|year|isoyear}(d timestamp) as bq.datetime_trunc_{}(d); -- timestamp strict
create macro bq.timestamp_trunc_{microsecond|millisecond|second}(t timestamptz, zone varchar) as case when zone is not null then bq."timestamp_trunc_{}(t timestamptz)"(t) end; -- timestamptz strict
-- On the first day, the civil time may be one of the year 0, of which DuckDB's remainders are negative.
create macro bq.early_truncated(t, c, unit) as bq.timestamp_of(epoch_us(t) - (bq.us_from_year_1(c) - bq.floor_to(bq.us_from_year_1(c), unit))); -- timestamptz
create macro bq.timestamp_trunc_minute(t timestamptz, zone varchar) as case when epoch_us(t) < -62135510400000000 then bq.early_truncated(t, bq.civil(t, zone), 60000000) else make_timestamptz(epoch_us(t) - bq.us_from_year_1(bq.civil(t, zone)) % 60000000) end; -- timestamptz strict
create macro bq.timestamp_trunc_hour(t timestamptz, zone varchar) as case when epoch_us(t) < -62135510400000000 then bq.early_truncated(t, bq.civil(t, zone), 3600000000) else make_timestamptz(epoch_us(t) - bq.us_from_year_1(bq.civil(t, zone)) % 3600000000) end; -- timestamptz strict
-- The civil time `d` is at the offset of `c`, a later one of the same zone, if it is so on that day and on the day before.
create macro bq.truncated_at(us, d, zone) as case when bq.civil(make_timestamptz(us), zone) = d and bq.civil(make_timestamptz(us - 86400000000), zone) = d - to_days(1) then bq.timestamp_of(us) else bq."timestamp(d timestamp, zone varchar)"(d, zone) end; -- timestamptz
create macro bq.truncated(t, c, d, zone) as list_transform([row(epoch_us(d) - epoch_us(c) + epoch_us(t), d)], lambda u: bq.truncated_at(u[1], u[2], zone))[1]; -- timestamptz
create macro bq.far_truncated_{day|week|week_sunday|week_monday|week_tuesday|week_wednesday|week_thursday|week_friday|week_saturday|isoweek|month|quarter|year|isoyear}(t, zone) as list_transform([row(t, bq.civil(t, zone))], lambda c: bq.truncated(c[1], c[2], bq.datetime_trunc_{}(c[2]), zone))[1]; -- timestamptz
create macro bq.timestamp_trunc_{week|week_sunday|week_monday|week_tuesday|week_wednesday|week_thursday|week_friday|week_saturday|isoweek|month|quarter|year|isoyear}(t timestamptz, zone varchar) as bq.far_truncated_{}(t, zone); -- timestamptz strict
-- No zone changes its offset twice in 49 hours: if it was the same then, it was so since the day began, and a day before.
create macro bq.had_offset(t, zone) as zone <> 'UTC' and not bq.is_offset(zone) and epoch_us(timezone(zone, make_timestamp(epoch_us(bq.civil(t, zone)) - 176400000000))) = epoch_us(t) - 176400000000 and epoch_us(t) > -62135000000000000; -- boolean
create macro bq.day_truncated(t, zone) as case when bq.had_offset(t, zone) then make_timestamptz(epoch_us(t) - bq.us_from_year_1(bq.civil(t, zone)) % 86400000000) end; -- timestamptz
create macro bq.timestamp_trunc_day(t timestamptz, zone varchar) as coalesce(bq.day_truncated(t, zone), bq.far_truncated_day(t, zone)); -- timestamptz strict

-- GENERATE_TIMESTAMP_ARRAY
create macro bq.timestamp_series(a, b, step) as case when a is null or b is null then null when step = 0 then bq.fail('Sequence step cannot be 0.') when (epoch_us(b) - epoch_us(a)) // step > 1048574 then bq.fail('Cannot generate arrays with more than 1048575 elements') else list_transform(generate_series(epoch_us(a), epoch_us(b), step), lambda us: make_timestamptz(us)) end; -- a[]
create macro bq.generate_timestamp_array_microsecond(a timestamptz, b timestamptz, n bigint) as bq.timestamp_series(a, b, n); -- timestamptz[]
create macro bq.generate_timestamp_array_{millisecond|second|minute|hour|day}(a timestamptz, b timestamptz, n bigint) as bq.timestamp_series(a, b, n * {1000|1000000|60000000|3600000000|86400000000}); -- timestamptz[]
