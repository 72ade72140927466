/**
 * Valid label keys and values of BigQuery. Our choice: ASCII letters only, though BigQuery takes other lowercase
 * letters.
 *
 * @see https://cloud.google.com/bigquery/docs/labels-intro#requirements
 */
export const labelKey = /^[a-z][a-z0-9_-]{0,62}$/;
export const labelValue = /^[a-z0-9_-]{0,63}$/;

/** A name as a label's value: invalid characters become _. */
export function asLabelValue(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^a-z0-9_-]/g, '_')
    .slice(0, 63);
}
