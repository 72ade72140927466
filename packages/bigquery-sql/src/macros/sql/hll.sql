-- HLL_COUNT within one query: rules pass list(DISTINCT x) of the texts of values, or list(sketch).
create macro bq.hll_init(texts varchar[]) as case when len(list_filter(texts, lambda text: text is not null)) > 0 then host_hll_init(texts) end; -- blob
create macro bq.hll_merge_partial(sketches blob[]) as case when len(list_filter(sketches, lambda sketch: sketch is not null)) > 0 then host_hll_merge(list_transform(sketches, lambda sketch: hex(sketch))) end; -- blob
create macro bq.hll_merge(sketches blob[]) as coalesce(host_hll_extract(bq.hll_merge_partial(sketches)), 0); -- bigint
create macro bq.hll_count_extract(sketch blob) as coalesce(host_hll_extract(sketch), 0); -- bigint
