/** The reason why a function of BigQuery is unsupported, by its name in lower case; shown to authors who call it. */
export const unsupportedFunctions: ReadonlyMap<string, string> = new Map([
  ['collate', 'DuckDB sorts by collations differently'],
  ['session_user', 'saved queries run without a user'],
  ['approx_top_sum', 'DuckDB has no such aggregate: use SUM with GROUP BY'],
  ['range_sessionize', 'not implemented'],
]);

/** The reason why another construct of BigQuery is unsupported, by its name in lower case. */
export const unsupportedConstructs: ReadonlyMap<string, string> = new Map([]);
