import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One request as the fake received it. */
export interface Received {
  readonly method: string;
  /** Below the project, as in `/queries`. */
  readonly path: string;
  readonly parameters: URLSearchParams;
  readonly body: Record<string, unknown>;
}

/** Answers one request, or does not. `at` counts the requests since the fault was set, from 0. */
export type Play = (response: ServerResponse, received: Received, at: number) => void;

export interface FakeBigquery {
  readonly endpoint: string;
  /** Every request since the last `plays`. */
  readonly received: readonly Received[];
  /** From now on every request is answered so. */
  plays(play: Play): void;
  close(): Promise<void>;
}

/** A server that speaks like BigQuery and plays faults, which no emulator does. */
export async function startFakeBigquery(): Promise<FakeBigquery> {
  const received: Received[] = [];
  let play: Play = sends(done());
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk) => {
      text += chunk;
    });
    request.on('end', () => {
      const url = new URL(request.url ?? '', 'http://fake');
      const one: Received = {
        method: request.method ?? '',
        path: url.pathname.replace(/^\/bigquery\/v2\/projects\/[^/]+/, ''),
        parameters: url.searchParams,
        body: text === '' ? {} : JSON.parse(text),
      };
      received.push(one);
      play(response, one, received.length - 1);
    });
  });
  server.keepAliveTimeout = 600_000;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    plays(next) {
      received.length = 0;
      play = next;
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

/** A finished query of one column `x` with the given whole numbers. */
export function done(numbers: readonly number[] = [1], more: object = {}) {
  return {
    kind: 'bigquery#queryResponse',
    jobComplete: true,
    schema: { fields: [{ name: 'x', type: 'INTEGER', mode: 'NULLABLE' }] },
    rows: numbers.map((number) => ({ f: [{ v: String(number) }] })),
    totalRows: String(numbers.length),
    totalBytesProcessed: '1000',
    totalBytesBilled: '2000',
    totalSlotMs: '30',
    cacheHit: false,
    queryId: 'a-query',
    ...more,
  };
}

/** A query that goes on, as a job. */
export const unfinished = {
  jobComplete: false,
  jobReference: { projectId: 'project', jobId: 'job_1', location: 'EU' },
};

/** Sends one body to every request. */
export function sends(body: unknown, status = 200, headers: Record<string, string> = {}): Play {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return (response) =>
    void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text);
}

/** Sends a refusal in BigQuery's shape. */
export function refuses(status: number, reason: string, message = 'Access Denied: Table a:b.secret'): Play {
  return sends({ error: { code: status, message, errors: [{ reason, message, domain: 'global' }] } }, status);
}

/** Plays one after the other; the last one goes on. */
export function inTurn(...plays: readonly Play[]): Play {
  return (response, received, at) => plays[Math.min(at, plays.length - 1)]?.(response, received, at);
}

export const silence: Play = () => {};

const half = JSON.stringify(done()).slice(0, 150);

/** Answers that are none, by name. */
export const brokenAnswers: Readonly<Record<string, Play>> = {
  'a page of HTML': sends('<html><body>Sign in to the hotel network</body></html>', 200, {
    'content-type': 'text/html',
  }),
  'an empty object': sends({}),
  'an empty body': sends(''),
  null: sends('null'),
  'half a body': (response) => {
    response.writeHead(200, { 'content-length': '10000' }).write(half);
    setTimeout(() => response.destroy(), 10);
  },
  'a body cut short': sends(half),
  'a cut connection': (response) => void response.destroy(),
  'a finished query without a schema': sends(done([1], { schema: undefined })),
  'rows that do not fit their schema': sends(done([], { rows: [{ f: [{ v: '1' }, { v: '2' }] }] })),
  'cells of another type': sends(done([], { rows: [{ f: [{ v: 'one' }] }] })),
  'rows that are none': sends(done([], { rows: ['row'] })),
  'fewer rows than it says': sends(done([1], { totalRows: '2' })),
  'an unfinished query without a job': sends({ jobComplete: false, queryId: 'a-query' }),
  'more pages without a job': sends(done([1], { pageToken: 'next' })),
  'HTML with 502': sends('<html>Bad gateway</html>', 502),
  'a redirect': sends('', 302, { location: 'http://127.0.0.1:9/' }),
};

/** Answers that never end, by name. */
export const endlessAnswers: Readonly<Record<string, Play>> = {
  silence,
  'headers and no body': (response) => void response.writeHead(200).flushHeaders(),
  'a body that trickles': (response) => {
    response.writeHead(200);
    const timer = setInterval(() => response.write(' '), 20);
    response.on('close', () => clearInterval(timer));
  },
  'a query that never finishes': sends(unfinished),
  'pages without rows': sends(done([], { pageToken: 'next', jobReference: unfinished.jobReference })),
};
