-- An interval has months, days and microseconds, each with a sign of its own.
create macro bq.interval_months(i) as (datepart('year', i) * 12 + datepart('month', i)); -- bigint
create macro bq.interval_days(i) as datepart('day', i); -- bigint
create macro bq.interval_micros(i) as (datepart('hour', i) * 3600000000 + datepart('minute', i) * 60000000 + datepart('microsecond', i)); -- bigint
-- Functions of lists, and those that find the row of an extreme, compare the parts of intervals one by one.
create macro bq.interval_total(i) as (bq.interval_months(i) * 2592000000000 + bq.interval_days(i) * 86400000000 + bq.interval_micros(i)); -- bigint
create macro bq.interval_checked(months, days, us) as case when abs(months) > 120000 or abs(days) > 3660000 or abs(us) > 316224000000000000 then bq.fail_if(months is not null and days is not null and us is not null, 'Interval overflow') else to_months(cast(months as integer)) + to_days(cast(days as integer)) + to_microseconds(us) end; -- interval
create macro bq.interval_in_range(i) as list_transform([i], lambda i_: case when bq.interval_checked(bq.interval_months(i_), bq.interval_days(i_), bq.interval_micros(i_)) is not null then i_ end)[1]; -- interval
create macro bq.interval_of(months, days, us) as list_transform([row(months, days, us)], lambda i: bq.interval_checked(i[1], i[2], i[3]))[1]; -- interval

-- The remainder of the months is divided as days, 30 to a month, and the remainder of the days as microseconds.
create macro bq.interval_divided(months, days, us, n) as bq.interval_of(months // n, (days + months % n * 30) // n, cast((cast(us as hugeint) + (days + months % n * 30) % n * 86400000000) // n as bigint)); -- interval

create macro bq.make_interval() as to_days(0); -- interval
create macro bq.make_interval(year bigint) as bq.interval_of(year * 12, 0, 0); -- interval
create macro bq.make_interval(year bigint, month bigint) as bq.interval_of(year * 12 + month, 0, 0); -- interval
create macro bq.make_interval(year bigint, month bigint, day bigint) as bq.interval_of(year * 12 + month, day, 0); -- interval
create macro bq.make_interval(year bigint, month bigint, day bigint, hour bigint) as bq.interval_of(year * 12 + month, day, hour * 3600000000); -- interval
create macro bq.make_interval(year bigint, month bigint, day bigint, hour bigint, minute bigint) as bq.interval_of(year * 12 + month, day, hour * 3600000000 + minute * 60000000); -- interval
create macro bq.make_interval(year bigint, month bigint, day bigint, hour bigint, minute bigint, second bigint) as bq.interval_of(year * 12 + month, day, hour * 3600000000 + minute * 60000000 + second * 1000000); -- interval

-- EXTRACT(part FROM interval)
create macro bq.extract_year(i interval) as (bq.interval_months(i) // 12); -- bigint strict
create macro bq.extract_month(i interval) as (bq.interval_months(i) % 12); -- bigint strict
create macro bq.extract_day(i interval) as bq.interval_days(i); -- bigint strict
create macro bq.extract_hour(i interval) as (bq.interval_micros(i) // 3600000000); -- bigint strict
create macro bq.extract_minute(i interval) as (bq.interval_micros(i) // 60000000 % 60); -- bigint strict
create macro bq.extract_second(i interval) as (bq.interval_micros(i) // 1000000 % 60); -- bigint strict
create macro bq.extract_millisecond(i interval) as (bq.interval_micros(i) // 1000 % 1000); -- bigint strict
create macro bq.extract_microsecond(i interval) as (bq.interval_micros(i) % 1000000); -- bigint strict

-- A carry from a smaller part; parts then get the same sign. Thirty days are a month, 24 hours a day.
create macro bq.carried(larger, smaller, size) as (larger + smaller // size + case when larger + smaller // size > 0 and smaller % size < 0 then -1 when larger + smaller // size < 0 and smaller % size > 0 then 1 else 0 end); -- bigint
create macro bq.carry_rest(larger, smaller, size) as (smaller % size + case when larger + smaller // size > 0 and smaller % size < 0 then size when larger + smaller // size < 0 and smaller % size > 0 then -size else 0 end); -- bigint
create macro bq.justify_days(i interval) as list_transform([row(bq.interval_months(i), bq.interval_days(i), bq.interval_micros(i))], lambda p: bq.interval_of(bq.carried(p[1], p[2], 30), bq.carry_rest(p[1], p[2], 30), p[3]))[1]; -- interval
create macro bq.justify_hours(i interval) as list_transform([row(bq.interval_months(i), bq.interval_days(i), bq.interval_micros(i))], lambda p: bq.interval_of(p[1], bq.carried(p[2], p[3], 86400000000), bq.carry_rest(p[2], p[3], 86400000000)))[1]; -- interval
create macro bq.justify_total(days, us) as (cast(days as hugeint) * 86400000000 + us); -- any
create macro bq.justify_interval(i interval) as list_transform([cast(bq.interval_months(i) as hugeint) * 2592000000000 + bq.justify_total(bq.interval_days(i), bq.interval_micros(i))], lambda t: bq.interval_of(cast(t // 2592000000000 as bigint), cast(t // 86400000000 % 30 as bigint), cast(t % 86400000000 as bigint)))[1]; -- interval

-- The text of an interval: Y-M D H:M:S.F
create macro bq.interval_fraction(us) as case when us % 1000000 = 0 then '' when us % 1000 = 0 then '.' || lpad(cast(abs(us) % 1000000 // 1000 as varchar), 3, '0') else '.' || lpad(cast(abs(us) % 1000000 as varchar), 6, '0') end; -- varchar
create macro bq.interval_text(m, d, us) as case when m < 0 then '-' else '' end || abs(m) // 12 || '-' || abs(m) % 12 || ' ' || d || ' ' || case when us < 0 then '-' else '' end || abs(us) // 3600000000 || ':' || abs(us) // 60000000 % 60 || ':' || abs(us) // 1000000 % 60 || bq.interval_fraction(us); -- varchar
create macro bq.cast_string(x interval) as list_transform([row(bq.interval_months(x), bq.interval_days(x), bq.interval_micros(x))], lambda p: bq.interval_text(p[1], p[2], p[3]))[1]; -- varchar strict

-- The ISO form of an interval, which it has in JSON: PnYnMnDTnHnMnS without parts that are 0
create macro bq.interval_part(n, unit) as case when n = 0 then '' else n || unit end; -- varchar
create macro bq.interval_seconds(us) as case when us % 60000000 = 0 then '' else case when us < 0 then '-' else '' end || abs(us) // 1000000 % 60 || case when us % 1000000 = 0 then '' else '.' || rtrim(lpad(cast(abs(us) % 1000000 as varchar), 6, '0'), '0') end || 'S' end; -- varchar
create macro bq.interval_iso(m, d, us) as case when m = 0 and d = 0 and us = 0 then 'P0Y' else 'P' || bq.interval_part(m // 12, 'Y') || bq.interval_part(m % 12, 'M') || bq.interval_part(d, 'D') || case when us = 0 then '' else 'T' || bq.interval_part(us // 3600000000, 'H') || bq.interval_part(us // 60000000 % 60, 'M') || bq.interval_seconds(us) end end; -- varchar
create macro bq.json_of_interval(x interval) as list_transform([row(bq.interval_months(x), bq.interval_days(x), bq.interval_micros(x))], lambda p: bq.interval_iso(p[1], p[2], p[3]))[1]; -- varchar strict

-- CAST(text AS INTERVAL): Y-M D H:M:S[.F], or the ISO form PnYnMnWnDTnHnMnS.
create macro bq.cast_interval(x interval) as x; -- interval strict
create macro bq.cast_interval(x varchar) as case when x is not null then bq.interval_of_parts(string_split(host_interval(x), ' ')) end; -- interval strict
create macro bq.interval_of_parts(parts) as bq.interval_of(cast(parts[1] as bigint), cast(parts[2] as bigint), cast(parts[3] as bigint)); -- interval
-- INTERVAL '…' YEAR TO SECOND and the like: `parts` names the fields, as in 'YEAR TO MONTH'.
create macro bq.interval_from(x varchar, parts varchar) as case when x is not null then bq.interval_of_parts(string_split(host_interval_fields(x, parts), ' ')) end; -- interval
