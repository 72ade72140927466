create macro bq.op_add(a bigint, b bigint) as (a + b); -- bigint
create macro bq.op_add(a decimal(38,9), b decimal(38,9)) as (a + b); -- decimal(38,9)
create macro bq.op_add(a double, b double) as (a + b); -- double
create macro bq.op_subtract(a bigint, b bigint) as (a - b); -- bigint
create macro bq.op_subtract(a decimal(38,9), b decimal(38,9)) as (a - b); -- decimal(38,9)
create macro bq.op_subtract(a double, b double) as (a - b); -- double
create macro bq.op_multiply(a bigint, b bigint) as (a * b); -- bigint
create macro bq.op_multiply(a double, b double) as (a * b); -- double
create macro bq.op_divide(a double, b double) as case when b = 0 then bq.fail('division by zero: ' || a || ' / ' || b) else a / b end; -- double
create macro bq.op_negate(a bigint) as (- a); -- bigint
create macro bq.op_negate(a double) as (- a); -- double
create macro bq.op_concat(a varchar, b varchar) as (a || b); -- varchar
create macro bq.op_like(a varchar, b varchar) as (a like b escape '\'); -- boolean
create macro bq.at_offset(a, i) as case when i < 0 or i >= len(a) then bq.fail('Array index ' || i || ' is out of bounds') else a[i + 1] end; -- element of a
create macro bq.at_ordinal(a, i) as case when i < 1 or i > len(a) then bq.fail('Array index ' || i || ' is out of bounds') else a[i] end; -- element of a
create macro bq.at_safe_offset(a, i) as case when i >= 0 then a[i + 1] end; -- element of a
create macro bq.at_safe_ordinal(a, i) as case when i >= 1 then a[i] end; -- element of a
