-- CURRENT_TIMESTAMP
timestamp_diff(current_timestamp(), current_timestamp(), microsecond) = 0
current_timestamp > timestamp '2020-01-01'
current_timestamp() between timestamp '2020-01-01' and timestamp '9999-01-01'
select count(distinct current_timestamp()) from unnest([1, 2, 3])
-- TIMESTAMP
timestamp(${'2024-02-29 10:20:30+00'; '2024-02-29'; '2024-02-29T10:20:30.123456Z'; '2024-02-29 10:20:30 Europe/Berlin'; 'x'; ''; null})
timestamp('2024-02-29 10:20:30', ${zone})
timestamp('2024-03-10 02:30:00', 'America/Los_Angeles')
timestamp('2024-11-03 01:30:00', 'America/Los_Angeles')
timestamp(${date})
timestamp(${date}, ${zone})
timestamp(${datetime})
timestamp(${datetime}, ${zone})
timestamp(${timestamp})
timestamp('${2024-11-03 01:30:00; 2024-03-10 02:30:00; 1883-11-18 12:03:00} ${America/New_York; Australia/Lord_Howe; Europe/Dublin}')
timestamp('${2024-04-07 01:45:00; 2024-10-06 02:15:00; 2011-12-30 12:00:00}', ${'Australia/Lord_Howe'; 'Pacific/Apia'; 'Africa/Casablanca'})
-- TIMESTAMP_ADD
timestamp_add(${timestamp}, interval ${small} ${stamp_part})
timestamp_add(${timestamp}, interval ${1; -1; 1000000000; null} ${stamp_part})
timestamp_add(timestamp '2024-02-29 10:20:30+00', interval ${'1500'; '-7'} ${stamp_part})
timestamp_add(timestamp '2024-02-29 10:20:30+00', interval ${9223372036854775807; -9223372036854775807} ${stamp_part})
! timestamp_add(timestamp '2024-01-01', interval 1 month)
-- TIMESTAMP_SUB
timestamp_sub(${timestamp}, interval ${small} ${stamp_part})
timestamp_sub(${timestamp}, interval ${1; -1; 1000000000; null} ${stamp_part})
timestamp_sub(timestamp '2024-02-29 10:20:30+00', interval ${9223372036854775807; -9223372036854775807} ${stamp_part})
! timestamp_sub(timestamp '2024-01-01', interval 1 year)
select timestamp_sub(t, interval n ${second; day}) from unnest([struct(timestamp '2024-01-01' as t, 1 as n), (null, 9223372036854775807), (timestamp '2024-01-01', null)])
select safe.timestamp_add(t, interval n ${second; day}) from unnest([struct(timestamp '2024-01-01' as t, 1 as n), (null, 9223372036854775807), (timestamp '2024-01-01', 9223372036854775807)])
-- TIMESTAMP_DIFF
timestamp_diff(${timestamp}, ${timestamp}, ${stamp_part})
timestamp_diff(timestamp '2024-01-01 00:00:00', timestamp '2023-12-31 23:59:59.999999', ${stamp_part})
timestamp_diff(timestamp '2018-08-14', timestamp '2018-10-14', ${stamp_part})
! timestamp_diff(timestamp '2024-01-01', timestamp '2023-01-01', month)
-- TIMESTAMP_TRUNC
timestamp_trunc(${timestamp}, ${stamp_part})
timestamp_trunc(${timestamp}, ${date_part})
timestamp_trunc(timestamp '2024-03-31 01:30:45.123456+00', ${stamp_part}, ${'Europe/Berlin'; 'Asia/Kolkata'; '+05:45'})
timestamp_trunc(timestamp '2024-03-31 01:30:45.123456+00', ${date_part}, ${'Europe/Berlin'; 'Asia/Kolkata'; '+05:45'})
timestamp_trunc(timestamp '2024-11-03 09:30:45+00', ${hour; day; week}, 'America/Los_Angeles')
timestamp_trunc(${datetime}, ${hour; day; month})
-- TIMESTAMP_BUCKET
timestamp_bucket(${timestamp}, interval ${15; 7} minute)
timestamp_bucket(timestamp '2024-02-29 10:20:30+00', interval 1 day, timestamp '2000-01-01 06:00:00+00')
-- TIMESTAMP_SECONDS
timestamp_seconds(${int64})
timestamp_seconds(${1700000000; -62135596800; 253402300799; 253402300800; -62135596801})
-- TIMESTAMP_MILLIS
timestamp_millis(${int64})
timestamp_millis(${1700000000123; -62135596800000; 253402300799999; 253402300800000})
-- TIMESTAMP_MICROS
timestamp_micros(${int64})
timestamp_micros(${1700000000123456; -62135596800000000; 253402300799999999; 253402300800000000})
-- UNIX_SECONDS
unix_seconds(${timestamp})
-- UNIX_MILLIS
unix_millis(${timestamp})
-- UNIX_MICROS
unix_micros(${timestamp})
-- FORMAT_TIMESTAMP
format_timestamp('${%Y-%m-%d %H:%M:%S; %FT%TZ; %A %a %B %b; %c; %I:%M:%S %p; %E3S; %E*S; %E6S; %s; %Z; %z; %Ez; %R; %j; %U %V %G; %Q; %y%C; %k|%l; %D; %e; %n%t%%}', ${timestamp})
format_timestamp('%Y-%m-%d %H:%M:%S %Z %z', timestamp '2024-07-01 12:00:00+00', ${zone})
format_timestamp('%Ez %H', timestamp '2024-01-01 12:00:00+00', ${zone})
format_timestamp('%E*z', timestamp '2024-07-01 12:00:00+00', ${zone})
-- PARSE_TIMESTAMP
parse_timestamp('%Y-%m-%d %H:%M:%S', '${2024-02-29 10:20:30; 2023-02-29 10:20:30; 2024-02-29 24:00:00; 2024-02-29 10:20; ; 2024-2-9 1:2:3; 2024-02-29 10:20:30 }')
parse_timestamp('%Y-%m-%dT%H:%M:%E*SZ', '${2024-02-29T10:20:30.123456Z; 2024-02-29T10:20:30Z; 2024-02-29T10:20:30.5Z}')
parse_timestamp('%Y-%m-%d %H:%M:%S%z', '${2024-02-29 10:20:30+0100; 2024-02-29 10:20:30-0830; 2024-02-29 10:20:30}')
parse_timestamp('%Y-%m-%d %H:%M:%S %Ez', '2024-02-29 10:20:30 +01:00')
parse_timestamp('%Y-%m-%d %H:%M:%S', '2024-07-01 10:20:30', ${zone})
parse_timestamp('%s', '${1700000000; -1; x}')
parse_timestamp('%F %T', '2024-02-29 10:20:30')
parse_timestamp('%d/%b/%Y:%H:%M:%S %z', '29/Feb/2024:10:20:30 +0000')
parse_timestamp('%a %b %e %H:%M:%S %Y', '${Thu Feb 29 10:20:30 2024; Fri Feb 29 10:20:30 2024}')
parse_timestamp('%I:%M %p %F', '${01:05 PM 2024-02-29; 12:05 AM 2024-02-29}')
parse_timestamp('%Y', '2024')
parse_timestamp('%H:%M', '10:20')
parse_timestamp('%c', 'Thu Feb 29 10:20:30 2024')
parse_timestamp('%F', cast(null as string))
-- GENERATE_TIMESTAMP_ARRAY
generate_timestamp_array(timestamp '2024-02-29 00:00:00', timestamp '2024-02-29 00:00:05', interval ${1; 2; -1; 0; null} second)
generate_timestamp_array(timestamp '2024-02-29 00:00:00', timestamp '2024-03-02 00:00:00', interval ${1; 12; 7} ${hour; day})
generate_timestamp_array(timestamp '2024-03-02 00:00:00', timestamp '2024-02-29 00:00:00', interval ${-1; -12} ${hour; day})
generate_timestamp_array(timestamp '2024-02-29 00:00:00', timestamp '2024-02-29 00:10:00', interval 5 minute)
generate_timestamp_array(timestamp '2024-02-29 00:00:00', timestamp '2024-02-29 00:00:00.000010', interval 5 microsecond)
generate_timestamp_array(timestamp '2024-02-29 00:00:00', timestamp '2024-02-29 00:00:00.010', interval 5 millisecond)
generate_timestamp_array(timestamp '2024-02-29', ${timestamp '2024-02-29'; timestamp '2024-02-28'; cast(null as timestamp)}, interval 1 day)
-- MAKE_INTERVAL
make_interval(1,2,3,4,5,6)
make_interval(1,null,3,4,5,6)
make_interval(10000)
make_interval(10001)
make_interval(0,0,3660001)
make_interval(0,0,0,87840000,0,1)
make_interval(1, 2, 3, 4, 5, 6)
make_interval(year => ${1; -1; 0}, day => ${0; 10})
make_interval(hour => 25, minute => -61)
-- JUSTIFY_DAYS
justify_days(interval 35 day)
justify_days(interval -65 day)
justify_days(make_interval(0,1,-5))
justify_days(make_interval(0,-1,35))
justify_days(make_interval(0,-2,35))
justify_days(interval ${29; 30; 35; -35; 60} day)
-- JUSTIFY_HOURS
justify_hours(interval 49 hour)
justify_hours(make_interval(0,0,1,-25))
justify_hours(make_interval(0,0,-1,25))
justify_hours(make_interval(0,0,2,-25))
justify_hours(interval ${23; 24; 25; -30} hour)
-- JUSTIFY_INTERVAL
justify_interval(make_interval(0,0,29,49))
justify_interval(make_interval(0,1,-29,49))
justify_interval(make_interval(0,-1,29,49))
justify_interval(make_interval(0,-1,-29,-49))
justify_interval(make_interval(0,2,-61,1))
justify_interval(cast(null as interval))
justify_interval(interval '29 49:00:00' day to second)
