/** The functions that aggregate rows when they have no OVER. */
const names: ReadonlySet<string> = new Set(
  `any_value approx_count_distinct approx_quantiles approx_top_count approx_top_sum array_agg array_concat_agg avg
  bit_and bit_or bit_xor corr count countif covar_pop covar_samp grouping hll_count.init hll_count.merge
  hll_count.merge_partial logical_and logical_or max max_by min min_by percentile_cont percentile_disc stddev
  stddev_pop stddev_samp string_agg sum var_pop var_samp variance`.split(/\s+/),
);

export const isAggregateName = (name: string): boolean => names.has(name);
