-- EXTRACT(part FROM x): one macro for each part, with a signature for each type.
create macro bq.extract_{week|week_sunday|week_monday|week_tuesday|week_wednesday|week_thursday|week_friday|week_saturday}(x date) as bq.week_of_year(x, {719170|719170|719169|719168|719167|719166|719165|719164}); -- bigint strict
create macro bq.extract_{week|week_sunday|week_monday|week_tuesday|week_wednesday|week_thursday|week_friday|week_saturday}(x timestamp) as bq.week_of_year(cast(x as date), {719170|719170|719169|719168|719167|719166|719165|719164}); -- bigint strict
create macro bq.extract_isoweek(x date) as extract(week from x); -- bigint strict
create macro bq.extract_isoweek(x timestamp) as extract(week from x); -- bigint strict
create macro bq.extract_dayofweek(x date) as (extract(dayofweek from x) + 1); -- bigint strict
create macro bq.extract_dayofweek(x timestamp) as (extract(dayofweek from x) + 1); -- bigint strict
create macro bq.extract_{year|isoyear|quarter|month|day|dayofyear}(x date) as extract({} from x); -- bigint strict
create macro bq.extract_{hour|minute|second}(x time) as extract({} from x); -- bigint strict
create macro bq.extract_{year|isoyear|quarter|month|day|dayofyear|hour|minute|second}(x timestamp) as extract({} from x); -- bigint strict
create macro bq.extract_millisecond(x time) as (extract(millisecond from x) % 1000); -- bigint strict
create macro bq.extract_millisecond(x timestamp) as (extract(millisecond from x) % 1000); -- bigint strict
create macro bq.extract_microsecond(x time) as (extract(microsecond from x) % 1000000); -- bigint strict
create macro bq.extract_microsecond(x timestamp) as (extract(microsecond from x) % 1000000); -- bigint strict
create macro bq.extract_{year|isoyear|quarter|month|week|week_sunday|week_monday|week_tuesday|week_wednesday|week_thursday|week_friday|week_saturday|isoweek|day|dayofweek|dayofyear|hour|minute|second|millisecond|microsecond}(x timestamptz) as bq."extract_{}(x timestamp)"(bq."datetime(d timestamptz)"(x)); -- bigint strict
create macro bq.extract_{year|isoyear|quarter|month|week|week_sunday|week_monday|week_tuesday|week_wednesday|week_thursday|week_friday|week_saturday|isoweek|day|dayofweek|dayofyear|hour|minute|second|millisecond|microsecond}(x timestamptz, zone varchar) as bq."extract_{}(x timestamp)"(bq."datetime(d timestamptz, zone varchar)"(x, zone)); -- bigint strict
create macro bq.extract_date(x timestamp) as cast(x as date); -- date strict
create macro bq.extract_time(x timestamp) as cast(x as time); -- time strict
create macro bq.extract_date(x timestamptz) as cast(bq."datetime(d timestamptz)"(x) as date); -- date strict
create macro bq.extract_date(x timestamptz, zone varchar) as cast(bq."datetime(d timestamptz, zone varchar)"(x, zone) as date); -- date strict
create macro bq.extract_time(x timestamptz) as cast(bq."datetime(d timestamptz)"(x) as time); -- time strict
create macro bq.extract_time(x timestamptz, zone varchar) as cast(bq."datetime(d timestamptz, zone varchar)"(x, zone) as time); -- time strict
create macro bq.extract_datetime(x timestamptz) as bq."datetime(d timestamptz)"(x); -- timestamp strict
create macro bq.extract_datetime(x timestamptz, zone varchar) as bq."datetime(d timestamptz, zone varchar)"(x, zone); -- timestamp strict
