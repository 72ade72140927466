import { hash } from 'node:crypto';
import { createServer, request as httpRequest, type RequestListener } from 'node:http';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Engine, Rows } from '../../../../src/engine/engine.ts';
import { callerDisconnected, GatewayError } from '../../../../src/errors.ts';
import { eventually } from '../../../support/eventually.ts';
import { type KeyFile, writeKeyFile } from '../../../support/key-files.ts';
import { listen } from '../../../support/listen.ts';
import { makeQueryFolder, queryText, uuidOf } from '../../../support/query-folder.ts';
import { mergeParts, type Payload, readParts } from '../../../support/read-parts.ts';
import { openTestApp, type TestApp } from '../../../support/test-app.ts';

/** Runs of `slow` and `slower` wait until the test lets them go; `broken` fails. */
const gates = new Map<string, { open(): void; readonly opened: Promise<void> }>();
const started: string[] = [];
const cancelled: string[] = [];

const engine: Engine = {
  source: 'gated',
  async run({ query: { name } }, { signal }): Promise<Rows> {
    started.push(name);
    if (name === 'broken') throw new GatewayError('ENGINE_FAILED', 'The query failed');
    const aborted = new Promise<never>((_, reject) =>
      signal.addEventListener('abort', () => {
        cancelled.push(name);
        reject(callerDisconnected());
      }),
    );
    await Promise.race([gates.get(name)?.opened, aborted]);
    return { rows: ['{"n":1}'], truncated: false };
  },
  close: async () => {},
};

const names = ['quick', 'slow', 'slower', 'broken'];
const queries = makeQueryFolder(
  Object.fromEntries(
    names.map((name, at) => [`${name}.sql`, queryText({ id: uuidOf(at), caching: 'disabled' })]),
  ),
);
const both =
  'multipart/mixed;incrementalSpec=v0.2, application/graphql-response+json, application/json;q=0.9';

let keys: KeyFile;
let app: TestApp;
let lines: string[] = [];

beforeAll(async () => {
  keys = writeKeyFile({ any: {}, one: { rate: { concurrent_queries: 1 } } });
  const log = pino({ level: 'info' }, { write: (line) => void lines.push(line) });
  app = await openTestApp({}, { QUERIES_DIR: queries.folder, API_KEYS_FILE: keys.path }, { engine, log });
});
afterAll(async () => {
  await app.close();
  queries.close();
  keys.remove();
});
beforeEach(() => {
  for (const name of ['slow', 'slower']) {
    const { promise, resolve } = Promise.withResolvers<void>();
    gates.set(name, { opened: promise, open: resolve });
  }
  started.length = 0;
  cancelled.length = 0;
  lines = [];
});

const open = (name: string) => gates.get(name)?.open();

const post = (query: string, { accept = both, key = 'any', ...members }: Record<string, unknown> = {}) =>
  app.fetch('/graphql', {
    method: 'POST',
    headers: {
      'x-api-key': keys.keyOf(String(key)),
      accept: String(accept),
      'content-type': 'application/json',
    },
    body: JSON.stringify({ query, ...members }),
  });

const allParts = async (response: Response): Promise<Payload[]> => Array.fromAsync(readParts(response));

const requestLines = () =>
  lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'request') as Record<string, unknown>[];

test('what is not deferred comes first, and each fragment as soon as it is there', async () => {
  const response = await post(
    '{ quick { rowCount } ...@defer(label: "a") { slow { rowCount } } ...B @defer(label: "b") } fragment B on Query { alias: slower { rowCount rows { n } } }',
  );
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('multipart/mixed; boundary="-"; incrementalSpec=v0.2');
  expect(response.headers.get('cache-control')).toBe('no-store, no-transform');
  expect(response.headers.get('vary')).toContain('Accept');
  const parts = readParts(response);
  expect((await parts.next()).value).toEqual({
    data: { quick: { rowCount: 1 } },
    pending: [
      { id: '0', path: [], label: 'a' },
      { id: '1', path: [], label: 'b' },
    ],
    hasNext: true,
  });
  // All runs have begun, though none of the deferred ones has ended.
  await eventually(() => expect([...started].sort()).toEqual(['quick', 'slow', 'slower']));
  open('slower');
  expect((await parts.next()).value).toEqual({
    hasNext: true,
    incremental: [{ id: '1', data: { alias: { rowCount: 1, rows: [{ n: 1 }] } } }],
    completed: [{ id: '1' }],
  });
  expect(requestLines()).toEqual([]);
  open('slow');
  expect((await parts.next()).value).toEqual({
    hasNext: false,
    incremental: [{ id: '0', data: { slow: { rowCount: 1 } } }],
    completed: [{ id: '0' }],
  });
  expect((await parts.next()).done).toBe(true);
  expect(requestLines()).toMatchObject([{ status: 200, path: '/graphql', parts: 3, end: 'COMPLETE' }]);
});

test('a fragment in another one comes after that, and a field that is there is not sent again', async () => {
  const response = await post(
    '{ quick { rowCount } ...@defer(label: "outer") { slow { rowCount } quick { truncated } ...@defer(label: "inner") { slower { rowCount } slow { truncated } } } }',
  );
  const parts = readParts(response);
  expect((await parts.next()).value).toEqual({
    data: { quick: { rowCount: 1, truncated: false } },
    pending: [{ id: '0', path: [], label: 'outer' }],
    hasNext: true,
  });
  open('slower');
  await eventually(() => expect(started).toContain('slower'));
  open('slow');
  expect((await parts.next()).value).toEqual({
    hasNext: expect.any(Boolean),
    pending: [{ id: '1', path: [], label: 'inner' }],
    incremental: expect.arrayContaining([{ id: '0', data: { slow: { rowCount: 1, truncated: false } } }]),
    completed: expect.arrayContaining([{ id: '0' }]),
  });
});

test('a field of two fragments is sent once, and both wait for it', async () => {
  const response = await post(
    '{ ...@defer(label: "a") { slow { rowCount } broken { n: rowCount } } ...@defer(label: "b") { slow { truncated } } }',
  );
  open('slow');
  const parts = await allParts(response);
  expect(parts[0]).toMatchObject({ data: {}, pending: [{ label: 'a' }, { label: 'b' }] });
  expect(parts.flatMap(({ incremental = [] }) => incremental.map(({ data }) => data))).toEqual(
    expect.arrayContaining([{ slow: { rowCount: 1, truncated: false } }, { broken: null }]),
  );
  expect(parts.flatMap(({ completed = [] }) => completed.map(({ id }) => id)).sort()).toEqual(['0', '1']);
  expect(started.filter((name) => name === 'slow')).toHaveLength(1);
});

test('an error of a deferred field is in its part, with its path and place', async () => {
  const parts = await allParts(await post('{ quick { rowCount } ...@defer { broken { rowCount } } }'));
  expect(parts.at(-1)?.incremental).toEqual([
    {
      id: '0',
      data: { broken: null },
      errors: [
        {
          message: 'The query failed',
          path: ['broken'],
          locations: [{ line: 1, column: 34 }],
          extensions: { code: 'ENGINE_FAILED' },
        },
      ],
    },
  ]);
});

test('the older format has no pending and completed, and says the label with the data', async () => {
  const response = await post('{ quick { rowCount } ...@defer(label: "a") { broken { rowCount } } }', {
    accept: 'multipart/mixed; deferSpec=20220824, application/json',
  });
  expect(response.headers.get('content-type')).toBe('multipart/mixed; boundary="-"; deferSpec=20220824');
  expect(await allParts(response)).toEqual([
    { data: { quick: { rowCount: 1 } }, hasNext: true },
    {
      hasNext: false,
      incremental: [
        {
          path: [],
          label: 'a',
          data: { broken: null },
          errors: [expect.objectContaining({ path: ['broken'] })],
        },
      ],
    },
  ]);
});

const whole = { data: { quick: { rowCount: 1 }, slow: { rowCount: 1 } } };
const deferring =
  'query ($if: Boolean = true) { quick { rowCount } ...@defer(if: $if) { slow { rowCount } } }';

test.each([
  ['no multipart type', { accept: 'application/json' }],
  ['a multipart type of weight 0', { accept: 'application/json, multipart/mixed;q=0' }],
  ['another specification', { accept: 'multipart/mixed;subscriptionSpec=1.0, application/json' }],
  ['if: false', { variables: { if: false } }],
])('the whole answer comes at once with %s', async (_, members) => {
  open('slow');
  const response = await post(deferring, members);
  expect(response.headers.get('content-type')).toMatch(/^application\/(graphql-response\+)?json/);
  expect(await response.json()).toEqual(whole);
});

test('a stream of events gets the whole answer as one', async () => {
  open('slow');
  const response = await post(deferring, { accept: 'text/event-stream, multipart/mixed' });
  expect(await response.text()).toContain(`data: ${JSON.stringify(whole)}\n\nevent: complete`);
});

test('GET, and a document that is named by its hash, are answered in parts', async () => {
  open('slow');
  const extensions = JSON.stringify({
    persistedQuery: { version: 1, sha256Hash: hash('sha256', deferring) },
  });
  await post(deferring, { extensions: JSON.parse(extensions) });
  for (const search of [new URLSearchParams({ query: deferring }), new URLSearchParams({ extensions })]) {
    const headers = { 'x-api-key': keys.keyOf('any'), accept: both };
    const response = await app.fetch(`/graphql?${search}`, { headers });
    expect(response.headers.get('cache-control')).toBe('no-store, no-transform');
    expect(response.headers.get('etag')).toBeNull();
    expect(mergeParts(await allParts(response))).toEqual({ ...whole, errors: [] });
  }
});

test('fields of the catalog are deferred too, and a directive below a root field changes nothing', async () => {
  const response = await post(
    '{ quick { ...@defer { rowCount } } ...@defer { endpoints { name ...@defer { description } } } }',
  );
  const [first, last] = await allParts(response);
  expect(first?.data).toEqual({ quick: { rowCount: 1 } });
  expect(last?.incremental?.[0]?.data?.endpoints).toHaveLength(names.length);
});

test('an operation that is refused gets the status of its code, and nothing of it runs on', async () => {
  const held = post('{ slow { rowCount } }', { key: 'one' });
  await eventually(() => expect(started).toEqual(['slow']));
  const refused = await post('{ quick { rowCount } ...@defer { slower { rowCount } } }', { key: 'one' });
  expect(refused.status).toBe(429);
  expect(refused.headers.get('content-type')).toBe('application/json; charset=utf-8');
  open('slow');
  await held;
  expect(started).toEqual(['slow']);
  // Of one operation, all fields wait for their turn.
  open('slower');
  const parts = await allParts(
    await post('{ quick { rowCount } ...@defer { slower { rowCount } } ...@defer { slow { rowCount } } }', {
      key: 'one',
    }),
  );
  expect(mergeParts(parts)).toEqual({
    data: { quick: { rowCount: 1 }, slow: { rowCount: 1 }, slower: { rowCount: 1 } },
    errors: [],
  });
});

test('a client that disconnects stops the runs, and its line says so', async () => {
  const server = createServer(app.listener as RequestListener);
  const port = await listen(server);
  const request = httpRequest({
    port,
    path: '/graphql',
    method: 'POST',
    headers: { 'x-api-key': keys.keyOf('any'), accept: both, 'content-type': 'application/json' },
  });
  request.on('error', () => {});
  request.end(JSON.stringify({ query: '{ quick { rowCount } ...@defer { slow { rowCount } } }' }));
  await new Promise((resolve) => request.once('response', (response) => response.once('data', resolve)));
  await eventually(() => expect(started).toContain('slow'));
  request.destroy();
  await eventually(() => expect(cancelled).toEqual(['slow']));
  await eventually(() => expect(requestLines()).toMatchObject([{ parts: 1, end: 'CLIENT' }]));
  await new Promise((resolve) => server.close(resolve));
});

test('a Fetch client that cancels the body stops the runs', async () => {
  const response = await post('{ quick { rowCount } ...@defer { slow { rowCount } } }');
  await eventually(() => expect(started).toContain('slow'));
  await response.body?.cancel();
  await eventually(() => expect(cancelled).toEqual(['slow']));
});

test.each([
  ['subscriptions', 'subscription { ...@defer(if: false) { quick { rowCount } } }', 'leave out @defer'],
  [
    '21 fragments',
    `{ quick { ${'...@defer { n: __typename } '.repeat(21)} } }`,
    '21 deferred fragments; at most 20 are allowed',
  ],
  [
    'more with fragments expanded',
    `{ quick { ...A } } fragment A on QuickResult { ${'...B @defer '.repeat(5)} } fragment B on QuickResult { ${'...C @defer '.repeat(5)} } fragment C on QuickResult { rowCount }`,
    '30 deferred fragments',
  ],
  ['a long label', `{ ...@defer(label: "${'x'.repeat(301)}") { __typename } }`, 'more than 300 characters'],
  ['@stream', '{ endpoints @stream { name } }', 'Unknown directive "@stream"'],
  [
    'a label twice',
    '{ ...@defer(label: "a") { __typename } ...@defer(label: "a") { quick { rowCount } } }',
    'label',
  ],
  ['@defer on a field', '{ quick @defer { rowCount } }', 'may not be used on FIELD'],
])('%s are refused', async (_, query, message) => {
  const response = await post(query, { accept: 'application/json' });
  const { errors } = (await response.json()) as { errors: { message: string }[] };
  expect(errors[0]?.message).toContain(message);
});
