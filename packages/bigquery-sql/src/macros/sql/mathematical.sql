-- Helpers: results outside the range of FLOAT64, and exact NUMERIC arithmetic.
create macro bq.float_or_error(y, x, name) as case when isfinite(x) and not isfinite(y) then bq.fail('Floating point error in function: ' || name || '(' || x || ')') else y end; -- double
create macro bq.float_or_error2(y, a, b, name) as case when isfinite(y) then y when isfinite(a) and isfinite(b) and not isfinite(y) then bq.fail('Floating point error in function: ' || name || '(' || a || ', ' || b || ')') else y end; -- double
create macro bq.float_or_null(y, a, b) as case when isfinite(y) then y when isfinite(a) and isfinite(b) and not isfinite(y) then null else y end; -- double
create macro bq.numeric_max() as cast('99999999999999999999999999999.999999999' as decimal(38,9)); -- decimal(38,9)
create macro bq.billionths(x) as cast(trunc(x) as hugeint) * 1000000000 + cast((x - trunc(x)) * 1000000000 as hugeint); -- bigint
create macro bq.numeric_of_billionths(n) as cast(n as decimal(38,0)) * 0.000000001; -- decimal(38,9)
create macro bq.power_of_ten(n) as cast('1' || repeat('0', n) as hugeint); -- bigint
create macro bq.halves_up(n, unit) as (n + unit // 2) // unit; -- bigint
create macro bq.whole(x) as cast(trunc(x) as hugeint); -- bigint
create macro bq.fraction(x) as cast((x - trunc(x)) * 1000000000 as hugeint); -- bigint
create macro bq.product_of(a, b) as case when abs(cast(a as double) * cast(b as double)) > 1.1e29 then bq.fail('numeric overflow: ' || a || ' * ' || b) else bq.numeric_of_billionths(bq.whole(a) * bq.whole(b) * 1000000000 + bq.whole(a) * bq.fraction(b) + bq.fraction(a) * bq.whole(b) + sign(a) * sign(b) * bq.halves_up(abs(bq.fraction(a) * bq.fraction(b)), 1000000000)) end; -- decimal(38,9)
-- DuckDB divides 128-bit integers bit by bit, which takes microseconds: so a result is found by FLOAT64, and DECIMAL, which is exact, proves it.
create macro bq.rounded_near(p, n) as case when p - n > 0.0000000005 or p - n = 0.0000000005 and p > 0 then n + 0.000000001 when p - n < -0.0000000005 or p - n = -0.0000000005 and p < 0 then n - 0.000000001 else n end; -- decimal(38,9)
create macro bq.nine_digits(p, n) as case when p = n then n else list_transform([row(p, n)], lambda m: cast(bq.rounded_near(m[1], m[2] + cast(cast(m[1] - m[2] as double) as decimal(38,9))) as decimal(38,9)))[1] end; -- decimal(38,9)
create macro bq.numeric_multiply(a decimal(38,9), b decimal(38,9)) as case when abs(cast(a as double) * cast(b as double)) < 9e19 then bq.nine_digits(a * b, cast(cast(a * b as double) as decimal(38,9))) else list_transform([row(a, b)], lambda args: bq.product_of(args[1], args[2]))[1] end; -- decimal(38,9)
create macro bq.next_digit(n, part) as {'quotient': n.quotient * 10 + part, 'rest': (n.rest - part * (n.divisor // 10)) * 10 - part * (n.divisor % 10), 'divisor': n.divisor}; -- n
create macro bq.not_too_much(n) as case when n.rest < 0 then {'quotient': n.quotient - 1, 'rest': n.rest + n.divisor, 'divisor': n.divisor} else n end; -- n
create macro bq.divided_on(n) as case when n.divisor < 1000000000000 then {'quotient': n.quotient * 10 + n.rest * 10 // n.divisor, 'rest': n.rest * 10 % n.divisor, 'divisor': n.divisor} else list_transform([bq.next_digit(n, least(9, n.rest // (n.divisor // 10)))], lambda m: bq.not_too_much(m))[1] end; -- n
create macro bq.nine_digits_on(a, b) as list_reduce(list_resize([{'quotient': a // b, 'rest': a % b, 'divisor': b}], 10, {'quotient': a, 'rest': a, 'divisor': a}), lambda n, _: bq.divided_on(n)); -- a
create macro bq.quotient(n) as n.quotient + case when n.rest >= n.divisor - n.rest then 1 else 0 end; -- bigint
create macro bq.quotient_of(a, b) as case when b = 0 then bq.fail('division by zero: ' || a || ' / ' || b) when abs(cast(a as double) / cast(b as double)) > 1.1e29 then bq.fail('numeric overflow: ' || a || ' / ' || b) else bq.numeric_of_billionths(sign(a) * sign(b) * bq.quotient(bq.nine_digits_on(abs(bq.billionths(a)), abs(bq.billionths(b))))) end; -- decimal(38,9)
-- A FLOAT64 decides the ninth digit of most quotients: its error, with those of its operands, is below a billionth of a millionth of it.
-- Else the quotient is one of the two beside it, between which the product of their middle and the divisor decides: from the middle away from zero.
create macro bq.sure_quotient(q) as list_transform([q], lambda q_: case when abs(q_ * 1e9 - round(q_ * 1e9)) + abs(q_) * 1.5e-6 < 0.4999 then cast(q_ as decimal(38,9)) end)[1]; -- decimal(38,9)
create macro bq.float_quotient(a, b) as cast(a as double) / cast(b as double); -- double
create macro bq.billionths_below(a, b) as try_cast(floor(abs(bq.float_quotient(a, b)) * 1e9) as bigint); -- bigint
create macro bq.few_billionths(n) as cast(cast(n as decimal(19,0)) * 0.000000001 as decimal(38,9)); -- decimal(38,9)
create macro bq.middle_quotient(a, b) as bq.few_billionths(case when bq.float_quotient(a, b) < 0 then -1 else 1 end * (bq.billionths_below(a, b) + case when abs(a) * 2 >= bq.few_billionths(2 * bq.billionths_below(a, b) + 1) * abs(b) then 1 else 0 end)); -- decimal(38,9)
create macro bq.beside_middle(a, b) as case when abs(bq.float_quotient(a, b)) < 150000 and a between -1000000000000000000 and 1000000000000000000 then bq.middle_quotient(a, b) end; -- decimal(38,9)
create macro bq.usual_quotient(a, b) as coalesce(bq.sure_quotient(cast(a as double) / cast(b as double)), list_transform([row(a, b)], lambda m: bq.beside_middle(m[1], m[2]))[1]); -- decimal(38,9)
create macro bq.quotient_near(a, b, n) as n + cast(cast(a - n * b as double) / cast(b as double) as decimal(38,9)); -- decimal(38,9)
create macro bq.has_quotient_near(a, b) as b <> 0 and a between -1000000000000000000 and 1000000000000000000 and b between -1000000000000000000 and 1000000000000000000 and abs(cast(a as double) / cast(b as double)) < 1e18; -- boolean
-- A quotient is right if its remainder is less than half a unit of the ninth digit; if it is exactly half a unit, the one farther from zero is right.
create macro bq.proved_quotient(a, b, n) as case when n is null then null when abs(a - n * b) * 2 < abs(b) * 0.000000001 then cast(n as decimal(38,9)) when abs(a - n * b) * 2 = abs(b) * 0.000000001 then cast(n + case when abs(n * b) > abs(a) then 0 else sign(a) * sign(b) * 0.000000001 end as decimal(38,9)) end; -- decimal(38,9)
create macro bq.quotient_in_digits(a, b) as list_transform([row(a, b, case when bq.has_quotient_near(a, b) then bq.quotient_near(a, b, cast(cast(a as double) / cast(b as double) as decimal(38,9))) end)], lambda q: coalesce(bq.proved_quotient(q[1], q[2], q[3]), list_transform([q], lambda args: bq.quotient_of(args[1], args[2]))[1]))[1]; -- decimal(38,9)
create macro bq.numeric_divide(a decimal(38,9), b decimal(38,9)) as coalesce(bq.usual_quotient(a, b), list_transform([row(a, b)], lambda args: bq.quotient_in_digits(args[1], args[2]))[1]); -- decimal(38,9)

create macro bq.abs(x bigint) as abs(x); -- bigint strict
create macro bq.abs(x decimal(38,9)) as abs(x); -- decimal(38,9) strict
create macro bq.abs(x double) as abs(x); -- double strict
create macro bq.sign(x bigint) as cast(sign(x) as bigint); -- bigint
create macro bq.sign(x decimal(38,9)) as cast(sign(x) as decimal(38,9)); -- decimal(38,9)
create macro bq.sign(x double) as case when isnan(x) then x else cast(sign(x) as double) end; -- double
create macro bq.is_inf(x double) as isinf(x); -- boolean
create macro bq.is_nan(x double) as isnan(x); -- boolean
create macro bq.ieee_divide(a double, b double) as a / b; -- double
create macro bq.rand() as random(); -- double

create macro bq.safe_divide(a bigint, b bigint) as cast(a as double) / nullif(b, 0); -- double
create macro bq.safe_quotient_of(a, b) as case when abs(cast(a as double) / nullif(cast(b as double), 0)) < 1.1e29 then try(bq.quotient_in_digits(a, b)) end; -- decimal(38,9)
create macro bq.safe_divide(a double, b bigint) as a / nullif(b, 0); -- double
create macro bq.safe_divide(a decimal(38,9), b decimal(38,9)) as coalesce(bq.usual_quotient(a, b), list_transform([row(a, b)], lambda args: bq.safe_quotient_of(args[1], args[2]))[1]); -- decimal(38,9)
create macro bq.safe_divide(a decimal(38,9), b bigint) as bq."safe_divide(a decimal(38,9), b decimal(38,9))"(a, cast(b as decimal(38,9))); -- decimal(38,9)
create macro bq.safe_divide(a double, b double) as case when isfinite(a / b) then a / b when b = 0 or isfinite(a) and isfinite(b) then null else a / b end; -- double
-- Not try_cast: in a comparison with a constant DuckDB compares before the cast, so that the result is not NULL.
create macro bq.int64_or_null(n) as list_transform([n], lambda n_: case when n_ between -9223372036854775808 and 9223372036854775807 then cast(n_ as bigint) end)[1]; -- bigint
create macro bq.safe_add(a bigint, b bigint) as bq.int64_or_null(cast(a as hugeint) + cast(b as hugeint)); -- bigint
create macro bq.safe_sum_of(a, b) as case when b > 0 and a > bq.numeric_max() - b or b < 0 and a < - bq.numeric_max() - b then null else a + b end; -- decimal(38,9)
create macro bq.safe_add(a decimal(38,9), b decimal(38,9)) as list_transform([row(a, b)], lambda args: bq.safe_sum_of(args[1], args[2]))[1]; -- decimal(38,9)
create macro bq.safe_add(a double, b double) as bq.float_or_null(a + b, a, b); -- double
create macro bq.safe_subtract(a bigint, b bigint) as bq.int64_or_null(cast(a as hugeint) - cast(b as hugeint)); -- bigint
create macro bq.safe_subtract(a decimal(38,9), b decimal(38,9)) as bq."safe_add(a decimal(38,9), b decimal(38,9))"(a, - b); -- decimal(38,9)
create macro bq.safe_subtract(a double, b double) as bq.float_or_null(a - b, a, b); -- double
create macro bq.safe_multiply(a bigint, b bigint) as bq.int64_or_null(cast(a as hugeint) * cast(b as hugeint)); -- bigint
create macro bq.safe_product_of(a, b) as case when abs(cast(a as double) * cast(b as double)) < 1.1e29 then try(bq.numeric_multiply(a, b)) end; -- decimal(38,9)
create macro bq.safe_multiply(a decimal(38,9), b decimal(38,9)) as list_transform([row(a, b)], lambda args: bq.safe_product_of(args[1], args[2]))[1]; -- decimal(38,9)
create macro bq.safe_multiply(a double, b double) as bq.float_or_null(a * b, a, b); -- double
create macro bq.safe_negate(x bigint) as bq.int64_or_null(- cast(x as hugeint)); -- bigint
create macro bq.safe_negate(x decimal(38,9)) as - x; -- decimal(38,9)
create macro bq.safe_negate(x double) as - x; -- double
create macro bq.div(a bigint, b bigint) as case when b = 0 then bq.fail('division by zero: ' || a || ' / ' || b) else a // b end; -- bigint strict
create macro bq.whole_quotient_of(a, b) as case when b = 0 then bq.fail('division by zero: ' || a || ' / ' || b) else cast(bq.billionths(a) // bq.billionths(b) as decimal(38,9)) end; -- decimal(38,9)
create macro bq.div(a decimal(38,9), b decimal(38,9)) as list_transform([row(a, b)], lambda args: bq.whole_quotient_of(args[1], args[2]))[1]; -- decimal(38,9) strict
create macro bq.mod(a bigint, b bigint) as case when b = 0 then bq.fail('division by zero: ' || a || ' / ' || b) when b = -1 then a * 0 else a % b end; -- bigint strict
create macro bq.mod(a decimal(38,9), b decimal(38,9)) as case when b = 0 then bq.fail('division by zero: ' || a || ' / ' || b) else a % b end; -- decimal(38,9) strict

-- FLOAT64 is rounded by its exact binary value, as a 128-bit integer in units of 2^-scale.
create macro bq.binary_scale(x) as 53 - cast(floor(log2(abs(x))) as bigint); -- bigint
create macro bq.binary_units(x) as cast(abs(x) * pow(2, bq.binary_scale(x)) as hugeint); -- bigint
create macro bq.has_no_more_digits(x, n, most) as not isfinite(x) or x = 0 or n > 340 or abs(x) >= 4503599627370496 or abs(x) * pow(10, n) >= most; -- boolean
create macro bq.shifts_exactly(x, n) as n <= 21 and bq.binary_scale(x) <= 125; -- boolean
create macro bq.units_at_digit(x, n, more) as (bq.binary_units(x) * bq.power_of_ten(n) + (cast(more as hugeint) << bq.binary_scale(x)) // 2) // (cast(1 as hugeint) << bq.binary_scale(x)); -- bigint
create macro bq.round(x bigint) as cast(x as double); -- double strict
create macro bq.round(x decimal(38,9)) as cast(round(x) as decimal(38,9)); -- decimal(38,9) strict
create macro bq.round(x double) as round(x); -- double strict
create macro bq.round(x bigint, n bigint) as bq."round(x double, places bigint)"(cast(x as double), n); -- double strict
create macro bq.rounded_to_unit(x, n, unit, near) as case when abs(x - near) * 2 < unit then near when abs(x - near) * 2 > unit then bq.numeric_rounded_exactly(x, n) when abs(near) > abs(x) then near else cast(near + sign(x) * unit as decimal(38,9)) end; -- decimal(38,9)
create macro bq.numeric_rounded(x, n) as case when n between 0 and 8 and abs(cast(x as double)) * pow(10, n) < 1e12 then list_transform([row(x, cast(cast(round(cast(x as double) * pow(10, n)) as bigint) as decimal(19,0)) * cast(pow(10, -n) as decimal(38,9)))], lambda m: bq.rounded_to_unit(m[1], n, cast(pow(10, -n) as decimal(38,9)), m[2]))[1] else list_transform([row(x, n)], lambda args: bq.numeric_rounded_exactly(args[1], args[2]))[1] end; -- decimal(38,9)
create macro bq.numeric_rounded_exactly(x, n) as case when n >= 9 then x when n < -29 then x * 0 else bq.numeric_of_billionths(sign(x) * bq.halves_up(abs(bq.billionths(x)), bq.power_of_ten(9 - n)) * bq.power_of_ten(9 - n)) end; -- decimal(38,9)
create macro bq.round(x decimal(38,9), n bigint) as bq.numeric_rounded(x, n); -- decimal(38,9) strict
-- Up to 10 digits, a FLOAT64 holds the product with 10^n but for an error that is a FLOAT64, too: it decides what the product does not. A FLOAT has half of the bits.
create macro bq.product_error(x, c) as try_cast(x as float) * c - x * c + (x - try_cast(x as float)) * c; -- double
create macro bq.round_at(x double, unit double) as case when abs(round(x * unit) - x * unit) < 0.5 and x < 4.5e15 / unit and x > -4.5e15 / unit then round(x * unit) / unit when abs(x) < 4503599627370496 and abs(x) * unit < 9007199254740992 then (round(x * unit) + sign(x) * floor((x * unit - round(x * unit)) * sign(x) + 0.5 + bq.product_error(x, unit) * sign(x))) / unit when unit is not null then x end; -- double strict
create macro bq.round(x double, places bigint) as case when places between 0 and 10 then bq.round_at(x, pow(10, places)) else bq.round_double(x, places) end; -- double strict
create macro bq.double_rounded(x, n) as case when x is null or n is null then null when n < -308 then 0.0 when n < 0 then bq.float_or_error(bq.multiple_of(x, pow(10, - n), 0.5), x, 'ROUND') when bq.has_no_more_digits(x, n, 9007199254740992) then x when bq.shifts_exactly(x, n) then sign(x) * cast(bq.units_at_digit(x, n, 1) as double) / pow(10, n) else round(x * pow(10, n)) / pow(10, n) end; -- double
create macro bq.round_double(x double, n bigint) as list_transform([row(x, n)], lambda args: bq.double_rounded(args[1], args[2]))[1]; -- double
create macro bq.multiple_of(x, unit, up_from) as case when isfinite(x) then sign(x) * (abs(x) - abs(x) % unit + case when abs(x) % unit >= unit * up_from then unit else 0 end) else x end; -- double
-- An integer of 54 bits is not a FLOAT64: the quotient by 10^n is found by what is cut off, and one of more bits is the number itself.
create macro bq.rest_of_units(x, n) as cast((bq.binary_units(x) * bq.power_of_ten(n)) % (cast(1 as hugeint) << bq.binary_scale(x)) as double) / pow(2, bq.binary_scale(x)); -- double
create macro bq.rest_of_product(error, x) as error - sign(x) * floor(error * sign(x)); -- double
create macro bq.trunc(x bigint) as cast(x as double); -- double
create macro bq.trunc(x decimal(38,9)) as cast(trunc(x) as decimal(38,9)); -- decimal(38,9)
create macro bq.trunc(x double) as trunc(x); -- double
create macro bq.trunc(x bigint, n bigint) as bq."trunc(x double, places bigint)"(cast(x as double), n); -- double
create macro bq.numeric_truncated(x, n) as case when n >= 9 then x when n < -29 then x * 0 else bq.numeric_of_billionths(bq.billionths(x) // bq.power_of_ten(9 - n) * bq.power_of_ten(9 - n)) end; -- decimal(38,9)
create macro bq.trunc(x decimal(38,9), n bigint) as list_transform([row(x, n)], lambda args: bq.numeric_truncated(args[1], args[2]))[1]; -- decimal(38,9)
create macro bq.trunc_at(x double, unit double) as case when x * unit <> trunc(x * unit) then trunc(x * unit) / unit when abs(x) < 4503599627370496 and abs(x) * unit < 9007199254740992 then (x * unit + sign(x) * floor(bq.product_error(x, unit) * sign(x))) / unit when abs(x) < 4503599627370496 and abs(x) * unit < 18014398509481984 then x - bq.rest_of_product(bq.product_error(x, unit), x) / unit else x end; -- double
create macro bq.trunc(x double, places bigint) as case when places between 0 and 10 then bq.trunc_at(x, pow(10, places)) else bq.trunc_double(x, places) end; -- double
create macro bq.double_truncated(x, n) as case when x is null or n is null then null when n < -308 then 0.0 when n < 0 then bq.multiple_of(x, pow(10, - n), 2) when bq.has_no_more_digits(x, n, 18014398509481984) then x when bq.shifts_exactly(x, n) and abs(x) * pow(10, n) >= 9007199254740992 then x - sign(x) * bq.rest_of_units(x, n) / pow(10, n) when bq.shifts_exactly(x, n) then sign(x) * cast(bq.units_at_digit(x, n, 0) as double) / pow(10, n) else trunc(x * pow(10, n)) / pow(10, n) end; -- double
create macro bq.trunc_double(x double, n bigint) as list_transform([row(x, n)], lambda args: bq.double_truncated(args[1], args[2]))[1]; -- double
create macro bq.ceil(x bigint) as cast(x as double); -- double strict
create macro bq.ceil(x decimal(38,9)) as cast(ceil(x) as decimal(38,9)); -- decimal(38,9) strict
create macro bq.ceil(x double) as ceil(x); -- double strict
create macro bq.ceiling(x bigint) as cast(x as double); -- double strict
create macro bq.ceiling(x decimal(38,9)) as cast(ceil(x) as decimal(38,9)); -- decimal(38,9) strict
create macro bq.ceiling(x double) as ceil(x); -- double strict
create macro bq.floor(x bigint) as cast(x as double); -- double strict
create macro bq.floor(x decimal(38,9)) as cast(floor(x) as decimal(38,9)); -- decimal(38,9) strict
create macro bq.floor(x double) as floor(x); -- double strict

create macro bq.root_near(v, near) as (near + v // near) // 2; -- bigint
create macro bq.integer_root(v, root) as root - case when root * root > v then 1 else 0 end; -- bigint
create macro bq.nearest_root(v, root) as root + case when v - root * root > root then 1 else 0 end; -- bigint
create macro bq.root_from(v) as bq.nearest_root(v, bq.integer_root(v, bq.root_near(v, cast(sqrt(cast(v as double)) as hugeint)))); -- bigint
create macro bq.root_of(v) as list_transform([v], lambda v_: bq.root_from(v_))[1]; -- bigint
create macro bq.sqrt(x bigint) as sqrt(x); -- double
create macro bq.numeric_root(x) as case when x < 0 then bq.fail('Argument to SQRT cannot be negative: ' || x) when x = 0 then x when x >= 100000000000000000000 then cast(host_numeric_sqrt(cast(x as varchar)) as decimal(38,9)) else bq.numeric_of_billionths(bq.root_of(bq.billionths(x) * 1000000000)) end; -- decimal(38,9)
create macro bq.sqrt(x decimal(38,9)) as list_transform([x], lambda x_: bq.numeric_root(x_))[1]; -- decimal(38,9)
create macro bq.sqrt(x double) as sqrt(x); -- double
create macro bq.cbrt(x double) as cbrt(x); -- double
create macro bq.cbrt(x bigint) as bq."cbrt(x double)"(cast(x as double)); -- double
create macro bq.cbrt(x decimal(38,9)) as cast(host_numeric_cbrt(cast(x as varchar)) as decimal(38,9)); -- decimal(38,9)
create macro bq.pow(x double, y double) as bq.float_or_error2(pow(x, y), x, y, 'POW'); -- double
create macro bq.pow(x bigint, y bigint) as bq."pow(x double, y double)"(cast(x as double), cast(y as double)); -- double
create macro bq.pow(x decimal(38,9), y decimal(38,9)) as cast(host_numeric_power(cast(x as varchar), cast(y as varchar)) as decimal(38,9)); -- decimal(38,9)
create macro bq.power(x double, y double) as bq.float_or_error2(pow(x, y), x, y, 'POW'); -- double
create macro bq.power(x bigint, y bigint) as bq."power(x double, y double)"(cast(x as double), cast(y as double)); -- double
create macro bq.power(x decimal(38,9), y decimal(38,9)) as cast(host_numeric_power(cast(x as varchar), cast(y as varchar)) as decimal(38,9)); -- decimal(38,9)
create macro bq.exp(x double) as bq.float_or_error(exp(x), x, 'EXP'); -- double
create macro bq.exp(x bigint) as bq."exp(x double)"(cast(x as double)); -- double
create macro bq.exp(x decimal(38,9)) as cast(host_numeric_exp(cast(x as varchar)) as decimal(38,9)); -- decimal(38,9)
create macro bq.ln_or_nan(x) as case when x > 0 then ln(x) when x = 0 then cast('-inf' as double) when x < 0 then cast('nan' as double) end; -- double
create macro bq.ln_of(x) as bq.float_or_error(bq.ln_or_nan(x), x, 'LN'); -- double
create macro bq.ln(x double) as list_transform([x], lambda x_: bq.ln_of(x_))[1]; -- double
create macro bq.ln(x bigint) as bq."ln(x double)"(cast(x as double)); -- double
create macro bq.ln(x decimal(38,9)) as cast(host_numeric_ln(cast(x as varchar)) as decimal(38,9)); -- decimal(38,9)
create macro bq.log_of(x) as bq.float_or_error(bq.ln_or_nan(x), x, 'LOG'); -- double
create macro bq.log(x double) as list_transform([x], lambda x_: bq.log_of(x_))[1]; -- double
create macro bq.log(x bigint) as bq."log(x double)"(cast(x as double)); -- double
create macro bq.log(x decimal(38,9)) as cast(host_numeric_ln(cast(x as varchar)) as decimal(38,9)); -- decimal(38,9)
create macro bq.log_to_base(x, base) as bq.float_or_error2(case when x is null or base is null then null when base > 0 and isfinite(base) then bq.ln_or_nan(x) / ln(base) else cast('nan' as double) end, x, base, 'LOG'); -- double
create macro bq.log(x double, base double) as list_transform([row(x, base)], lambda args: bq.log_to_base(args[1], args[2]))[1]; -- double
create macro bq.log(x bigint, base bigint) as bq."log(x double, base double)"(cast(x as double), cast(base as double)); -- double
create macro bq.log(x decimal(38,9), base decimal(38,9)) as cast(host_numeric_log(cast(x as varchar), cast(base as varchar)) as decimal(38,9)); -- decimal(38,9)
create macro bq.log10_of(x) as bq.float_or_error(case when x > 0 then log10(x) else bq.ln_or_nan(x) end, x, 'LOG10'); -- double
create macro bq.log10(x double) as list_transform([x], lambda x_: bq.log10_of(x_))[1]; -- double
create macro bq.log10(x bigint) as bq."log10(x double)"(cast(x as double)); -- double
create macro bq.log10(x decimal(38,9)) as cast(host_numeric_log10(cast(x as varchar)) as decimal(38,9)); -- decimal(38,9)

create macro bq.cos(x double) as case when isfinite(x) then cos(x) else x - x end; -- double
create macro bq.cosh(x double) as bq.float_or_error(cosh(x), x, 'COSH'); -- double
create macro bq.acos(x double) as case when isinf(x) then x - x else acos(x) end; -- double
create macro bq.acosh(x double) as bq.float_or_error(acosh(x), x, 'ACOSH'); -- double
create macro bq.sin(x double) as case when isfinite(x) then sin(x) else x - x end; -- double
create macro bq.sinh(x double) as bq.float_or_error(sinh(x), x, 'SINH'); -- double
create macro bq.asin(x double) as case when isinf(x) then x - x else asin(x) end; -- double
create macro bq.asinh(x double) as asinh(x); -- double
create macro bq.tan(x double) as case when isfinite(x) then tan(x) else x - x end; -- double
create macro bq.tanh(x double) as tanh(x); -- double
create macro bq.atan(x double) as atan(x); -- double
create macro bq.atanh(x double) as case when isinf(x) then x - x else bq.float_or_error(atanh(x), x, 'ATANH') end; -- double
create macro bq.atan2(y double, x double) as atan2(y, x); -- double
create macro bq.cot_of(x) as bq.float_or_error(1 / bq.tan(x), x, 'COT'); -- double
create macro bq.cot(x double) as list_transform([x], lambda x_: bq.cot_of(x_))[1]; -- double
create macro bq.coth_of(x) as bq.float_or_error(1 / tanh(x), x, 'COTH'); -- double
create macro bq.coth(x double) as list_transform([x], lambda x_: bq.coth_of(x_))[1]; -- double
create macro bq.csc_of(x) as bq.float_or_error(1 / bq.sin(x), x, 'CSC'); -- double
create macro bq.csc(x double) as list_transform([x], lambda x_: bq.csc_of(x_))[1]; -- double
create macro bq.csch_of(x) as bq.float_or_error(1 / sinh(x), x, 'CSCH'); -- double
create macro bq.csch(x double) as list_transform([x], lambda x_: bq.csch_of(x_))[1]; -- double
create macro bq.sec(x double) as 1 / bq.cos(x); -- double
create macro bq.sech(x double) as 1 / cosh(x); -- double

create macro bq.bucket(x, bounds) as case when x is null or bounds is null then null when list_contains(list_transform(bounds, lambda b: b is null), true) then bq.fail('RANGE_BUCKET: the array contains NULL') when list_sort(bounds) <> bounds then bq.fail('RANGE_BUCKET: the array is not in ascending order') else cast(len(list_filter(bounds, lambda b: b <= x)) as bigint) end; -- bigint
create macro bq.range_bucket(x bigint, bounds bigint[]) as bq.bucket(x, bounds); -- bigint
create macro bq.range_bucket(x decimal(38,9), bounds decimal(38,9)[]) as bq.bucket(x, bounds); -- bigint
create macro bq.range_bucket(x bignum, bounds bignum[]) as bq.bucket(x, bounds); -- bigint
create macro bq.range_bucket(x double, bounds double[]) as case when list_contains(bounds, cast('nan' as double)) then bq.fail_if(x is not null, 'RANGE_BUCKET: the array contains NaN') when not isnan(x) then bq.bucket(x, bounds) end; -- bigint
create macro bq.range_bucket(x varchar, bounds varchar[]) as bq.bucket(x, bounds); -- bigint
create macro bq.range_bucket(x blob, bounds blob[]) as bq.bucket(x, bounds); -- bigint
create macro bq.range_bucket(x boolean, bounds boolean[]) as bq.bucket(x, bounds); -- bigint
create macro bq.range_bucket(x date, bounds date[]) as bq.bucket(x, bounds); -- bigint
create macro bq.range_bucket(x time, bounds time[]) as bq.bucket(x, bounds); -- bigint
create macro bq.range_bucket(x timestamp, bounds timestamp[]) as bq.bucket(x, bounds); -- bigint
create macro bq.range_bucket(x timestamptz, bounds timestamptz[]) as bq.bucket(x, bounds); -- bigint
create macro bq.vectors_or_error(a, b, y) as case when len(a) <> len(b) then bq.fail('Array length mismatch: ' || len(a) || ' and ' || len(b)) when list_contains(list_transform(a || b, lambda v: v is null), true) then bq.fail('NULL array element') when not isfinite(y) and list_bool_and(list_transform(a || b, lambda v: isfinite(v))) then bq.fail('Floating point overflow in a distance') else y end; -- double
create macro bq.angle_of(aa, bb, ab) as case when aa is null or bb is null then cast(null as double) when aa * bb = 0 then bq.fail('Cannot compute cosine distance against zero vector') when not (isfinite(aa) and isfinite(bb) and isfinite(ab)) then cast('nan' as double) else 1 - ab / (sqrt(aa) * sqrt(bb)) end; -- double
-- DuckDB reads the elements of a list also where the other one is NULL.
create macro bq.cosine_distance(a double[], b double[]) as list_transform([row(case when b is not null then a end, case when a is not null then b end)], lambda v: bq.vectors_or_error(v[1], v[2], bq.angle_of(list_dot_product(v[1], v[1]), list_dot_product(v[2], v[2]), list_dot_product(v[1], v[2]))))[1]; -- double
create macro bq.euclidean_distance(a double[], b double[]) as list_transform([row(case when b is not null then a end, case when a is not null then b end)], lambda v: bq.vectors_or_error(v[1], v[2], list_distance(v[1], v[2])))[1]; -- double
create macro bq.bit_count(x bigint) as cast(bit_count(x) as bigint); -- bigint
create macro bq.bit_count(x blob) as case when octet_length(x) = 0 then 0 else bit_count(bq.bits_of(x)) end; -- bigint
