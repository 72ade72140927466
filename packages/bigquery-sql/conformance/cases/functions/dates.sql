-- CURRENT_DATE
current_date() = date(current_timestamp())
current_date('UTC') = current_date()
current_date = current_date()
date_diff(current_date('Asia/Tokyo'), current_date('America/Los_Angeles'), day) between 0 and 1
-- DATE
date(${small} + 2020, ${1; 2; 12; 13; 0}, ${1; 29; 31})
date(${datetime})
date(${timestamp})
date(${timestamp}, ${zone})
date(${date})
date('2024-02-29')
select safe.date(t.y, t.m, t.d) from unnest([struct(2024 as y, 2 as m, 30 as d), (2024, 2, 29), (9223372036854775807, 1, 1), (2024, 13, 1), (null, 13, 1)]) as t
select date(t.y, t.m, t.d) from unnest([struct(2024 as y, 2 as m, 29 as d), (null, 13, 40)]) as t
-- DATE_ADD
date_add(${date}, interval ${small} ${step_part})
date_add(${date}, interval ${1; -1; 12; 1000000; null} ${step_part})
date_add(date '2024-01-31', interval ${1; 2; 3; 13; -2} month)
date_add(date '2024-02-29', interval ${1; 4; -1; -4} year)
date_add(date '2024-01-31', interval ${'1'; '-2'; ' +3 '} ${day; week; month; quarter})
! date_add(date '2024-01-31', interval ${'x'; ''; '1.5'} day)
date_add(${datetime}, interval 1 day)
! date_add(date '2024-01-01', interval 1 hour)
select safe.date_add(d, interval n ${day; week; month; quarter; year}) from unnest([struct(date '2024-02-29' as d, 1 as n), (null, 9223372036854775807), (date '2024-01-01', null), (date '2024-01-01', -9223372036854775808)])
select date_add(d, interval n ${day; week; month; quarter; year}) from unnest([struct(date '2024-02-29' as d, 1 as n), (null, 9223372036854775807), (date '2024-01-01', null)])
-- DATE_SUB
date_sub(${date}, interval ${small} ${step_part})
date_sub(${date}, interval ${1; -1; 12; 1000000; null} ${step_part})
date_sub(date '2024-03-31', interval ${1; 2; 3; 13; -2} month)
date_sub(date '2024-01-01', interval 9223372036854775807 day)
-- DATE_DIFF
date_diff(${date}, ${date}, ${date_part})
date_diff(date '2024-01-07', date '2024-01-06', ${date_part})
date_diff(date '2017-12-30', date '2014-12-30', ${date_part})
date_diff(date '2024-01-01', date '2023-12-31', ${date_part})
date_diff(date '2020-12-27', date '2021-01-04', ${date_part})
date_diff(datetime '2024-01-01 12:00:00', datetime '2023-12-31 13:00:00', day)
! date_diff(date '2024-01-01', date '2023-01-01', hour)
-- DATE_TRUNC
date_trunc(${date}, ${date_part})
date_trunc(date '2021-01-02', ${date_part})
date_trunc(${datetime}, ${month; week(monday); year; day})
date_trunc(${timestamp}, ${month; week(monday); year; day})
! date_trunc(date '2024-01-01', hour)
-- DATE_FROM_UNIX_DATE
date_from_unix_date(${0; 1; -1; 19782; -719162; 2932896; -719163; 2932897; null})
-- UNIX_DATE
unix_date(${date})
-- EXTRACT
extract(${extract_part} from ${date})
extract(${extract_part} from date '2021-01-03')
extract(${extract_part} from date '2020-12-31')
extract(${extract_part} from ${datetime})
extract(${clock_part} from ${datetime})
extract(${clock_part} from ${time})
extract(${extract_part} from ${timestamp})
extract(${clock_part} from ${timestamp})
extract(${date; time; datetime} from ${timestamp})
extract(${date; time} from ${datetime})
extract(${hour; day; dayofweek; minute} from ${timestamp} at time zone ${'America/Los_Angeles'; 'Asia/Kolkata'; '+01:00'})
! extract(hour from date '2024-01-01')
! extract(day from time '10:00:00')
-- LAST_DAY
last_day(${date})
last_day(${date}, ${month; quarter; year; week; week(monday); week(saturday); isoweek; isoyear})
! last_day(date '2024-02-29', day)
last_day(${datetime}, month)
-- FORMAT_DATE
format_date('${%Y-%m-%d; %A %a; %B %b; %e; %j; %U %W %V %G %u %w; %y; %C; %D; %F; %x; %Q; %h; %%; %n|%t; %E4Y; %d/%m/%y; %g; no parts}', ${date})
format_date('${%c; %s; %H:%M; %Z; %p; %R %T}', date '2024-02-29')
format_date('%A', ${datetime})
format_date(null, date '2024-01-01')
-- PARSE_DATE
parse_date('${%Y-%W; %Y-%U; %U-%Y}', '${2024-10; 2023-00; 2024-00; 2024-53; 2024-54; 10-2024}')
parse_date('${%Y-%m-%W; %Y-%W-%m; %Y-%W-%d; %Y-%d-%W; %Q-%W-%Y; %F %W}', '${2024-05-10; 2-10-2024; 2024-05-06 10}')
parse_date('${%Y-%W-%j; %Y-%j-%W}', '${2024-010-10; 2024-10-010}')
parse_date('%Y-%m-%d', '${2024-02-29; 2023-02-29; 2024-2-9; 2024-02-29x; ; 0001-01-01; 99999-01-01; 2024-13-01; 2024-02}')
parse_date('%Y-%m-%d', '${0999-01-01; 999-01-01; -2024-01-01; +2024-01-01; 9999-12-31; 10000-01-01; infinity}')
parse_date('%Y1%m%d', '${20241123; 202411231}')
parse_date('%d.%m.%Y%%', '${29.02.2024%; 29.2.2024%}')
parse_date('%d %m %d %Y', '28 02 29 2024')
parse_date('%d/%m/%Y', '${29/02/2024; 1/1/2024; 02/29/2024}')
parse_date('%b %e %Y', '${Feb 29 2024; feb  9 2024; February 9 2024}')
parse_date('%B %d, %Y', 'February 29, 2024')
parse_date('%Y%m%d', '${20240229; 2024229}')
parse_date('%y-%m-%d', '${24-02-29; 69-01-01; 68-01-01}')
parse_date('%A %d %B %Y', 'Thursday 29 February 2024')
parse_date('%F', '2024-02-29')
parse_date('%D', '02/29/24')
parse_date('%j %Y', '060 2024')
parse_date('%Y', '2024')
parse_date('%m/%Y', '02/2024')
parse_date('%Y-%m-%d', cast(null as string))
-- GENERATE_DATE_ARRAY
generate_date_array(date '2024-02-27', date '2024-03-02')
generate_date_array(date '2024-02-27', date '2024-03-02', interval ${1; 2; -1; 0; null} day)
generate_date_array(date '2024-03-02', date '2024-02-27', interval ${-1; -2; 1} day)
generate_date_array(date '2024-01-31', date '2024-06-30', interval 1 month)
generate_date_array(date '2024-01-01', date '2024-03-01', interval 1 week)
generate_date_array(date '2020-02-29', date '2028-02-29', interval ${1; 2; 4} year)
generate_date_array(date '2024-01-01', date '2025-01-01', interval 1 quarter)
generate_date_array(${date '1969-12-30'; date '1970-01-03'; date '1970-01-04'; cast(null as date)}, date '1970-01-03')
-- DATE_BUCKET
date_bucket(${date}, interval ${2; 7} day)
  <=> date_add(date '1950-01-01', interval cast(floor(date_diff(${1}, date '1950-01-01', day) / ${2}) as int64) * ${2} day)
date_bucket(date '2024-02-29', interval 1 month, date '2000-01-15') <=> date '2024-02-15'
date_bucket(date '2024-02-29', interval 3 month, date '2000-01-31') <=> date '2024-01-31'
date_bucket(date '2024-04-30', interval 1 quarter, date '2000-01-31') <=> date '2024-04-30'
date_bucket(date '2024-04-29', interval 3 month, date '2000-01-31') <=> date '2024-01-31'
date_bucket(date '1999-12-31', interval 3 month, date '2000-01-31') <=> date '1999-10-31'
! date_bucket(date '2024-02-29', interval 1 hour)
-- CURRENT_DATETIME
current_datetime() = datetime(current_timestamp())
datetime_diff(current_datetime('+05:30'), current_datetime(), minute)
-- DATETIME
datetime(${small} + 2020, ${1; 2; 13}, ${1; 29}, 10, 20, ${0; 59; 60})
datetime(${date})
datetime(${date}, ${time})
datetime(${timestamp})
datetime(${timestamp}, ${zone})
datetime(${datetime})
datetime('2024-02-29 10:20:30')
-- DATETIME_ADD
datetime_add(${datetime}, interval ${small} ${step_part})
datetime_add(${datetime}, interval ${small} ${time_part})
datetime_add(datetime '2024-01-31 10:00:00', interval ${1; -2; 13} month)
select datetime_add(d, interval n ${second; week; month; year}) from unnest([struct(datetime '2024-02-29' as d, 1 as n), (null, 9223372036854775807), (datetime '2024-01-01', null)])
-- DATETIME_SUB
datetime_sub(${datetime}, interval ${small} ${step_part})
datetime_sub(${datetime}, interval ${small} ${time_part})
-- DATETIME_DIFF
datetime_diff(${datetime}, ${datetime}, ${date_part})
datetime_diff(${datetime}, ${datetime}, ${time_part})
datetime_diff(datetime '2024-01-01 00:00:00', datetime '2023-12-31 23:59:59.999999', ${year; quarter; month; isoweek; week; day; hour; minute; second; millisecond; microsecond})
datetime_diff(datetime '2018-01-01 00:00:30', datetime '2017-12-31 23:59:31', ${year; isoyear; hour; minute; second})
-- DATETIME_TRUNC
datetime_trunc(${datetime}, ${date_part})
datetime_trunc(${datetime}, ${time_part})
-- DATETIME_BUCKET
datetime_bucket(${datetime}, interval ${2; 7} day)
  <=> datetime_add(datetime '1950-01-01', interval cast(floor(date_diff(${1}, datetime '1950-01-01', day) / ${2}) as int64) * ${2} day)
datetime_bucket(datetime '2024-02-29 10:23:30', interval 5 minute) <=> datetime '2024-02-29 10:20:00'
-- FORMAT_DATETIME
format_datetime('${%Y-%m-%dT%H:%M:%S; %c; %I:%M %p; %E3S; %E*S; %E6S; %s; %R; %T; %X; %k|%l; %P; %Q; %D %r}', ${datetime})
-- PARSE_DATETIME
parse_datetime('%Y-%m-%d %H:%M:%S', '${2024-02-29 10:20:30; 2024-02-29 25:00:00; 2024-02-29 10:20:60; 2024-02-29}')
parse_datetime('%Y-%m-%dT%H:%M:%E*S', '${2024-02-29T10:20:30.123456; 2024-02-29T10:20:30; 2024-02-29T10:20:30.1}')
parse_datetime('%m/%d/%Y %I:%M %p', '${02/29/2024 01:05 PM; 02/29/2024 12:00 am; 02/29/2024 13:05 PM}')
parse_datetime('%c', 'Thu Feb 29 10:20:30 2024')
parse_datetime('%F %T', '2024-02-29 10:20:30')
parse_datetime('%d/%m/%Y %H:%M', '${29/02/2024 10:20; 29/02/2024 24:00; 9/2/2024 1:02; 29/02/2024  10:20}')
-- CURRENT_TIME
current_time() = time(current_timestamp())
time_diff(current_time('+05:00'), current_time('UTC'), hour) in (5, -19)
-- TIME
time(${0; 23; 24; -1}, ${0; 59; 60}, ${0; 30; 60})
time(${datetime})
time(${timestamp})
time(${timestamp}, ${zone})
time(${time})
-- TIME_ADD
time_add(${time}, interval ${small} ${time_part})
time_add(${time}, interval 25 hour)
-- TIME_SUB
time_sub(${time}, interval ${small} ${time_part})
time_sub(${time}, interval 25 hour)
-- TIME_DIFF
time_diff(${time}, ${time}, ${time_part})
-- TIME_TRUNC
time_trunc(${time}, ${time_part})
-- FORMAT_TIME
format_time('${%H:%M:%S; %I:%M %p; %E3S; %E*S; %R; %T; %X; %k|%l; %M}', ${time})
-- PARSE_TIME
parse_time('%H:%M:%S', '${10:20:30; 24:00:00; 10:20; 1:2:3}')
parse_time('%I:%M:%S %p', '${02:20:30 PM; 12:00:00 AM; 13:00:00 PM}')
parse_time('%T', '10:20:30')
parse_time('%R', '10:20')
parse_time('%H:%M:%E*S', '10:20:30.123456')
parse_time('%H', '10')
