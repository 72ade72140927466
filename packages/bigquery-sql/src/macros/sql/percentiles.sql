-- Percentiles of a list in BigQuery's order: NULLs, then NaN, then the other values.
create macro bq.sorted_values(a) as list_sort(a, 'ASC', 'NULLS FIRST'); -- a
create macro bq.sorted_floats(a) as list_concat(list_concat(list_filter(a, lambda x: x is null), list_filter(a, lambda x: isnan(x))), list_sort(list_filter(a, lambda x: not isnan(x)))); -- a
create macro bq.percentile_disc_of(a, p) as a[greatest(cast(ceil(len(a) * p) as bigint), 1)]; -- element of a
-- A FLOAT64 from 2^-27 on is a whole number of parts of 2^-80.
create macro bq.percentile_disc_by_float(a, p) as a[greatest(cast((cast(len(a) as hugeint) * cast(ceil(p * 1208925819614629174706176) as hugeint) + 1208925819614629174706175) >> 80 as bigint), 1)]; -- element of a
create macro bq.percentile_between(a, pos) as bq.percentile_weighted(a[cast(floor(pos) as bigint) + 1], a[cast(floor(pos) as bigint) + 2], pos - floor(pos)); -- double
create macro bq.percentile_weighted(low, high, share) as case when share = 0 then low when low is null or high is null then coalesce(low, high) else low * (1 - share) + high * share end; -- double
create macro bq.percentile_cont_of(a double[], p double) as list_transform([row(a, (len(a) - 1) * p)], lambda v: bq.percentile_between(v[1], v[2]))[1]; -- double
create macro bq.percentile_numeric_weighted(low, high, share) as case when share = 0 then low when low is null or high is null then coalesce(low, high) else cast(host_numeric_between(cast(low as varchar), cast(high as varchar), cast(share as varchar)) as decimal(38,9)) end; -- decimal(38,9)
create macro bq.percentile_numeric_between(a, pos) as bq.percentile_numeric_weighted(a[cast(floor(pos) as bigint) + 1], a[cast(floor(pos) as bigint) + 2], cast(pos - floor(pos) as decimal(38,9))); -- decimal(38,9)
create macro bq.percentile_cont_of_numeric(a decimal(38,9)[], p decimal(38,9)) as list_transform([row(a, bq.numeric_multiply(cast(len(a) - 1 as decimal(38,9)), p))], lambda v: bq.percentile_numeric_between(v[1], v[2]))[1]; -- decimal(38,9)
-- The average of intervals, from the sums of their parts: what remains of a part goes on to the next one.
create macro bq.interval_average_of(m, d, us, n) as bq.interval_of(cast(m // n as bigint), cast((d + m % n * 30) // n as bigint), cast((us + (d + m % n * 30) % n * 86400000000) // n as bigint)); -- interval
create macro bq.interval_average(m, d, us, n) as case when n > 0 then bq.interval_average_of(cast(m as hugeint), cast(d as hugeint), cast(us as hugeint), n) end; -- interval
