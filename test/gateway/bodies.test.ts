import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { parse } from 'node:querystring';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createGateway, type Gateway } from '../../src/gateway/create-gateway.ts';
import type { GatewayOptions } from '../../src/gateway/options.ts';
import { httpLimits } from '../../src/http/message/http-limits.ts';
import { apiKey } from '../../src/keys/sources/api-key.ts';
import { logflare } from '../../src/plugins/logflare/logflare.ts';
import { fakeClock } from '../support/fake-clock.ts';
import { listen } from '../support/listen.ts';
import { makeQueryFolder, type QueryFolder, queryText } from '../support/query-folder.ts';
import { queryText as textOf } from '../support/queries.ts';
import { openedEngine } from '../support/test-app.ts';

const key = 'a-key-for-tests-only';
const headers = { 'x-api-key': key, 'content-type': 'application/json' };
const operation = JSON.stringify({ query: '{ q { rowCount } }' });
const answer = { status: 200, body: { data: { q: { rowCount: 1 } } } };

let folder: QueryFolder;
let gateway: Gateway;
let close: (() => unknown)[] = [];

const options = (): GatewayOptions => ({
  queries: folder.folder,
  engine: openedEngine({
    source: 'test',
    run: async () => ({ rows: ['{"n":1}'], truncated: false }),
    close: async () => {},
  }),
  keys: apiKey(key),
  reload: false,
});

beforeAll(async () => {
  folder = makeQueryFolder({ 'q.sql': queryText() });
  gateway = await createGateway(options());
});
afterAll(async () => {
  await gateway.close();
  folder.close();
});
afterEach(() => {
  for (const one of close) one();
  close = [];
});

const read = async (response: Response) => ({ status: response.status, body: await response.json() });

/** A request to a server whose framework handles it before the gateway. */
async function post(
  before: (message: IncomingMessage & { body?: unknown }, response: ServerResponse) => unknown,
  body: string = operation,
): Promise<{ readonly status: number; readonly body: unknown }> {
  const server = createServer(async (message, response) => {
    await before(message, response);
    gateway.listener(message, response);
  });
  const port = await listen(server);
  close.push(() => server.close());
  return read(await fetch(`http://127.0.0.1:${port}/graphql`, { method: 'POST', headers, body }));
}

const wasRead = {
  status: 400,
  body: {
    errors: [
      expect.objectContaining({
        message: expect.stringContaining('the server must leave it unread'),
      }),
    ],
  },
};

describe('a body that a framework of Node has read', () => {
  test.each<[string, (body: string) => unknown]>([
    ['parsed, as express.json() does', (body) => JSON.parse(body)],
    ['as a text, as express.text() does', (body) => body],
    ['as bytes, as express.raw() does', (body) => Buffer.from(body)],
  ])('is taken as it left it: %s', async (_, parse) => {
    const outcome = await post(async (message) => {
      message.body = parse(await text(message));
    });
    expect(outcome).toEqual(answer);
  });

  test.each<[string, unknown, number, string]>([
    ['too large, as a text', ' '.repeat(httpLimits.maxBodyBytes + 1), 413, 'BODY_TOO_LARGE'],
    ['too large, as bytes', new Uint8Array(httpLimits.maxBodyBytes + 1), 413, 'BODY_TOO_LARGE'],
    ['too large, parsed', { query: 'x'.repeat(httpLimits.maxBodyBytes) }, 413, 'BODY_TOO_LARGE'],
    ['nested too deeply', JSON.parse('['.repeat(50_000) + ']'.repeat(50_000)), 400, 'BAD_REQUEST'],
  ])('%s, is refused', async (_, body, status, code) => {
    const refused = await post(async (message) => {
      await text(message);
      message.body = body;
    });
    expect(refused).toMatchObject({ status, body: { errors: [{ extensions: { code } }] } });
  });

  test.each([{ query: 1n }, { toJSON: () => undefined }])(
    'that JSON cannot have is refused as that',
    async (body) => {
      const refused = await post(async (message) => {
        await text(message);
        message.body = body;
      });
      const message = expect.stringMatching(/^The body cannot be written as JSON/);
      expect(refused).toMatchObject({ status: 400, body: { errors: [{ message }] } });
    },
  );

  test.each([1, 2])('as texts, because of setEncoding, in %i parts, arrives', async (parts) => {
    const body = JSON.stringify({ query: '{ q { rowCount } } # ä' });
    const server = createServer((message, response) => {
      message.setEncoding('utf8');
      gateway.listener(message, response);
    });
    const port = await listen(server);
    close.push(() => server.close());
    const chunks = parts === 1 ? [body] : [body.slice(0, 9), body.slice(9)];
    const sent = new ReadableStream({
      async pull(controller) {
        const chunk = chunks.shift();
        if (chunk === undefined) return controller.close();
        controller.enqueue(Buffer.from(chunk));
        await new Promise((resolve) => setTimeout(resolve, 20));
      },
    });
    const init = { method: 'POST', headers, body: parts === 1 ? body : sent, duplex: 'half' } as const;
    expect(await read(await fetch(`http://127.0.0.1:${port}/graphql`, init))).toEqual(answer);
  });

  test('and not left anywhere, is a clear error', async () => {
    expect(await post(text)).toMatchObject(wasRead);
  });

  test('parsed, as express.urlencoded() does, is a form', async () => {
    const own = makeQueryFolder({
      'q.sql': textOf({
        name: 'q',
        parameters: {
          a: '{ type: string, description: A text. }',
          b: '{ type: string, repeated: true, description: Texts. }',
        },
        columns: { a: 'string', b: 'string' },
        sql: "select @a as a, array_to_string(@b, ',') as b",
      }),
    });
    const engine = openedEngine({
      source: 'test',
      run: async ({ parameters: { a, b } }) => ({
        rows: [JSON.stringify({ a, b: String(b) })],
        truncated: false,
      }),
      close: async () => {},
    });
    const compat = await createGateway({
      ...options(),
      queries: own.folder,
      engine,
      plugins: [logflare()],
    });
    const server = createServer(async (message: IncomingMessage & { body?: unknown }, response) => {
      message.body = parse(await text(message));
      compat.listener(message, response);
    });
    const port = await listen(server);
    close.push(() => server.close(), compat.close, own.close);
    const response = await fetch(`http://127.0.0.1:${port}/api/endpoints/query/q`, {
      method: 'POST',
      headers: { 'x-api-key': key },
      body: new URLSearchParams('a=%2B+1&b=x&b=%26'),
    });
    expect(await response.json()).toEqual({ result: [{ a: '+ 1', b: 'x,&' }] });
  });

  test('is not needed for a route without a body', async () => {
    const server = createServer(async (message, response) => {
      await text(message);
      gateway.listener(message, response);
    });
    const port = await listen(server);
    close.push(() => server.close());
    const response = await fetch(`http://127.0.0.1:${port}/api/endpoints/query/q`, { headers });
    expect(response.status).toBe(200);
  });

  test('later, because the framework has waited, arrives as well', async () => {
    expect(await post(() => new Promise((done) => setTimeout(done, 50)))).toEqual(answer);
  });
});

test.each([false, true])(
  'POST without any header of a body is refused as one with an empty body is, with optimizeEmptyRequests %s',
  async (optimizeEmptyRequests) => {
    const server = createServer({ optimizeEmptyRequests }, gateway.listener);
    const port = await listen(server);
    close.push(() => server.close());
    const answerTo = async (...lines: readonly string[]) => {
      const socket = connect(port, '127.0.0.1');
      const head = ['POST /graphql HTTP/1.1', 'Host: a', `X-API-KEY: ${key}`, 'Connection: close', ...lines];
      socket.write(`${head.join('\r\n')}\r\n\r\n`);
      const [status, body] = (await text(socket)).split(/\r\n(?:.*\r\n)*\r\n/);
      return { status, body };
    };
    const type = 'Content-Type: application/json';
    const refusal = await answerTo(type, 'Content-Length: 0');
    expect(refusal.status).toBe('HTTP/1.1 400 Bad Request');
    expect(await answerTo(type)).toEqual(refusal);
  },
);

test('a request by fetch whose connection is null has no address', async () => {
  const request = new Request('http://gateway.test/graphql', { headers: { 'x-api-key': 'wrong' } });
  expect((await gateway.fetch(request, null as never)).status).toBe(401);
});

test('a request whose client is gone before the gateway gets it is finished', async () => {
  const { promise, resolve } = Promise.withResolvers<IncomingMessage>();
  const server = createServer((message, response) => {
    message.once('close', () => {
      gateway.listener(message, response);
      resolve(message);
    });
    message.socket.destroy();
  });
  const port = await listen(server);
  close.push(() => server.close());
  const failed = fetch(`http://127.0.0.1:${port}/graphql`, { method: 'POST', headers, body: operation });
  await expect(failed).rejects.toThrow();
  expect((await promise).destroyed).toBe(true);
});

describe('a body of fetch', () => {
  const request = () =>
    new Request('http://gateway.test/graphql', { method: 'POST', headers, body: operation });

  test('is read', async () => {
    expect(await read(await gateway.fetch(request()))).toEqual(answer);
  });

  test('that was read before is a clear error', async () => {
    const used = request();
    await used.text();
    expect(await read(await gateway.fetch(used))).toMatchObject(wasRead);
  });

  test('that something else reads is a clear error', async () => {
    const locked = request();
    locked.body?.getReader();
    expect(await read(await gateway.fetch(locked))).toMatchObject(wasRead);
  });

  test('that never ends is refused after 30 s, and given up', async () => {
    const clock = fakeClock();
    const own = await createGateway({ ...options(), now: clock.now, after: clock.after });
    let wasCancelled = false;
    const body = new ReadableStream({
      start: (controller) => controller.enqueue(Buffer.from('{')),
      cancel() {
        wasCancelled = true;
        return new Promise(() => {});
      },
    });
    const init = { method: 'POST', headers, body, duplex: 'half' };
    const waiting = own.fetch(new Request('http://gateway.test/graphql', init)).then(read);
    await expect.poll(() => clock.timers()).toBeGreaterThan(0);
    await clock.pass(30_000);
    expect(await waiting).toEqual({
      status: 408,
      body: { errors: [expect.objectContaining({ extensions: { code: 'REQUEST_TIMEOUT' } })] },
    });
    expect(wasCancelled).toBe(true);
    await own.close();
  });

  test('that was read from a copy arrives', async () => {
    const first = request();
    await first.clone().text();
    expect(await read(await gateway.fetch(first))).toEqual(answer);
  });
});
