import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { httpLimits } from '../../../src/http/message/http-limits.ts';
import { trackConnections } from '../../../src/http/node/connections.ts';
import { closeSlowReaders } from '../../../src/http/node/slow-readers.ts';
import { eventually } from '../../support/eventually.ts';
import { writeKeyFile } from '../../support/key-files.ts';
import { listen } from '../../support/listen.ts';
import { parseRaw, sendRaw } from '../../support/raw-request.ts';
import { type ServedApp, serveTestApp } from '../../support/served-app.ts';
import { apiKey } from '../../support/test-app.ts';

const { maxRequestsInFlight } = httpLimits;
const logs = '/api/endpoints/query/logs.all';
const good = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\nX-API-KEY: ${apiKey}\r\n`;
const closing = 'Connection: close\r\n\r\n';

describe('connections', () => {
  let served: ServedApp;
  beforeAll(async () => {
    served = await serveTestApp();
  });
  afterAll(() => served.close());

  test.concurrent('of a slow loris are closed with 408, and do not delay others', async () => {
    const body =
      'POST /graphql HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n';
    const heads = [
      '',
      'GET /',
      `GET ${logs} HTTP/1.1\r\nHost: a\r\n`,
      `${body}X-API-KEY: ${apiKey}\r\n\r\n{`,
    ];
    const slow = heads.flatMap((head) => Array.from({ length: 50 }, () => drip(served.port, head)));
    await sleep(1_000);
    const quick = parseRaw(await sendRaw(served.port, `${good(`${logs}?project=p`)}${closing}`));
    expect(quick.status).toBe(200);
    for (const text of await Promise.all(slow)) {
      const { status, headers, body } = parseRaw(text);
      expect(status, text).toBe(408);
      expect(headers).toMatchObject({
        connection: 'close',
        'content-type': 'application/json; charset=utf-8',
      });
      expect(JSON.parse(body)).toMatchObject({
        error: { code: 'REQUEST_TIMEOUT', message: expect.stringMatching(/ 5 s, .* 10 s$/) },
      });
    }
  });

  test.concurrent('that are rejected before their body arrives are closed, however long it is', async () => {
    const head = `POST /graphql HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`;
    const text = await drip(served.port, head, `400\r\n${'x'.repeat(0x400)}\r\n`);
    expect(parseRaw(text).status).toBe(401);
    expect(text.match(/HTTP\/1\.1/g)).toHaveLength(1);
  });

  test('with too large a head get a body for GET, and none for HEAD', async () => {
    const rejected = (method: string) =>
      sendRaw(served.port, `${method} ${logs} HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(20_000)}\r\n${closing}`);
    const [get, head] = [parseRaw(await rejected('GET')), parseRaw(await rejected('HEAD'))];
    expect([get.status, head.status]).toEqual([431, 431]);
    expect(JSON.parse(get.body)).toMatchObject({ error: { code: 'HEADERS_TOO_LARGE' } });
    expect(head.body).toBe('');
    expect(head.headers['content-length']).toBe(get.headers['content-length']);
  });

  test('with characters beyond ASCII in the URL are told to encode them', async () => {
    const messageOf = async (line: string) => {
      const { status, body } = parseRaw(
        await sendRaw(served.port, Buffer.from(`${line} HTTP/1.1\r\nHost: a\r\n${closing}`)),
      );
      return [status, (JSON.parse(body) as { error: { message: string } }).error.message];
    };
    const cure = '; characters beyond ASCII are percent-encoded in a URL: send é as %C3%A9';
    for (const url of [`${logs}?project=café`, '/näh', '/graphql?query={__typename}#€'])
      expect(await messageOf(`GET ${url}`)).toEqual([400, `Malformed HTTP request${cure}`]);
    for (const line of ['GET /a\tb', 'GET /a\u0001?é', 'GÉT /'])
      expect(await messageOf(line)).toEqual([400, 'Malformed HTTP request']);
  });

  test('that are rejected by the parser may be read by pages of the configured origins', async () => {
    const origin = 'https://dash.example.com';
    const open = await serveTestApp({ CORS_ORIGINS: origin });
    const corsOf = async (first: string, headers: readonly string[], rest = '') => {
      const head = [`${first} HTTP/1.1`, 'Host: a', ...headers, 'Connection: close'].join('\r\n');
      const received = parseRaw(await sendRaw(open.port, Buffer.from(`${head}\r\n\r\n${rest}`)));
      return [received.status, received.headers['access-control-allow-origin'], received.headers.vary];
    };
    const allowed = `Origin: ${origin}`;
    const large = `X: ${'x'.repeat(17_000)}`;
    const chunked = 'Transfer-Encoding: chunked';
    try {
      expect(await corsOf('GET /a', [allowed, large])).toEqual([431, origin, 'Origin']);
      expect(await corsOf('GET /é', ['X: y', `origin:${origin} `])).toEqual([400, origin, 'Origin']);
      expect(await corsOf('POST /graphql', [allowed, chunked], 'zz\r\n')).toEqual([400, origin, 'Origin']);
      for (const headers of [
        [],
        ['Origin: https://evil.example'],
        [allowed, 'Origin: https://evil.example'],
        [allowed, allowed],
        [`X-Origin: ${origin}`],
      ])
        expect(await corsOf('GET /é', headers), headers.join()).toEqual([400, undefined, 'Origin']);
      expect(await corsOf('GET /é', [], `\r\n${allowed}\r\n`)).toEqual([400, undefined, 'Origin']);
    } finally {
      await open.close();
    }
    const { headers } = parseRaw(
      await sendRaw(served.port, Buffer.from(`GET /é HTTP/1.1\r\n${allowed}\r\n\r\n`)),
    );
    expect(headers).not.toHaveProperty('access-control-allow-origin');
  });

  test('a body that is rejected midway: both lines of the log, and the reply, have the id of the request', async () => {
    const client = connect(served.port, '127.0.0.1');
    const head = good('/graphql').replace('GET', 'POST');
    client.write(`${head}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n`);
    await sleep(50);
    client.write('no length\r\n');
    const [reply] = (await once(client, 'data')) as [Buffer];
    const { status, headers } = parseRaw(reply.toString());
    expect(status).toBe(400);
    const linesOf = (id = '') =>
      served
        .log()
        .split('\n')
        .filter((line) => line.includes(id))
        .map((line) => JSON.parse(line).msg);
    await eventually(() =>
      expect(linesOf(headers['x-request-id'])).toEqual(['malformed request', 'request']),
    );
  });

  test('get one response for each pipelined request, in order', async () => {
    const requests = `${good(`${logs}?project=a`)}\r\n${good('/nowhere')}\r\n${good(`${logs}?project=b`)}${closing}`;
    const text = await sendRaw(served.port, requests);
    expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 404', 'HTTP/1.1 200']);
  });

  test.each([9_000, 20_000])(
    'get the limit of a URL in the error, for one of %i characters',
    async (length) => {
      const text = await sendRaw(served.port, `${good(`${logs}?project=${'p'.repeat(length)}`)}${closing}`);
      expect(JSON.parse(parseRaw(text).body)).toMatchObject({
        error: { code: 'URL_TOO_LONG', message: expect.stringContaining(' at most 8192 ') },
      });
    },
  );

  test.each(['1.0', '1.1'])('of HTTP/%s that do not read their response are reset', async (version) => {
    const server = createServer();
    const listener: RequestListener = (_, response) => void response.end(Buffer.alloc(50_000_000));
    closeSlowReaders(server, trackConnections(server, listener), 200);
    const reader = connect(await listen(server), '127.0.0.1').pause();
    const failed = once(reader, 'end').catch((error: NodeJS.ErrnoException) => error.code);
    reader.write(`GET / HTTP/${version}\r\nHost: a\r\n\r\n`);
    const [socket] = (await once(server, 'connection')) as [Socket];
    await once(socket, 'close');
    expect(socket.bytesRead).toBeGreaterThan(0);
    reader.resume();
    expect(await failed).toBe('ECONNRESET');
    server.close();
  });
});

describe('a request with a header twice', () => {
  let served: ServedApp;
  beforeAll(async () => {
    served = await serveTestApp();
  });
  afterAll(() => served.close());
  const bearer = `Authorization: Bearer ${apiKey}\r\n`;

  test.each([
    ['two hosts', 'Host: a\r\nHost: b\r\n', 400],
    ['two equal hosts', 'Host: a\r\nhost: a\r\n', 400],
    ['two authorizations', `Host: a\r\n${bearer}Authorization: Bearer other\r\n`, 400],
    ['two equal authorizations', `Host: a\r\n${bearer}AUTHORIZATION: Bearer ${apiKey}\r\n`, 400],
    ['the key in both headers', `Host: a\r\n${bearer}X-API-KEY: ${apiKey}\r\n`, 200],
    ['one key twice', `Host: a\r\nX-API-KEY: ${apiKey}\r\nx-api-key: ${apiKey}\r\n`, 200],
    ['two keys', `Host: a\r\nX-API-KEY: ${apiKey}\r\nX-API-KEY: other\r\n`, 401],
    ['a key and an empty one', `Host: a\r\nX-API-KEY: ${apiKey}\r\nX-API-KEY:\r\n`, 200],
    ['an empty key and a token', `Host: a\r\nX-API-KEY:\r\n${bearer}`, 200],
    ['once each', `Host: a\r\n${bearer}`, 200],
  ])('is answered as HTTP says: %s', async (_, headers, status) => {
    for (const request of [`GET ${logs}?project=p`, 'GET /graphql?query={__typename}']) {
      const answer = parseRaw(await sendRaw(served.port, `${request} HTTP/1.1\r\n${headers}${closing}`));
      expect(answer.status, request).toBe(status);
      if (status === 400) expect(answer.body).toContain('more than one Host or Authorization header');
    }
  });
});

describe('idle connections without a key', () => {
  test('do not keep a caller with a key from being served', async () => {
    const served = await serveTestApp();
    const { maxKeylessConnections } = httpLimits;
    const idle: Socket[] = [];
    for (let count = 0; count < maxKeylessConnections + 200; count += 100) {
      const some = Array.from({ length: 100 }, () => connect(served.port, '127.0.0.1').on('error', () => {}));
      await Promise.all(some.map((socket) => once(socket, 'connect')));
      idle.push(...some);
    }
    const connections = () =>
      new Promise<number>((resolve) => served.server.getConnections((_, n) => resolve(n)));
    await sleep(100);
    expect(await connections()).toBeLessThanOrEqual(maxKeylessConnections);
    const text = await sendRaw(served.port, `${good(`${logs}?project=p`)}${closing}`);
    expect(parseRaw(text).status).toBe(200);
    for (const socket of idle) socket.destroy();
    await served.close();
  });
});

describe('a caller that disconnects', () => {
  test('cancels its GraphQL operation, which is logged with 499', async () => {
    const served = await serveTestApp({}, 60_000);
    const body = JSON.stringify({ query: '{ logsAll(project: "p") { rowCount } }' });
    const type = 'Content-Type: application/json\r\n';
    const head = `POST /graphql HTTP/1.1\r\nHost: a\r\nX-API-KEY: ${apiKey}\r\n${type}`;
    const socket = connect(served.port, '127.0.0.1').on('error', () => {});
    socket.write(`${head}Content-Length: ${body.length}\r\n\r\n${body}`);
    await eventually(() => expect(served.engine.running).toBe(1));
    socket.destroy();
    await eventually(() => expect(served.log()).toContain('"status":499'));
    expect(served.engine.running).toBe(0);
    await served.close();
  });
});

describe('a body', () => {
  let served: ServedApp;
  beforeAll(async () => {
    served = await serveTestApp();
  });
  afterAll(() => served.close());
  const head = (key: string) =>
    `POST /graphql HTTP/1.1\r\nHost: a\r\nX-API-KEY: ${key}\r\nContent-Type: application/json\r\n`;

  test.each([
    [apiKey, 413],
    ['wrong', 401],
  ])('is rejected by its length before it arrives, for the key %s with %i', async (key, status) => {
    const socket = connect(served.port, '127.0.0.1').on('error', () => {});
    socket.write(`${head(key)}Content-Length: 1000000\r\n\r\n`);
    const [chunk] = (await once(socket, 'data')) as [Buffer];
    expect(parseRaw(chunk.toString()).status).toBe(status);
    socket.destroy();
  });

  test('that is too large leaves its connection usable', async () => {
    const large = `${head(apiKey)}Transfer-Encoding: chunked\r\n\r\n493e0\r\n${'x'.repeat(300_000)}\r\n0\r\n\r\n`;
    const text = await sendRaw(served.port, `${large}${good('/healthz')}${closing}`);
    expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 413', 'HTTP/1.1 200']);
  });
});

describe('pipelined requests', () => {
  test('are begun one at a time, each when the response before it has been written', async () => {
    const served = await serveTestApp({}, 20);
    const requests = Array.from({ length: 5 }, (_, n) => `${good(`${logs}?project=p${n}`)}\r\n`);
    const text = await sendRaw(served.port, `${requests.join('')}${good(`${logs}?project=p`)}${closing}`);
    expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(Array(6).fill('HTTP/1.1 200'));
    expect(served.engine).toMatchObject({ runs: 6, most: 1 });
    await served.close();
  });

  test('of one read are begun in turns of their own, in order, and no more are read than may wait', async () => {
    const count = 30_000;
    const begun: string[] = [];
    let [parsed, mostWaiting, turns] = [0, 0, 0];
    const begunInTurn = new Map<number, number>();
    const server = createServer();
    trackConnections(server, ({ url = '' }, response) => {
      begun.push(url);
      begunInTurn.set(turns, (begunInTurn.get(turns) ?? 0) + 1);
      response.end('ok');
    });
    server.on('request', () => {
      parsed += 1;
      mostWaiting = Math.max(mostWaiting, parsed - begun.length);
    });
    const nextTurn = () => {
      turns += 1;
      if (server.listening) setImmediate(nextTurn);
    };
    const port = await listen(server);
    nextTurn();
    const urls = Array.from({ length: count }, (_, at) => `/${at}`);
    const heads = urls.map((url) => `GET ${url} HTTP/1.1\r\nHost: a\r\n`);
    const text = await sendRaw(port, `${heads.join('\r\n')}${closing}`);
    server.close();
    expect(text.match(/HTTP\/1\.1 200/g)).toHaveLength(count);
    expect(begun).toEqual(urls);
    // One that waited, and one that came when no other did.
    expect(Math.max(...begunInTurn.values())).toBeLessThanOrEqual(2);
    // A read has at most 64 KB.
    expect(mostWaiting).toBeLessThan(256 + 65_536 / 30);
  });

  test('in any number wait, also behind a body that is still arriving', async () => {
    const served = await serveTestApp({}, 1);
    const query = JSON.stringify({ query: `{ __typename ${' '.repeat(100_000)} }` });
    const post = `POST /graphql HTTP/1.1\r\nHost: a\r\nX-API-KEY: ${apiKey}\r\nContent-Type: application/json\r\n`;
    const operation = `${post}Content-Length: ${query.length}\r\n\r\n${query}`;
    const many = `${good('/healthz')}\r\n`.repeat(2_000);
    const first = `${good(`${logs}?project=p`)}\r\n`;
    const text = await sendRaw(
      served.port,
      `${first}${operation}${many}${operation}${good('/healthz')}${closing}`,
    );
    expect(text.match(/HTTP\/1\.1 200/g)).toHaveLength(2_004);
    await served.close();
  });

  test('are not begun when their caller has disconnected', async () => {
    const served = await serveTestApp({}, 60_000);
    const socket = connect(served.port, '127.0.0.1').on('error', () => {});
    socket.write(Array.from({ length: 200 }, (_, n) => `${good(`${logs}?project=p${n}`)}\r\n`).join(''));
    await eventually(() => expect(served.engine.running).toBe(1));
    socket.destroy();
    await eventually(() => expect(served.engine.running).toBe(0));
    expect(served.engine.runs).toBe(1);
    await served.close();
  });
});

describe('too many requests', () => {
  test('of one key are rejected at once with 503; another key and health are still served', async () => {
    const keys = writeKeyFile({ other: {} });
    const served = await serveTestApp({ API_KEYS_FILE: keys.path }, 60_000);
    const kept = `${good('/graphql?query={kept:__typename}')}${closing}`;
    for (let at = 0; at < 2; at += 1) await sendRaw(served.port, kept);
    // The share that one key can have alone.
    const share = (maxRequestsInFlight / 8) * 7;
    const connections = Array.from({ length: share }, (_, n) => {
      const socket = connect(served.port, '127.0.0.1').on('error', () => {});
      // Other times, so that no run is for many tenants.
      const start = new Date(1_000 * n).toISOString();
      socket.write(`${good(`${logs}?project=p${n}&iso_timestamp_start=${start}`)}${closing}`);
      return socket;
    });
    await eventually(() => expect(served.engine.running).toBe(share));

    const rest = parseRaw(await sendRaw(served.port, `${good(`${logs}?project=p`)}${closing}`));
    expect(rest).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
    expect(JSON.parse(rest.body)).toMatchObject({
      error: { code: 'OVERLOADED', message: expect.stringContaining(`${share} requests`) },
    });
    const typename = good('/graphql?query={__typename}');
    const graphql = parseRaw(await sendRaw(served.port, `${typename}${closing}`));
    expect(graphql).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
    expect(graphql.body).toContain('OVERLOADED');
    // What is there already takes no place.
    expect(parseRaw(await sendRaw(served.port, kept)).status).toBe(200);
    const other = typename.replace(apiKey, keys.keyOf('other'));
    expect(parseRaw(await sendRaw(served.port, `${other}${closing}`)).status).toBe(200);
    for (const path of ['/healthz', '/readyz']) {
      expect(parseRaw(await sendRaw(served.port, `${good(path)}${closing}`)).status).toBe(200);
    }
    expect(served.engine.runs).toBe(share);
    for (const socket of connections) socket.destroy();
    await served.close();
    keys.remove();
  });

  test('by POST get one answer, whether their bodies come with their heads or later', async () => {
    const served = await serveTestApp();
    const body = JSON.stringify({ query: '{ logsAll(project: "p") { rows { id } } }' });
    const head = `POST /graphql HTTP/1.1\r\nHost: a\r\nX-API-KEY: ${apiKey}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n`;
    const inParts = async (...parts: readonly string[]) => {
      const socket = connect(served.port, '127.0.0.1').setNoDelay();
      for (const part of parts) {
        socket.write(part);
        await new Promise((resolve) => setTimeout(resolve, parts.length > 1 ? 30 : 0));
      }
      const chunks: Buffer[] = [];
      socket.on('data', (chunk) => chunks.push(chunk));
      await once(socket, 'close');
      return parseRaw(Buffer.concat(chunks).toString()).body;
    };
    const first = await inParts(head + body);
    expect(first).toContain('"rows":[');
    for (const parts of [
      [head + body],
      [head, body],
      [head + body.slice(0, 9), body.slice(9)],
      [head + body],
    ])
      expect(await inParts(...parts)).toBe(first);
    await served.close();
  });

  test('whose bodies are still arriving do not count', async () => {
    const served = await serveTestApp();
    const head = `POST /graphql HTTP/1.1\r\nHost: a\r\nX-API-KEY: ${apiKey}\r\nContent-Type: application/json\r\n`;
    const connections = Array.from({ length: maxRequestsInFlight + 50 }, () => {
      const socket = connect(served.port, '127.0.0.1').on('error', () => {});
      socket.write(`${head}Content-Length: 100\r\n\r\n{`);
      return socket;
    });
    await Promise.all(connections.map((socket) => socket.connecting && once(socket, 'connect')));
    // A request that is sent later is also read later.
    const text = await sendRaw(served.port, `${good('/graphql?query={__typename}')}${closing}`);
    expect(parseRaw(text).status).toBe(200);
    for (const socket of connections) socket.destroy();
    await served.close();
  });
});

/** Sends a head, then a few more bytes twice a second, until the server closes the connection. */
async function drip(port: number, head: string, more = 'x'): Promise<string> {
  const socket = connect(port, '127.0.0.1').on('error', () => {});
  socket.write(head);
  const timer = setInterval(() => head === '' || socket.write(more), 500);
  const chunks: Buffer[] = [];
  socket.on('data', (chunk) => chunks.push(chunk));
  await new Promise<void>((resolve) => socket.once('close', () => resolve()));
  clearInterval(timer);
  return Buffer.concat(chunks).toString();
}
