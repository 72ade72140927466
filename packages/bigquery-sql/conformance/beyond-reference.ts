/** What is accepted, and neither stated nor excluded by BigQuery's reference, by the heading of its cases. */
export const beyondReference: ReadonlyMap<string, string> = new Map([
  ['DATE_ADD', 'DATETIME and TIMESTAMP'],
  ['DATE_DIFF', 'DATETIME and TIMESTAMP'],
  ['DATE_SUB', 'DATETIME and TIMESTAMP'],
  ['DATETIME_DIFF', 'TIMESTAMP'],
  ['ORDER BY', 'COLLATE'],
  ['STRING', 'DATE, DATETIME and TIME'],
]);
