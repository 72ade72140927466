-- Post-processing of the results of DuckDB's aggregates.
create macro bq.top_entries(counts, nulls) as list_concat(list_transform(map_entries(counts), lambda e: {'c': - cast(e.value as bigint), 'v': e.key}), case when nulls > 0 then [{'c': - nulls, 'v': null}] else [] end); -- any
create macro bq.top_of(entries, n) as list_transform(list_slice(list_sort(entries), 1, n), lambda e: {'value': e.v, 'count': - e.c}); -- bigint
create macro bq.top_count(counts, nulls, n) as bq.top_of(bq.top_entries(counts, nulls), n); -- bigint
-- DuckDB's histogram takes NaN for the value beside it.
create macro bq.top_count_floats(counts, nulls, nans, n) as bq.top_of(list_concat(bq.top_entries(counts, nulls), case when nans > 0 then [{'c': - nans, 'v': cast('nan' as double)}] else [] end), n); -- bigint
-- Items have a value (v), and the texts of it (k) and of its weight (t).
create macro bq.top_sums_{bigint|double}(items, type, n) as list_transform([items], lambda all_: list_transform(list_slice(list_sort(list_transform(from_json(host_top_sums(list_transform(all_, lambda e: e.k), list_transform(all_, lambda e: e.t), type), '[{"i":"BIGINT","s":"VARCHAR"}]'), lambda sum: {'o': sum.s is null, 'm': - cast(sum.s as {}), 'v': all_[sum.i].v})), 1, n), lambda e: {'value': e.v, 'sum': - e.m}))[1]; -- bigint
create macro bq.top_sums_numeric(items, type, n) as list_transform([items], lambda all_: list_transform(list_slice(list_sort(list_transform(from_json(host_top_sums(list_transform(all_, lambda e: e.k), list_transform(all_, lambda e: e.t), type), '[{"i":"BIGINT","s":"VARCHAR"}]'), lambda sum: {'o': sum.s is null, 'm': - cast(sum.s as decimal(38,9)), 'v': all_[sum.i].v})), 1, n), lambda e: {'value': e.v, 'sum': - e.m}))[1]; -- bigint
