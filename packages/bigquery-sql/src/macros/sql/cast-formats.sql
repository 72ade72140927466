-- CAST(value AS STRING FORMAT format [AT TIME ZONE zone]); names end with the target type.
create macro bq.cast_format_string(x date, format varchar) as host_format_time(epoch_us(x), 0, 'DATE', format); -- varchar strict
create macro bq.cast_format_string(x timestamp, format varchar) as host_format_time(epoch_us(x), 0, 'DATETIME', format); -- varchar strict
create macro bq.cast_format_string(x time, format varchar) as host_format_time(epoch_us(x), 0, 'TIME', format); -- varchar strict
create macro bq.cast_format_string(x timestamptz, format varchar) as host_format_time(epoch_us(x), 0, 'TIMESTAMP', format); -- varchar strict
create macro bq.cast_format_zoned(x, civil_us, format) as host_format_time(civil_us, civil_us - epoch_us(x), 'TIMESTAMP', format); -- varchar
create macro bq.cast_format_string(x timestamptz, format varchar, zone varchar) as list_transform([x], lambda t: bq.cast_format_zoned(t, epoch_us(bq.civil_to_show(t, zone)), format))[1]; -- varchar strict
create macro bq.cast_format_string(x bigint, format varchar) as host_format_decimal(cast(x as varchar), format); -- varchar strict
create macro bq.cast_format_string(x decimal(38,9), format varchar) as host_format_decimal(cast(x as varchar), format); -- varchar strict
create macro bq.cast_format_string(x bignum, format varchar) as host_format_decimal(host_bignumeric_text(x), format); -- varchar strict
create macro bq.cast_format_string(x double, format varchar) as host_format_double(x, format); -- varchar strict
create macro bq.cast_format_string(x blob, format varchar) as host_format_bytes(x, format); -- varchar strict

-- CAST(text AS type FORMAT format [AT TIME ZONE zone])
create macro bq.cast_format_bytes(x varchar, format varchar) as host_parse_bytes(x, format); -- blob strict
create macro bq.cast_format_date(x varchar, format varchar) as cast(make_timestamp(cast(host_parse_time(x, 'DATE', format) as bigint)) as date); -- date strict
create macro bq.cast_format_datetime(x varchar, format varchar) as make_timestamp(cast(host_parse_time(x, 'DATETIME', format) as bigint)); -- timestamp strict
create macro bq.cast_format_time(x varchar, format varchar) as cast(make_timestamp(cast(host_parse_time(x, 'TIME', format) as bigint)) as time); -- time strict
create macro bq.cast_format_timestamp(x varchar, format varchar) as make_timestamptz(cast(rtrim(host_parse_time(x, 'TIMESTAMP', format), 'Z') as bigint)); -- timestamptz strict
create macro bq.cast_format_instant(us, zone) as case when ends_with(us, 'Z') then make_timestamptz(cast(rtrim(us, 'Z') as bigint)) else bq."timestamp(d timestamp, zone varchar)"(make_timestamp(cast(us as bigint)), zone) end; -- timestamptz
create macro bq.cast_format_timestamp(x varchar, format varchar, zone varchar) as list_transform([host_parse_time(case when zone is not null then x end, 'TIMESTAMP', format)], lambda us: bq.cast_format_instant(us, zone))[1]; -- timestamptz strict
