/**
 * The functions of BigQuery's reference, in lower case, by family. Syntax such as STRUCT, EXISTS and UNNEST is not
 * listed, nor are families without a supported function, such as ST_…
 */
export const functionNames: ReadonlySet<string> = new Set(
  `
  any_value array_agg array_concat_agg avg bit_and bit_or bit_xor count countif grouping logical_and logical_or max
  max_by min min_by string_agg sum corr covar_pop covar_samp stddev stddev_pop stddev_samp var_pop var_samp variance
  approx_count_distinct approx_quantiles approx_top_count approx_top_sum
  hll_count.extract hll_count.init hll_count.merge hll_count.merge_partial
  kll_quantiles.extract_float64 kll_quantiles.extract_int64 kll_quantiles.extract_point_float64
  kll_quantiles.extract_point_int64 kll_quantiles.init_float64 kll_quantiles.init_int64 kll_quantiles.merge_float64
  kll_quantiles.merge_int64 kll_quantiles.merge_partial kll_quantiles.merge_point_float64 kll_quantiles.merge_point_int64

  row_number rank dense_rank percent_rank cume_dist ntile
  first_value last_value nth_value lead lag percentile_cont percentile_disc

  array_concat array_first array_last array_length array_reverse array_slice array_to_string
  generate_array generate_date_array generate_timestamp_array generate_range_array

  coalesce if ifnull nullif error typeof
  generate_uuid session_user collate

  abs acos acosh asin asinh atan atan2 atanh cbrt ceil ceiling cos cosh cosine_distance cot coth csc csch div
  euclidean_distance exp floor greatest ieee_divide is_inf is_nan least ln log log10 mod pow power rand range_bucket
  round safe_add safe_divide safe_multiply safe_negate safe_subtract sec sech sign sin sinh sqrt tan tanh trunc
  bit_count

  farm_fingerprint md5 sha1 sha256 sha512

  ascii byte_length char_length character_length chr code_points_to_bytes code_points_to_string concat
  contains_substr search edit_distance ends_with format from_base32 from_base64 from_hex initcap instr left length lower
  lpad ltrim normalize normalize_and_casefold octet_length regexp_contains regexp_extract regexp_extract_all
  regexp_instr regexp_replace regexp_substr repeat replace reverse right rpad rtrim
  safe_convert_bytes_to_string soundex split starts_with strpos substr substring to_base32 to_base64
  to_code_points to_hex translate trim unicode upper

  bool int64 float64 string json_array json_array_append json_array_insert json_extract json_extract_array
  json_extract_scalar json_extract_string_array json_flatten json_keys json_object json_query json_query_array
  json_remove json_set json_strip_nulls json_type json_value json_value_array lax_bool lax_float64 lax_int64
  lax_string parse_json to_json to_json_string

  cast safe_cast parse_numeric parse_bignumeric

  current_date current_datetime current_time current_timestamp
  date date_add date_bucket date_diff date_from_unix_date date_sub date_trunc extract format_date last_day
  parse_date unix_date datetime datetime_add datetime_bucket datetime_diff datetime_sub datetime_trunc
  format_datetime parse_datetime time time_add time_diff time_sub time_trunc format_time parse_time
  timestamp timestamp_add timestamp_bucket timestamp_diff timestamp_micros timestamp_millis timestamp_seconds
  timestamp_sub timestamp_trunc format_timestamp parse_timestamp unix_micros unix_millis unix_seconds
  make_interval justify_days justify_hours justify_interval
  range range_contains range_end range_intersect range_overlaps range_start
  gap_fill range_sessionize

  net.host net.ip_from_string net.ip_net_mask net.ip_to_string net.ip_trunc net.ipv4_from_int64
  net.ipv4_to_int64 net.public_suffix net.reg_domain net.safe_ip_from_string

  array
  `
    .split(/\s+/)
    .filter((name) => name !== ''),
);
