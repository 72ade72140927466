/**
 * BigQuery's language: all features of the reference except those in which BigQuery differs.
 *
 * @param known names, and numbers for those that are newer than the protocol's file
 */
export function languageFeatures(known: unknown): readonly (string | number)[] {
  const features = new Set(known as readonly (string | number)[]);
  for (const feature of [...notInBigQuery, ...newerNotInBigQuery.values()]) features.delete(feature);
  for (const feature of inBigQuery) features.add(feature);
  return [...features];
}

const notInBigQuery = [
  // Timestamps have microsecond precision.
  'FEATURE_TIMESTAMP_NANOS',
  // Arrays cannot be compared.
  'FEATURE_V_1_1_ARRAY_EQUALITY',
  'FEATURE_V_1_3_ARRAY_GREATEST_LEAST',
  'FEATURE_V_1_3_ARRAY_ORDERING',
  // Functions of other products.
  'FEATURE_V_1_3_INLINE_LAMBDA_ARGUMENT',
  'FEATURE_V_1_4_ARRAY_AGGREGATION_FUNCTIONS',
  'FEATURE_V_1_4_ARRAY_FIND_FUNCTIONS',
  'FEATURE_V_1_4_FIRST_AND_LAST_N',
  'FEATURE_V_1_4_NULLIFZERO_ZEROIFNULL',
  'FEATURE_V_1_4_PI_FUNCTIONS',
];

/** Features that are newer than the protocol's file, which has no names for them. */
const newerNotInBigQuery: ReadonlyMap<string, number> = new Map([
  ['TIMESTAMP_PICOS', 123],
  ['JSON_TYPE_COMPARISON', 139],
  ['LIMIT_OFFSET_EXPRESSIONS', 14042],
  ['JSON_ARRAY_VALUE_EXTRACTION_FUNCTIONS', 14053],
  ['IMPLICIT_COERCION_STRING_LITERAL_TO_BYTES', 14056],
  ['TIMESTAMP_PRECISION', 14093],
  // Collation leaks into an array with a type.
  ['BUGGY_LEAK_ANNOTATIONS_TO_ARRAY_CONSTRUCTOR_EXPLICIT_TYPE', 14117],
  ['LATERAL_COLUMN_REFERENCES', 14118],
]);

/** Disabled in the reference by default. */
const inBigQuery = [
  'FEATURE_INTERVAL_TYPE',
  'FEATURE_V_1_3_ANNOTATION_FRAMEWORK',
  'FEATURE_V_1_3_COLLATION_SUPPORT',
  'FEATURE_V_1_1_ORDER_BY_COLLATE',
];
