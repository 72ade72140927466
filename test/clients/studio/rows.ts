import type { Row } from './server-route.ts';

/**
 * What Studio's pages do with rows, as pure functions.
 *
 * Rules read from supabase/supabase, apps/studio: components/interfaces/Settings/Logs/Logs.utils.ts,
 * components/interfaces/Reports/Reports.utils.tsx, hooks/analytics/useLogsPreview.tsx, useTimeseriesUnixToIso.ts and
 * useFillTimeseriesSorted.ts, data/reports/v2/edge-functions.config.ts and auth.config.ts.
 */

/** A number of 16 digits is taken for microseconds; anything else is parsed as a date, in UTC if it has no zone. */
export const isMicroseconds = (value: unknown) => String(value).length === 16 && !Number.isNaN(Number(value));

export function isoText(value: unknown): string {
  if (isMicroseconds(value)) return new Date(Number(value) / 1000).toISOString();
  const text = String(value);
  return new Date(/(?:Z|[+-]\d\d:?\d\d)$/.test(text) ? text : `${text}Z`).toISOString();
}

/** Otherwise the list shows the row as JSON. */
export const isPreview = ({ id, timestamp, event_message }: Row) =>
  Boolean(id) && Boolean(timestamp) && Boolean(event_message);

/** The end of the next page: the time of the last row, in whole milliseconds. */
export const olderThan = (rows: readonly Row[]) =>
  new Date(Math.trunc(Number(rows.at(-1)?.timestamp) / 1000)).toISOString();

/** A row of a chart, with its time as ISO text. */
export interface Point extends Row {
  readonly timestamp: string;
}

type Unit = 'second' | 'minute' | 'hour' | 'day';
const unitMs: Record<Unit, number> = { second: 1000, minute: 60_000, hour: 3_600_000, day: 86_400_000 };

/**
 * The series of a chart: timestamps as ISO text, a zero for every bucket without a row, sorted. More than 20 points are
 * left as they are. The bucket's size is guessed from the number of time parts that are zero.
 */
export function chartSeries(
  rows: readonly Row[],
  values: readonly string[],
  range: { readonly start: Date; readonly end: Date },
): Point[] {
  const points: Point[] = rows.map((row) => ({ ...row, timestamp: isoText(row.timestamp) }));
  if (points.length === 0) return [];
  if (points.length > 20) return points;
  const step = unitMs[likelyUnit(points.map(({ timestamp }) => new Date(timestamp)))];
  const seconds = new Set(points.map(({ timestamp }) => Math.trunc(Date.parse(timestamp) / 1000)));
  for (let at = range.start.getTime(); at <= range.end.getTime(); at += step) {
    if (seconds.has(Math.trunc(at / 1000))) continue;
    points.push({
      timestamp: new Date(at).toISOString(),
      ...Object.fromEntries(values.map((value) => [value, 0])),
    });
  }
  return points.sort((a, b) => Date.parse(a.timestamp) - Date.parse(b.timestamp));
}

function likelyUnit(dates: readonly Date[]): Unit {
  const units: Unit[] = ['second', 'minute', 'hour', 'day'];
  const counts = units.map(() => 0);
  for (const date of dates) {
    const parts = [date.getUTCSeconds(), date.getUTCMinutes(), date.getUTCHours()];
    const zeros = parts.filter((part) => part === 0).length;
    counts[zeros] = (counts[zeros] ?? 0) + 1;
  }
  const most = Math.max(...counts);
  return units[counts.lastIndexOf(most)] ?? 'second';
}

/** One row for each time, one column for each status code. Counts must be numbers: they are shown as they come. */
export function byStatusCode(rows: readonly Row[]): Point[] {
  const codes = [
    ...new Set(rows.flatMap((row) => (row.status_code == null ? [] : [String(row.status_code)]))),
  ];
  const times = new Map<string, Point>();
  for (const row of rows) {
    const timestamp = isoText(row.timestamp);
    const zeros = Object.fromEntries(codes.map((code) => [code, 0]));
    const point = times.get(timestamp) ?? { timestamp, ...zeros };
    times.set(timestamp, { ...point, [String(row.status_code)]: row.count });
  }
  return [...times.values()];
}

/** Adds up with `+`, which concatenates text: then the sum is no number. */
export const sumOf = (rows: readonly Row[], column: string) =>
  rows.reduce((sum, row) => sum + (typeof row[column] === 'number' ? row[column] : Number.NaN), 0);

/** The badge of an auth row: from the level and from the HTTP status, which is text or a number. */
export function authSeverity(level: unknown, status: unknown): string {
  const label = typeof level === 'string' ? level : '';
  if (label === 'error' || label === 'fatal') return label;
  const code = typeof status === 'number' || typeof status === 'string' ? Number(status) : Number.NaN;
  if (code >= 500) return 'error';
  if (label === 'warning' || code >= 400) return 'warning';
  return label;
}

/** A nested record as the detail pane reads it: each record is an array, of which it takes the first element. */
export function detail(row: Row, ...path: string[]): Row | undefined {
  let record: Row | undefined = row;
  for (const field of path) record = (record?.[field] as readonly Row[] | undefined)?.[0];
  return record;
}
