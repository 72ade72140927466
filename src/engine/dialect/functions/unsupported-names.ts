/** Functions of BigQuery that are refused, by name in lower case, and why; told where a query calls them. */
export const unsupportedFunctions: ReadonlyMap<string, string> = new Map([
  ['farm_fingerprint', 'DuckDB has no FarmHash and no arithmetic of 64 bits that wraps around'],
  ['sha512', 'DuckDB has MD5, SHA1 and SHA256 only'],
  ['net.reg_domain', 'it needs the public suffix list, which changes every week'],
  ['net.public_suffix', 'it needs the public suffix list, which changes every week'],
  ['parse_bignumeric', 'BIGNUMERIC has 76 digits, DuckDB has 38'],
  ['contains_substr', 'DuckDB has no NFKC case folding'],
  ['normalize_and_casefold', 'DuckDB has no case folding'],
  ['collate', 'the collations of DuckDB order otherwise'],
  ['session_user', 'a saved query has no user'],
  ['approx_top_sum', 'DuckDB has no aggregate that sums by value: GROUP BY does'],
  ['hll_count.init', 'sketches of the engines are not alike: use APPROX_COUNT_DISTINCT'],
  ['hll_count.merge', 'sketches of the engines are not alike: use APPROX_COUNT_DISTINCT'],
  ['hll_count.merge_partial', 'sketches of the engines are not alike: use APPROX_COUNT_DISTINCT'],
  ['hll_count.extract', 'sketches of the engines are not alike: use APPROX_COUNT_DISTINCT'],
  ['typeof', 'the engines name types differently'],
  ['json_keys', 'not attempted'],
  ['json_set', 'not attempted'],
  ['json_remove', 'not attempted'],
  ['json_strip_nulls', 'not attempted'],
  ['json_array_append', 'not attempted'],
  ['json_array_insert', 'not attempted'],
  ['date_bucket', 'not attempted: DATE_TRUNC is supported'],
  ['datetime_bucket', 'not attempted: DATETIME_TRUNC is supported'],
  ['timestamp_bucket', 'not attempted: TIMESTAMP_TRUNC is supported'],
  ['make_interval', 'named arguments are not attempted: INTERVAL n PART is supported'],
  ['justify_days', 'not attempted'],
  ['justify_hours', 'not attempted'],
  ['justify_interval', 'not attempted'],
]);

/** Constructs of BigQuery that are refused, and why. */
export const unsupportedConstructs: ReadonlyMap<string, string> = new Map([
  ['CAST FORMAT', 'its patterns are not attempted: FORMAT_DATE, PARSE_DATE and their kin are supported'],
]);
