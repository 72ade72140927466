-- RANGE
! range(null, null)
! range<date> '[2020-01-03, 2020-01-02)'
range<date> '[unbounded, 2020-01-02)' < range<date> '[0001-01-01, 2020-01-02)'
range<date> '[2020-01-01, unbounded)' > range<date> '[2020-01-01, 9999-12-31)'
range<date> '[unbounded, unbounded)' = range<date> '[unbounded, unbounded)'
! range<date> '[2020-01-03,2020-01-05)' is null
! range<date> '[2020-01-03,  2020-01-05)' is null
! range<date> ' [2020-01-03, 2020-01-05)' is null
! range<date> '[ 2020-01-03, 2020-01-05)' is null
range<date> '[null, 2020-01-05)' is null
! range<date> '(2020-01-01, 2020-01-05)' is null
range<date> '[2020-01-01, UNBOUNDED)'
range<timestamp> '[2020-01-01 12:00:00+08, 2020-01-02)'
range<datetime> '[UNBOUNDED, 2020-01-02 01:00:00.5)'
range(date '2020-01-01', null)
range(cast(null as timestamp), timestamp '2020-01-01')
! range(date '2020-01-02', date '2020-01-01')
-- RANGE_START
range_start(range<date> '[2020-01-03, unbounded)')
-- RANGE_END
range_end(range<date> '[2020-01-03, unbounded)')
range_end(cast(null as range<date>))
-- RANGE_OVERLAPS
! range_overlaps(null, range<date> '[2020-01-01, 2020-01-03)')
range_overlaps(range<date> '[2020-01-03, unbounded)', range<date> '[2020-01-01, 2020-01-03)')
range_overlaps(range<date> '[2020-01-03, unbounded)', range<date> '[unbounded, 2020-01-04)')
range_overlaps(range<date> '[2020-01-03, unbounded)', cast(null as range<date>))
-- RANGE_INTERSECT
range_intersect(range<date> '[2020-01-03, unbounded)', range<date> '[unbounded, 2020-01-03)')
range_intersect(range<date> '[2020-01-03, unbounded)', cast(null as range<date>)) is null
-- RANGE_CONTAINS
range_contains(range<date> '[2020-01-03, unbounded)', range<date> '[2020-01-03, 2020-01-05)')
range_contains(range<date> '[2020-01-03, unbounded)', date '2020-01-02')
range_contains(range<date> '[2020-01-03, unbounded)', cast(null as date))
-- GENERATE_RANGE_ARRAY
array(select concat(cast(range_start(r) as string),' ',cast(range_end(r) as string)) from unnest(generate_range_array(range(date '2020-01-31', date '2020-04-15'), interval 1 month, true)) r with offset o order by o)
array(select concat(cast(range_start(r) as string),' ',cast(range_end(r) as string)) from unnest(generate_range_array(range(date '2020-01-01', date '2020-01-03'), interval 5 day, true)) r with offset o order by o)
array(select concat(cast(range_start(r) as string),' ',cast(range_end(r) as string)) from unnest(generate_range_array(range(date '2020-01-01', date '2020-01-13'), interval 3 day, true)) r with offset o order by o)
array(select concat(cast(range_start(r) as string),' ',cast(range_end(r) as string)) from unnest(generate_range_array(range(date '2019-12-31', date '2024-03-01'), interval 1 year, true)) r with offset o order by o)
array(select concat(cast(range_start(r) as string),' ',cast(range_end(r) as string)) from unnest(generate_range_array(range(timestamp '2020-01-01', timestamp '2020-01-02 01:00:00'), interval 10 hour, true)) r with offset o order by o)
array(select concat(cast(range_start(r) as string),' ',cast(range_end(r) as string)) from unnest(generate_range_array(range(timestamp '2020-01-01', timestamp '2020-01-05 01:00:00'), interval 1 day, true)) r with offset o order by o)
array(select concat(cast(range_start(r) as string),' ',cast(range_end(r) as string)) from unnest(generate_range_array(range(datetime '2020-01-31', datetime '2020-04-02 01:00:00'), interval 1 month, true)) r with offset o order by o)
array(select concat(cast(range_start(r) as string),' ',cast(range_end(r) as string)) from unnest(generate_range_array(range(datetime '2020-01-31', datetime '2020-02-02 01:00:00'), interval 1000 minute, true)) r with offset o order by o)
array(select concat(cast(range_start(r) as string),' ',cast(range_end(r) as string)) from unnest(generate_range_array(range(date '2020-01-31', date '2020-04-15'), interval 1 month, false)) r with offset o order by o)
array(select concat(cast(range_start(r) as string),' ',cast(range_end(r) as string)) from unnest(generate_range_array(range(date '2020-01-01', date '2020-01-03'), interval 5 day, false)) r with offset o order by o)
array(select concat(cast(range_start(r) as string),' ',cast(range_end(r) as string)) from unnest(generate_range_array(range(date '2020-01-01', date '2020-01-13'), interval 3 day, false)) r with offset o order by o)
array(select concat(cast(range_start(r) as string),' ',cast(range_end(r) as string)) from unnest(generate_range_array(range(date '2019-12-31', date '2024-03-01'), interval 1 year, false)) r with offset o order by o)
array(select concat(cast(range_start(r) as string),' ',cast(range_end(r) as string)) from unnest(generate_range_array(range(timestamp '2020-01-01', timestamp '2020-01-02 01:00:00'), interval 10 hour, false)) r with offset o order by o)
array(select concat(cast(range_start(r) as string),' ',cast(range_end(r) as string)) from unnest(generate_range_array(range(timestamp '2020-01-01', timestamp '2020-01-05 01:00:00'), interval 1 day, false)) r with offset o order by o)
array(select concat(cast(range_start(r) as string),' ',cast(range_end(r) as string)) from unnest(generate_range_array(range(datetime '2020-01-31', datetime '2020-04-02 01:00:00'), interval 1 month, false)) r with offset o order by o)
array(select concat(cast(range_start(r) as string),' ',cast(range_end(r) as string)) from unnest(generate_range_array(range(datetime '2020-01-31', datetime '2020-02-02 01:00:00'), interval 1000 minute, false)) r with offset o order by o)
array(select concat(cast(range_start(r) as string),' ',cast(range_end(r) as string)) from unnest(generate_range_array(range(date '2020-01-01', date '2020-01-02'), interval 0 day, true)) r with offset o order by o)
array(select concat(cast(range_start(r) as string),' ',cast(range_end(r) as string)) from unnest(generate_range_array(range(date '2020-01-01', date '2020-01-02'), interval -1 day, true)) r with offset o order by o)
array(select concat(cast(range_start(r) as string),' ',cast(range_end(r) as string)) from unnest(generate_range_array(range(date '2020-01-01', date '2020-01-02'), interval 1 hour, true)) r with offset o order by o)
array(select concat(cast(range_start(r) as string),' ',cast(range_end(r) as string)) from unnest(generate_range_array(range(date '2020-01-01', date '2020-03-02'), make_interval(0,1,1), true)) r with offset o order by o)
array(select concat(cast(range_start(r) as string),' ',cast(range_end(r) as string)) from unnest(generate_range_array(range(timestamp '2020-01-01', timestamp '2020-03-02'), interval 1 month, true)) r with offset o order by o)
generate_range_array(range(date '2020-01-01', date '2020-01-03'), interval 1 day)
