-- Paths are JSON pointers: rules call this macro for those that are not literals.
create macro bq.json_pointer(path, is_old) as host_json_pointer(path, is_old); -- varchar
-- DuckDB accepts more than JSON and rewrites numbers: numbers in texts are kept as marked strings during processing.
create macro bq.json_bones(s) as regexp_replace(s, '"(?:[^"\\]|\\.)*"', '""', 'g'); -- varchar
-- A pattern that begins with letters is found fast.
create macro bq.json_sound(s) as case when regexp_matches(s, '(?i)n(an|f([,}\]\s]|inity|$))') then not regexp_matches(bq.json_bones(s), '(?i)nan|inf') and json_valid(s) else json_valid(s) end; -- boolean
-- True if a text has a number that DuckDB writes in another way: one with an exponent, with a zero at its end, with many digits, or -0.
create macro bq.json_has_odd_number(s) as regexp_matches(s, '(^|[:,\[\s])(-?(\d+(\.\d+)?[eE]|\d+\.\d+0([^\d]|$)|[\d.]{17}|0\.0000)|-0([^.\d]|$))'); -- boolean
create macro bq.json_with_numbers(s) as case when regexp_matches(s, '\d[.eE]|-0|\d{19}') then array_to_string(list_transform(regexp_extract_all(s, '"(?:[^"\\]|\\.)*"|[^"]+'), lambda token: case when starts_with(token, '"') then token else regexp_replace(token, '(-?\d[\d.eE+-]*)', '"\\u0001#\\u0002\1"', 'g') end), '') else s end; -- varchar
create macro bq.json_text_of(j) as regexp_replace(cast(j as varchar), '"\\u0001#\\u0002([^"]*)"', '\1', 'g'); -- varchar
-- An escaped surrogate without its other half is U+FFFD: JavaScript writes it of a text that is cut inside an emoji.
create macro bq.json_mended(s) as replace(regexp_replace(regexp_replace(replace(s, '\\', '\u005c'), '\\u([dD][89abAB]..)\\u([dD][c-fC-F]..)', '\\uu\1\\uu\2', 'g'), '\\u[dD][89a-fA-F][\da-fA-F]{2}', '\\ufffd', 'g'), '\uu', '\u'); -- varchar
create macro bq.json_at_mended(s, pointer) as case when contains(s, '\u') and regexp_matches(s, '\\u[dD]') and not contains(replace(s, '\\', ''), '\uu') and not json_valid(s) and json_valid(bq.json_mended(s)) then json_extract(bq.json_with_numbers(bq.json_mended(s)), pointer) end; -- json
create macro bq.json_at(s, pointer) as case when pointer is null or s is null then null when bq.json_sound(s) then json_extract(bq.json_with_numbers(s), pointer) else bq.json_at_mended(s, pointer) end; -- json
create macro bq.json_unmarked(s) as case when starts_with(s, chr(1) || '#' || chr(2)) then substr(s, 4) else s end; -- varchar
create macro bq.json_scalar(j) as case when json_type(j) not in ('OBJECT', 'ARRAY', 'NULL') then bq.json_unmarked(j ->> '$') end; -- varchar
create macro bq.json_not_null(j) as case when json_type(j) <> 'NULL' then j end; -- json
create macro bq.json_items(j) as cast(case when json_type(j) = 'ARRAY' then json_extract(j, '$[*]') end as json[]); -- json[]
create macro bq.json_scalars(items) as case when len(list_filter(items, lambda item: json_type(item) in ('OBJECT', 'ARRAY'))) = 0 then list_transform(items, lambda item: bq.json_scalar(item)) end; -- varchar[]
-- Numbers of JSON values have as few digits as they need, and an exponent from 10^15 on.
create macro bq.json_float(x) as case when cast(format('{:.15g}', x) as double) = x then format('{:.15g}', x) when cast(format('{:.16g}', x) as double) = x then case when abs(x) >= 1e15 then format('{:.15e}', x) else format('{:.16g}', x) end when abs(x) >= 1e15 then format('{:.16e}', x) else format('{:.17g}', x) end; -- varchar
create macro bq.json_is_whole(n) as coalesce(try_cast(n as hugeint) between -9223372036854775808 and 18446744073709551615, false); -- boolean
create macro bq.json_number(n) as case when regexp_matches(n, '[.eE]') or length(n) > 18 and not bq.json_is_whole(n) then bq.format_point(bq.json_float(cast(n as double))) else n end; -- varchar
create macro bq.json_value_scalar(j) as case when json_type(j) = 'DOUBLE' then bq.json_number(j ->> '$') when json_type(j) not in ('OBJECT', 'ARRAY', 'NULL') then j ->> '$' end; -- varchar
create macro bq.json_value_scalars(items) as case when len(list_filter(items, lambda item: json_type(item) in ('OBJECT', 'ARRAY'))) = 0 then list_transform(items, lambda item: bq.json_value_scalar(item)) end; -- varchar[]
-- DuckDB's text of most values is the one that JSON has: the others begin with a digit, or are not scalars. Words and paths are first.
create macro bq.json_may_be_number(t) as t >= '-' and t < ':' and (t = '0' or contains(t, '.') or contains(t, 'e')) and try_cast(t as double) is not null; -- boolean
create macro bq.json_may_be_list(t) as t >= '[' and t < '\' or t >= '{' and t < '|'; -- boolean
create macro bq.json_is_usual(t) as t >= '_' and t < '{' or t >= '/' and t < '0' or t >= ':' and not starts_with(t, '[') and not starts_with(t, '{') or t < ':' and t <> '0' and not contains(t, '.') and not contains(t, 'e'); -- boolean
-- A lambda is prepared for each block of rows, with all that it may compute: what few values need has one of its own.
create macro bq.json_other_scalar(t, s, path) as case when bq.json_may_be_list(t) then case when json_type(s, path) = 'VARCHAR' then t end when bq.json_may_be_number(t) and bq.json_has_odd_number(s) then list_transform([s], lambda odd: bq.json_scalar(json_extract(bq.json_with_numbers(odd), path)))[1] else t end; -- varchar
-- A pass reads several paths of a text together: what DuckDB finds there, and the scalar that this is of.
create macro bq.json_found(s, path) as case when bq.json_sound(s) then s end ->> path; -- varchar
create macro bq.json_scalar_found(t, s, path) as case when bq.json_is_usual(t) then t when t is not null then list_transform([t], lambda u: bq.json_other_scalar(u, s, path))[1] end; -- varchar
create macro bq.json_scalar_or_mended(found, s, path) as coalesce(found, bq.json_scalar(bq.json_at_mended(s, path))); -- varchar
create macro bq.json_scalar_at(s, path) as bq.json_scalar_or_mended(list_transform([bq.json_found(s, path)], lambda t: bq.json_scalar_found(t, s, path))[1], s, path); -- varchar
-- Where the only `key": ` of a text without escapes is followed by a number as DuckDB writes it, the text has it so.
create macro bq.json_is_at_key(t, s, key, pattern) as not contains(s, '\') and (contains(s, key || t || ',') or contains(s, key || t || '}') or contains(s, key || ' ' || t || ',') or contains(s, key || ' ' || t || '}')) and not s like pattern; -- boolean
create macro bq.json_scalar_of_key(t, s, path, key, pattern) as case when t < ':' and (try_cast(t as double) is null or bq.json_is_at_key(t, s, key, pattern)) then t else list_transform([t], lambda v: bq.json_other_scalar(v, s, path))[1] end; -- varchar
create macro bq.json_scalar_found_at_key(t, s, path, key, pattern) as case when bq.json_is_usual(t) then t when t is not null then list_transform([t], lambda u: bq.json_scalar_of_key(u, s, path, key, pattern))[1] end; -- varchar
create macro bq.json_scalar_at_key(s varchar, path varchar, key varchar, pattern varchar) as bq.json_scalar_or_mended(list_transform([bq.json_found(s, path)], lambda t: bq.json_scalar_found_at_key(t, s, path, key, pattern))[1], s, path); -- varchar
create macro bq.json_other_value(t, j, path) as case when bq.json_may_be_list(t) then case when json_type(j, path) = 'VARCHAR' then t end when bq.json_may_be_number(t) then bq.json_value_scalar(json_extract(j, path)) else t end; -- varchar
create macro bq.json_value_at(j, path) as list_transform([j ->> path], lambda t: case when bq.json_is_usual(t) then t when t is not null then list_transform([t], lambda u: bq.json_other_value(u, j, path))[1] end)[1]; -- varchar
create macro bq.json_may_have_odd_number(t, s) as contains(t, '.') or contains(s, '-0') or regexp_matches(t, 'e[+-]?\d'); -- boolean
create macro bq.json_with_odd_numbers(t, s, path) as case when bq.json_has_odd_number(s) then list_transform([s], lambda odd: bq.json_text_of(json_extract(bq.json_with_numbers(odd), path)))[1] else t end; -- varchar
create macro bq.json_text_at(s, path) as coalesce(list_transform([cast(json_extract(case when bq.json_sound(s) then s end, path) as varchar)], lambda t: case when t = 'null' or t is null then null when bq.json_may_have_odd_number(t, s) then list_transform([t], lambda u: bq.json_with_odd_numbers(u, s, path))[1] else t end)[1], bq.json_text_of(bq.json_not_null(bq.json_at_mended(s, path)))); -- varchar
create macro bq.json_value(s varchar) as bq.json_scalar(bq.json_at(s, '$')); -- varchar
create macro bq.json_value(s varchar, path varchar) as bq.json_scalar_at(s, path); -- varchar
create macro bq.json_value(j json) as bq.json_value_scalar(j); -- varchar
create macro bq.json_value(j json, path varchar) as bq.json_value_at(j, path); -- varchar
create macro bq.json_query(s varchar) as bq.json_text_of(bq.json_not_null(bq.json_at(s, '$'))); -- varchar
create macro bq.json_query(s varchar, path varchar) as bq.json_text_at(s, path); -- varchar
create macro bq.json_query(j json) as j; -- json
create macro bq.json_query(j json, path varchar) as json_extract(j, path); -- json
-- A path that begins with lax finds values within arrays, too.
create macro bq.json_query_lax(j json, path varchar) as cast(host_json_query_lax(cast(j as varchar), path) as json); -- json
create macro bq.json_query_by(j json, path varchar) as case when regexp_matches(path, '^(?i:lax|recursive)\s') then bq.json_query_lax(j, path) else json_extract(j, host_json_pointer(path, false)) end; -- json
create macro bq.json_query_array(s varchar) as list_transform(bq.json_items(bq.json_at(s, '$')), lambda item: bq.json_text_of(item)); -- varchar[]
create macro bq.json_query_array(s varchar, path varchar) as list_transform(bq.json_items(bq.json_at(s, path)), lambda item: bq.json_text_of(item)); -- varchar[]
create macro bq.json_query_array(j json) as bq.json_items(j); -- json[]
create macro bq.json_query_array(j json, path varchar) as bq.json_items(json_extract(j, path)); -- json[]
create macro bq.json_value_array(s varchar) as bq.json_scalars(bq.json_items(bq.json_at(s, '$'))); -- varchar[]
create macro bq.json_value_array(s varchar, path varchar) as bq.json_scalars(bq.json_items(bq.json_at(s, path))); -- varchar[]
create macro bq.json_value_array(j json) as bq.json_value_scalars(bq.json_items(j)); -- varchar[]
create macro bq.json_value_array(j json, path varchar) as bq.json_value_scalars(bq.json_items(json_extract(j, path))); -- varchar[]
create macro bq.json_extract_scalar(s varchar) as bq.json_scalar(bq.json_at(s, '$')); -- varchar
create macro bq.json_extract_scalar(s varchar, path varchar) as bq.json_scalar_at(s, path); -- varchar
create macro bq.json_extract_scalar(j json) as bq.json_value_scalar(j); -- varchar
create macro bq.json_extract_scalar(j json, path varchar) as bq.json_value_at(j, path); -- varchar
create macro bq.json_extract(s varchar) as bq.json_text_of(bq.json_not_null(bq.json_at(s, '$'))); -- varchar
create macro bq.json_extract(s varchar, path varchar) as bq.json_text_at(s, path); -- varchar
create macro bq.json_extract(j json) as j; -- json
create macro bq.json_extract(j json, path varchar) as json_extract(j, path); -- json
create macro bq.json_extract_array(s varchar) as list_transform(bq.json_items(bq.json_at(s, '$')), lambda item: bq.json_text_of(item)); -- varchar[]
create macro bq.json_extract_array(s varchar, path varchar) as list_transform(bq.json_items(bq.json_at(s, path)), lambda item: bq.json_text_of(item)); -- varchar[]
create macro bq.json_extract_array(j json) as bq.json_items(j); -- json[]
create macro bq.json_extract_array(j json, path varchar) as bq.json_items(json_extract(j, path)); -- json[]
create macro bq.json_extract_string_array(s varchar) as bq.json_scalars(bq.json_items(bq.json_at(s, '$'))); -- varchar[]
create macro bq.json_extract_string_array(s varchar, path varchar) as bq.json_scalars(bq.json_items(bq.json_at(s, path))); -- varchar[]
create macro bq.json_extract_string_array(j json) as bq.json_value_scalars(bq.json_items(j)); -- varchar[]
create macro bq.json_extract_string_array(j json, path varchar) as bq.json_value_scalars(bq.json_items(json_extract(j, path))); -- varchar[]
-- Of several fields with the same name the first one is kept.
create macro bq.json_once(j, names) as case when len(list_distinct(names)) < len(names) then json('{' || array_to_string(list_transform(list_filter(names, lambda name, i: list_position(names, name) = i), lambda name: cast(to_json(name) as varchar) || ':' || cast(json_extract(j, '/' || replace(replace(name, '~', '~0'), '/', '~1')) as varchar)), ',') || '}') else j end; -- json
-- An integer beyond 64 bits is a FLOAT64, of which all its digits but zeros at its end are.
create macro bq.json_whole_held(n) as isfinite(try_cast(n as double)) and rtrim(replace(split_part(format('{:.16e}', abs(try_cast(n as double))), 'e', 1), '.', ''), '0') = rtrim(ltrim(n, '-'), '0'); -- boolean
create macro bq.json_number_held(n) as case when regexp_matches(n, '[.eE]') then isfinite(try_cast(n as double)) and length(regexp_replace(regexp_replace(n, '[eE].*|[-.]', '', 'g'), '^0+', '')) <= 17 else bq.json_is_whole(n) or bq.json_whole_held(n) end; -- boolean
create macro bq.parse_json(s varchar) as case when s is null then null when not bq.json_sound(s) or regexp_matches(bq.json_bones(s), ',\s*[\]}]') then bq.fail('Invalid input to PARSE_JSON: ' || s) when regexp_matches(bq.json_bones(s), '\d[\d.]{17}|[eE]') and not coalesce(list_bool_and(list_transform(regexp_extract_all(bq.json_bones(s), '-?\d[\d.eE+-]*'), lambda n: bq.json_number_held(n))), true) then bq.fail('PARSE_JSON of a number that FLOAT64 can not hold: ' || s) else bq.json_once(json(s), json_keys(s)) end; -- json
-- PARSE_JSON that rounds numbers to FLOAT64: all that it could not hold are written as it holds them.
create macro bq.json_rounded_number(t) as case when regexp_full_match(t, '-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?') and not bq.json_number_held(t) then case when isfinite(cast(t as double)) then cast(cast(t as double) as varchar) else bq.fail('PARSE_JSON of a number beyond FLOAT64: ' || t) end else t end; -- varchar
create macro bq.json_rounded(s) as case when regexp_matches(bq.json_bones(s), '\d[\d.]{17}|[eE]') then array_to_string(list_transform(regexp_extract_all(s, '"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|[^"\d-]+|.'), lambda t: bq.json_rounded_number(t)), '') else s end; -- varchar
create macro bq.parse_json_rounded(s varchar) as bq.parse_json(bq.json_rounded(s)); -- json
create macro bq.json_type(j json) as case json_type(j) when 'OBJECT' then 'object' when 'ARRAY' then 'array' when 'VARCHAR' then 'string' when 'BOOLEAN' then 'boolean' when 'NULL' then 'null' else case when j is not null then 'number' end end; -- varchar
-- Helpers of functions/to-json.ts.
create macro bq.json_escaped(s) as case when regexp_matches(s, '[\x00-\x1f\x{2028}\x{2029}]') then '"' || array_to_string(list_transform(bq.characters(s), lambda c: case when unicode(c) in (8, 9, 10, 12, 13) or unicode(c) >= 32 and unicode(c) not in (8232, 8233) then substr(cast(to_json(c) as varchar), 2, length(cast(to_json(c) as varchar)) - 2) else format('\u{:04x}', unicode(c)) end), '') || '"' else cast(to_json(s) as varchar) end; -- varchar
-- What DuckDB writes without an escape is as BigQuery has it, except for two characters.
create macro bq.json_quoted(s) as case when contains(cast(to_json(s) as varchar), '\') or contains(s, chr(8232)) or contains(s, chr(8233)) then bq.json_escaped(s) else cast(to_json(s) as varchar) end; -- varchar
create macro bq.json_of_int64(n) as case when n between -9007199254740992 and 9007199254740992 then cast(n as varchar) else '"' || n || '"' end; -- varchar
create macro bq.json_of_float64(x) as case when isnan(x) then '"NaN"' when isinf(x) then case when x > 0 then '"Infinity"' else '"-Infinity"' end when cast(format('{:.15g}', x + 0.0) as double) = x then format('{:.15g}', x + 0.0) else format('{:.17g}', x) end; -- varchar
create macro bq.json_of_numeric(text) as case when text = cast(try_cast(text as bigint) as varchar) then bq.json_of_int64(cast(text as bigint)) else '"' || text || '"' end; -- varchar
create macro bq.json_of_decimal(text) as host_json_of_decimal(text); -- varchar
create macro bq.json_rewritten(j) as array_to_string(list_transform(regexp_extract_all(cast(j as varchar), '"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|[^"\d-]+'), lambda token: case when regexp_matches(token, '^-?\d') then bq.json_number(token) else token end), ''); -- varchar
create macro bq.json_of_json(j) as bq.json_rewritten(case when regexp_matches(cast(j as varchar), ',\s*"(?:[^"\\]|\\.)*"\s*:') or contains(cast(j as varchar), '\u00') then host_json_sorted(cast(j as varchar)) else cast(j as varchar) end); -- varchar
create macro bq.json_indented(text, depth) as host_json_indented(text, depth); -- varchar

-- Functions that change a JSON value. Rules chain the pairs of a path and a value, and pass values of other types as JSON.
-- A pair whose path or option is NULL is ignored; the host functions are not called with NULL.
create macro bq.json_set(j json, path varchar, value json, create_if_missing boolean) as cast(host_json_set(cast(j as varchar), coalesce(path, '$'), coalesce(cast(value as varchar), 'null'), coalesce(create_if_missing, false), path is not null and create_if_missing is not null) as json); -- json
create macro bq.json_remove(j json, path varchar) as cast(host_json_remove(cast(j as varchar), coalesce(path, '$'), path is not null) as json); -- json
create macro bq.json_array_append(j json, path varchar, value json, each_element boolean) as cast(host_json_append(cast(j as varchar), coalesce(path, '$'), coalesce(cast(value as varchar), 'null'), coalesce(each_element, false), path is not null and each_element is not null) as json); -- json
create macro bq.json_array_insert(j json, path varchar, value json, each_element boolean) as cast(host_json_insert(cast(j as varchar), coalesce(path, '$'), coalesce(cast(value as varchar), 'null'), coalesce(each_element, false), path is not null and each_element is not null) as json); -- json
create macro bq.json_strip_nulls(j json) as cast(host_json_strip(cast(j as varchar), '$', true, false, true) as json); -- json
create macro bq.json_strip_nulls(j json, path varchar) as cast(host_json_strip(cast(j as varchar), coalesce(path, '$'), true, false, path is not null) as json); -- json
create macro bq.json_strip_nulls(j json, path varchar, include_arrays boolean) as cast(host_json_strip(cast(j as varchar), coalesce(path, '$'), coalesce(include_arrays, false), false, path is not null and include_arrays is not null) as json); -- json
create macro bq.json_strip_nulls(j json, path varchar, include_arrays boolean, remove_empty boolean) as cast(host_json_strip(cast(j as varchar), coalesce(path, '$'), coalesce(include_arrays, false), coalesce(remove_empty, false), path is not null and include_arrays is not null and remove_empty is not null) as json); -- json
create macro bq.json_keys(j json) as cast(cast(host_json_keys(cast(j as varchar), 9223372036854775807, 'strict') as json) as varchar[]); -- varchar[]
create macro bq.json_keys(j json, max_depth bigint) as cast(cast(host_json_keys(cast(j as varchar), coalesce(max_depth, 9223372036854775807), 'strict') as json) as varchar[]); -- varchar[]
create macro bq.json_keys(j json, max_depth bigint, mode varchar) as cast(cast(host_json_keys(cast(j as varchar), coalesce(max_depth, 9223372036854775807), mode) as json) as varchar[]); -- varchar[]

-- JSON_OBJECT of computed names: sorted, and of equal names the first.
create macro bq.json_object_joined(names, texts) as '{' || array_to_string(list_transform(list_sort(list_distinct(names)), lambda name: bq.json_quoted(name) || ':' || texts[list_position(names, name)]), ',') || '}'; -- varchar
create macro bq.json_object_checked(names, texts) as case when names is null or texts is null or len(names) <> len(texts) then bq.fail('JSON_OBJECT takes as many names as values') when len(names) > list_count(names) then bq.fail('JSON_OBJECT takes no NULL as a name') else bq.json_object_joined(names, texts) end; -- varchar
create macro bq.json_object_of(names, texts) as list_transform([row(names, texts)], lambda o: bq.json_object_checked(o[1], o[2]))[1]; -- varchar
