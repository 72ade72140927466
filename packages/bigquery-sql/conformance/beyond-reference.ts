/** What is accepted, and neither stated nor excluded by BigQuery's reference, by the heading of its cases. */
export const beyondReference: ReadonlyMap<string, string> = new Map([
  ['DATE_ADD', 'DATETIME and TIMESTAMP'],
  ['DATE_DIFF', 'DATETIME and TIMESTAMP'],
  ['DATE_SUB', 'DATETIME and TIMESTAMP'],
  ['DATETIME_ADD', 'TIMESTAMP'],
  ['DATETIME_DIFF', 'TIMESTAMP'],
  ['DATETIME_SUB', 'TIMESTAMP'],
  ['FORMAT_DATE', 'DATETIME and TIMESTAMP'],
  ['FORMAT_DATETIME', 'TIMESTAMP'],
  ['FORMAT_TIMESTAMP', 'DATE and DATETIME'],
  ['ORDER BY', 'COLLATE'],
  ['STRING', 'DATE, DATETIME and TIME'],
  ['TIMESTAMP_ADD', 'DATE and DATETIME'],
  ['TIMESTAMP_DIFF', 'DATE and DATETIME'],
  ['TIMESTAMP_SUB', 'DATE and DATETIME'],
]);
