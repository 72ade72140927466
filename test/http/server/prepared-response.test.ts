import { createServer, type IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LoopTurns } from '../../../src/concurrency/loop-turns.ts';
import { ByteBudget } from '../../../src/http/message/byte-budget.ts';
import { SentHeaders } from '../../../src/http/message/reply.ts';
import { buildNodeListener } from '../../../src/http/node/node-listener.ts';
import { chooseResponse } from '../../../src/http/node/open-server.ts';
import { PreparedResponse, sendsPreparedLines } from '../../../src/http/node/prepared-response.ts';
import { listen } from '../../support/listen.ts';
import { parseRaw, sendRaw } from '../../support/raw-request.ts';

const common = { 'content-type': 'text/plain', etag: 'W/"1"', vary: 'Accept' };

/** The same reply by Node's own `writeHead`, and with prepared lines. */
const replies: Readonly<Record<string, (response: ServerResponse, status: number) => void>> = {
  '/node': (response, status) => response.writeHead(status, headersOf(status)).end(bodyOf(status)),
  '/prepared': (response, status) => {
    if (!(response instanceof PreparedResponse)) throw new TypeError('not the response of the server');
    response.writePrepared({ status, headers: new SentHeaders(headersOf(status)) }).end(bodyOf(status));
  },
};
const bodyOf = (status: number) => (status === 200 ? 'four' : undefined);
const headersOf = (status: number) => (status === 200 ? { ...common, 'content-length': '4' } : common);

describe('a response with prepared header lines', () => {
  const server = createServer({ ServerResponse: PreparedResponse, keepAliveTimeout: 72_000 });
  server.on('request', ({ url, headers }, response) => {
    replies[url ?? '']?.(response, Number(headers.status));
  });
  beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
  afterAll(() => new Promise((resolve) => server.close(resolve)));

  test.each([
    ['GET', 'HTTP/1.1', 200, ''],
    ['GET', 'HTTP/1.1', 200, 'Connection: close\r\n'],
    ['GET', 'HTTP/1.1', 304, ''],
    ['HEAD', 'HTTP/1.1', 200, ''],
    ['OPTIONS', 'HTTP/1.1', 204, ''],
    ['GET', 'HTTP/1.0', 200, ''],
    ['GET', 'HTTP/1.0', 200, 'Connection: keep-alive\r\n'],
  ])('is what Node sends: %s %s %i %s', async (method, version, status, header) => {
    const request = (path: string) =>
      `${method} ${path} ${version}\r\nHost: a\r\nStatus: ${status}\r\n${header}\r\n`;
    const bytesOf = async (path: string) => {
      const closing = `GET ${path} HTTP/1.1\r\nHost: a\r\nStatus: 304\r\nConnection: close\r\n\r\n`;
      const { port } = server.address() as AddressInfo;
      const text = await sendRaw(port, request(path), closing);
      return text.replaceAll(/date: .*/gi, 'date');
    };
    const prepared = parseRaw(await bytesOf('/prepared'));
    const ordinary = parseRaw(await bytesOf('/node'));
    expect(prepared).toEqual(ordinary);
    expect(prepared).toMatchObject({ status, headers: common });
  });

  test.each([{ 'x-a': 'one\r\nx-b: two' }, { 'x-a\r\n': 'one' }, { 'x a': 'one' }, { 'x-a': 'snow \u2603' }])(
    'rejects what no header may have: %j',
    (headers) => {
      expect(() => new SentHeaders(headers)).toThrow(TypeError);
    },
  );
});

/** As if Node put a head together without the method that adds the prepared lines. */
class LosesLines<Request extends IncomingMessage> extends PreparedResponse<Request> {
  override _storeHeader(statusLine: string, headers: unknown): void {
    ServerResponse.prototype._storeHeader.call(this, statusLine, headers);
  }
}

/** As if Node wrote lines of its own between the status line and the prepared lines. */
class MixesLines<Request extends IncomingMessage> extends PreparedResponse<Request> {
  override _storeHeader(statusLine: string, headers: unknown): void {
    super._storeHeader(`${statusLine}Allow: GET`, headers);
  }
}

/** As if Node had no such method. */
class Throws<Request extends IncomingMessage> extends PreparedResponse<Request> {
  override _storeHeader(): void {
    throw new TypeError('super._storeHeader is not a function');
  }
}

describe('whether Node sends prepared lines as they are', () => {
  const warnings: unknown[] = [];
  const log = { warn: (message: unknown) => void warnings.push(message) };

  test('is so in this version, whose server uses them', () => {
    expect(sendsPreparedLines()).toBe(true);
    expect(chooseResponse(log)).toBe(PreparedResponse);
    expect(warnings).toEqual([]);
  });

  test.each([LosesLines, MixesLines, Throws])('is not so: %o', (Prepared) => {
    expect(sendsPreparedLines(Prepared)).toBe(false);
    expect(chooseResponse(log, Prepared)).toBe(ServerResponse);
    expect(warnings.splice(0)).toEqual([expect.stringContaining(process.version)]);
  });

  test('the reply of the server is the same either way', async () => {
    const listener = buildNodeListener({
      handle: () => ({
        status: 200,
        headers: new SentHeaders(headersOf(200)),
        body: 'four',
        owner: undefined,
      }),
      budget: new ByteBudget(),
      turns: new LoopTurns(),
      log: pino({ enabled: false }),
      trustedProxies: undefined,
      basePath: '',
    });
    const replyOf = async (Response: typeof ServerResponse) => {
      const server = createServer({ ServerResponse: Response }, listener);
      const port = await listen(server);
      const text = await sendRaw(port, 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
      server.close();
      return parseRaw(text.replace(/date: .*/i, 'date: now'));
    };
    const reply = await replyOf(chooseResponse(log, LosesLines));
    expect(reply).toEqual(await replyOf(chooseResponse(log)));
    expect(reply).toMatchObject({ status: 200, headers: common, body: 'four' });
  });
});
