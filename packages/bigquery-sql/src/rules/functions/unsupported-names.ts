/** The reason why a function of BigQuery is unsupported, by its name in lower case; shown to authors who call it. */
export const unsupportedFunctions: ReadonlyMap<string, string> = new Map([
  ['agg', 'there are no measures here'],
  ['external_query', 'there are no other databases here'],
  ['text_analyze', 'use SEARCH, or REGEXP_EXTRACT_ALL'],
  ['tf_idf', 'use SEARCH'],
  ['bag_of_words', 'use SEARCH'],
  ['vector_search', 'it is a table function, and there are no vectors here'],
]);

/** The reason why all functions of a family are unsupported, by the beginning of their names. */
export const unsupportedFamilies: readonly (readonly [prefix: string, reason: string])[] = [
  ['st_', 'there are no geographies here, and points are two FLOAT64 columns'],
  ['s2_', 'there are no geographies here'],
  ['aead.', 'there are no keys of encryption here'],
  ['deterministic_', 'there are no keys of encryption here'],
  ['keys.', 'there are no keys of encryption here'],
  ['dlp_', 'there are no keys of encryption here'],
  ['ml.', 'there are no models here'],
  ['ai.', 'there are no models here'],
  ['gap_fill', 'it is a table function, which FROM takes'],
  ['range_sessionize', 'it is a table function, which FROM takes'],
  ['obj.', 'there is no Cloud Storage here'],
];

/** Why a function of BigQuery is unsupported; undefined if there is no reason. */
export const unsupportedReason = (name: string): string | undefined =>
  unsupportedFunctions.get(name) ?? unsupportedFamilies.find(([prefix]) => name.startsWith(prefix))?.[1];

/** The reason why another construct of BigQuery is unsupported, by its name in lower case. */
export const unsupportedConstructs: ReadonlyMap<string, string> = new Map([]);
