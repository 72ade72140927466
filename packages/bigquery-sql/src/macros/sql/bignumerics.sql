-- BIGNUMERIC is a BIGNUM that counts units of 10^-38: DuckDB compares, adds and sums it, host functions do the rest.
create macro bq.cast_bignumeric(x bignum) as x; -- bignum strict
create macro bq.cast_bignumeric(x bigint) as host_bignumeric_of_numeric(cast(x as varchar)); -- bignum strict
create macro bq.cast_bignumeric(x decimal(38,9)) as host_bignumeric_of_numeric(cast(x as varchar)); -- bignum strict
create macro bq.cast_bignumeric(x double) as host_bignumeric_of_double(x); -- bignum strict
create macro bq.cast_bignumeric(x varchar) as host_bignumeric(x); -- bignum strict
create macro bq.parse_bignumeric(x varchar) as host_parse_bignumeric(x); -- bignum
create macro bq.cast_string(x bignum) as host_bignumeric_text(x); -- varchar strict
create macro bq.cast_float64(x bignum) as cast(host_bignumeric_text(x) as double); -- double strict
create macro bq.cast_numeric(x bignum) as cast(host_bignumeric_numeric(x) as decimal(38,9)); -- decimal(38,9) strict
create macro bq.cast_int64(x bignum) as bq."cast_int64(x varchar)"(host_bignumeric_text(host_bignumeric_round(x, 0, 'ROUND_HALF_AWAY_FROM_ZERO'))); -- bigint strict
create macro bq.op_add(a bignum, b bignum) as host_bignumeric_checked(a + b); -- bignum strict
create macro bq.op_subtract(a bignum, b bignum) as host_bignumeric_checked(a - b); -- bignum strict
create macro bq.op_multiply(a bignum, b bignum) as host_bignumeric_multiply(a, b); -- bignum strict
create macro bq.op_divide(a bignum, b bignum) as host_bignumeric_divide(a, b); -- bignum strict
create macro bq.op_divide(a bignum, b bigint) as host_bignumeric_divide(a, bq."cast_bignumeric(x bigint)"(b)); -- bignum strict
create macro bq.op_negate(a bignum) as host_bignumeric_checked(- a); -- bignum
-- TRY takes neither aggregates nor subqueries, which arguments may be: it is inside a lambda.
create macro bq.safe_add(a bignum, b bignum) as list_transform([row(a, b)], lambda args: try(host_bignumeric_checked(args[1] + args[2])))[1]; -- bignum
create macro bq.safe_subtract(a bignum, b bignum) as list_transform([row(a, b)], lambda args: try(host_bignumeric_checked(args[1] - args[2])))[1]; -- bignum
create macro bq.safe_multiply(a bignum, b bignum) as list_transform([row(a, b)], lambda args: try(host_bignumeric_multiply(args[1], args[2])))[1]; -- bignum
create macro bq.safe_divide(a bignum, b bignum) as list_transform([row(a, b)], lambda args: try(host_bignumeric_divide(args[1], args[2])))[1]; -- bignum
create macro bq.safe_divide(a bignum, b bigint) as bq."safe_divide(a bignum, b bignum)"(a, bq."cast_bignumeric(x bigint)"(b)); -- bignum
create macro bq.ieee_divide(a bignum, b bignum) as bq."ieee_divide(a double, b double)"(bq."cast_float64(x bignum)"(a), bq."cast_float64(x bignum)"(b)); -- double
create macro bq.safe_negate(x bignum) as list_transform([x], lambda x_: try(host_bignumeric_checked(- x_)))[1]; -- bignum
create macro bq.abs(x bignum) as host_bignumeric_checked(case when x < cast('0' as bignum) then - x else x end); -- bignum strict
create macro bq.sign(x bignum) as bq."cast_bignumeric(x bigint)"(case when x is null then null when x < cast('0' as bignum) then -1 when x = cast('0' as bignum) then 0 else 1 end); -- bignum
create macro bq.div(a bignum, b bignum) as host_bignumeric_div(a, b); -- bignum strict
create macro bq.mod(a bignum, b bignum) as host_bignumeric_mod(a, b); -- bignum strict
create macro bq.round(x bignum) as host_bignumeric_round(x, 0, 'ROUND_HALF_AWAY_FROM_ZERO'); -- bignum strict
create macro bq.round(x bignum, n bigint) as host_bignumeric_round(x, n, 'ROUND_HALF_AWAY_FROM_ZERO'); -- bignum strict
create macro bq.round(x bignum, n bigint, mode varchar) as host_bignumeric_round(x, n, mode); -- bignum strict
create macro bq.round(x decimal(38,9), n bigint, mode varchar) as cast(host_numeric_round(cast(x as varchar), n, mode) as decimal(38,9)); -- decimal(38,9) strict
create macro bq.trunc(x bignum) as host_bignumeric_trunc(x, 0); -- bignum
create macro bq.trunc(x bignum, n bigint) as host_bignumeric_trunc(x, n); -- bignum
create macro bq.floor(x bignum) as host_bignumeric_floor(x); -- bignum strict
create macro bq.ceil(x bignum) as host_bignumeric_checked(- host_bignumeric_floor(- x)); -- bignum strict
create macro bq.ceiling(x bignum) as host_bignumeric_checked(- host_bignumeric_floor(- x)); -- bignum strict
create macro bq.pow(x bignum, y bignum) as host_bignumeric_power(x, y); -- bignum
create macro bq.power(x bignum, y bignum) as host_bignumeric_power(x, y); -- bignum
create macro bq.sqrt(x bignum) as host_bignumeric_sqrt(x); -- bignum
create macro bq.cbrt(x bignum) as host_bignumeric_cbrt(x); -- bignum
create macro bq.exp(x bignum) as host_bignumeric_exp(x); -- bignum
create macro bq.ln(x bignum) as host_bignumeric_ln(x); -- bignum
create macro bq.log(x bignum) as host_bignumeric_ln(x); -- bignum
create macro bq.log(x bignum, base bignum) as host_bignumeric_log(x, base); -- bignum
create macro bq.log10(x bignum) as host_bignumeric_log10(x); -- bignum

-- Aggregates over decimals: rules pass the results of DuckDB's aggregates, `list(x)` for statistics.
create macro bq.bignumeric_sum(total) as host_bignumeric_checked(total); -- bignum
create macro bq.bignumeric_average(total, n) as case when n > 0 then host_bignumeric_average(total, n) end; -- bignum
create macro bq.bignumeric_statistic(items, name) as host_decimal_variance(list_transform(items, lambda x: host_bignumeric_text(x)), name); -- double
create macro bq.bignumeric_pair_statistic(a, b, name) as host_decimal_pairs(list_transform(a, lambda x: host_bignumeric_text(x)), list_transform(b, lambda x: host_bignumeric_text(x)), name); -- double
-- SUM(x) over NUMERIC is bq.numeric_sum(sum(x)). In a window, and in AVG, the sum of a part may overflow, so that rare large values have a sum of their own.
create macro bq.numeric_is_small(x) as x between -1000000000000000000 and 1000000000000000000; -- boolean
create macro bq.numeric_small(x) as case when bq.numeric_is_small(x) then x end; -- decimal(38,9)
create macro bq.numeric_large(x) as case when bq.numeric_is_small(x) then null else bq.numeric_units(x) end; -- bignum
create macro bq.numeric_all_units(small, large) as bq.numeric_units(coalesce(small, 0)) + coalesce(large, cast('0' as bignum)); -- bignum
create macro bq.numeric_total(small, large) as case when large is null then bq.numeric_sum(small) else bq.numeric_of_units(bq.numeric_all_units(small, large)) end; -- decimal(38,9)
create macro bq.numeric_sum(total) as case when total > bq.numeric_max() or total < - bq.numeric_max() then bq.fail('numeric overflow: SUM') else total end; -- decimal(38,9)
create macro bq.numeric_units(x) as cast(replace(cast(x as varchar), '.', '') as bignum); -- bignum
create macro bq.numeric_of_units(n) as cast(host_numeric_of_units(n) as decimal(38,9)); -- decimal(38,9)
-- A quotient by FLOAT64 leaves a remainder of the total below 2^50 billionths, which FLOAT64 divides exactly enough; halves are rounded away from zero.
create macro bq.average_near(total, n, near) as near + bq.few_billionths(sign(total) * floor(sign(total) * round(cast(total - near * cast(n as decimal(19,0)) as double) * 1e9) / n + 0.5)); -- decimal(38,9)
create macro bq.numeric_average(small, large, n) as case when n = 0 then null when large is null and small between -100000000000000000000 and 100000000000000000000 then bq.average_near(small, n, cast(cast(small as double) / n as decimal(38,9))) else bq.numeric_of_units(host_bignumeric_average(bq.numeric_all_units(small, large), n)) end; -- decimal(38,9)
create macro bq.numeric_statistic(items, name) as host_decimal_variance(list_transform(items, lambda x: cast(x as varchar)), name); -- double
create macro bq.numeric_pair_statistic(a, b, name) as host_decimal_pairs(list_transform(a, lambda x: cast(x as varchar)), list_transform(b, lambda x: cast(x as varchar)), name); -- double
