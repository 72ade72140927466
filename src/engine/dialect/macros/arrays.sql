create macro bq.at_offset(a, i) as case when i < 0 or i >= len(a) then bq.fail('Array index ' || i || ' is out of bounds') else a[i + 1] end; -- element of a
create macro bq.at_ordinal(a, i) as case when i < 1 or i > len(a) then bq.fail('Array index ' || i || ' is out of bounds') else a[i] end; -- element of a
create macro bq.at_safe_offset(a, i) as case when i >= 0 then a[i + 1] end; -- element of a
create macro bq.at_safe_ordinal(a, i) as case when i >= 1 then a[i] end; -- element of a
