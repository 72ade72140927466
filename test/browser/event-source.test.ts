import { createServer, type IncomingMessage, request, type Server } from 'node:http';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isWithoutBrowser, openBrowser } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import { listen } from '../support/listen.ts';
import { type LiveGateway, liveQueries, openLiveGateway, serveGateway } from '../support/live-gateway.ts';
import { apiKey } from '../support/test-app.ts';

/** What the page notes. */
declare global {
  var seen: { event: string; data: string }[];
  var source: EventSource;
}

describe.skipIf(isWithoutBrowser)('EventSource of a browser, behind a proxy that adds the key', () => {
  let live: LiveGateway;
  let served: Awaited<ReturnType<typeof serveGateway>>;
  let proxy: Server;
  let browser: Browser;
  let page: Page;
  const forwarded: IncomingMessage[] = [];
  beforeAll(async () => {
    live = await openLiveGateway();
    served = await serveGateway(live.gateway);
    // As the recipe for nginx in docs/live.md does.
    proxy = createServer((message, response) => {
      if (!message.url?.startsWith('/live/'))
        return void response.end('<!doctype html><title>A page</title>');
      forwarded.push(message);
      const path = message.url.replace('/live/', '/api/endpoints/query/');
      const headers = { ...message.headers, 'x-api-key': apiKey };
      const upstream = request({ port: served.port, host: '127.0.0.1', path, headers }, (reply) => {
        response.writeHead(reply.statusCode ?? 502, reply.headers);
        response.flushHeaders();
        reply.pipe(response);
      });
      upstream.on('error', () => response.destroy()).end();
      response.once('close', () => upstream.destroy());
    });
    const port = await listen(proxy);
    browser = await openBrowser();
    page = await browser.newPage();
    await page.goto(`http://127.0.0.1:${port}/`);
  });
  afterAll(async () => {
    await browser?.close();
    proxy?.closeAllConnections();
    proxy?.close();
    await served?.close();
    await live?.close();
  });
  const seen = () => page.evaluate(() => globalThis.seen.map(({ event, data }) => `${event} ${data}`));
  const state = () => page.evaluate(() => globalThis.source.readyState);
  const result = (n: number) => `next {"result":[{"n":${n}}]}`;

  test('gets events, connects again where it was, and stops when there is nothing to follow', async () => {
    await page.evaluate(() => {
      globalThis.seen = [];
      globalThis.source = new EventSource('/live/counts');
      for (const event of ['next', 'end'])
        globalThis.source.addEventListener(event, ({ data }) => globalThis.seen.push({ event, data }));
    });
    await eventually(async () => expect(await seen()).toEqual([result(1)]));
    live.setRows(['{"n":2}']);
    await live.clock.pass(5_250);
    await eventually(async () => expect(await seen()).toEqual([1, 2].map(result)));

    forwarded.at(-1)?.socket.destroy();
    await eventually(() => expect(forwarded).toHaveLength(2));
    expect(forwarded.at(-1)?.headers['last-event-id']).toMatch(/^W\/"/);
    await eventually(async () => expect(await state()).toBe(1));
    live.setRows(['{"n":3}']);
    await live.clock.pass(5_250);
    // Not the second one again.
    await eventually(async () => expect(await seen()).toEqual([1, 2, 3].map(result)));

    const { 'counts.sql': _, ...rest } = liveQueries;
    await live.setQueries(rest);
    await eventually(async () => expect((await seen()).at(-1)).toContain('"code":"QUERY_CHANGED"'));
    // It comes back once, and the answer is 404.
    await eventually(async () => expect(await state()).toBe(2));
    expect(forwarded).toHaveLength(3);
  });
});
