-- RANGE<T> is STRUCT("_range_start" T, "_range_end" T); an unbounded side is -infinity or infinity, which no value of T is,
-- so that DuckDB compares, groups and sorts ranges as BigQuery does. T is DATE, DATETIME or TIMESTAMP.
create macro bq.range_of(s, e) as case when s >= e then bq.fail('Range start element must be smaller than range end element') else struct_pack(_range_start := s, _range_end := e) end; -- any
create macro bq.range(a date, b date) as bq.range_of(coalesce(a, cast('-infinity' as date)), coalesce(b, cast('infinity' as date))); -- any
create macro bq.range(a timestamp, b timestamp) as bq.range_of(coalesce(a, cast('-infinity' as timestamp)), coalesce(b, cast('infinity' as timestamp))); -- any
create macro bq.range(a timestamptz, b timestamptz) as bq.range_of(coalesce(a, cast('-infinity' as timestamptz)), coalesce(b, cast('infinity' as timestamptz))); -- any
create macro bq.range_start(r) as case when isfinite(r._range_start) then r._range_start end; -- any
create macro bq.range_end(r) as case when isfinite(r._range_end) then r._range_end end; -- any
create macro bq.range_is_start_unbounded(r) as not isfinite(r._range_start); -- boolean
create macro bq.range_is_end_unbounded(r) as not isfinite(r._range_end); -- boolean
create macro bq.range_overlaps(a, b) as (a._range_start < b._range_end and b._range_start < a._range_end); -- boolean
create macro bq.range_shared(a, b) as case when bq.range_overlaps(a, b) then struct_pack(_range_start := greatest(a._range_start, b._range_start), _range_end := least(a._range_end, b._range_end)) when a is not null and b is not null then bq.fail('Provided RANGE inputs do not overlap') end; -- any
create macro bq.range_intersect(a, b) as list_transform([row(a, b)], lambda two: bq.range_shared(two[1], two[2]))[1]; -- any
-- RANGE_CONTAINS(range, range) and RANGE_CONTAINS(range, value)
create macro bq.range_contains(a, b) as (a._range_start <= b._range_start and b._range_end <= a._range_end); -- boolean
create macro bq.range_contains_value(r, x) as (r._range_start <= x and x < r._range_end); -- boolean

-- Texts: [2020-01-01, UNBOUNDED). The casts of the bounds are those of their type.
create macro bq.range_sides(s) as case when s is null then null when not regexp_full_match(s, '\[[^,\[\]() ]([^,\[\]()]*[^,\[\]() ])?, [^,\[\]() ]([^,\[\]()]*[^,\[\]() ])?\)') then bq.fail('Invalid range literal: ' || s) else list_transform(string_split(substr(s, 2, length(s) - 2), ', '), lambda side: case when upper(trim(side)) in ('UNBOUNDED', 'NULL') then '' else trim(side) end) end; -- varchar[]
create macro bq.range_from_dates(sides) as case when sides is not null then bq."range(a date, b date)"(bq."cast_date(x varchar)"(nullif(sides[1], '')), bq."cast_date(x varchar)"(nullif(sides[2], ''))) end; -- any
create macro bq.cast_range_date(s varchar) as list_transform([bq.range_sides(s)], lambda sides: bq.range_from_dates(sides))[1]; -- any strict
create macro bq.range_from_datetimes(sides) as case when sides is not null then bq."range(a timestamp, b timestamp)"(bq."cast_datetime(x varchar)"(nullif(sides[1], '')), bq."cast_datetime(x varchar)"(nullif(sides[2], ''))) end; -- any
create macro bq.cast_range_datetime(s varchar) as list_transform([bq.range_sides(s)], lambda sides: bq.range_from_datetimes(sides))[1]; -- any strict
create macro bq.range_of_timestamps(t) as case when t is not null then bq."range(a timestamptz, b timestamptz)"(t[1], t[2]) end; -- any
create macro bq.range_from_timestamps(sides) as list_transform([list_transform(sides, lambda side: bq."cast_timestamp(x varchar)"(nullif(side, '')))], lambda t: bq.range_of_timestamps(t))[1]; -- any
create macro bq.cast_range_timestamp(s varchar) as list_transform([bq.range_sides(s)], lambda sides: bq.range_from_timestamps(sides))[1]; -- any strict
create macro bq.range_side_text(x, text) as case isfinite(x) when true then text when false then 'UNBOUNDED' end; -- varchar
create macro bq.range_text_{date|datetime|timestamp}(r) as '[' || bq.range_side_text(r._range_start, bq."cast_string(x {date|timestamp|timestamptz})"(r._range_start)) || ', ' || bq.range_side_text(r._range_end, bq."cast_string(x {date|timestamp|timestamptz})"(r._range_end)) || ')'; -- varchar

-- GENERATE_RANGE_ARRAY(range, step[, include_last_partial_range]): the n-th bound is the start and n steps. A step has months, days or
-- a time, DATE and DATETIME without a time, TIMESTAMP without months.
create macro bq.range_step_size(m, d, us) as (m * 2419200000000 + d * 86400000000 + us); -- bigint
create macro bq.range_step_checked(m, d, us) as case when (case when m <> 0 then 1 else 0 end) + (case when d <> 0 then 1 else 0 end) + (case when us <> 0 then 1 else 0 end) > 1 then bq.fail('step should either have the Y-M part, the DAY part or the time part') when bq.range_step_size(m, d, us) = 0 then bq.fail('step cannot be 0') when bq.range_step_size(m, d, us) < 0 then bq.fail('step cannot be negative') else bq.range_step_size(m, d, us) end; -- bigint
create macro bq.range_bounds(s, e, m, d, us) as list_filter(list_transform(range(0, (epoch_us(e) - epoch_us(s)) // bq.range_step_checked(m, d, us) + 2), lambda n: cast(s as timestamp) + to_months(cast(n * m as integer)) + to_days(cast(n * d as integer)) + to_microseconds(n * us)), lambda t: t <= e); -- timestamp[]
create macro bq.range_cut(bounds, e, last_partial) as case when last_partial and bounds[-1] < e then list_append(bounds, e) else bounds end; -- timestamp[]
create macro bq.range_pieces(points) as list_transform(points[:-2], lambda p, n: struct_pack(_range_start := p, _range_end := points[n + 1])); -- any
create macro bq.range_array(s, e, m, d, us, last_partial) as case when s is null or m is null or last_partial is null then null when not isfinite(s) or not isfinite(e) then bq.fail('input RANGE cannot have UNBOUNDED endpoints') else list_transform([bq.range_bounds(s, e, m, d, us)], lambda bounds: bq.range_pieces(bq.range_cut(bounds, e, last_partial)))[1] end; -- any
create macro bq.range_array_of(s, e, step, last_partial) as list_transform([row(s, e, bq.interval_months(step), bq.interval_days(step), bq.interval_micros(step), last_partial)], lambda g: bq.range_array(g[1], g[2], g[3], g[4], g[5], g[6]))[1]; -- any
create macro bq.range_step_without_time(step, r, last_partial) as case when bq.interval_micros(step) <> 0 then bq.fail_if(r is not null and last_partial is not null, 'step with non-zero (H:M:S[.F]) part is not supported') else step end; -- interval
create macro bq.range_step_without_months(step, r, last_partial) as case when bq.interval_months(step) <> 0 then bq.fail_if(r is not null and last_partial is not null, 'step with non-zero MONTH or YEAR part is not supported') else step end; -- interval
create macro bq.generate_range_array_date(r, step, last_partial) as cast(bq.range_array_of(cast(r._range_start as timestamp), cast(r._range_end as timestamp), bq.range_step_without_time(step, r, last_partial), last_partial) as struct(_range_start date, _range_end date)[]); -- any
create macro bq.generate_range_array_datetime(r, step, last_partial) as bq.range_array_of(cast(r._range_start as timestamp), cast(r._range_end as timestamp), step, last_partial); -- any
create macro bq.generate_range_array_timestamp(r, step, last_partial) as cast(bq.range_array_of(timezone('UTC', cast(r._range_start as timestamptz)), timezone('UTC', cast(r._range_end as timestamptz)), bq.range_step_without_months(step, r, last_partial), last_partial) as struct(_range_start timestamptz, _range_end timestamptz)[]); -- any
