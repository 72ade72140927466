-- ARRAY
array(select x from unnest(${int64s}) as x order by x)
array(select x * 2 from unnest([1, 2, 3]) as x where x > 5)
array(select as struct x, x * 2 as y from unnest([1, 2]) as x order by x)
array(select distinct x from unnest([3, 1, 3]) as x order by x desc)
array_length(array(select 1 union all select 2))
array(select x from unnest(['b', 'a']) as x order by x limit 1)
array_to_string(array(select ${; distinct} x from unnest(${strings}) as x order by x ${; desc} ${; limit 2; limit 0}), '|', 'none')
array_to_string(array(select cast(x as string) from unnest(${int64s}) as x ${; order by x; order by x desc nulls last; order by x nulls last}), '|', 'none')
array_to_string(array(select distinct x from unnest(${strings}) as x where x > 'a' order by 1 desc), '|', 'none')
array_to_string(array(select upper(x) from unnest(${strings}) as x with offset as o ${; where x <> 'b'} order by o ${; desc} ${; limit 2}), '|', 'none')
array_to_string(array(select concat(x, cast(o as string)) from unnest(${strings}) as x with offset as o order by o ${; desc} limit 2), '|', 'none')
(select x from unnest(${strings}) as x with offset as o order by o ${; desc} limit 1)
(select x from unnest(${int64s}) as x order by x ${; desc} limit 1)
-- ARRAY_CONCAT
array_concat(${int64s}, ${int64s})
array_concat(${strings}, ['z'])
array_concat([1], [2], [3, null])
array_concat([1, 2], [2.5])
! array_concat([1], null)
! array_concat(null)
-- ARRAY_LENGTH
array_length(${int64s})
array_length(${strings})
-- ARRAY_REVERSE
array_reverse(${int64s})
array_reverse(${strings})
-- ARRAY_TO_STRING
array_to_string(${strings}, ${','; ''; ' - '; null})
array_to_string(${strings}, ',', ${'NULL'; ''})
array_to_string([b'a', b'b'], b'-')
! array_to_string([1, 2], ',')
-- ARRAY_FIRST
array_first(${int64s})
array_first(${strings})
-- ARRAY_LAST
array_last(${int64s})
array_last(${strings})
-- ARRAY_SLICE
array_slice([1, 2, 3], ${9223372036854775807; -9223372036854775808}, ${9223372036854775807; -9223372036854775808})
array_slice(['a', 'b', 'c', 'd'], ${0; 1; -1; -3; 10; -10; null}, ${0; 1; 2; -1; 10; null})
array_slice(${int64s}, 0, 1)
-- ARRAY_INCLUDES
array_includes([1, 2], 1)
-- ARRAY_IS_DISTINCT
array_is_distinct([1, 2])
-- ARRAY_MAX
array_max([1, 2])
-- ARRAY_MIN
array_min([1, 2])
-- ARRAY_SUM
! array_sum([1, 2])
-- ARRAY_AVG
! array_avg([1, 2])
-- FLATTEN
flatten([struct(1 as a)].a)
-- GENERATE_ARRAY
generate_array(0, ${1.7; 0.3; 0.6; 1; 0.7}, ${0.1; 0.2; 0.3})
generate_array(${1.7; 0.3; 0.6; 1}, 0, ${-0.1; -0.2; -0.3})
generate_array(0.1, ${0.7; 1.7; 0.8}, ${0.1; 0.3})
generate_array(${small}, ${small})
generate_array(${0; 10; 1}, ${10; 0; 1}, ${1; 3; -1; -4; 0; null})
generate_array(0, 1, 0.25)
generate_array(1.5, 3)
generate_array(numeric '0', numeric '1', numeric '0.5')
generate_array(numeric '0', ${numeric '5.999999999'; numeric '6'; numeric '-5.999999999'; -6; 0; null}, ${2; -2; 0; numeric '2.000000001'; null})
generate_array(bignumeric '0', ${bignumeric '0.3'; numeric '-0.3'; 0; null}, ${bignumeric '0.1'; -1; 0; null})
generate_array(${1; numeric '1'; bignumeric '1'}, ${2; numeric '2'; bignumeric '2.5'})
generate_array(${1.0; cast('nan' as float64); null}, ${2.0; cast('nan' as float64); cast('-inf' as float64)}, ${1.0; cast('inf' as float64); cast('nan' as float64); null})
generate_array(9223372036854775805, 9223372036854775807)
array_length(generate_array(1, 1000))
