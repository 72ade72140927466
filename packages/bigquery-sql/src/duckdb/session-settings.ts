/** Settings that every connection needs for BigQuery's semantics: the time zone, where NULL is in ORDER BY, and `/`. */
export const sessionSettings: readonly string[] = [
  "SET TimeZone = 'UTC'",
  "SET default_null_order = 'nulls_first_on_asc_last_on_desc'",
  'SET integer_division = false',
];
