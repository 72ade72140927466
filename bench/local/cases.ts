import { type HotTable, now } from './dataset.ts';
import { apiCounts, type BuildQueries, invocationStats, latestLogs, type Unit } from './hand-written-sql.ts';
import { type Project, projects } from './projects.ts';

/** One query with parameters, as callers send it to the product and as a programmer would write it by hand. */
export interface Case {
  readonly endpoint: string;
  /** Distinguishes the cases of one endpoint: `1day, one function, large`. */
  readonly label: string;
  readonly table: HotTable;
  /** As callers send them. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly buildQueries: BuildQueries;
  /** The values that the hand-written SQL binds. */
  readonly values: Readonly<Record<string, string>>;
  /** The time that the query covers. */
  readonly window: { readonly since: string; readonly until: string };
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

const unitMs: Readonly<Record<Unit, number>> = { second: 1000, minute: minuteMs, hour: hourMs, day: dayMs };

const [largest] = projects;
const smallest = projects.at(-1);
if (largest === undefined || smallest === undefined) throw new Error('There are no projects');
const sizes = [
  ['large', largest],
  ['small', smallest],
] as const;

/** Every interval and tier of the three shipped queries, for a project with a fifth of the rows and one with a thousandth. */
export const cases: readonly Case[] = sizes.flatMap(([size, project]) => [
  ...invocationCases(project, size),
  ...logCases(project, size),
  ...usageCases(project, size),
]);

function invocationCases({ ref, functions }: Project, size: string): Case[] {
  const intervals: readonly (readonly [string, number, Unit])[] = [
    ['5min', 5 * minuteMs, 'second'],
    ['15min', 15 * minuteMs, 'minute'],
    ['1hr', hourMs, 'minute'],
    ['1day', dayMs, 'hour'],
    ['7day', 7 * dayMs, 'day'],
  ];
  return intervals.flatMap(([interval, windowMs, unit]) =>
    [undefined, functions[0]].map((function_id): Case => {
      const filter = function_id === undefined ? {} : { function_id };
      const since = text(truncated(now.getTime() - windowMs, unit));
      return {
        endpoint: 'functions.invocation-stats',
        label: `${interval}, ${function_id === undefined ? 'all functions' : 'one function'}, ${size}`,
        table: 'function_edge_logs',
        parameters: { project: ref, interval, ...filter },
        buildQueries: (source) => invocationStats(source, unit, function_id !== undefined),
        values: { since, project: ref, ...filter },
        window: { since, until: text(now.getTime()) },
      };
    }),
  );
}

function logCases({ ref }: Project, size: string): Case[] {
  const tiers: readonly (readonly [string, number])[] = [
    ['FREE', 1],
    ['PRO', 7],
    ['PAYG', 90],
  ];
  return tiers.flatMap(([project_tier, days]) =>
    [false, true].map((ranged): Case => {
      const retention = now.getTime() - days * dayMs;
      // The middle half of the time that the tier may read.
      const since = ranged ? retention + (days * dayMs) / 4 : retention;
      const until = ranged ? now.getTime() - (days * dayMs) / 4 : now.getTime();
      const range = {
        iso_timestamp_start: new Date(since).toISOString(),
        iso_timestamp_end: new Date(until).toISOString(),
      };
      const window = { since: text(since), until: text(until) };
      return {
        endpoint: 'logs.all',
        label: `${project_tier}, ${ranged ? 'range' : 'no range'}, ${size}`,
        table: 'edge_logs',
        parameters: { project: ref, project_tier, ...(ranged ? range : {}) },
        buildQueries: latestLogs,
        values: { ...window, project: ref },
        window,
      };
    }),
  );
}

function usageCases({ ref }: Project, size: string): Case[] {
  const intervals: readonly (readonly [string, number, Unit])[] = [
    ['minutely', hourMs, 'minute'],
    ['hourly', hourMs, 'hour'],
    ['daily', 7 * dayMs, 'day'],
  ];
  return intervals.map(([interval, windowMs, unit]) => {
    const since = text(now.getTime() - windowMs);
    return {
      endpoint: 'usage.api-counts',
      label: `${interval}, ${size}`,
      table: 'edge_logs',
      parameters: { project: ref, interval },
      buildQueries: (source) => apiCounts(source, unit),
      values: { since, project: ref },
      window: { since, until: text(now.getTime()) },
    };
  });
}

function truncated(ms: number, unit: Unit): number {
  return Math.floor(ms / unitMs[unit]) * unitMs[unit];
}

/** A time as a TIMESTAMP literal in UTC. */
function text(ms: number): string {
  return new Date(ms).toISOString().replace('T', ' ').replace('Z', '');
}
