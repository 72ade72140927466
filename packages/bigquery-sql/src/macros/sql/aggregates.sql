-- Post-processing of the results of DuckDB's aggregates.
create macro bq.top_count(counts, nulls, n) as list_transform(list_slice(list_sort(list_concat(list_transform(map_entries(counts), lambda e: {'c': - cast(e.value as bigint), 'v': e.key}), case when nulls > 0 then [{'c': - nulls, 'v': null}] else [] end)), 1, n), lambda e: {'value': e.v, 'count': - e.c}); -- bigint
