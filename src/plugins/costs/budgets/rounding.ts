const megabyte = 2 ** 20;

/** BigQuery bills at least so much for each table. */
const leastBytes = 10 * megabyte;

/**
 * The most that BigQuery bills for a run that reads so many bytes: it rounds up for each table. All may be in one of them.
 *
 * @see https://cloud.google.com/bigquery/pricing#on-demand
 */
export function mostBilled(bytes: number, tables: number): number {
  if (bytes <= 0) return 0;
  const rounded = Math.ceil(bytes / megabyte) * megabyte;
  return Math.max(rounded, leastBytes) + Math.max(0, tables - 1) * leastBytes;
}
