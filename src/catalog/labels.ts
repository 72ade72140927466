/**
 * What BigQuery takes for a label. Our choice: of all the world's lowercase letters only ASCII's.
 *
 * @see https://cloud.google.com/bigquery/docs/labels-intro#requirements
 */
export const labelKey = /^[a-z][a-z0-9_-]{0,62}$/;
export const labelValue = /^[a-z0-9_-]{0,63}$/;

/** A name as a label's value: what may not stand there becomes _. */
export function asLabelValue(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^a-z0-9_-]/g, '_')
    .slice(0, 63);
}
