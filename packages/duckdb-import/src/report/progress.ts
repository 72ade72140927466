import type { ImportProgress } from '../import-state.ts';

const secondMs = 1000;

/**
 * The progress of a sync as a line of text, after so many milliseconds:
 * `importing 41 % | 1,234,567 rows | 131,000 rows/s | 12 s left | edge_logs.ndjson`.
 */
export function progressText({ file, rows, bytes, totalBytes }: ImportProgress, elapsedMs: number): string {
  const share = totalBytes === 0 ? 1 : Math.min(1, bytes / totalBytes);
  const speed = elapsedMs === 0 ? 0 : (rows * secondMs) / elapsedMs;
  const parts = [`importing ${Math.floor(share * 100)} %`, `${formatCount(rows)} rows`];
  if (rows > 0) parts.push(`${formatCount(Number(speed.toPrecision(3)))} rows/s`);
  if (share > 0 && share < 1) parts.push(`${timeText((elapsedMs * (1 - share)) / share)} left`);
  if (file !== undefined) parts.push(file);
  return parts.join(' | ');
}

const formatCount = (count: number) => Math.round(count).toLocaleString('en-US');

function timeText(ms: number): string {
  const seconds = Math.ceil(ms / secondMs);
  if (seconds < 120) return `${seconds} s`;
  return seconds < 7200 ? `${Math.ceil(seconds / 60)} min` : `${Math.ceil(seconds / 3600)} h`;
}
