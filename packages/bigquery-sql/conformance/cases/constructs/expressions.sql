-- Arithmetic
numeric '4' / 3
4 / numeric '3'
bignumeric '4' / 3
cast(4 as float64) / 3
pow(numeric '4' / 2, 2)
select sum(x) / count(x) as q, pow(sum(x) / count(x), 2) as p from unnest([numeric '1', 2.5]) as x
${int64} + ${int64}
${int64} - ${int64}
${int64} * ${int64}
${int64} / ${int64}
${small} / ${small}
-(${int64})
+(${small})
-(${float64})
${float64} + ${float64}
${float64} - ${float64}
${float64} * ${float64}
${float64} / ${float64}
${numeric} + ${numeric}
${numeric} - ${numeric}
${numeric} * ${numeric}
${numeric} / ${numeric}
${small} + ${finite}
${small} * ${numeric}
1 + 2 * 3 - 4 / 2
(1 + 2) * 3
- - 1
10 / 4
1 / 3
-9223372036854775807 - 2
${date} + ${1; -1; 30}
${date} - ${1; 365}
${date} - ${date}
${datetime} - ${datetime}
${timestamp} - ${timestamp}
${time} - ${time}
${date} - ${datetime}
${datetime} - ${date}
extract(${year; month; day; hour; minute; second; millisecond; microsecond} from ${datetime} - ${datetime})
cast(null as timestamp) + ${interval 1 month; interval 1 year; interval 1 hour}
cast(null as timestamp) - ${interval 1 month; interval 1 year; interval 1 hour}
justify_days(${datetime} - ${datetime})
justify_hours(${timestamp} - ${timestamp})
justify_interval(${datetime} - ${datetime})
cast(${datetime} - ${datetime} as string)
${datetime} + (${datetime} - datetime '2024-01-01 00:00:00')
${datetime} - '2024-01-01 12:00:00'
! ${timestamp} - ${date}
! ${time} - ${datetime}
! 'a' + 1
! true + 1
-- Bit operators
${int64} & ${int64}
${int64} | ${int64}
${int64} ^ ${int64}
~${int64}
${1; -1; 3} << ${0; 1; 3; 63; 64; -1; null}
${1; -1; 1024; -1024} >> ${0; 1; 3; 63; 64; -1; null}
b'\x0f' & b'\xf1'
b'\x0f' | b'\xf0'
1 | 2 ^ 3 & 4
select t.b ${&; |; ^} t.c, ~t.b, t.b ${<<; >>} 3, bit_count(t.c) from unnest([struct(b'' as b, b'' as c), (b'ab', b'cd'), (null, b'a')]) as t
select t.n ${<<; >>} t.m from unnest([struct(1 as n, 3 as m), (1, 9223372036854775807), (null, 99999999999)]) as t
-- Concatenation ||
! null || [9]
${string} || ${needle}
${bytes} || b'x'
${int64s} || [9]
'a' || 'b' || 'c'
! 'a' || b'b'
-- Comparison
${int64} = ${small}
${int64} < ${small}
${float64} = ${float64}
${float64} < ${float64}
${float64} >= ${float64}
${float64} != ${finite}
${string} = ${string}
${string} < ${string}
${string} <> ${needle}
${bytes} <= ${bytes}
${bool} = ${bool}
${bool} < ${bool}
${date} > ${date}
${datetime} <= ${datetime}
${time} < ${time}
${timestamp} >= ${timestamp}
${numeric} = ${numeric}
${small} = ${finite}
${small} < 2.5
${date} = '2024-02-29'
'2024-02-29' < ${date}
${timestamp} = '2024-02-29 23:59:59.999999+00'
${date} = datetime '2024-02-29 00:00:00'
struct(1, 'a') = struct(1, 'a')
(1, null) = (1, 2)
(1, null) = (2, 2)
! [1, 2] = [1, 2]
! [1] in ([1], [2])
! struct([1]) = struct([1])
! case [1] when [1] then 1 end
! 1 = 'a'
! date '2024-01-01' = 1
! struct(1) < struct(2)
! json '1' = json '1'
numeric '${12345678901234567.89; 9007199254740993; -9007199254740993}' = ${12345678901234567.88; 9007199254740992.0; 0.1234567895}
numeric '${12345678901234567.89; 9007199254740993; -9007199254740993}' > ${12345678901234567.88; 9007199254740992.0; 0.1234567895}
${12345678901234567.88; 9007199254740992.0; 0.1234567895} <= numeric '${12345678901234567.89; 9007199254740993; -9007199254740993}'
bignumeric '${12345678901234567.89; 9007199254740993}' != ${12345678901234567.88; 9007199254740992.0; 0.1234567895}
bignumeric '${12345678901234567.89; 9007199254740993}' < ${12345678901234567.88; 9007199254740992.0; 0.1234567895}
numeric '9007199254740993' = cast(9007199254740992.0 as float64)
(numeric '9007199254740993', 1) = (9007199254740992.0, 1)
numeric '1' < 1e30
-- AND, OR, NOT
${bool} and ${bool}
${bool} or ${bool}
not ${bool}
not ${bool} and ${bool} or ${bool}
true or false and false
! 1 and true
-- IS
${small} is null
${string} is not null
${bool} is true
${bool} is not true
${bool} is false
${bool} is not false
1 / 2 is null
cast('nan' as float64) is null
-- IS DISTINCT FROM
${small} is distinct from ${small}
${string} is not distinct from ${string}
null is distinct from null
${float64} is distinct from ${float64}
numeric '${12345678901234567.89; 9007199254740993; -9007199254740993}' is distinct from ${12345678901234567.88; 9007199254740992.0; 0.1234567895}
-- BETWEEN
${int64} between ${small} and ${small}
${string} between 'a' and 'b'
${date} between date '1970-01-01' and date '2024-02-29'
${small} not between 0 and 2
${finite} between 0 and 3
2 between null and 1
2 between 1 and null
numeric '${12345678901234567.89; 9007199254740993; -9007199254740993}' between ${12345678901234567.88; 9007199254740992.0; 0.1234567895} and 1e20
numeric '${12345678901234567.89; 9007199254740993; -9007199254740993}' not between ${12345678901234567.88; 9007199254740992.0; 0.1234567895} and cast(1e20 as float64)
-- IN
${small} in (1, 2, 3)
${small} in (1, null)
${small} not in (1, null)
${string} in ('a', '', 'abc')
${finite} in (1, 2.5)
${date} in (date '2024-02-29', '1970-01-01')
(1, 'a') in ((1, 'a'), (2, 'b'))
null in (1)
numeric '${12345678901234567.89; 9007199254740993; -9007199254740993}' in (9007199254740992.0, 12345678901234567.88)
numeric '${12345678901234567.89; 9007199254740993; -9007199254740993}' in (9007199254740992.0, cast(12345678901234567.88 as float64))
-- IN UNNEST
${small} in unnest(${int64s})
${small} not in unnest(${int64s})
'a' in unnest(${strings})
1 in unnest([1.0, 2.0])
numeric '${12345678901234567.89; 9007199254740993; -9007199254740993}' in unnest([9007199254740992.0, 12345678901234567.88])
-- LIKE
${string} like ${'%'; 'a%'; '%l%'; '_bc'; ''; 'Hello%'; '%é%'; cast(null as string)}
${string} not like '%a%'
'100%' like ${r'100\%'; r'100\\%'; '100_'; '1%\\%'}
'a\\b' like ${r'a\\b'; r'a\\\\b'; 'a%'}
'a\nb' like 'a_b'
'日本語' like '__語'
'👍' like '_'
'abc' like 'ABC'
'a' like 'a\\'
b'abc' like b'a%'
b'\xc3\xa9\xff\x00' like ${b'_'; b'____'; b'\xc3%'; b'%\xff_'; b'\xc3__\x00'; b'%\xa9%\x00%'; b'%\x00'; b''; cast(null as bytes)}
-- LIKE ANY
'abc' like any ('x%', 'a%')
${string} like any ('%l%', null)
'abc' like any ('x', 'y')
-- NOT LIKE ANY
'abc' not like any ('abc', '%z%')
'abc' not like any ('abc', '%b%')
'abc' not like any ('abc', null)
'abc' not like any unnest(['abc', '%z%']) <=> true
'abc' not like all ('abc', '%z%')
'abc' not like all ('x', '%z%')
'abc' not like all ('x', null)
-- LIKE ALL
'abc' like all ('a%', '%c')
${string} like all ('%l%', 'H%')
'abc' like all ('a%', null)
-- CASE
select case when x > 1 then (select 1 / 0) else 2 end from unnest([1]) as x
select if(x > 1, (select cast('y' as int64)), x) from unnest([1]) as x
select if(x > 1, datetime(-9000000000000000000, 1, 1, 0, 0, 0), null) from unnest([1]) as x
select coalesce(x, 1 / 0) from unnest([1.5]) as x
select x = 1 or 1 / 0 > 1 from unnest([1]) as x
select (select x + y) from unnest([1, 2]) as x, unnest([10]) as y order by 1
case ${small} when 1 then 'one' when 2 then 'two' else 'many' end
case when ${small} > 1 then 'big' when ${small} < 0 then 'negative' end
case when ${bool} then 1 else 2.5 end
case null when null then 'null' else 'other' end
case ${string} when 'a' then 1 when '' then 0 end
case when false then 1 / 0 else 0 end
case when true then date '2024-02-29' else null end
! case when 1 then 2 end
! case when true then 1 else 'a' end
select if(t.n < 100, ${chr(t.n); cast(date_from_unix_date(t.n) as string)}, '') from unnest([struct(65 as n), struct(9223372036854775807)]) as t
case numeric '${12345678901234567.89; 9007199254740993; -9007199254740993}' when 9007199254740992.0 then 1 when 12345678901234567.88 then 2 else 0 end
-- Array access OFFSET
[10, 20, 30][offset(${0; 2; 3; -1; null})]
${strings}[offset(0)]
(select [1, 2])[offset(1)]
split('a,b', ',')[offset(1)]
split('a,b', ',')[offset(${2; -1; -2})]
split(${string}, 'a')[offset(0)]
! [1][offset('a')]
-- Array access SAFE_OFFSET
[10, 20, 30][safe_offset(${9223372036854775807; -9223372036854775808})]
[10, 20, 30][safe_offset(${0; 2; 3; -1; null})]
${strings}[safe_offset(1)]
-- Array access ORDINAL
[10, 20, 30][ordinal(${1; 3; 4; 0; -1; null})]
-- Array access SAFE_ORDINAL
[10, 20, 30][safe_ordinal(${1; 3; 4; 0; -1; null})]
-- Array access by index
[10, 20, 30][${0; 2; 3; -1}]
-- JSON subscript
json '{"*":1,"b":2}'[${'*'; ''; 'b'; cast(null as string)}]
select k, to_json_string(j[k]) as v from (select json '{"a":{"c":2},"a\\"b":1,"":3,"*":4,"0":5,"~/":6}' as j), unnest(['a"."c', 'a"b', '', '*', '0', '~/', 'a']) k order by k
select k, to_json_string(j[k]) as v from (select json '[1,2]' as j), unnest(['a', '', '*', '0', '-', '1']) k order by k
json '{"a": {"b": [1, 2]}}'.a
json '{"a": {"b": [1, 2]}}'.a.b[1]
json '{"a": 1}'['a']
json '[1, 2]'[${0; 5}]
json '{"a": 1}'.missing
-- SAFE. prefix
safe.substr('abc', 1, -1)
safe.timestamp_seconds(${0; 9223372036854775807})
safe.parse_date('%Y-%m-%d', '${2024-02-29; x}')
safe.ln(${1; 0; -1})
safe.parse_timestamp('%F', 'x')
safe.regexp_contains('a', '(')
safe.parse_json('{bad')
safe.date_add(date '9999-12-31', interval 1 day)
safe.chr(-1)
safe.from_hex('x')
! safe.cast('x' as int64)
select safe.${left(t.s, t.n); chr(t.n); repeat(t.s, t.n); lpad(t.s, t.n)} from unnest([struct('ab' as s, 3 as n), ('ab', -1), (null, -1), ('ab', 9223372036854775807), ('', 0)]) as t
-- Implicit coercion
1 + 1.5
1 = 1.0
if(true, 1, 1.5)
concat('a', cast(1 as string))
date_diff('2024-03-01', '2024-02-28', day)
date_add('2024-02-28', interval 1 day)
timestamp_diff('2024-03-01', timestamp '2024-02-28', hour)
coalesce(1, 2.5)
[1, 1.5, numeric '2']
sqrt(4)
-(2.5) * ${numeric}
-2.5 * ${numeric}
+(2.5) * ${numeric}
- -2.5 * ${numeric}
if(true, 2.5, 1.5) * ${numeric}
coalesce(2.5) * ${numeric}
cast(2.5 as float64) * ${numeric}
[2.5][offset(0)] * ${numeric}
struct(2.5 as a).a * ${numeric}
select with(a as 2.5, a * ${numeric})
-(1.5) = ${numeric}
${numeric} in (1.5, -(1.5))
${numeric} between -(1.5) and 2.5
if(true, -(2.5), ${numeric})
coalesce(${numeric}, 1.5)
greatest(-(1.5), ${numeric})
case ${numeric} when 1.5 then 1 when -(1.5) then 2 end
[1, cast(null as float64), numeric '2']
coalesce((1, ${numeric}), (1, 1.5))
(${date}, ${numeric}) = ('2024-02-29', 2.5)
(${date}, ${numeric}) in (('2024-02-29', 2.5), ('2024-01-01', 1))
${date} in unnest(['2024-02-29', '2024-01-01'])
${timestamp} in unnest(['1970-01-01', '2024-01-01'])
! mod(${numeric}, -(1.5))
! ${date} = concat('2024-02-29')
! ${date} = format('2024-02-29')
! ${date} = cast('2024-02-29' as string)
! ${date} = cast(null as string)
! select with(a as '2024-02-29', a = ${date})
! date_diff(cast(null as string), '2024-02-28', day)
! -(9223372036854775808)
! length(1)
! date_add(1, interval 1 day)
-- AT TIME ZONE
extract(${year; isoyear; quarter; month; isoweek; week; day; dayofweek; dayofyear; hour; minute; second; time} from timestamp '9999-12-31 23:59:59.5+00' at time zone ${zone})
extract(${year; quarter; month; day; dayofweek; dayofyear; hour; minute; second; time} from timestamp '0001-01-01 00:00:00+00' at time zone ${zone})
extract(date from ${timestamp} at time zone ${zone})
extract(datetime from ${timestamp} at time zone ${zone})
extract(hour from timestamp '2024-02-29 23:00:00+00' at time zone 'Asia/Tokyo')
extract(date from timestamp '2024-02-29 23:00:00+00' at time zone 'Asia/Tokyo')
string(timestamp '2024-02-29 23:00:00+00', 'Asia/Tokyo')
-- Precedence
1 + 2 = 3 and not false
not 1 = 2
-2 * -3
! 1 < 2 = true
'a' || 'b' = 'ab'
1 | 2 = 3
~1 + 1
-- INTERVAL: casts
cast(make_interval(1,2,-3,4,5,6) as string)
cast(make_interval(-1,2,-3,-4,5,6) as string)
cast(cast(null as interval) as string)
cast('1-2 3 4:5:6' as interval)
cast('-1-2 -3 -4:5:6.123456' as interval)
cast('1-2 3' as interval)
cast('1-2' as interval)
cast('3 4:5:6' as interval)
cast('4:5:6' as interval)
cast('4:5' as interval)
cast('1-2 3 4:5' as interval)
cast('3 4:5' as interval)
cast('1-2 3 4' as interval)
cast('5' as interval)
cast('' as interval)
cast('P1Y2M3DT4H5M6S' as interval)
cast('P1W' as interval)
cast('PT-1.5S' as interval)
cast('PT10H20M30,456S' as interval)
cast('P' as interval)
cast('PT' as interval)
cast('P-1Y-2M' as interval)
cast('1-13' as interval)
cast('0-0 0 30:70:90' as interval)
cast('  1-2' as interval)
cast('1-2  3' as interval)
cast('${192 3 4:5:6.7; -12 3 4:5:6; 12 -3 -4:5:6; +1 2 3:4; 1 2 3; 1-2 4:5:6; 1 2 3 4}' as interval)
-- INTERVAL: several parts
interval ${'3'; '-1'} ${week; quarter}
interval '1-2' year to month
interval '-1-2' year to month
interval '1-2 3' year to day
interval '1-2 3 4' year to hour
interval '1-2 3 -4:5' year to minute
interval '1-2 3 4:5:6.5' year to second
interval '2 3' month to day
interval '2 3 4' month to hour
interval '2 3 4:5' month to minute
interval '2 -3 4:5:6' month to second
interval '3 4' day to hour
interval '-1 2:3' day to minute
interval '3 4:5:6' day to second
interval '4:5' hour to minute
interval '-4:5:6.1' hour to second
interval '5:6.000001' minute to second
! interval '1' year to month
-- EXTRACT from INTERVAL
extract(year from make_interval(-1,-2))
extract(month from make_interval(-1,-2))
extract(day from make_interval(0,0,-65))
extract(hour from make_interval(0,0,0,-30,-5))
extract(minute from make_interval(0,0,0,-30,-5))
-- Chained calls
select (name).upper().substr(1, 2) as n from people order by id
('abc').upper()
([3, 1, 2]).array_length()
('2024-02-29').parse_date('%Y-%m-%d')
(json '{"a":{"b":1}}').json_query('$.a').to_json_string()
('a,b').split(',').array_to_string('-').length()
(cast(null as string)).upper().ifnull('x')
('abc').(safe.substr)(2)
(-5).abs().mod(3)
