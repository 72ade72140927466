create macro bq.at_offset(a, i bigint) as case when i >= 0 then coalesce(a[i + 1], case when i >= len(a) then bq.fail('Array index ' || i || ' is out of bounds') end) when a is not null then bq.fail('Array index ' || i || ' is out of bounds') end; -- element of a
create macro bq.at_ordinal(a, i bigint) as case when a is not null and (i < 1 or i > len(a)) then bq.fail('Array index ' || i || ' is out of bounds') else a[i] end; -- element of a
create macro bq.at_safe_offset(a, i bigint) as case when i >= 0 and i < len(a) then a[i + 1] end; -- element of a
create macro bq.at_safe_ordinal(a, i bigint) as case when i >= 1 then a[i] end; -- element of a
create macro bq.array_length(a any[]) as len(a); -- bigint
create macro bq.array_reverse(a any[]) as list_reverse(a); -- a
create macro bq.array_first(a any[]) as case when len(a) = 0 then bq.fail('ARRAY_FIRST cannot get the first element of an empty array') else a[1] end; -- element of a
create macro bq.array_last(a any[]) as case when len(a) = 0 then bq.fail('ARRAY_LAST cannot get the last element of an empty array') else a[-1] end; -- element of a
create macro bq.array_slice(a any[], i bigint, j bigint) as case when i is not null and j is not null and a is not null then list_slice(a, least(greatest(case when i < 0 then i + len(a) else i end, 0), len(a)) + 1, greatest(least(case when j < 0 then j + len(a) else j end, len(a) - 1) + 1, 0)) end; -- a
-- DuckDB's aggregate accepts only a constant delimiter.
create macro bq.array_joined(a varchar[], delimiter) as coalesce(list_aggregate(a, 'string_agg', delimiter), case when a is not null then '' end); -- varchar
create macro bq.array_to_string(a varchar[], delimiter varchar) as case when list_count(a) = 0 and delimiter is not null then '' when a is not null and delimiter is not null then list_reduce(list_filter(a, lambda x: x is not null), lambda x, y: x || delimiter || y) end; -- varchar
create macro bq.array_to_string(a varchar[], delimiter varchar, null_text varchar) as bq."array_to_string(a varchar[], delimiter varchar)"(case when null_text is not null then list_transform(a, lambda x: coalesce(x, null_text)) end, delimiter); -- varchar
create macro bq.array_to_string(a blob[], delimiter blob) as case when list_count(a) = 0 and delimiter is not null then ''::blob when a is not null and delimiter is not null then list_reduce(list_filter(a, lambda x: x is not null), lambda x, y: x || delimiter || y) end; -- blob
create macro bq.array_to_string(a blob[], delimiter blob, null_text blob) as bq."array_to_string(a blob[], delimiter blob)"(case when null_text is not null then list_transform(a, lambda x: coalesce(x, null_text)) end, delimiter); -- blob
-- More elements would be made in one step, which neither the memory limit nor an interrupt stops.
create macro bq.bounded_count(n) as case when n > 1048574 then bq.fail('Cannot generate arrays with more than 1048575 elements') else n end; -- double
create macro bq.generate_array(a bigint, b bigint) as case when bq.bounded_count(cast(b as double) - a) is not null then generate_series(a, b) end; -- bigint[]
create macro bq.generate_array(a bigint, b bigint, step bigint) as case when step = 0 then bq.fail('sequence step cannot be 0') when step > 0 and a > b or step < 0 and a < b then [] when bq.bounded_count((cast(b as double) - a) / step) is not null then generate_series(a, b, step) end; -- bigint[]
create macro bq.generate_array(a decimal(38,9), b decimal(38,9), step decimal(38,9)) as case when step = 0 then bq.fail('sequence step cannot be 0') when b is not null then list_transform(range(cast(floor(bq.bounded_count(cast((b - a) / step as double)) + 1e-9) as bigint) + 1), lambda n: cast(a + n * step as decimal(38,9))) end; -- decimal(38,9)[]
create macro bq.generate_array(a double, b double, step double) as case when step = 0 then bq.fail('sequence step cannot be 0') when b is not null then list_transform(range(cast(floor(bq.bounded_count((b - a) / step)) as bigint) + 1), lambda n: a + n * step) end; -- double[]
create macro bq.generate_array(a decimal(38,9), b decimal(38,9)) as bq."generate_array(a decimal(38,9), b decimal(38,9), step decimal(38,9))"(a, b, 1); -- decimal(38,9)[]
create macro bq.generate_array(a double, b double) as bq."generate_array(a double, b double, step double)"(a, b, 1); -- double[]
