-- JSON_VALUE
json_value(${json_text}, ${json_path})
json_value(${json}, ${json_path})
json_value(${json})
json_value('{"a.b": {"c": 1}}', ${'$."a.b".c'; '$.\"a.b\".c'; "$['a.b'].c"; '$.a.b'})
json_value('{"a": 1}', 'a')
json_value('{"a": ${1.0; 1e3; 12345678901234567890; 0.1; true; "x\\ty"; -0}}', '$.a')
json_value('{"a": ${"10.0.0.1"; "1e5-4"; "1.50"; 1.50; "[1]"; [1]; "(x)"; 100; 15e-1}, "b": 1.5}', '$.a')
json_value('{"a": 1, "b": ${"info, nan"; "nan"; "-Inf"}}', '$.a')
json_value('[1, 2]', ${'$[-1]'; '$[1]'; '$[2]'; '$.0'})
-- JSON_QUERY
json_query(${json_text}, ${json_path})
json_query(${json}, ${json_path})
json_query('{"a":   [1,  2], "b" : "x"}', '$')
json_query('{"a":[{"b":[{"c":[1,2]}]},{"b":[{"c":[3]},{"c":[9]}]}]}', '$.a[0].b[1].c') <=> cast(null as string)
json_query(json '{"a":[{"b":1},{"b":2}]}', 'lax $.a.b') <=> json '[1,2]'
json_query(json '{"a":[[{"b":1}],[[{"b":2}]],{"b":3},7,null]}', '${lax; lax recursive} $.a.b') <=> if('${1}' = 'lax', json '[3]', json '[1,2,3]')
json_query(json '{"a":${[]; null; 1; [1,2]}}', 'lax $.a') <=> json '[${1}]'
json_query(json '{"a":${[]; null; 1; [1,2]}}', 'lax $.b') <=> json '[]'
json_query(json '[[{"a":[1,2]}],{"a":[3]}]', '${lax recursive; recursive lax; LAX Recursive} $.a[0]') <=> json '[1,3]'
json_query(json '{"a":1}', 'lax $.a[${0; 1}]') <=> if(${1} = 0, json '[1]', json '[]')
safe.json_query(json '{"a":1}', '${lax a; lax lax $.a; recursive $.a; lax $.a[-1]}') <=> cast(null as json)
-- JSON_EXTRACT
json_extract(${json_text}, ${json_path})
json_extract(${json}, ${json_path})
json_extract('{"a.b": 1}', "$['a.b']")
-- JSON_EXTRACT_SCALAR
json_extract_scalar(${json_text}, ${json_path})
json_extract_scalar(${json}, ${json_path})
json_extract_scalar('{"a.b": 1}', "$['a.b']")
-- JSON_EXTRACT_ARRAY
json_extract_array(${json_text}, ${'$'; '$.b'; '$.b.d'; '$.a'})
json_extract_array(${json}, ${'$'; '$.b.d'})
json_extract_array('[1, "a", {"x": [1]}, null]')
-- JSON_EXTRACT_STRING_ARRAY
json_extract_string_array(${json_text}, ${'$'; '$.b'; '$.b.d'; '$.a'})
json_extract_string_array('[1, "a", true]')
-- JSON_QUERY_ARRAY
json_query_array(${json_text}, ${'$'; '$.b'; '$.b.d'; '$.a'})
json_query_array(${json}, ${'$'; '$.b.d'})
json_query_array('[1, "a", {"x": [1]}, null]')
-- JSON_VALUE_ARRAY
json_value_array(${json_text}, ${'$'; '$.b'; '$.b.d'; '$.a'})
json_value_array(${json}, ${'$'; '$.b.d'})
json_value_array('[1, "a", null, true, 1.50]')
json_value_array('[1, [2]]')
-- PARSE_JSON
parse_json(${json_text})
parse_json('${1; "a"; [1,2; tru; nan; 1.0; 1e400; 9223372036854775808; 1e15; 0.1; -0}')
parse_json('{"a":1,"a":2}')
parse_json(' {"b" : [ ] , "a":{} } ')
parse_json('${1.2345678901234567890123; 123456789012345678901; -0.00000000000000000000123; [1e400; {"a":[1e5,1.5],"1e400":"1e400"}; 01234567890123456789}', wide_number_mode => 'round')
-- TO_JSON
to_json(${int64})
to_json(${string})
to_json(${date})
to_json(${timestamp})
to_json(${int64s})
to_json(${bool})
to_json(struct(1 as a, 'x' as b, [1.5] as c))
to_json(${finite})
to_json(${numeric '99.995'; numeric '0.1'; numeric '9007199254740993'; numeric '9007199254740992'; numeric '12345678.123456789'; numeric '1e28'; bignumeric '0.1'; bignumeric '0.333333333333333333333'; bignumeric '1e-38'}, stringify_wide_numbers => true)
to_json(struct(numeric '1.5' as a, [numeric '0.1', numeric '9007199254740993.1'] as b), stringify_wide_numbers => true)
-- TO_JSON_STRING
to_json_string(${int64})
to_json_string(${float64})
to_json_string(${numeric})
to_json_string(${string})
to_json_string(${bytes})
to_json_string(${bool})
to_json_string(${date})
to_json_string(${datetime})
to_json_string(${time})
to_json_string(${timestamp})
to_json_string(${int64s})
to_json_string(${strings})
to_json_string(${interval 24 hour; interval 0 day; interval '1-2 3 4:5:6.789' year to second; interval '1.5' second; make_interval(1, -2, 3, -4, 5, 6); make_interval(month=>-14, hour=>-30); make_interval(second=>-1); cast('0-0 0 -1:0:0.25' as interval); cast('0-0 0 0:0:0.000001' as interval); cast('10000-0 3660000 87840000:0:0' as interval)})
to_json_string(struct([make_interval(1, 2, 3), interval -1 day] as a, cast(null as interval) as b))
to_json(struct(justify_hours(interval 24 hour) as c1))
to_json_string(${json})
to_json_string(struct(1 as a, 'x' as b, [1.5, 2] as c, struct(null as d) as e))
to_json_string([struct(1 as a), struct(2 as a)])
to_json_string(struct(1 as a, [1, 2] as b), true)
to_json_string(${json '1'; json '[]'; json '[[],[1,"]["]]'; json 'null'; cast(null as json)}, true)
to_json_string(json '{}', true)
to_json_string([json '1', json '{"a":2}'])
to_json_string([json '{"b":[1,{"d":1,"c":null}],"a":2}', null], true)
to_json_string(struct([json '1', null] as xs, json '{"b":1}' as j))
to_json_string(json_query_array(json '[1,{"b":2,"a":[]}]'))
to_json_string(parse_json('{"b":1,"a":{"z":[1,{"y":1.50,"x":"q, \\"r\\": 1"}],"é":1,"Z":2}}'))
to_json_string(json '[{},{"a":{}}]', true)
to_json_string(json '{"b":1,"a":[1,{"x":"é\\u0000{\\"["}],"c":{"d":[[1.5]]}}', true)
to_json_string(struct(struct(json '{"a":[1]}' as j) as s, json '[]' as e, cast(null as json) as n), true)
to_json_string('quote " backslash \\ slash / control \x01 unicode é')
-- JSON_TYPE
json_type(${json})
json_type(json '${1; 1.5; "s"; true; null; []}')
json_type(json '{}')
-- JSON_KEYS
json_keys(json '{"a": {"b": 1}, "c": 2}') <=> ['a', 'a.b', 'c']
json_keys(json '{"a": {"b": 1}, "c": 2}', 1) <=> ['a', 'c']
json_keys(cast(null as json)) <=> cast(null as array<string>)
json_keys(json '{"x y":1,"":2,"a-b":3,"$":4,"a.b":5}') <=> ['', '"a.b"', '$', 'a-b', 'x y']
json_keys(json r'{"\\":1, "\n":2}') <=> [r'"\\"', r'"\n"']
-- JSON_ARRAY
json_array(1, 'a', null, true)
json_array()
-- JSON_OBJECT
json_object('a', 1, 'b', 'x')
json_object()
json_object(['a', 'b'], [1, 2])
json_object(concat('b', 'c'), 1, 'b', [1, 2])
json_object(['b', 'a', 'b'], ['x', null, 'z'])
json_object(['a'], [1, 2])
json_object(['a', null], [1, 2])
json_object(cast(null as array<string>), [1])
-- JSON_SET
json_set(json '{"a":1}', '$.b.c', 5)
json_set(json '{"a":1}', '$.b[2].c', 5)
json_set(json '{"a":[1]}', '$.a[3]', 5)
json_set(json '{"a":[1]}', '$.a.x', 5)
json_set(json '{"a":null}', '$.a.b', 5)
json_set(json '{"a":1}', '$', 5)
json_set(json '{"a":1}', null, 5)
json_set(json '{"a":1}', '$.a', null)
json_set(json 'null', '$.a', 5)
json_set(json '[null]', '$[0].a', 5)
json_set(json '{"a":1}', '$.*', 5)
json_set(json '{"a":1.50,"b":12345678901234567}', '$.c', 1000.0)
json_set(json '{"a": 1}', '$.a', 2)
json_set(json '{"a": 1}', '$.b.c', 'x')
-- JSON_REMOVE
json_remove(json '{"a":1,"b":[1,2,3]}', '$.b[0]')
json_remove(json '{"a":1}', '$')
json_remove(json '{"a":1}', '$.x.y')
json_remove(json '[1,2]', '$[5]')
json_remove(json '{"a b":1, "c":2}', '$."a b"')
json_remove(json '{"a": 1, "b": 2}', '$.a')
json_remove(json '[1, 2, 3]', '$[1]')
-- JSON_STRIP_NULLS
json_strip_nulls(json '{"a":null,"b":[null,1,{}],"c":{}}')
json_strip_nulls(json '{"a":null,"b":[null,1,{}],"c":{}}', include_arrays=>false)
json_strip_nulls(json '{"a":null,"b":[null,1,{}],"c":{}}', remove_empty=>true)
json_strip_nulls(json '{"a":null,"b":[null,1,{}],"c":{"d":null}}', remove_empty=>true, include_arrays=>false)
json_strip_nulls(json '{"b":[{"x":null,"y":[null]}]}', remove_empty=>true, include_arrays=>false)
json_strip_nulls(json '{"b":[{"x":null,"y":[null]}]}', include_arrays=>false)
json_strip_nulls(json '{"a":null,"b":[null,1,{"x":null}],"c":{}}', '$.b')
json_strip_nulls(json '[null, null]', remove_empty=>true)
json_strip_nulls(json '[[null], {"a":[]}, 1]', remove_empty=>true)
json_strip_nulls(json '{"a":{"b":{"c":null}}}', '$.a', remove_empty=>true)
json_strip_nulls(json '{"a": null, "b": {"c": null, "d": 1}}')
-- JSON_ARRAY_APPEND
json_array_append(json '{"a":[1]}', '$.a', [3,4])
json_array_append(json '{"a":[1]}', '$.a', [3,4], append_each_element=>false)
json_array_append(json '{"a":null}', '$.a', 2)
json_array_append(json '{"a":1}', '$.a', 2)
json_array_append(json '{"a":[1]}', '$.b', 2)
json_array_append(json '[1]', '$', null)
json_array_append(json '{"a": [1]}', '$.a', 2)
-- JSON_ARRAY_INSERT
json_array_insert(json '[1,2]', '$[1]', 9)
json_array_insert(json '[1,2]', '$[4]', 9)
json_array_insert(json '[1,2]', '$[0]', [7,8])
json_array_insert(json '{"a":null}', '$.a[2]', 9)
json_array_insert(json '{"a":1}', '$.a[2]', 9)
json_array_insert(json '{"a":1}', '$', 9)
json_array_insert(json '[1, 2]', '$[1]', 9)
-- INT64_ARRAY
! int64_array(json '[]')
-- FLOAT64_ARRAY
! float64_array(json '[]')
-- BOOL_ARRAY
! bool_array(json '[]')
-- STRING_ARRAY
! string_array(json '[]')
-- LAX_INT64_ARRAY
! lax_int64_array(json '[]')
-- LAX_FLOAT64_ARRAY
! lax_float64_array(json '[]')
-- LAX_BOOL_ARRAY
! lax_bool_array(json '[]')
-- LAX_STRING_ARRAY
! lax_string_array(json '[]')
