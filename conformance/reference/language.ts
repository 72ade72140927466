/** GoogleSQL as BigQuery speaks it: everything the reference knows, but for what BigQuery does differently. */
export function languageFeatures(known: unknown): readonly string[] {
  const features = new Set(known as readonly string[]);
  for (const feature of notInBigQuery) features.delete(feature);
  for (const feature of inBigQuery) features.add(feature);
  return [...features];
}

/** BigQuery's timestamps end at microseconds. */
const notInBigQuery = ['FEATURE_TIMESTAMP_NANOS'];

/** Off in the reference unless asked for. */
const inBigQuery = ['FEATURE_INTERVAL_TYPE'];
