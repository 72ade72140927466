import type { Table } from './table.ts';

/** The current time of the saved queries in the conformance run. */
export const now = '2024-03-01T12:00:00.000000Z';

/** The project whose logs are queried. */
export const project = 'mzqkvxwotrplbhnydsea';

const [second, minute, hour, day] = [1_000_000, 60_000_000, 3_600_000_000, 86_400_000_000];

/** Rows at, just before and just after every time bound of the saved queries. */
export const shippedRows = (): Readonly<Record<string, Table['rows']>> => ({
  edge_logs: microsAgo().map(edgeLog),
  function_edge_logs: microsAgo().map(functionEdgeLog),
});

type Row = Table['rows'][number];

/** Microseconds before now; several rows fall into one bucket. */
function microsAgo(): readonly number[] {
  const bounds = [
    0,
    second,
    minute,
    5 * minute,
    15 * minute,
    hour,
    3 * hour,
    day,
    2 * day,
    7 * day,
    90 * day,
  ];
  return bounds.flatMap((bound) => [bound - 1, bound, bound + 1, bound + 30 * second, bound + 31 * second]);
}

function edgeLog(ago: number, at: number): Row {
  const owner = at % 7 === 3 ? 'otherprojectxxxxxxxx' : project;
  const path = pick(
    ['/rest/v1/t', '/storage/v1/o', '/auth/v1/token', '/realtime/v1', '/rest/auth', '/', null],
    at,
  );
  const url = at % 11 === 5 ? null : `https://${owner}.example.co${path ?? ''}`;
  const request = { method: 'GET', path, url, headers: at % 3 === 0 ? [] : [{ user_agent: 'curl' }], cf: [] };
  const metadata = [{ request: [request], response: [{ status_code: 200, headers: [] }] }];
  return {
    id: `edge-${at}`,
    timestamp: timestampOf(ago),
    event_message: at % 5 === 0 ? null : `GET | 200 | ${url}`,
    project: owner,
    metadata: at % 13 === 8 ? [] : metadata,
  };
}

function functionEdgeLog(ago: number, at: number): Row {
  const record = {
    function_id: pick(['f1', 'f2', null], at),
    project_ref: at % 7 === 3 ? 'otherprojectxxxxxxxx' : project,
    execution_time_ms: at % 9 === 4 ? null : (at * 37) % 101,
    request: [],
    response:
      at % 10 === 6
        ? []
        : [{ status_code: pick([100, 200, 304, 399, 400, 404, 500, null], at), headers: [] }],
  };
  return {
    id: `call-${at}`,
    timestamp: timestampOf(ago),
    event_message: 'POST',
    metadata: at % 13 === 8 ? [] : [record],
  };
}

function pick<T>(choices: readonly T[], at: number): T {
  return choices[at % choices.length] as T;
}

function timestampOf(ago: number): string {
  const micros = Date.parse(now) * 1000 - ago;
  const fraction = String(((micros % second) + second) % second).padStart(6, '0');
  return `${new Date(Math.floor(micros / 1000)).toISOString().slice(0, 19)}.${fraction}Z`;
}
