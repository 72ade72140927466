import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { medianOf } from '../support/median.ts';
import { parseRaw, type RawResponse, sendRaw } from '../support/raw-request.ts';
import { type ServedApp, serveTestApp } from '../support/served-app.ts';
import { longestBlockMs } from './event-loop/block-meter.ts';
import { costlyRequests, get, postBody, postOperation } from './event-loop/hostile-table.ts';
import { wireRequests } from './event-loop/hostile-wire.ts';
import { serveAllTypes, serveLists } from './event-loop/serve.ts';

/**
 * The longest time for which one request may block the event loop, in CPU time of its thread (`longestBlockMs`): by the
 * clock, the load of other processes would fail the test. What is measured includes this test's own client.
 */
const maxBlockMs = 50;

let nonce = 10;

/** Without the responses to requests that were sent behind the first. */
function firstBody({ headers, body }: RawResponse): string {
  const length = headers['content-length'];
  return length === undefined ? body : Buffer.from(body).subarray(0, Number(length)).toString();
}

/** Sends a request, in other words each time. */
async function sendMeasured(served: ServedApp, build: (nonce: number) => Buffer) {
  let response = parseRaw('');
  const blockMs = await medianOf(() => {
    nonce += 1;
    const bytes = build(nonce);
    return longestBlockMs(async () => {
      response = parseRaw(await sendRaw(served.port, bytes));
    });
  });
  return { blockMs, ...response, body: firstBody(response) };
}

const hostileRequests = [...costlyRequests, ...wireRequests];

describe('no request blocks the event loop', () => {
  let served: ServedApp;
  beforeAll(async () => {
    served = await serveAllTypes();
  });
  afterAll(() => served.close());

  test('the table has at least 200 requests, with different names', () => {
    expect(new Set(hostileRequests.map(({ name }) => name)).size).toBe(hostileRequests.length);
    expect(hostileRequests.length).toBeGreaterThanOrEqual(200);
  });

  test.each(hostileRequests.map((request) => [request.name, request] as const))(
    'while it is answered: %s',
    async (_, { build }) => {
      const { blockMs, status, body } = await sendMeasured(served, build);
      expect(status).toBeGreaterThanOrEqual(200);
      expect(status, body).toBeLessThan(500);
      expect(messagesIn(body).filter((message) => message.length > 400)).toEqual([]);
      expect(blockMs).toBeLessThan(maxBlockMs);
    },
  );

  test('the log has no bug', () => {
    expect(served.log()).not.toContain('a bug in the gateway');
  });
});

/** The findings of the security review, as they were found; milliseconds are what each took there. */
describe('what once blocked the event loop', () => {
  let served: ServedApp;
  beforeAll(async () => {
    served = await serveTestApp();
  });
  afterAll(() => served.close());

  const suggestion = 'Did you mean '.repeat(19_000);
  const interval = (type: string, argument: string) =>
    `query ($i: ${type}!) { usageApiCounts(project: "x", ${argument}: $i) { rowCount } }`;
  const moment = 'query ($i: DateTime!) { logsAll(project: "x", isoTimestampEnd: $i) { rowCount } }';
  const asVariable = JSON.stringify({ i: suggestion });

  test.each([
    ['a variable for an enum: 21,100 ms', postOperation(interval('UsageInterval', 'interval'), asVariable)],
    ['a variable for a moment: 16,800 ms', postOperation(moment, asVariable)],
    [
      'a text for an enum: 3,700 ms',
      postOperation(`{ usageApiCounts(project: "x", interval: "${suggestion}") { rowCount } }`),
    ],
    ['a syntax error that quotes a text: 3,700 ms', postOperation(`{ "${suggestion}" }`)],
  ])('F1: 247 KB in %s', async (_, bytes) => {
    const { blockMs, status, body } = await sendMeasured(served, () => bytes);
    expect([200, 400]).toContain(status);
    const [message = ''] = messagesIn(body);
    expect(message).toContain('"Did you mean Did you mean ');
    expect(message.replace(/(?<=…); one of MINUTELY, HOURLY, DAILY$/, '').length).toBeLessThanOrEqual(301);
    expect(blockMs).toBeLessThan(maxBlockMs);
  });

  const wide = (part: string, count: number) => `(?i)[${part.repeat(count)}]`;
  test.each([
    ['330 wide ranges: 600 ms', wide('!-\uffff', 330)],
    ['240 wider ranges: 755 ms', wide('a-\u{10ffff}', 240)],
  ])('F2: a pattern of %s', async (_, pattern) => {
    const { blockMs, status, body } = await sendMeasured(served, (nonce) =>
      get(
        `/api/endpoints/query/usage.api-counts?interval=daily&project=${encodeURIComponent(pattern + nonce)}`,
      ),
    );
    expect(status).toBe(400);
    expect(messagesIn(body)).toEqual([expect.stringContaining('ranges of at most')]);
    expect(blockMs).toBeLessThan(maxBlockMs);
  });

  test('F2: twenty fields with one pattern of 330 wide ranges: 12,000 ms', async () => {
    const fields = times(20, (at) => `a${at}: usageApiCounts(project: $p, interval: DAILY) { rowCount }`);
    const { blockMs, body } = await sendMeasured(served, (nonce) =>
      postOperation(
        `query ($p: String!) { ${fields} }`,
        JSON.stringify({ p: `${wide('!-\uffff', 330)}${nonce}` }),
      ),
    );
    expect(messagesIn(body)).toHaveLength(20);
    expect(blockMs).toBeLessThan(maxBlockMs);
  });

  const repeated = `{ logsAll(project: "p") { ${'rows { id }   '.repeat(490)} } }`;
  test('F9: 7 KB of repeated fields: 1,000 ms', async () => {
    const { blockMs, status, body } = await sendMeasured(served, (nonce) =>
      postOperation(`${repeated} #${nonce}`),
    );
    expect(status).toBe(400);
    expect(body).toContain('"code":"OPERATION_TOO_LARGE"');
    expect(messagesIn(body)).toEqual([
      'The operation selects rows more than 50 times in one place; select it once',
    ]);
    expect(blockMs).toBeLessThan(maxBlockMs);
  });
});

describe('F3: many requests at once with answers of 3 MB, which are not read', () => {
  const row = JSON.stringify({ id: 'a'.repeat(36), timestamp: 1, event_message: 'x'.repeat(100) });
  let served: ServedApp;
  const sockets: Socket[] = [];
  beforeAll(async () => {
    served = await serveTestApp({}, 1_000, { rows: () => Array(1_000).fill(row) });
  });
  afterAll(async () => {
    for (const socket of sockets) socket.destroy();
    await served.close();
  });

  /** Sends a request and resolves when its answer begins to arrive. */
  const open = (bytes: Buffer) => {
    const socket = connect(served.port, '127.0.0.1', () => socket.write(bytes));
    socket.on('error', () => {});
    sockets.push(socket);
    return new Promise<void>((resolve) => {
      socket.once('data', () => {
        socket.pause();
        resolve();
      });
      socket.once('close', () => resolve());
    });
  };
  /** In groups: this test's own client must not block the event loop either. */
  const openAll = async (requests: readonly Buffer[]) => {
    const opened: Promise<void>[] = [];
    for (const [at, bytes] of requests.entries()) {
      if (at % 25 === 0) await new Promise((resolve) => setImmediate(resolve));
      opened.push(open(bytes));
    }
    await Promise.all(opened);
  };
  /** Sends so many requests at once, about another project each time, so that each waits for a run. */
  const blockOf = (count: number, build: (project: string, at: number) => Buffer) =>
    medianOf(async () => {
      nonce += 1;
      const requests = Array.from({ length: count }, (_, at) => build(`p${nonce}`, at));
      const blockMs = await longestBlockMs(() => openAll(requests));
      for (const socket of sockets.splice(0)) socket.destroy();
      return blockMs;
    });
  const rows = (project: string, count = 20) =>
    times(count, (at) => `a${at}: logsAll(project: "${project}") { rows { id timestamp eventMessage } }`);
  const small = (project: string) => `{ logsAll(project: "${project}") { rowCount } }`;
  const rest = (project: string) => get(`/api/endpoints/query/logs.all?project=${project}`);

  test.each([
    ['200 equal ones: 20,000 ms', 200, (project: string) => `{ ${rows(project)} }`],
    ['40 in different words', 40, (project: string, at: number) => `{ ${rows(project)} } # ${at}`],
    ['1,500 for small answers', 1_500, small],
    ['20 by Yoga', 20, (project: string, at: number) => `{ ${rows(project, 2)} endpoints { name } } # ${at}`],
  ])('the event loop turns during %s', async (_, count, query) => {
    expect(await blockOf(count, (project, at) => postOperation(query(project, at)))).toBeLessThan(maxBlockMs);
  });

  test('1,500 by REST', async () => {
    expect(await blockOf(1_500, rest)).toBeLessThan(maxBlockMs);
  });

  test.each([
    ['by REST', rest],
    ['by GraphQL', (project: string) => postOperation(small(project))],
  ])('1,000 %s whose run fails', async (_, build) => {
    served.engine.failing = true;
    expect(await blockOf(1_000, build)).toBeLessThan(maxBlockMs);
    served.engine.failing = false;
  });
});

describe('long lists in each of many fields', () => {
  let served: ServedApp;
  beforeAll(async () => {
    served = await serveLists();
  });
  afterAll(() => served.close());

  const listOf = (length: number, value: (at: number) => unknown) =>
    Array.from({ length }, (_, at) => value(at));
  const moments = (nonce: number) =>
    listOf(1_000, (at) => new Date(Date.UTC(2025, 0, 1) + at * 1_000_000 + nonce).toISOString());
  const days = (nonce: number) =>
    listOf(370, (at) => new Date(Date.UTC(2016, 0, 1 + at + (nonce % 3_000))).toISOString().slice(0, 10));
  const shares = (nonce: number) => listOf(1_000, (at) => at + nonce + 0.5);

  const representations = listOf(100, (at) => ({ __typename: 'Project', ref: `p${at}` }));
  const inEntities = (type: string, field: (at: number) => string, list: unknown) =>
    postOperation(
      `query ($r: [_Any!]!, $x: [${type}!]) { _entities(representations: $r) { ... on Project { ${times(2, field)} } } }`,
      JSON.stringify({ r: representations, x: list }),
    );
  const inRoots = (field: (at: number) => string, list: unknown) =>
    postOperation(`query ($x: [DateTime!]) { ${times(20, field)} }`, JSON.stringify({ x: list }));
  const usage = (list: string) => (at: number) => `a${at}: usage(number: ${at}, ${list}: $x) { rowCount }`;
  const writtenOut = (fields: number, nonce: number) => {
    const list = moments(nonce)
      .slice(0, 950)
      .map((moment) => JSON.stringify(moment));
    return times(fields, (at) => `a${at}: usage(number: ${at}, moments: [${list.join(' ')}]) { rowCount }`);
  };
  const filtered =
    'rows(where: { timestamp: { in: $x } }) { id } aggregates(where: { timestamp: { in: $x } }) { count }';
  const follow = (items: readonly unknown[]) => postBody('/api/live', JSON.stringify(items));

  const cases: readonly (readonly [string, number, (nonce: number) => Buffer])[] = [
    [
      'moments of 200 fields of entities: 1,000 ms',
      200,
      (nonce) => inEntities('DateTime', usage('moments'), moments(nonce)),
    ],
    [
      'numbers of 200 fields of entities: 200 ms',
      200,
      (nonce) => inEntities('Float', usage('shares'), shares(nonce)),
    ],
    [
      'moments of 20 fields: 180 ms',
      200,
      (nonce) =>
        inRoots((at) => `a${at}: lists(ref: "abc", number: ${at}, moments: $x) { rowCount }`, moments(nonce)),
    ],
    [
      'conditions on 200 cached results of entities: 1,200 ms',
      200,
      (nonce) =>
        inEntities('DateTime', (at) => `a${at}: usage(number: ${at}) { ${filtered} }`, moments(nonce)),
    ],
    [
      'conditions on 20 cached results: 160 ms',
      200,
      (nonce) => inRoots((at) => `a${at}: lists(ref: "abc", number: ${at}) { ${filtered} }`, moments(nonce)),
    ],
    [
      'moments of 200 fields of entities, written out: 560 ms',
      400,
      (nonce) =>
        postOperation(
          `query ($r: [_Any!]!) { _entities(representations: $r) { ... on Project { ${writtenOut(2, nonce)} } } }`,
          JSON.stringify({ r: representations }),
        ),
    ],
    [
      'moments of entities of 1,000 rows, written out: 3,000 ms',
      400,
      (nonce) =>
        postOperation(`{ lists(ref: "abc", number: 5) { rows { project { ${writtenOut(2, nonce)} } } } }`),
    ],
    [
      'days of 50 queries to follow, which cannot be followed: 110 ms',
      406,
      (nonce) =>
        follow(
          listOf(50, (at) => ({
            id: `${at}`,
            query: 'lists',
            parameters: { ref: 'abc', number: at, days: days(nonce) },
          })),
        ),
    ],
    [
      'unknown members of 50 queries to follow: 110 ms',
      400,
      (nonce) =>
        follow(
          listOf(50, () =>
            Object.fromEntries(listOf(350, (at) => [`k${at}x${nonce}`, 1]) as [string, number][]),
          ),
        ),
    ],
  ];
  test.each(cases)('%s', async (_, expected, build) => {
    await sendRaw(served.port, build(0));
    const { blockMs, status, body } = await sendMeasured(served, build);
    expect(status, body.slice(0, 1_000)).toBe(expected);
    if (status === 200) expect(messagesIn(body)).toEqual([]);
    expect(blockMs).toBeLessThan(maxBlockMs);
  });
});

describe('a response of many rows', () => {
  /** 100,000 rows of 200 bytes, the most that a saved query may return. */
  const rowCount = 100_000;
  const row = (at: number) =>
    JSON.stringify({ id: `${at}`, timestamp: at, event_message: `},{"id":"é${'x'.repeat(140)}` });
  let served: ServedApp;
  beforeAll(async () => {
    const rows = Array.from({ length: rowCount }, (_, at) => row(at));
    served = await serveTestApp({}, 1, { rows: () => rows });
  });
  afterAll(() => served.close());

  const aliases = (count: number) => times(count, (at) => `${'x'.repeat(290)}${at}: id`);
  const post = (rows: string) => (at: number) =>
    postOperation(`{ logsAll(project: "p") { rows { ${rows} } } } # ${at}`);
  const byGet = (at: number) =>
    get(`/graphql?query=${encodeURIComponent(`{ logsAll(project: "p") { rows { id } } } # ${at}`)}`);
  const besideCatalog = (at: number) =>
    postOperation(`{ logsAll(project: "p") { rows { id } } endpoints { name } } # ${at}`);

  test.each([
    ['of three columns', post('id timestamp eventMessage'), `"id":"${rowCount - 1}"`],
    ['in another order', post('eventMessage x: id timestamp'), `"x":"${rowCount - 1}"`],
    ['with the longest alias', post(aliases(1)), `0":"${rowCount - 1}"`],
    ['with too many of them', post(aliases(5)), '"code":"QUERY_TOO_EXPENSIVE"'],
    ['by GET, with an ETag', byGet, `"id":"${rowCount - 1}"`],
    ['beside the catalog', besideCatalog, `"id":"${rowCount - 1}"`],
  ])('does not block the event loop: %s', async (_, build, part) => {
    const { blockMs, status, body } = await sendMeasured(served, build);
    expect(status).toBe(200);
    expect(body.includes(part)).toBe(true);
    expect(blockMs).toBeLessThan(maxBlockMs);
  });
});

function times(count: number, text: (at: number) => string): string {
  return Array.from({ length: count }, (_, at) => text(at)).join(' ');
}

/** The messages of all errors in a body, by REST or GraphQL. */
function messagesIn(body: string): readonly string[] {
  if (body.trimStart().startsWith('<')) return [];
  const text = body.slice(body.indexOf('{'), body.lastIndexOf('}') + 1);
  if (text === '') return [];
  const { error, errors = [] } = JSON.parse(text) as {
    error?: { message: string };
    errors?: readonly { message: string }[];
  };
  return [...errors, ...(error === undefined ? [] : [error])].map(({ message }) => message);
}
