-- COUNT
select count(*) from unnest(${int64s})
select count(x) from unnest(${int64s}) as x
select count(distinct x) from unnest(${int64s}) as x
select count(distinct s) from unnest(${strings}) as s
select count(*) over () from unnest([1, 2]) as x
select count(if(x > 1, 1, null)) from unnest([1, 2, 3]) as x
-- COUNTIF
select countif(x > 1) from unnest(${int64s}) as x
select countif(x is null) from unnest(${int64s}) as x
select countif(distinct x > 1) from unnest([1, 2, 2, 3, 3]) as x
-- SUM
select sum(x) from unnest(${int64s}) as x
select sum(x) from unnest([9223372036854775807, 1]) as x
select sum(distinct x) from unnest([1, 1, 2]) as x
select sum(x) from unnest([1.5, 2.25, null]) as x
select sum(x) from unnest([1.0, cast('nan' as float64)]) as x
select sum(x) from unnest([1e308, 1e308]) as x
select sum(x) from unnest([numeric '1.5', numeric '2.000000001']) as x
select sum(x) from unnest([numeric '99999999999999999999999999999', numeric '99999999999999999999999999999']) as x
-- AVG
select avg(x) from unnest(${int64s}) as x
select avg(distinct x) from unnest([1, 1, 2]) as x
select avg(x) from unnest([1.5, 2.25, null]) as x
select avg(x) from unnest([1.0, cast('inf' as float64)]) as x
select avg(x) from unnest([numeric '1', numeric '2', numeric '2']) as x
select avg(x) from unnest([9223372036854775807, 9223372036854775807]) as x
! select avg(x) from unnest([${'a'; true; date '2024-01-01'; timestamp '2024-01-01 00:00:00+00'; time '10:00:00'; b'a'; json '1'; struct(1 as a)}]) as x
-- MIN
! select min(x) from unnest([${json '1'; struct(1 as a)}]) as x
select min(x) from unnest(${int64s}) as x
select min(x) from unnest(${strings}) as x
select min(x) from unnest([1.0, cast('nan' as float64), -1.0]) as x
select min(x) from unnest([date '2024-02-29', date '1970-01-01']) as x
select min(x) from unnest([false, true, null]) as x
select min(x) from unnest([b'b', b'a']) as x
-- MAX
! select max(x) from unnest([${json '1'; struct(1 as a)}]) as x
select max(x) from unnest(${int64s}) as x
select max(x) from unnest(${strings}) as x
select max(x) from unnest([1.0, cast('nan' as float64), -1.0]) as x
select max(x) from unnest([cast('nan' as float64)]) as x
select max(x) from unnest([timestamp '2024-02-29', timestamp '1970-01-01']) as x
select max(x) from unnest([false, true, null]) as x
-- MIN_BY
select min_by(v, x) from unnest([struct(1 as v, interval 1 day as x), (2, interval 25 hour), (3, interval 23 hour), (4, interval 1 month), (5, interval 29 day), (6, null)]) <=> select any_value(v having min x) from unnest([struct(1 as v, interval 1 day as x), (2, interval 25 hour), (3, interval 23 hour), (4, interval 1 month), (5, interval 29 day), (6, null)])
select min_by(s, x) from unnest([struct('a' as s, 2 as x), struct('b', 1), struct('c', null)]) <=> select any_value(s having min x) from unnest([struct('a' as s, 2 as x), struct('b', 1), struct('c', null)])
select min_by(s, x) from unnest([struct(cast(null as string) as s, 1 as x), struct('b', 2)]) <=> select any_value(s having min x) from unnest([struct(cast(null as string) as s, 1 as x), struct('b', 2)])
-- MAX_BY
select max_by(v, x) from unnest([struct(1 as v, interval 1 day as x), (2, interval 25 hour), (3, interval 23 hour), (4, interval 1 month), (5, interval 29 day), (6, null)]) <=> select any_value(v having max x) from unnest([struct(1 as v, interval 1 day as x), (2, interval 25 hour), (3, interval 23 hour), (4, interval 1 month), (5, interval 29 day), (6, null)])
select max_by(s, x) from unnest([struct('a' as s, 2 as x), struct('b', 1), struct('c', null)]) <=> select any_value(s having max x) from unnest([struct('a' as s, 2 as x), struct('b', 1), struct('c', null)])
select max_by(s, x) from unnest([struct(cast(null as string) as s, 3 as x), struct('b', 2)]) <=> select any_value(s having max x) from unnest([struct(cast(null as string) as s, 3 as x), struct('b', 2)])
-- ANY_VALUE
select any_value(v having ${max; min} x) from unnest([struct(1 as v, interval 1 day as x), (2, interval 25 hour), (3, interval 23 hour), (4, interval 1 month), (5, interval 29 day), (6, null)])
select any_value(x) from unnest([7, 7, 7]) as x
select any_value(x) from unnest(cast([] as array<int64>)) as x
select any_value(x) from unnest([cast(null as int64)]) as x
select any_value(s having max x) from unnest([struct('a' as s, 2 as x), struct('b', 1)])
select any_value(s having min x) from unnest([struct('a' as s, 2 as x), struct('b', 1)])
-- ARRAY_AGG
select array_agg(v order by x ${asc; desc} limit 3) as a, string_agg(cast(v as string) order by x) as b from unnest([struct(1 as v, interval 1 day as x), (2, interval 25 hour), (3, interval 23 hour), (4, interval 1 month), (5, interval 29 day), (6, null)])
select array_agg(x order by x) from unnest([3, 1, 2]) as x
select array_agg(x order by x desc) from unnest([3, 1, 2]) as x
select array_agg(distinct x order by x) from unnest([3, 1, 3]) as x
select x, (select array_agg(distinct x order by x ${asc; desc}) from unnest([1, 2])) as a from unnest(${[1, 2]; ['b', 'a']; [1.5, cast('nan' as float64)]}) as x
select array_agg(x ignore nulls order by x) from unnest([3, null, 1]) as x
select array_agg(x respect nulls order by x) from unnest([3, 1]) as x
select array_agg(x order by x limit 2) from unnest([3, 1, 2]) as x
select array_agg(x) from unnest(cast([] as array<int64>)) as x
select array_agg(struct(x, x * 2 as y) order by x) from unnest([2, 1]) as x
select array_agg(x order by mod(x, 2), x desc) from unnest([1, 2, 3, 4]) as x
select array_length(array_agg(x)) from unnest([3, 1, 2]) as x
-- ARRAY_CONCAT_AGG
select array_concat_agg(a order by array_length(a)) from unnest([struct([1, 2, 3] as a), struct([4]), struct(cast(null as array<int64>))])
select array_concat_agg(a order by array_length(a) limit 1) from unnest([struct([1, 2, 3] as a), struct([4])])
-- STRING_AGG
select string_agg(s order by s) from unnest(${strings}) as s
select string_agg(s, '; ' order by s desc) from unnest(['b', 'a', null]) as s
select s, (select string_agg(distinct s, '; ' order by s) from unnest([1, 2])) as r from unnest(['b', 'a', null]) as s
select string_agg(distinct s, '-' order by s) from unnest(['b', 'a', 'b']) as s
select string_agg(s, '' order by s limit 2) from unnest(['b', 'a', 'c']) as s
select string_agg(s, ' & ' order by length(s), s) from unnest(['bb', 'a', 'c']) as s
select string_agg(b, b'-' order by b) from unnest([b'x', b'y']) as b
-- BIT_AND
select bit_and(x) from unnest(${int64s}) as x
select bit_and(x) from unnest([61441, 161]) as x
-- BIT_OR
select bit_or(x) from unnest(${int64s}) as x
-- BIT_XOR
select bit_xor(x) from unnest(${int64s}) as x
select bit_xor(distinct x) from unnest([1, 2, 2]) as x
-- LOGICAL_AND
select logical_and(x > 0) from unnest(${int64s}) as x
-- LOGICAL_OR
select logical_or(x > 0) from unnest(${int64s}) as x
-- GROUPING
select a, b, grouping(a) as ga, grouping(b) as gb, count(*) as n from unnest([struct(1 as a, 'x' as b), (1, 'y'), (2, 'x')])
  group by rollup(a, b) order by ga, gb, a, b
select a + 1 as b, grouping(a + 1) as g from unnest([10, null]) as a group by grouping sets (1, a + 1, b) order by b, g
select a + 1 as b, grouping(a + 1) as g from unnest([10, null]) as a group by rollup (a + 1, b, 1) order by grouping(b), g, b
select a + 1 as b, grouping(a + 1) as g from unnest([10, null]) as a group by cube (b) having grouping(a + 1) = 1
-- CORR
select corr(x, y) from unnest([struct(1.0 as x, 2.0 as y), (2.0, 4.5), (3.0, 5.0)])
select corr(x, y) from unnest([struct(1.0 as x, 2.0 as y)])
select corr(x, y) from unnest([struct(1.0 as x, 2.0 as y), (1.0, 3.0)])
select corr(x, y) from unnest([struct(1.0 as x, cast(null as float64) as y), (2.0, 4.0), (3.0, 1.0)])
-- COVAR_POP
select covar_pop(x, y) from unnest([struct(1.0 as x, 2.0 as y), (2.0, 4.5), (3.0, 5.0)])
select covar_pop(x, y) from unnest([struct(1.0 as x, 2.0 as y)])
select covar_pop(x, y) from unnest([struct(1.0 as x, cast(null as float64) as y)])
-- COVAR_SAMP
select covar_samp(x, y) from unnest([struct(1.0 as x, 2.0 as y), (2.0, 4.5), (3.0, 5.0)])
select covar_samp(x, y) from unnest([struct(1.0 as x, 2.0 as y)])
-- STDDEV
select stddev(x) from unnest(${int64s}) as x
select stddev(x) from unnest([1.5, 2.5, 4.0, null]) as x
-- STDDEV_POP
select stddev_pop(x) from unnest(${int64s}) as x
select stddev_pop(x) from unnest([1.5, 2.5, 4.0, null]) as x
select stddev_pop(x) from unnest([1.0, cast('nan' as float64)]) as x
-- STDDEV_SAMP
select stddev_samp(x) from unnest(${int64s}) as x
select stddev_samp(x) from unnest([1.5, 2.5, 4.0, null]) as x
-- VARIANCE
select variance(x) from unnest(${int64s}) as x
select variance(distinct x) from unnest([1, 1, 2]) as x
-- VAR_POP
select var_pop(x) from unnest(${int64s}) as x
select var_pop(x) from unnest([1.5, 2.5, 4.0, null]) as x
-- VAR_SAMP
select var_samp(x) from unnest(${int64s}) as x
select var_samp(x) from unnest([1.5, 2.5, 4.0, null]) as x
-- APPROX_COUNT_DISTINCT
! select approx_count_distinct(x) from unnest([json '1']) as x
select approx_count_distinct(x) from unnest(${int64s}) as x <=> select count(distinct x) from unnest(${1}) as x
select approx_count_distinct(x) from unnest(${strings}) as x <=> select count(distinct x) from unnest(${1}) as x
select abs(approx_count_distinct(x) - 1000) < 50 from unnest(generate_array(1, 1000)) as x <=> true
-- HLL_COUNT.INIT
select hll_count.init(x) is null from unnest([cast(null as int64)]) as x <=> true
select hll_count.init(x, 12) is null from unnest([1.5, null]) as x <=> error('FLOAT64')
-- HLL_COUNT.EXTRACT
select hll_count.extract(hll_count.init(x)) from unnest(${int64s}) as x <=> select count(distinct x) from unnest(${1}) as x
select hll_count.extract(hll_count.init(x)) from unnest(${strings}) as x <=> select count(distinct x) from unnest(${1}) as x
select hll_count.extract(cast(null as bytes)) <=> 0
-- HLL_COUNT.MERGE
select hll_count.merge(s) from (select hll_count.init(x) as s from unnest(['a', 'b']) as x union all select hll_count.init(x) from unnest(['b', 'c']) as x) <=> 3
select hll_count.merge(s) from unnest([cast(null as bytes)]) as s <=> 0
-- HLL_COUNT.MERGE_PARTIAL
select hll_count.extract(hll_count.merge_partial(s)) from (select hll_count.init(x) as s from unnest([1, 2]) as x union all select hll_count.init(x) from unnest([2, 5]) as x) <=> 3
-- KLL_QUANTILES.INIT_INT64
select kll_quantiles.init_int64(x) is null from unnest([cast(null as int64)]) as x <=> true
select kll_quantiles.init_int64(x, 10) is null from unnest(['a']) as x <=> error('STRING')
select kll_quantiles.extract_int64(kll_quantiles.init_int64(x, 1000, weight => y), 2) from unnest([struct(1 as x, 1 as y), (2, 3), (3, 1), (4, 1), (5, 1)]) <=> [1, 2, 5]
-- KLL_QUANTILES.INIT_FLOAT64
select kll_quantiles.extract_float64(kll_quantiles.init_float64(x), 2) from unnest([2.5, null, cast('nan' as float64)]) as x <=> [cast('nan' as float64), cast('nan' as float64), 2.5]
-- KLL_QUANTILES.EXTRACT_INT64
select kll_quantiles.extract_int64(kll_quantiles.init_int64(x), ${2; 3; 4; 6; 100}) from unnest(generate_array(1, 100)) as x <=> select array(select greatest(1, cast(ceil(i * 100 / ${1}) as int64)) from unnest(generate_array(0, ${1})) as i order by i)
-- KLL_QUANTILES.EXTRACT_FLOAT64
select kll_quantiles.extract_float64(kll_quantiles.init_float64(x), 2) from unnest([1.5, 0.5, 3]) as x <=> [0.5, 1.5, 3]
-- KLL_QUANTILES.EXTRACT_POINT_INT64
select kll_quantiles.extract_point_int64(kll_quantiles.init_int64(x), 0.8) from unnest([1, 2, 3, 4, 5]) as x <=> 4
select kll_quantiles.extract_point_int64(cast(null as bytes), 0.8) <=> cast(null as int64)
-- KLL_QUANTILES.EXTRACT_POINT_FLOAT64
select kll_quantiles.extract_point_float64(kll_quantiles.init_float64(x), ${0; 1}) from unnest([1.5, 0.5]) as x <=> 0.5 + ${1}
-- KLL_QUANTILES.MERGE_INT64
select kll_quantiles.merge_int64(s, 2) from (select kll_quantiles.init_int64(x) as s from unnest([1, 2, 3, 4, 5]) as x union all select kll_quantiles.init_int64(x) from unnest([6, 7, 8, 9, 10]) as x) <=> [1, 5, 10]
-- KLL_QUANTILES.MERGE_FLOAT64
select kll_quantiles.merge_float64(s, 1) from (select kll_quantiles.init_float64(x) as s from unnest([1.5]) as x union all select kll_quantiles.init_float64(x) from unnest([0.5]) as x) <=> [0.5, 1.5]
-- KLL_QUANTILES.MERGE_POINT_INT64
select kll_quantiles.merge_point_int64(s, 0.9) from (select kll_quantiles.init_int64(x) as s from unnest([1, 2, 3, 4, 5]) as x union all select kll_quantiles.init_int64(x) from unnest([6, 7, 8, 9, 10]) as x) <=> 9
-- KLL_QUANTILES.MERGE_POINT_FLOAT64
select kll_quantiles.merge_point_float64(s, 1) from (select kll_quantiles.init_float64(x) as s from unnest([1.5, 0.5]) as x) <=> 1.5
-- KLL_QUANTILES.MERGE_PARTIAL
select kll_quantiles.extract_int64(kll_quantiles.merge_partial(s), 1) from (select kll_quantiles.init_int64(x) as s from unnest([1, 2]) as x union all select kll_quantiles.init_int64(x) from unnest([2, 5]) as x) <=> [1, 5]
select kll_quantiles.merge_partial(s) is null from unnest([cast(null as bytes)]) as s <=> true
-- APPROX_QUANTILES
! select approx_quantiles(x, 2) from unnest([${json '1'; struct(1 as a)}]) as x
select approx_quantiles(x, 4) from unnest([1, 2, 3, 4, 5]) as x <=> [1, 2, 3, 4, 5]
select approx_quantiles(x, 2) from unnest([1, 1, 1, 4, 5, 6, 7, 8, 9, 10]) as x <=> [1, 5, 10]
select approx_quantiles(x, ${1; 2; 3; 100}) from unnest([7]) as x <=> array(select 7 from unnest(generate_array(0, ${1})))
select approx_quantiles(x, 2) from unnest(cast([] as array<int64>)) as x <=> cast(null as array<int64>)
select approx_quantiles(x, 2) from unnest([null, 3, 1, 2, null]) as x <=> [1, 2, 3]
select approx_quantiles(x, 2 respect nulls) from unnest([null, 3, 1]) as x <=> [null, 1, 3]
select approx_quantiles(distinct x, 2) from unnest([1, 1, 1, 4, 5, 6, 7, 8, 9]) as x <=> [1, 6, 9]
select approx_quantiles(x, 2) from unnest(['b', 'a', 'c']) as x <=> ['a', 'b', 'c']
select array_length(approx_quantiles(x, 100)) from unnest(generate_array(1, 1000)) as x <=> 101
select abs(approx_quantiles(x, 100)[offset(${0; 5; 50; 95; 99; 100})] - 10 * ${1; 2}) <= 10 from unnest(generate_array(1, 1000)) as x
  <=> abs(10 * ${1} - 10 * ${2}) <= 10
-- APPROX_TOP_COUNT
! select approx_top_count(x, 1) from unnest([json '1']) as x
select approx_top_count(x, 2) from unnest(['apple', 'apple', 'pear', 'pear', 'pear', 'banana']) as x
  <=> [struct('pear' as value, 3 as count), ('apple', 2)]
select approx_top_count(x, 1) from unnest([null, null, 1]) as x <=> [struct(cast(null as int64) as value, 2 as count)]
select approx_top_count(x, 5) from unnest([1, 1, 2]) as x <=> [struct(1 as value, 2 as count), (2, 1)]
select approx_top_count(x, 3) from unnest([1.0, cast('nan' as float64), cast('nan' as float64), cast('nan' as float64), null, null]) as x <=> [struct(cast('nan' as float64) as value, 3 as count), (null, 2), (1.0, 1)]
select approx_top_count(x, 1) from unnest([cast('nan' as float64)]) as x <=> [struct(cast('nan' as float64) as value, 1 as count)]
! select approx_top_count(x, 1) from unnest([interval 1 day]) as x
-- APPROX_TOP_SUM
select approx_top_sum(x, w, 2) from unnest([struct('apple' as x, 3 as w), ('pear', 2), ('apple', 0), ('banana', 5), ('pear', 4)])
  <=> [struct('pear' as value, 6 as sum), ('banana', 5)]
-- APPROX_TOP_SUM
select approx_top_sum(x, weight, 2) from unnest([struct('apple' as x, 3 as weight), ('pear', 2), ('apple', 0), ('banana', 5), ('pear', 4)]) <=> [struct('pear' as value, 6 as sum), ('banana', 5)]
select approx_top_sum(x, weight, 2) from unnest([struct('apple' as x, null as weight), ('pear', 0), ('pear', null)]) <=> [struct('pear' as value, 0 as sum), ('apple', null)]
select approx_top_sum(x, weight, 2) from unnest([struct('apple' as x, 0 as weight), (null, 2)]) <=> [struct(cast(null as string) as value, 2 as sum), ('apple', 0)]
select approx_top_sum(x, weight, 2) from unnest([struct('apple' as x, 0 as weight), (null, null)]) <=> [struct('apple' as value, 0 as sum), (null, null)]
select approx_top_sum(x, weight, 9) from unnest([struct(date '2024-01-01' as x, numeric '1.5' as weight), (date '2024-01-02', 1.25), (date '2024-01-01', 0.000000001)]) <=> [struct(date '2024-01-01' as value, numeric '1.500000001' as sum), (date '2024-01-02', 1.25)]
select approx_top_sum(x, weight, 1) from unnest([struct(true as x, 0.5 as weight), (false, 0.75), (true, 0.5)]) <=> [struct(true as value, 1.0 as sum)]
select x, approx_top_sum(y, y, 1) as t from unnest([struct(1 as x, 9223372036854775807 as y), (1, 5), (2, 7)]) group by x order by x <=> select 1 as x, [struct(9223372036854775807 as value, 9223372036854775807 as sum)] as t union all select 2, [struct(7 as value, 7 as sum)] order by x
select approx_top_sum(x, x, 1) from unnest([1]) as x where false <=> cast(null as array<struct<value int64, sum int64>>)
select approx_top_sum(x, x, 1) from unnest([-1]) as x <=> error('negative')
select approx_top_sum(x, x, 1) from unnest([9223372036854775807, 9223372036854775807]) as x <=> error('overflow')
! select approx_top_sum(x, x, 0) from unnest([1]) as x
! select approx_top_sum(x, 'a', 1) from unnest([1]) as x
