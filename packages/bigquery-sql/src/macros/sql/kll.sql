-- KLL_QUANTILES within one query. Of many values in their order, only some are passed on: four for each unit of the precision.
create macro bq.kll_places(n bigint, most bigint) as list_transform(range(least(n, most)), lambda i: 1 + (i * (n - 1)) // greatest(least(n, most) - 1, 1)); -- bigint[]
create macro bq.kll_init(items, n bigint, kind varchar, size bigint) as case when n > 0 then host_kll_init(cast(list_select(list_sort(items), bq.kll_places(n, 4 * size)) as varchar[]), n, kind, size) end; -- blob
create macro bq.kll_init_weighted(items, kind varchar, size bigint) as host_kll_init_weighted(list_transform(items, lambda item: cast(item.v as varchar)), list_transform(items, lambda item: cast(item.w as varchar)), kind, size); -- blob
create macro bq.kll_merge_partial(sketches blob[]) as case when len(list_filter(sketches, lambda sketch: sketch is not null)) > 0 then host_kll_merge(list_transform(sketches, lambda sketch: hex(sketch))) end; -- blob
create macro bq.kll_quantiles_extract_int64(sketch blob, n bigint) as cast(string_split(host_kll_quantiles(sketch, n, 'INT64'), ',') as bigint[]); -- bigint[]
create macro bq.kll_quantiles_extract_float64(sketch blob, n bigint) as cast(string_split(host_kll_quantiles(sketch, n, 'FLOAT64'), ',') as double[]); -- double[]
create macro bq.kll_quantiles_extract_point_int64(sketch blob, phi double) as cast(host_kll_point(sketch, phi, 'INT64') as bigint); -- bigint
create macro bq.kll_quantiles_extract_point_float64(sketch blob, phi double) as cast(host_kll_point(sketch, phi, 'FLOAT64') as double); -- double
