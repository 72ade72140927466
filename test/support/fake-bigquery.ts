import { createServer, type ServerResponse } from 'node:http';
import { listen } from './listen.ts';

/** One request as the fake received it. */
export interface Received {
  readonly method: string;
  /** Below the project, as in `/queries`. */
  readonly path: string;
  readonly parameters: URLSearchParams;
  readonly body: Record<string, unknown>;
  readonly traceparent: string | undefined;
  readonly authorization: string | undefined;
}

/** Responds to one request, or never does. `at` is the number of earlier requests since `respondWith`. */
export type Responder = (response: ServerResponse, received: Received, at: number) => void;

export interface FakeBigquery {
  readonly endpoint: string;
  /** Every request since the last `respondWith`. */
  readonly received: readonly Received[];
  /** Sets the response to every request from now on. */
  respondWith(responder: Responder): void;
  close(): Promise<void>;
}

/** A server with BigQuery's API whose responses a test chooses: emulators have no faults. */
export async function startFakeBigquery(): Promise<FakeBigquery> {
  const received: Received[] = [];
  let respond: Responder = reply(completeBody());
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
        traceparent: request.headers.traceparent as string | undefined,
        authorization: request.headers.authorization,
      };
      received.push(one);
      respond(response, one, received.length - 1);
    });
  });
  server.keepAliveTimeout = 600_000;
  const port = await listen(server);
  return {
    endpoint: `http://127.0.0.1:${port}`,
    received,
    respondWith(next) {
      received.length = 0;
      respond = next;
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

/** A finished query of one column `x` with the given whole numbers. */
export function completeBody(numbers: readonly number[] = [1], more: object = {}) {
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

/** A query that is still running, as a job. */
export const incompleteBody = {
  jobComplete: false,
  jobReference: { projectId: 'project', jobId: 'job_1', location: 'EU' },
};

/** Sends the same body to every request. */
export function reply(body: unknown, status = 200, headers: Record<string, string> = {}): Responder {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return (response) =>
    void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text);
}

/** Sends an error in BigQuery's format. */
export function errorReply(
  status: number,
  reason: string,
  message = 'Access Denied: Table a:b.secret',
): Responder {
  return reply({ error: { code: status, message, errors: [{ reason, message, domain: 'global' }] } }, status);
}

/** Uses each responder once, in order, then the last one for ever. */
export function inSequence(...responders: readonly Responder[]): Responder {
  return (response, received, at) =>
    responders[Math.min(at, responders.length - 1)]?.(response, received, at);
}

/** Keeps the request open. */
export const neverRespond: Responder = () => {};

const truncatedBody = JSON.stringify(completeBody()).slice(0, 150);

/** Responses that BigQuery would never send, by name. */
export const malformedResponses: Readonly<Record<string, Responder>> = {
  'an HTML page': reply('<html><body>Sign in to the hotel network</body></html>', 200, {
    'content-type': 'text/html',
  }),
  'an empty object': reply({}),
  'an empty body': reply(''),
  null: reply('null'),
  'a truncated body': (response) => {
    response.writeHead(200, { 'content-length': '10000' }).write(truncatedBody);
    setTimeout(() => response.destroy(), 10);
  },
  'truncated JSON': reply(truncatedBody),
  'a closed connection': (response) => void response.destroy(),
  'a finished query without a schema': reply(completeBody([1], { schema: undefined })),
  'rows that do not match their schema': reply(completeBody([], { rows: [{ f: [{ v: '1' }, { v: '2' }] }] })),
  'cells of another type': reply(completeBody([], { rows: [{ f: [{ v: 'one' }] }] })),
  'rows without cells': reply(completeBody([], { rows: ['row'] })),
  'fewer rows than totalRows': reply(completeBody([1], { totalRows: '2' })),
  'an unfinished query without a job': reply({ jobComplete: false, queryId: 'a-query' }),
  'more pages without a job': reply(completeBody([1], { pageToken: 'next' })),
  'HTML with 502': reply('<html>Bad gateway</html>', 502),
  'a redirect': reply('', 302, { location: 'http://127.0.0.1:9/' }),
};

/** Responses that never end, by name. */
export const endlessResponses: Readonly<Record<string, Responder>> = {
  'no response': neverRespond,
  'headers without a body': (response) => void response.writeHead(200).flushHeaders(),
  'a body that trickles': (response) => {
    response.writeHead(200);
    const timer = setInterval(() => response.write(' '), 20);
    response.on('close', () => clearInterval(timer));
  },
  'a query that never finishes': reply(incompleteBody),
  'pages without rows': reply(
    completeBody([], { pageToken: 'next', jobReference: incompleteBody.jobReference }),
  ),
};
