import { expect, test } from 'vitest';
import { progressText } from '../src/report/progress.ts';

test.each([
  [{ file: undefined, rows: 0, bytes: 0, totalBytes: 10 }, 500, 'importing 0 % | 0 rows'],
  [
    { file: undefined, rows: 1_234_567, bytes: 41, totalBytes: 100 },
    9_424,
    'importing 41 % | 1,234,567 rows | 131,000 rows/s | 14 s left',
  ],
  [
    { file: undefined, rows: 10, bytes: 1, totalBytes: 1000 },
    1000,
    'importing 0 % | 10 rows | 10 rows/s | 17 min left',
  ],
  [
    { file: 'edge_logs.ndjson', rows: 10, bytes: 1, totalBytes: 1000 },
    1000,
    'importing 0 % | 10 rows | 10 rows/s | 17 min left | edge_logs.ndjson',
  ],
  [{ file: undefined, rows: 10, bytes: 9, totalBytes: 9 }, 1000, 'importing 100 % | 10 rows | 10 rows/s'],
])('%o after %d ms', (progress, elapsedMs, text) => {
  expect(progressText(progress, elapsedMs)).toBe(text);
});
