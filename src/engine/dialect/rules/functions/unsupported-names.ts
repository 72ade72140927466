/** The reason why a function of BigQuery is unsupported, by its name in lower case; shown to authors who call it. */
export const unsupportedFunctions: ReadonlyMap<string, string> = new Map([
  ['contains_substr', 'DuckDB has no NFKC case folding'],
  ['collate', 'DuckDB sorts by collations differently'],
  ['session_user', 'saved queries run without a user'],
  ['approx_top_sum', 'DuckDB has no such aggregate: use SUM with GROUP BY'],
  ['hll_count.init', 'the sketches of the two engines are incompatible: use APPROX_COUNT_DISTINCT'],
  ['hll_count.merge', 'the sketches of the two engines are incompatible: use APPROX_COUNT_DISTINCT'],
  ['hll_count.merge_partial', 'the sketches of the two engines are incompatible: use APPROX_COUNT_DISTINCT'],
  ['hll_count.extract', 'the sketches of the two engines are incompatible: use APPROX_COUNT_DISTINCT'],
  ['typeof', 'the engines name types differently'],
  ['date_bucket', 'not implemented: use DATE_TRUNC'],
  ['datetime_bucket', 'not implemented: use DATETIME_TRUNC'],
  ['timestamp_bucket', 'not implemented: use TIMESTAMP_TRUNC'],
  ['json_set', 'not implemented'],
  ['json_array_append', 'not implemented'],
  ['json_array_insert', 'not implemented'],
  ['make_interval', 'named arguments are not implemented: use INTERVAL n PART'],
  ['justify_days', 'not implemented'],
  ['justify_hours', 'not implemented'],
  ['justify_interval', 'not implemented'],
  ['range', 'the type RANGE is not implemented'],
  ['range_contains', 'the type RANGE is not implemented'],
  ['range_end', 'the type RANGE is not implemented'],
  ['range_intersect', 'the type RANGE is not implemented'],
  ['range_overlaps', 'the type RANGE is not implemented'],
  ['range_sessionize', 'the type RANGE is not implemented'],
  ['range_start', 'the type RANGE is not implemented'],
  ['generate_range_array', 'the type RANGE is not implemented'],
]);

/** The reason why another construct of BigQuery is unsupported, by its name in lower case. */
export const unsupportedConstructs: ReadonlyMap<string, string> = new Map([
  ['bignumeric', 'its literals and casts are not implemented'],
  ['cast format', 'its format models are not implemented: use FORMAT_DATE, PARSE_DATE and the like'],
]);
