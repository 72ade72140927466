/** BigQuery's language: all features of the reference except those in which BigQuery differs. */
export function languageFeatures(known: unknown): readonly string[] {
  const features = new Set(known as readonly string[]);
  for (const feature of notInBigQuery) features.delete(feature);
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

/** Disabled in the reference by default. */
const inBigQuery = [
  'FEATURE_INTERVAL_TYPE',
  'FEATURE_V_1_3_ANNOTATION_FRAMEWORK',
  'FEATURE_V_1_3_COLLATION_SUPPORT',
  'FEATURE_V_1_1_ORDER_BY_COLLATE',
];
