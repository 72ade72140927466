import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Session } from 'node:inspector/promises';
import { fileURLToPath } from 'node:url';
import { apiKey } from '../src/exports/keys.ts';
import { live } from '../src/exports/plugins.ts';
import { createGateway, type Engine } from '../src/index.ts';

/**
 * `node release/request-paths.ts` writes the functions that a request passes into test/request-paths.txt, as V8 counts them
 * in a gateway with the plug-in `live` over a socket, and their numbers into docs/architecture.md; `--print` prints both
 * instead, as JSON. A test compares them with the code.
 */
const page = 'docs/architecture.md';
const list = 'test/request-paths.txt';

const query = `/*---
id: 11111111-2222-4333-8444-555555555555
description: Numbers.
max_rows: 10
caching: 600s
live: 1s
parameters:
  k: { type: integer, default: 0, description: A number. }
columns:
  n: { type: integer, description: A number. }
---*/
select 1 as n where @k <> ''`;

const path = '/api/endpoints/query/numbers';
interface Sent {
  readonly path: string;
  readonly query?: string;
}

const trips: Readonly<Record<string, (at: number) => Sent>> = {
  'a REST request whose answer is kept': () => ({ path }),
  'a GraphQL request by POST whose answer is kept': () => ({
    path: '/graphql',
    query: '{ numbers { rows { n } } }',
  }),
  'a REST request that runs its query': (at) => ({ path: `${path}?k=${at}` }),
};
const eventTrip = 'a result that changes, and its event';

/** By file, the functions that all requests of one trip have called. */
type Passed = ReadonlyMap<string, readonly string[]>;

/** Functions that only some of the requests pass are those of timers. Events come once a second. */
const rounds = { requests: 30, events: 5 };

/** Each run has another result, so that followers get an event. */
let runs = 0;

/** By the name of a trip, what its requests pass. */
async function requestPaths(): Promise<ReadonlyMap<string, Passed>> {
  const engine: Engine = {
    source: 'none',
    run: async () => ({ rows: [`{"n":${++runs}}`], truncated: false }),
    close: async () => {},
  };
  const gateway = await createGateway({
    queries: { read: () => ({ 'numbers.sql': query }) },
    engine: {
      name: 'none',
      sql: 'bigquery',
      open: async () => engine,
    },
    keys: apiKey('a-key'),
    plugins: [live()],
  });
  const server = createServer(gateway.listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const session = new Session();
  session.connect();
  try {
    const paths = new Map<string, Passed>();
    for (const [name, requestOf] of Object.entries(trips)) {
      const send = async (at: number) => {
        const { path, query } = requestOf(at);
        const headers = { 'x-api-key': 'a-key', 'content-type': 'application/json' };
        const init =
          query === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify({ query }) };
        const response = await fetch(`http://127.0.0.1:${port}${path}`, init);
        if (!(await response.text()).includes('"n":')) throw new Error(`${name}: ${response.status}`);
      };
      for (let at = 0; at < 4; at += 1) await send(at);
      paths.set(name, await passed(session, rounds.requests, (at) => send(10 + at)));
    }
    const nextEvent = await follow(`http://127.0.0.1:${port}${path}?k=99`);
    // Two, because the timer of heartbeats is as slow as events, and may miss one of them.
    const twoEvents = async () => {
      await nextEvent();
      await nextEvent();
    };
    paths.set(eventTrip, await passed(session, rounds.events, twoEvents));
    return paths;
  } finally {
    session.disconnect();
    server.close();
    server.closeAllConnections();
    await gateway.close();
  }
}

/** @returns waits for the next event of a stream */
async function follow(url: string): Promise<() => Promise<void>> {
  const headers = { 'x-api-key': 'a-key', accept: 'text/event-stream' };
  const { body } = await fetch(url, { headers });
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
  const next = async () => {
    for (;;) {
      const { value = '', done = true } = (await reader?.read()) ?? {};
      if (done) throw new Error('the stream has ended');
      if (value.includes('event: next')) return;
    }
  };
  await next();
  return next;
}

/** By file, the functions that each of some requests has called. */
async function passed(
  session: Session,
  rounds: number,
  send: (at: number) => Promise<void>,
): Promise<Passed> {
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  let common: Map<string, Set<string>> | undefined;
  for (let at = 0; at < rounds; at += 1) {
    await session.post('Profiler.takePreciseCoverage');
    await send(at);
    const { result } = await session.post('Profiler.takePreciseCoverage');
    const called = new Map<string, Set<string>>();
    for (const { url, functions } of result) {
      const file = url.startsWith('file:') ? /\/(src\/.*\.ts)$/.exec(fileURLToPath(url))?.[1] : undefined;
      const names = functions.flatMap(({ functionName, ranges }) =>
        functionName !== '' && (ranges[0]?.count ?? 0) > 0 ? [functionName.replace(/^get /, '')] : [],
      );
      if (file !== undefined && names.length > 0) called.set(file, new Set(names));
    }
    const before = common;
    common = before === undefined ? called : intersection(before, called);
  }
  await session.post('Profiler.stopPreciseCoverage');
  return new Map([...(common ?? [])].map(([file, names]) => [file, [...names].sort()] as const).sort());
}

const intersection = (a: Map<string, Set<string>>, b: Map<string, Set<string>>) =>
  new Map(
    [...a].flatMap(([file, names]) => {
      const both = names.intersection(b.get(file) ?? new Set());
      return both.size === 0 ? [] : [[file, both] as const];
    }),
  );

/** One letter for each trip: the lines of the list begin with those of the trips that pass them. */
const marks = ['R', 'G', 'Q', 'E'];

function tableOf(paths: ReadonlyMap<string, Passed>): string {
  const rows = [...paths].map(([name, files], at) => {
    const functions = [...files.values()].reduce((sum, names) => sum + names.length, 0);
    return `| \`${marks[at]}\` | ${name} | ${functions} | ${files.size} |\n`;
  });
  return `| mark | trip | functions | files |\n|---|---|---|---|\n${rows.join('')}`;
}

/** A line for the functions of a file that the same trips pass; those that most trips pass first. */
function listOf(paths: ReadonlyMap<string, Passed>): string {
  const marksOf = new Map<string, string>();
  for (const [at, files] of [...paths.values()].entries())
    for (const [file, names] of files)
      for (const name of names) {
        const key = `${file.replace('src/', '')} ${name}`;
        marksOf.set(key, (marksOf.get(key) ?? '') + marks[at]);
      }
  const lines = new Map<string, string[]>();
  for (const [key, marked] of [...marksOf].sort()) {
    const [file = '', name = ''] = key.split(' ');
    const line = `${marked.padEnd(marks.length)} ${file}`;
    lines.set(line, [...(lines.get(line) ?? []), name]);
  }
  const inOrder = [...lines].sort(([a], [b]) => orderOf(a) - orderOf(b) || (a < b ? -1 : 1));
  return inOrder.map(([line, names]) => `${line}: ${names.join(' ')}\n`).join('');
}

const orderOf = (line: string) => marks.length - line.slice(0, marks.length).trimEnd().length;

const [start, end] = ['<!-- request-paths -->\n', '<!-- /request-paths -->\n'];

const paths = await requestPaths();
const [before = '', rest = ''] = readFileSync(page, 'utf8').split(start);
const written = {
  [page]: `${before}${start}\n${tableOf(paths)}\n${end}${rest.split(end)[1] ?? ''}`,
  [list]: listOf(paths),
};
if (process.argv[2] === '--print') process.stdout.write(JSON.stringify(written));
else for (const [file, text] of Object.entries(written)) writeFileSync(file, text);
