/** BigQuery's language: all features of the reference except those in which BigQuery differs. */
export function languageFeatures(known: unknown): readonly string[] {
  const features = new Set(known as readonly string[]);
  for (const feature of notInBigQuery) features.delete(feature);
  for (const feature of inBigQuery) features.add(feature);
  return [...features];
}

/** BigQuery's timestamps have microsecond precision. */
const notInBigQuery = ['FEATURE_TIMESTAMP_NANOS'];

/** Disabled in the reference by default. */
const inBigQuery = [
  'FEATURE_INTERVAL_TYPE',
  'FEATURE_V_1_3_ANNOTATION_FRAMEWORK',
  'FEATURE_V_1_3_COLLATION_SUPPORT',
  'FEATURE_V_1_1_ORDER_BY_COLLATE',
];
