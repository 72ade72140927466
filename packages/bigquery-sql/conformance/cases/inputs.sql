-- int64
cast(null as int64)
0
1
-1
7
-13
100
1000000
9223372036854775807
-9223372036854775808

-- small
cast(null as int64)
0
1
-1
2
3
-4
10
64

-- float64
cast(null as float64)
0.0
-0.0
1.0
-1.5
2.5
0.1
123456.789
-1e-7
1e15
1.7976931348623157e308
cast('nan' as float64)
cast('inf' as float64)
cast('-inf' as float64)

-- finite
cast(null as float64)
0.0
1.0
-1.5
2.5
-2.5
0.5
0.125
-100.25
1e10

-- numeric
cast(null as numeric)
numeric '0'
numeric '1'
numeric '-1.5'
numeric '2.5'
numeric '0.000000001'
numeric '123456789.987654321'
numeric '99999999999999999999999999999.999999999'
numeric '-99999999999999999999999999999.999999999'

-- bool
true
false
cast(null as bool)

-- string
cast(null as string)
''
'a'
'abc'
'Hello World'
'  padded  '
'ÄÖÜ ß éà'
'e\u0301te\u0301'
'日本語テキスト'
'👍🏽 and 👩‍👩‍👧'
'a,b,,c'
'line\nbreak\ttab'
'100%_\\x'
'İıſ'

-- needle
cast(null as string)
''
'a'
'b'
'l'
'o W'
'é'
'👍'
','
' '

-- bytes
cast(null as bytes)
b''
b'a'
b'abc'
b'\x00\xff\x80'
b'Hello World'
b'\xe6\x97\xa5'

-- date
cast(null as date)
date '1970-01-01'
date '2024-02-29'
date '2023-12-31'
date '2024-01-01'
date '2000-02-29'
date '1969-12-31'
date '1900-03-01'
date '2021-01-03'
date '0001-01-01'
date '9999-12-31'

-- datetime
cast(null as datetime)
datetime '1970-01-01 00:00:00'
datetime '2024-02-29 23:59:59.999999'
datetime '2023-12-31 12:30:45.123456'
datetime '2024-01-01 00:00:00'
datetime '1969-12-31 23:59:59.5'
datetime '2021-01-03 01:02:03'
datetime '0001-01-01 00:00:00'
datetime '9999-12-31 23:59:59.999999'

-- time
cast(null as time)
time '00:00:00'
time '12:34:56.789012'
time '23:59:59.999999'
time '01:02:03'
time '12:00:00'

-- timestamp
cast(null as timestamp)
timestamp '1970-01-01 00:00:00+00'
timestamp '2024-02-29 23:59:59.999999+00'
timestamp '2023-12-31 12:30:45.123456+00'
timestamp '2024-03-31 01:30:00+01:00'
timestamp '1969-12-31 23:59:59.999999+00'
timestamp '2021-01-03 01:02:03+00'
timestamp '0001-01-01 00:00:00+00'
timestamp '9999-12-31 23:59:59.999999+00'

-- zone
'UTC'
'America/Los_Angeles'
'Europe/Berlin'
'Asia/Kolkata'
'+05:30'
'-08:00'
cast(null as string)

-- date_part (words)
day
week
week(sunday)
week(monday)
week(tuesday)
week(wednesday)
week(thursday)
week(friday)
week(saturday)
isoweek
month
quarter
year
isoyear

-- step_part (words)
day
week
month
quarter
year

-- time_part (words)
microsecond
millisecond
second
minute
hour

-- stamp_part (words)
microsecond
millisecond
second
minute
hour
day

-- extract_part (words)
year
isoyear
quarter
month
week
week(monday)
week(thursday)
isoweek
day
dayofweek
dayofyear

-- clock_part (words)
hour
minute
second
millisecond
microsecond

-- int64s
cast(null as array<int64>)
cast([] as array<int64>)
[1]
[1, 2, 3]
[3, 1, 2, 1]
[5, null, -5]
[cast(null as int64)]
[9223372036854775807, -9223372036854775808]

-- strings
cast(null as array<string>)
cast([] as array<string>)
['a']
['a', 'b', 'a']
['', null, 'ß']
['日本', '👍', 'z']

-- code_points
cast(null as array<int64>)
cast([] as array<int64>)
[65, 66, 67]
[0]
[233, 128077]
[97, null]
[1114111]

-- pattern
'a'
'l+'
'[a-z]+'
'^\\w'
'(?i)hello'
'\\d+|o'
'é'
'.'
'$'
''
'(b|c)'

-- json_text
cast(null as string)
'{}'
'[]'
'null'
'{"a": 1, "b": {"c": "x", "d": [1, 2, {"e": null}]}, "f": true}'
'{"a": "text", "b": [], "f": 1.5}'
'{"a": "1", "b": {"c": null}, "k.y": 5, "": "empty"}'
'[1, "two", 3.5, true, null, {"a": 9}]'
'"just text"'
'12345678901234567890'
'{"a": "ü\\u00e9 \\"quoted\\" \\n"}'
'not json'

-- json
json '{"a": 1, "b": {"c": "x", "d": [1, 2, {"e": null}]}, "f": true}'
json '{"a": "text", "b": [], "f": 1.5}'
json '[1, "two", 3.5, true, null, {"a": 9}]'
json '"just text"'
json 'null'
json '1'
json '-2.5'
json 'false'
cast(null as json)

-- json_path (words)
'$'
'$.a'
'$.b'
'$.b.c'
'$.b.d[1]'
'$.b.d[2].e'
'$[0]'
'$[5].a'
'$.f'
'$.missing'
'$.b.d'

-- ip
b'\x01\x02\x03\x04'
b'\xff\xff\xff\xff'
b'\x00\x00\x00\x00'
b'\x20\x01\x0d\xb8\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01'
b'\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00'
b'abc'
cast(null as bytes)

-- url
'http://www.example.com/path?q=1'
'HTTPS://User:pw@Sub.Example.CO.UK:8080/x#y'
'www.example.com'
'example.com:80/x'
'//host/path'
'mailto:someone@example.com'
'http://[::1]:80/'
'http://1.2.3.4/'
''
'   http://spaced.example.com   '
'http://例え.jp/'
'not a url'
cast(null as string)

-- source (words)
select x from unnest(generate_array(1, 4)) as x
select x from unnest(generate_array(1, length(@p))) as x
select x from unnest([3, 1, null, 1]) as x
select x from unnest(generate_date_array(date '2024-02-27', date '2024-03-01')) as x
select x from unnest(generate_timestamp_array(timestamp '2024-02-29', timestamp '2024-02-29 06:00:00', interval 2 hour)) as x
select x from unnest(split('b,a,,b')) as x
select x from unnest(split(concat(@p, ' b ', @nothing), ' ')) as x
select x from unnest([upper(@p), 'b']) as x with offset as position where position >= 0
select s.x from unnest([struct(length(@p) as x, 'a' as y), (date_diff(date '2024-03-01', date '2024-02-28', day), 'b')]) as s
select @p as x
select date_add(date '2024-02-28', interval 1 day) as x
select date_trunc(x, month) as x from unnest(generate_date_array('2024-02-27', '2024-03-02')) as x group by 1
select id as x from people where name >= @p
