-- ROW_NUMBER
select x, row_number() over (order by x) as n from unnest([3, 1, 2]) as x order by x
select x, row_number() over (partition by mod(x, 2) order by x desc) as n from unnest([1, 2, 3, 4]) as x order by x
select x, row_number() over (order by x nulls last) as n from unnest([3, null, 2]) as x order by n
-- RANK
select x, rank() over (order by x) as n from unnest([1, 2, 2, 5, null]) as x order by x
select x, rank() over (order by x desc) as n from unnest([1, 2, 2, 5, null]) as x order by x
-- DENSE_RANK
select x, dense_rank() over (order by x) as n from unnest([1, 2, 2, 5, null]) as x order by x
-- PERCENT_RANK
select x, percent_rank() over (order by x) as n from unnest([1, 2, 2, 5]) as x order by x
select percent_rank() over (order by x) as n from unnest([1]) as x
-- CUME_DIST
select x, cume_dist() over (order by x) as n from unnest([1, 2, 2, 5]) as x order by x
-- NTILE
select x, ntile(${1; 2; 3; 10}) over (order by x) as n from unnest([1, 2, 3, 4, 5]) as x order by x
! select ntile(0) over (order by x) as n from unnest([1]) as x
-- LAG
select x, lag(x) over (order by x) as n from unnest([1, 2, 4]) as x order by x
select x, lag(x, ${0; 1; 2; 5}) over (order by x) as n from unnest([1, 2, 4]) as x order by x
select x, lag(x, 1, -9) over (order by x) as n from unnest([1, 2, 4]) as x order by x
select x, lag(${'a'; struct(1 as a); [1]; date '2026-01-31'}, 1, null) over (order by x) as n from unnest([1, 2]) as x order by x
select x, lag(null, 1, ${'a'; 2.5; [1]}) over (order by x) as n from unnest([1, 2]) as x order by x
select x, lag(x, 1, ${2.5; numeric '2.5'; null}) over (order by x) as n from unnest([1, 2]) as x order by x
select x, lead('2026-01-31', 1, date '2026-02-01') over (order by x) as n from unnest([1, 2]) as x order by x
! select lag(x, 1, 'a') over (order by x) from unnest([1, 2]) as x
! select x, lag(x, -1) over (order by x) as n from unnest([1, 2, 4]) as x order by x
-- LEAD
select x, lead(x) over (order by x) as n from unnest([1, 2, 4]) as x order by x
select x, lead(x, ${0; 1; 2; 5}) over (order by x) as n from unnest([1, 2, 4]) as x order by x
select x, lead(x, 1, -9) over (order by x desc) as n from unnest([1, 2, 4]) as x order by x
-- FIRST_VALUE
! select first_value(null) over (order by x) from unnest([1]) as x
select x, first_value(x) over (order by x) as n from unnest([3, 1, 2]) as x order by x
select x, first_value(y ignore nulls) over (order by x) as n from unnest([struct(1 as x, cast(null as int64) as y), (2, 7), (3, 8)]) order by x
select x, first_value(x) over (order by x rows between 1 preceding and current row) as n from unnest([3, 1, 2]) as x order by x
select x, first_value(y respect nulls) over (order by x) as n from unnest([struct(1 as x, cast(null as int64) as y), (2, 7)]) order by x
-- LAST_VALUE
! select last_value(null) over (order by x) from unnest([1]) as x
select x, last_value(x) over (order by x) as n from unnest([3, 1, 2]) as x order by x
select x, last_value(x) over (order by x rows between unbounded preceding and unbounded following) as n from unnest([3, 1, 2]) as x order by x
select x, last_value(y ignore nulls) over (order by x) as n from unnest([struct(1 as x, 5 as y), (2, null), (3, 8)]) order by x
-- NTH_VALUE
select x, nth_value(x, ${1; 2; 5}) over (order by x) as n from unnest([3, 1, 2]) as x order by x
select x, nth_value(y, 1 ignore nulls) over (order by x) as n from unnest([struct(1 as x, cast(null as int64) as y), (2, 7), (3, 8)]) order by x
-- PERCENTILE_CONT
! select percentile_cont(x, 0.5) over () from unnest([${true; json '1'; 'a'; date '2024-01-01'}]) as x
select distinct percentile_cont(x, ${0; 0.25; 0.5; 0.9; 1}) over () as p from unnest([0, 3, null, 1, 2]) as x
select distinct percentile_cont(x, 0.5 respect nulls) over () as p from unnest([0, 3, null, 1, 2]) as x
select x, percentile_cont(x, 0.5) over (partition by mod(x, 2)) as p from unnest([1, 2, 3, 4, 5]) as x order by x
select percentile_cont(x, numeric '${0.5; 0.1; 0.999999999}') over () from unnest([numeric '-0.005', numeric '0.000000001', numeric '99999999999999999999999999999.999999999']) as x
select percentile_cont(x, numeric '0.5') over () from unnest([numeric '-0.005', numeric '0.000000001']) as x
-- PERCENTILE_DISC
! select percentile_disc(x, 0.5) over () from unnest([${json '1'; struct(1 as a)}]) as x
select distinct percentile_disc(x, ${0; 0.25; 0.5; 0.9; 1}) over () as p from unnest(['c', null, 'b', 'a']) as x
select distinct percentile_disc(x, 0.5 respect nulls) over () as p from unnest(['c', null, 'b', 'a']) as x
select distinct percentile_disc(x, ${0.5; 0.51}) over () as p from unnest([1, 2, 3, 4]) as x
select distinct percentile_disc(x, ${0; 0.1; 0.2; 0.3; 0.6; 0.7; 0.9; 1; 1e-20; numeric '0.7'; numeric '0.9'}) over () as p from unnest(generate_array(1, 10)) as x
select distinct percentile_disc(x, ${0.2; 0.4; 0.8; 0.6}) over () as p from unnest([1, 2.5, cast('nan' as float64), 4, 5]) as x
select distinct percentile_disc(x, ${0.07; 0.14; 0.9; 0.55; 0.99}) over () as p from unnest(generate_array(1, 100)) as x
select distinct percentile_disc(x, ${0.07; 0.14; 0.9; numeric '0.9'} respect nulls) over () as p from unnest(generate_array(1, 100)) as x
