import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Catalog } from '../../../src/catalog/model/saved-query.ts';
import type { GatewayPlugin } from '../../../src/gateway/plugin.ts';
import { collectGarbage } from '../../support/collect-garbage.ts';
import {
  countsPath,
  type LiveGateway,
  liveQueries,
  openLiveGateway,
  serveGateway,
} from '../../support/live-gateway.ts';
import { queryText, uuidOf } from '../../support/query-folder.ts';
import { apiKey } from '../../support/test-app.ts';

const request = (version = '1.1') =>
  `GET ${countsPath} HTTP/${version}\r\nHost: gateway.test\r\nX-API-KEY: ${apiKey}\r\nAccept: text/event-stream\r\n\r\n`;

/** What a body of HTTP/1.1 was sent as. */
function chunksOf(body: string): readonly string[] {
  const chunks: string[] = [];
  for (let at = 0; at < body.length; ) {
    const dataAt = body.indexOf('\r\n', at) + 2;
    const end = dataAt + Number.parseInt(body.slice(at, dataAt), 16);
    expect(body.slice(end, end + 2)).toBe('\r\n');
    chunks.push(body.slice(dataAt, end));
    at = end + 2;
  }
  return chunks;
}

/** A result of about two megabytes. */
const large = (n: number) => [`{"n":${n},"text":"${'x'.repeat(2_000_000)}"}`];

describe('streams over sockets', () => {
  let live: LiveGateway;
  let served: Awaited<ReturnType<typeof serveGateway>>;
  const sockets: Socket[] = [];
  beforeEach(async () => {
    // Plug-ins see requests, and what they have got.
    live = await openLiveGateway({ plugins: [{ name: 'observer', onSent: () => {}, onStreamed: () => {} }] });
    served = await serveGateway(live.gateway);
  });
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    await served.close();
    await live.close();
  });
  const open = async (text: string): Promise<Socket> => {
    const socket = connect(served.port, '127.0.0.1');
    sockets.push(socket);
    await once(socket, 'connect');
    socket.write(text);
    return socket;
  };
  /** Collects what a socket receives. */
  const collect = (socket: Socket) => {
    let received = '';
    socket.on('data', (part: Buffer) => {
      received += part.toString();
    });
    const until = async (text: string) => {
      while (!received.includes(text)) await once(socket, 'data');
      return received;
    };
    return { until, received: () => received };
  };
  /** What could not be written at once is written when the clock has passed. */
  const passUntil = async (reader: ReturnType<typeof collect>, text: string) => {
    while (!reader.received().includes(text)) await live.clock.pass(50);
  };
  const opened = async (count: number) => {
    while (live.counters.open < count) await new Promise((resolve) => setImmediate(resolve));
  };

  test('each event is one chunk of HTTP/1.1, behind the head', async () => {
    const reader = collect(await open(request()));
    await reader.until('{"n":1}]}\n\n\r\n');
    live.setRows(['{"n":2}']);
    await live.clock.pass(5_250);
    const received = await reader.until('{"n":2}]}\n\n\r\n');
    const bodyAt = received.indexOf('\r\n\r\n') + 4;
    const head = received.slice(0, bodyAt);
    expect(head).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(head.toLowerCase()).toContain('\r\ntransfer-encoding: chunked\r\n');
    const chunks = chunksOf(received.slice(bodyAt));
    // On a busy machine the first result waits for another turn of the event loop, behind a sign of life.
    expect(chunks.slice(chunks[0] === ':\n\n' ? 1 : 0)).toEqual(
      [1, 2].map((n) =>
        expect.stringMatching(
          new RegExp(`^event: next\\nid: W/"[^"]+"\\ndata: \\{"result":\\[\\{"n":${n}\\}\\]\\}\\n\\n$`),
        ),
      ),
    );
  });

  test('a client of HTTP/1.0 gets events without chunks', async () => {
    const reader = collect(await open(request('1.0')));
    const received = await reader.until('{"n":1}]}\n\n');
    const body = received.slice(received.indexOf('\r\n\r\n') + 4);
    expect(body).toMatch(/^(?::\n\n)?event: next\nid: W\/"[^"]+"\ndata: \{"result":\[\{"n":1\}\]\}\n\n$/);
  });

  test('after the end of a stream its connection serves other requests', async () => {
    const socket = await open(request());
    const reader = collect(socket);
    await reader.until('\n\n\r\n');
    const { 'counts.sql': _, ...rest } = liveQueries;
    await live.setQueries(rest);
    await reader.until('\r\n0\r\n\r\n');
    socket.write(`GET /healthz HTTP/1.1\r\nHost: gateway.test\r\n\r\n`);
    await reader.until('{"status":"ok"}');
  });

  test('a client that has gone is not followed any more', async () => {
    const socket = await open(request());
    await collect(socket).until('\n\n\r\n');
    socket.destroy();
    while (live.counters.open > 0) await new Promise((resolve) => setImmediate(resolve));
    expect(live.counters.ends.CLIENT).toBe(1);
    const { runs } = live.engine;
    await live.clock.pass(60_000);
    expect(live.engine.runs).toBe(runs);
  });

  test('readers that do not read skip to the newest result, and are closed after a minute', async () => {
    live.setRows(large(1));
    const slow = await Promise.all(Array.from({ length: 20 }, () => open(request())));
    for (const socket of slow) socket.pause();
    const reader = collect(await open(request()));
    await opened(21);
    await passUntil(reader, '"n":1,');
    for (let n = 2; n <= 8; n += 1) {
      live.setRows(large(n));
      await live.clock.pass(5_250);
      await passUntil(reader, `"n":${n},`);
    }
    // Of the slow ones each has one result in its socket, and waits for the newest.
    expect(live.counters.skipped).toBeGreaterThanOrEqual(20 * 3);
    const [first] = slow;
    if (first === undefined) throw new Error('no socket');
    const late = collect(first);
    first.resume();
    await late.until('"n":1,');
    await passUntil(late, '"n":8,');
    expect(late.received()).not.toContain('"n":5,');
    await live.clock.pass(61_000);
    expect(live.counters.ends.SLOW_READER).toBe(19);
    expect(live.counters.open).toBe(2);
  });

  test('500 clients that lose their connections and come back cause no run, and get no event again', async () => {
    const first = await collect(await open(request())).until('"n":1');
    const [, id = ''] = /^id: (.+)$/m.exec(first) ?? [];
    const again = request().replace('\r\n\r\n', `\r\nLast-Event-ID: ${id}\r\n\r\n`);
    const follow = async () => {
      const readers = await Promise.all(Array.from({ length: 500 }, async () => collect(await open(again))));
      await Promise.all(readers.map(({ until }) => until(':\n\n')));
      return readers;
    };
    await follow();
    await opened(501);
    for (const socket of sockets.splice(0)) socket.destroy();
    const { runs } = live.engine;
    const readers = await follow();
    while (live.counters.ends.CLIENT < 501) await new Promise((resolve) => setImmediate(resolve));
    expect(live.counters.open).toBe(500);
    expect(live.engine.runs).toBe(runs);
    live.setRows(['{"n":2}']);
    await live.clock.pass(5_250);
    await Promise.all(readers.map(({ until }) => until('"n":2')));
    for (const { received } of readers) expect(received()).not.toContain('"n":1');
    expect(live.engine.runs).toBe(runs + 1);
  });

  test('streams that began with different results keep the newest one only', async () => {
    const readers: ReturnType<typeof collect>[] = [];
    const buffersAfter = async (count: number) => {
      while (live.counters.open < count) {
        const at = live.counters.open;
        live.setRows(large(at));
        await live.clock.pass(5_250);
        readers.push(collect(await open(request())));
        await opened(at + 1);
        // Each has at most one result in its socket, and has got those before.
        for (const reader of readers) await passUntil(reader, `"n":${at},`);
      }
      // The second one waits until the first has freed buffers, which a thread does.
      collectGarbage();
      collectGarbage();
      return process.memoryUsage().arrayBuffers;
    };
    const few = await buffersAfter(3);
    expect((await buffersAfter(10)) - few).toBeLessThan(3 * 2_000_000);
  });

  test('streams do not keep the versions of the catalog that they began with', async () => {
    const catalogs: WeakRef<Catalog>[] = [];
    const observer: GatewayPlugin = {
      name: 'observer',
      onCatalog: (catalog) => void catalogs.push(new WeakRef(catalog)),
      onStreamed: () => {},
    };
    await served.close();
    await live.close();
    live = await openLiveGateway({ plugins: [observer] });
    served = await serveGateway(live.gateway);
    const body = '[{"id":"a","query":"counts"}]';
    const several = `POST /api/live HTTP/1.1\r\nHost: gateway.test\r\nX-API-KEY: ${apiKey}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    for (let version = 1; version <= 3; version += 1) {
      for (const text of [request(), several]) await collect(await open(text)).until('\n\n\r\n');
      const more = queryText({ id: uuidOf(9), sql: `SELECT ${version} AS n` });
      await live.setQueries({ ...liveQueries, 'more.sql': more });
    }
    expect(live.counters.open).toBe(6);
    expect(catalogs.length).toBe(3);
    const kept = () => catalogs.filter((catalog) => catalog.deref() !== undefined).length;
    for (let round = 0; round < 50 && kept() > 1; round += 1) {
      await new Promise((resolve) => setTimeout(resolve, 20));
      collectGarbage();
    }
    expect(kept()).toBe(1);
  });
});
