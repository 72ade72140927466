-- EXTRACT(part FROM x): one macro for each part, with a signature for each type.
create macro bq.extract_year(x date) as extract(year from x); -- bigint strict
create macro bq.extract_year(x timestamp) as extract(year from x); -- bigint strict
create macro bq.extract_year(x timestamptz) as bq."extract_year(x timestamp)"(bq."datetime(d timestamptz)"(x)); -- bigint strict
create macro bq.extract_year(x timestamptz, zone varchar) as bq."extract_year(x timestamp)"(bq."datetime(d timestamptz, zone varchar)"(x, zone)); -- bigint strict
create macro bq.extract_isoyear(x date) as extract(isoyear from x); -- bigint strict
create macro bq.extract_isoyear(x timestamp) as extract(isoyear from x); -- bigint strict
create macro bq.extract_isoyear(x timestamptz) as bq."extract_isoyear(x timestamp)"(bq."datetime(d timestamptz)"(x)); -- bigint strict
create macro bq.extract_isoyear(x timestamptz, zone varchar) as bq."extract_isoyear(x timestamp)"(bq."datetime(d timestamptz, zone varchar)"(x, zone)); -- bigint strict
create macro bq.extract_quarter(x date) as extract(quarter from x); -- bigint strict
create macro bq.extract_quarter(x timestamp) as extract(quarter from x); -- bigint strict
create macro bq.extract_quarter(x timestamptz) as bq."extract_quarter(x timestamp)"(bq."datetime(d timestamptz)"(x)); -- bigint strict
create macro bq.extract_quarter(x timestamptz, zone varchar) as bq."extract_quarter(x timestamp)"(bq."datetime(d timestamptz, zone varchar)"(x, zone)); -- bigint strict
create macro bq.extract_month(x date) as extract(month from x); -- bigint strict
create macro bq.extract_month(x timestamp) as extract(month from x); -- bigint strict
create macro bq.extract_month(x timestamptz) as bq."extract_month(x timestamp)"(bq."datetime(d timestamptz)"(x)); -- bigint strict
create macro bq.extract_month(x timestamptz, zone varchar) as bq."extract_month(x timestamp)"(bq."datetime(d timestamptz, zone varchar)"(x, zone)); -- bigint strict
create macro bq.extract_week(x date) as bq.week_of_year(x, 719170); -- bigint strict
create macro bq.extract_week(x timestamp) as bq.week_of_year(cast(x as date), 719170); -- bigint strict
create macro bq.extract_week(x timestamptz) as bq."extract_week(x timestamp)"(bq."datetime(d timestamptz)"(x)); -- bigint strict
create macro bq.extract_week(x timestamptz, zone varchar) as bq."extract_week(x timestamp)"(bq."datetime(d timestamptz, zone varchar)"(x, zone)); -- bigint strict
create macro bq.extract_week_sunday(x date) as bq.week_of_year(x, 719170); -- bigint strict
create macro bq.extract_week_sunday(x timestamp) as bq.week_of_year(cast(x as date), 719170); -- bigint strict
create macro bq.extract_week_sunday(x timestamptz) as bq."extract_week_sunday(x timestamp)"(bq."datetime(d timestamptz)"(x)); -- bigint strict
create macro bq.extract_week_sunday(x timestamptz, zone varchar) as bq."extract_week_sunday(x timestamp)"(bq."datetime(d timestamptz, zone varchar)"(x, zone)); -- bigint strict
create macro bq.extract_week_monday(x date) as bq.week_of_year(x, 719169); -- bigint strict
create macro bq.extract_week_monday(x timestamp) as bq.week_of_year(cast(x as date), 719169); -- bigint strict
create macro bq.extract_week_monday(x timestamptz) as bq."extract_week_monday(x timestamp)"(bq."datetime(d timestamptz)"(x)); -- bigint strict
create macro bq.extract_week_monday(x timestamptz, zone varchar) as bq."extract_week_monday(x timestamp)"(bq."datetime(d timestamptz, zone varchar)"(x, zone)); -- bigint strict
create macro bq.extract_week_tuesday(x date) as bq.week_of_year(x, 719168); -- bigint strict
create macro bq.extract_week_tuesday(x timestamp) as bq.week_of_year(cast(x as date), 719168); -- bigint strict
create macro bq.extract_week_tuesday(x timestamptz) as bq."extract_week_tuesday(x timestamp)"(bq."datetime(d timestamptz)"(x)); -- bigint strict
create macro bq.extract_week_tuesday(x timestamptz, zone varchar) as bq."extract_week_tuesday(x timestamp)"(bq."datetime(d timestamptz, zone varchar)"(x, zone)); -- bigint strict
create macro bq.extract_week_wednesday(x date) as bq.week_of_year(x, 719167); -- bigint strict
create macro bq.extract_week_wednesday(x timestamp) as bq.week_of_year(cast(x as date), 719167); -- bigint strict
create macro bq.extract_week_wednesday(x timestamptz) as bq."extract_week_wednesday(x timestamp)"(bq."datetime(d timestamptz)"(x)); -- bigint strict
create macro bq.extract_week_wednesday(x timestamptz, zone varchar) as bq."extract_week_wednesday(x timestamp)"(bq."datetime(d timestamptz, zone varchar)"(x, zone)); -- bigint strict
create macro bq.extract_week_thursday(x date) as bq.week_of_year(x, 719166); -- bigint strict
create macro bq.extract_week_thursday(x timestamp) as bq.week_of_year(cast(x as date), 719166); -- bigint strict
create macro bq.extract_week_thursday(x timestamptz) as bq."extract_week_thursday(x timestamp)"(bq."datetime(d timestamptz)"(x)); -- bigint strict
create macro bq.extract_week_thursday(x timestamptz, zone varchar) as bq."extract_week_thursday(x timestamp)"(bq."datetime(d timestamptz, zone varchar)"(x, zone)); -- bigint strict
create macro bq.extract_week_friday(x date) as bq.week_of_year(x, 719165); -- bigint strict
create macro bq.extract_week_friday(x timestamp) as bq.week_of_year(cast(x as date), 719165); -- bigint strict
create macro bq.extract_week_friday(x timestamptz) as bq."extract_week_friday(x timestamp)"(bq."datetime(d timestamptz)"(x)); -- bigint strict
create macro bq.extract_week_friday(x timestamptz, zone varchar) as bq."extract_week_friday(x timestamp)"(bq."datetime(d timestamptz, zone varchar)"(x, zone)); -- bigint strict
create macro bq.extract_week_saturday(x date) as bq.week_of_year(x, 719164); -- bigint strict
create macro bq.extract_week_saturday(x timestamp) as bq.week_of_year(cast(x as date), 719164); -- bigint strict
create macro bq.extract_week_saturday(x timestamptz) as bq."extract_week_saturday(x timestamp)"(bq."datetime(d timestamptz)"(x)); -- bigint strict
create macro bq.extract_week_saturday(x timestamptz, zone varchar) as bq."extract_week_saturday(x timestamp)"(bq."datetime(d timestamptz, zone varchar)"(x, zone)); -- bigint strict
create macro bq.extract_isoweek(x date) as extract(week from x); -- bigint strict
create macro bq.extract_isoweek(x timestamp) as extract(week from x); -- bigint strict
create macro bq.extract_isoweek(x timestamptz) as bq."extract_isoweek(x timestamp)"(bq."datetime(d timestamptz)"(x)); -- bigint strict
create macro bq.extract_isoweek(x timestamptz, zone varchar) as bq."extract_isoweek(x timestamp)"(bq."datetime(d timestamptz, zone varchar)"(x, zone)); -- bigint strict
create macro bq.extract_day(x date) as extract(day from x); -- bigint strict
create macro bq.extract_day(x timestamp) as extract(day from x); -- bigint strict
create macro bq.extract_day(x timestamptz) as bq."extract_day(x timestamp)"(bq."datetime(d timestamptz)"(x)); -- bigint strict
create macro bq.extract_day(x timestamptz, zone varchar) as bq."extract_day(x timestamp)"(bq."datetime(d timestamptz, zone varchar)"(x, zone)); -- bigint strict
create macro bq.extract_dayofweek(x date) as (extract(dayofweek from x) + 1); -- bigint strict
create macro bq.extract_dayofweek(x timestamp) as (extract(dayofweek from x) + 1); -- bigint strict
create macro bq.extract_dayofweek(x timestamptz) as bq."extract_dayofweek(x timestamp)"(bq."datetime(d timestamptz)"(x)); -- bigint strict
create macro bq.extract_dayofweek(x timestamptz, zone varchar) as bq."extract_dayofweek(x timestamp)"(bq."datetime(d timestamptz, zone varchar)"(x, zone)); -- bigint strict
create macro bq.extract_dayofyear(x date) as extract(dayofyear from x); -- bigint strict
create macro bq.extract_dayofyear(x timestamp) as extract(dayofyear from x); -- bigint strict
create macro bq.extract_dayofyear(x timestamptz) as bq."extract_dayofyear(x timestamp)"(bq."datetime(d timestamptz)"(x)); -- bigint strict
create macro bq.extract_dayofyear(x timestamptz, zone varchar) as bq."extract_dayofyear(x timestamp)"(bq."datetime(d timestamptz, zone varchar)"(x, zone)); -- bigint strict
create macro bq.extract_hour(x time) as extract(hour from x); -- bigint strict
create macro bq.extract_hour(x timestamp) as extract(hour from x); -- bigint strict
create macro bq.extract_hour(x timestamptz) as bq."extract_hour(x timestamp)"(bq."datetime(d timestamptz)"(x)); -- bigint strict
create macro bq.extract_hour(x timestamptz, zone varchar) as bq."extract_hour(x timestamp)"(bq."datetime(d timestamptz, zone varchar)"(x, zone)); -- bigint strict
create macro bq.extract_minute(x time) as extract(minute from x); -- bigint strict
create macro bq.extract_minute(x timestamp) as extract(minute from x); -- bigint strict
create macro bq.extract_minute(x timestamptz) as bq."extract_minute(x timestamp)"(bq."datetime(d timestamptz)"(x)); -- bigint strict
create macro bq.extract_minute(x timestamptz, zone varchar) as bq."extract_minute(x timestamp)"(bq."datetime(d timestamptz, zone varchar)"(x, zone)); -- bigint strict
create macro bq.extract_second(x time) as extract(second from x); -- bigint strict
create macro bq.extract_second(x timestamp) as extract(second from x); -- bigint strict
create macro bq.extract_second(x timestamptz) as bq."extract_second(x timestamp)"(bq."datetime(d timestamptz)"(x)); -- bigint strict
create macro bq.extract_second(x timestamptz, zone varchar) as bq."extract_second(x timestamp)"(bq."datetime(d timestamptz, zone varchar)"(x, zone)); -- bigint strict
create macro bq.extract_millisecond(x time) as (extract(millisecond from x) % 1000); -- bigint strict
create macro bq.extract_millisecond(x timestamp) as (extract(millisecond from x) % 1000); -- bigint strict
create macro bq.extract_millisecond(x timestamptz) as bq."extract_millisecond(x timestamp)"(bq."datetime(d timestamptz)"(x)); -- bigint strict
create macro bq.extract_millisecond(x timestamptz, zone varchar) as bq."extract_millisecond(x timestamp)"(bq."datetime(d timestamptz, zone varchar)"(x, zone)); -- bigint strict
create macro bq.extract_microsecond(x time) as (extract(microsecond from x) % 1000000); -- bigint strict
create macro bq.extract_microsecond(x timestamp) as (extract(microsecond from x) % 1000000); -- bigint strict
create macro bq.extract_microsecond(x timestamptz) as bq."extract_microsecond(x timestamp)"(bq."datetime(d timestamptz)"(x)); -- bigint strict
create macro bq.extract_microsecond(x timestamptz, zone varchar) as bq."extract_microsecond(x timestamp)"(bq."datetime(d timestamptz, zone varchar)"(x, zone)); -- bigint strict
create macro bq.extract_date(x timestamp) as cast(x as date); -- date strict
create macro bq.extract_time(x timestamp) as cast(x as time); -- time strict
create macro bq.extract_date(x timestamptz) as cast(bq."datetime(d timestamptz)"(x) as date); -- date strict
create macro bq.extract_date(x timestamptz, zone varchar) as cast(bq."datetime(d timestamptz, zone varchar)"(x, zone) as date); -- date strict
create macro bq.extract_time(x timestamptz) as cast(bq."datetime(d timestamptz)"(x) as time); -- time strict
create macro bq.extract_time(x timestamptz, zone varchar) as cast(bq."datetime(d timestamptz, zone varchar)"(x, zone) as time); -- time strict
create macro bq.extract_datetime(x timestamptz) as bq."datetime(d timestamptz)"(x); -- timestamp strict
create macro bq.extract_datetime(x timestamptz, zone varchar) as bq."datetime(d timestamptz, zone varchar)"(x, zone); -- timestamp strict
