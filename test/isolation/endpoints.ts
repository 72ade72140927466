import { functionIds, type KnownRow, type World, words } from './world.ts';

/** A row of an answer, without the columns that are not compared. */
export type Compared = Readonly<Record<string, unknown>>;

/** One saved query, as the oracle knows it. */
export interface Endpoint {
  readonly name: string;
  readonly id: string;
  /** In GraphQL. */
  readonly field: string;
  /** The parameter that names the tenant; undefined if there is none. */
  readonly tenant: string | undefined;
  /** The value of an absent one. */
  readonly tenantDefault?: string;
  readonly isPattern?: true;
  /** Other parameters with the values that callers send; in GraphQL enums have other spellings. */
  readonly others: Readonly<Record<string, readonly string[]>>;
  readonly enums?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** The columns that are compared, in REST's spelling. */
  readonly columns: readonly string[];
  /**
   * The rows for a tenant, by plain loops over the rows.
   *
   * @param isOwn whether a text is the tenant, or matches the pattern
   */
  readonly rows: (
    world: World,
    isOwn: (text: string | null) => boolean,
    parameters: ReadonlyMap<string, string>,
  ) => Compared[];
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
const byId = (rows: readonly KnownRow[]) => rows.toSorted((a, b) => compare(a.id, b.id));
const idOnly = (rows: readonly KnownRow[]): Compared[] => byId(rows).map(({ id }) => ({ id }));
const withMessage = ({ id, message }: KnownRow): Compared => ({
  id,
  ...(message !== null && { event_message: message }),
});

const minute = 60 * 1_000_000;
const hour = 60 * minute;
const day = 24 * hour;
/** Of the run's first minutes; no row is near the ends of the windows. */
const at = Date.parse('2026-03-10T12:34:56Z') * 1000;

export const endpoints: readonly Endpoint[] = [
  {
    name: 'own.by-column',
    id: '15000000-0000-4000-8000-000000000001',
    field: 'ownByColumn',
    tenant: 'who',
    others: { word: words },
    columns: ['id', 'event_message'],
    rows: ({ edge }, isOwn, parameters) => {
      const word = parameters.get('word') ?? '';
      return byId(edge.filter((row) => isOwn(row.tenant) && (word === '' || row.message === word))).map(
        withMessage,
      );
    },
  },
  {
    name: 'own.by-sql',
    id: '15000000-0000-4000-8000-000000000008',
    field: 'ownBySql',
    tenant: 'who',
    others: {},
    columns: ['id', 'event_message'],
    rows: ({ edge }, isOwn) => byId(edge.filter((row) => isOwn(row.tenant))).map(withMessage),
  },
  {
    name: 'own.by-record',
    id: '15000000-0000-4000-8000-000000000002',
    field: 'ownByRecord',
    tenant: 'ref',
    tenantDefault: 'abc',
    others: {},
    columns: ['id', 'event_message'],
    rows: ({ calls }, isOwn) => byId(calls.filter((row) => isOwn(row.tenant))).map(withMessage),
  },
  {
    name: 'own.by-join',
    id: '15000000-0000-4000-8000-000000000003',
    field: 'ownByJoin',
    tenant: 'p',
    others: {},
    columns: ['id', 'other'],
    rows: ({ edge, auth }, isOwn) =>
      byId(edge.filter((row) => isOwn(row.tenant))).flatMap(({ id }) =>
        byId(auth.filter((row) => isOwn(row.tenant))).map((other) => ({ id, other: other.id })),
      ),
  },
  {
    name: 'own.by-union',
    id: '15000000-0000-4000-8000-000000000004',
    field: 'ownByUnion',
    tenant: 'tenant',
    others: {},
    columns: ['id'],
    rows: ({ edge, auth, calls }, isOwn) =>
      idOnly([...edge, ...auth, ...calls].filter((row) => isOwn(row.tenant))).slice(0, 5),
  },
  {
    name: 'own.by-host',
    id: '15000000-0000-4000-8000-000000000005',
    field: 'ownByHost',
    tenant: 'host',
    isPattern: true,
    others: {},
    columns: ['id'],
    rows: ({ edge }, isOwn) => idOnly(edge.filter((row) => isOwn(row.url))),
  },
  {
    name: 'own.by-text',
    id: '15000000-0000-4000-8000-000000000006',
    field: 'ownByText',
    tenant: 'name',
    isPattern: true,
    others: {},
    columns: ['id'],
    rows: ({ auth }, isOwn) => idOnly(auth.filter((row) => isOwn(row.tenant))),
  },
  {
    name: 'own.of-all',
    id: '15000000-0000-4000-8000-000000000007',
    field: 'ownOfAll',
    tenant: undefined,
    others: {},
    columns: ['id'],
    rows: ({ auth }) => idOnly(auth),
  },
  {
    name: 'usage.api-counts',
    id: 'c41e8b72-93da-4d05-b6f1-5a2e7f80c9d4',
    field: 'usageApiCounts',
    tenant: 'project',
    isPattern: true,
    others: { interval: ['hourly', 'minutely', 'daily'] },
    enums: { interval: { hourly: 'HOURLY', minutely: 'MINUTELY', daily: 'DAILY' } },
    columns: [
      'timestamp',
      'total_rest_requests',
      'total_storage_requests',
      'total_auth_requests',
      'total_realtime_requests',
    ],
    rows: ({ edge }, isOwn, parameters) => {
      const interval = parameters.get('interval') ?? '';
      const window = interval === 'daily' ? 7 * day : hour;
      const bucket = { minutely: minute, hourly: hour, daily: day }[interval] ?? hour;
      const own = edge.filter((row) => isOwn(row.url) && row.time > at - window);
      return buckets(own, bucket).map(([start, rows]) => {
        const count = (area: string) => rows.filter(({ path }) => path?.includes(area)).length;
        return {
          timestamp: new Date(start / 1000).toISOString().slice(0, 19),
          total_rest_requests: count('/rest'),
          total_storage_requests: count('/storage'),
          total_auth_requests: count('/auth'),
          total_realtime_requests: count('/realtime'),
        };
      });
    },
  },
  {
    name: 'functions.invocation-stats',
    id: '8d5a1f0e-6c3b-4f7e-9a52-1b7c0e4d2f63',
    field: 'functionsInvocationStats',
    tenant: 'project',
    others: { interval: ['1hr', '1day', '7day'], function_id: ['', ...functionIds] },
    enums: { interval: { '1hr': 'ONE_HOUR', '1day': 'ONE_DAY', '7day': 'SEVEN_DAYS' } },
    columns: ['timestamp', 'min_execution_time', 'max_execution_time', 'count', 'error_count'],
    rows: ({ calls }, isOwn, parameters) => {
      const interval = parameters.get('interval') ?? '';
      const functionId = parameters.get('function_id') ?? '';
      const window = { '1hr': hour, '7day': 7 * day }[interval] ?? day;
      const bucket = { '1hr': minute, '7day': day }[interval] ?? hour;
      const own = calls.filter(
        (row) =>
          isOwn(row.tenant) && row.time > at - window && (functionId === '' || row.functionId === functionId),
      );
      return buckets(own, bucket).map(([start, rows]) => {
        const times = rows.flatMap(({ executionMs }) => executionMs ?? []);
        return {
          timestamp: start,
          ...(times.length > 0 && {
            min_execution_time: Math.min(...times),
            max_execution_time: Math.max(...times),
          }),
          count: rows.length,
          error_count: rows.filter(({ status }) => status !== null && status >= 400).length,
        };
      });
    },
  },
  {
    name: 'logs.all',
    id: '2f9c7d14-0b8e-4a6d-8c35-7e1f5a90d2b8',
    field: 'logsAll',
    tenant: 'project',
    others: { project_tier: ['FREE', 'PRO', 'PAYG'] },
    enums: { project_tier: { FREE: 'FREE', PRO: 'PRO', PAYG: 'PAYG' } },
    columns: ['id', 'event_message'],
    rows: ({ edge }, isOwn, parameters) => {
      const days = { PRO: 7, PAYG: 90 }[parameters.get('project_tier') ?? ''] ?? 1;
      return edge
        .filter((row) => isOwn(row.tenant) && row.time > at - days * day)
        .toSorted((a, b) => b.time - a.time || compare(a.id, b.id))
        .slice(0, 100)
        .map(withMessage);
    },
  },
];

/** Rows by the start of their bucket, in order. */
function buckets(
  rows: readonly KnownRow[],
  size: number,
): readonly (readonly [number, readonly KnownRow[]])[] {
  const groups = Map.groupBy(rows, ({ time }) => Math.floor(time / size) * size);
  return [...groups].sort(([a], [b]) => a - b);
}

/**
 * Whether an address belongs to the host whose first label is the tenant, by looking at its characters: not by a regular
 * expression, as the gateway does.
 */
export function isOnHostOf(tenant: string, url: string | null): boolean {
  const scheme = ['https://', 'http://'].find((start) => url?.startsWith(start));
  if (url === null || scheme === undefined) return false;
  const rest = url.slice(scheme.length);
  if (!rest.startsWith(`${tenant}.`)) return false;
  for (const character of rest.slice(tenant.length + 1)) {
    if (character === '/' || character === '?' || character === '#') return true;
    // RE2's \s: only these.
    if ('@\\ \t\n\f\r'.includes(character)) return false;
  }
  return true;
}
