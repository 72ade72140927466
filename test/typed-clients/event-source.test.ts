import { existsSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { extname, join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isWithoutBrowser, openBrowser } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import { listen } from '../support/listen.ts';
import { countsPath, type LiveGateway, openLiveGateway, serveGateway } from '../support/live-gateway.ts';
import { apiKey } from '../support/test-app.ts';

const modules = join(import.meta.dirname, 'node_modules');
/** By `npm ci --prefix test/typed-clients`. */
const isInstalled = existsSync(join(modules, 'eventsource'));

const imports = Object.fromEntries(
  ['eventsource', 'eventsource-parser'].map((name) => [name, `/${name}/dist/index.js`]),
);

/** As docs/live.md has it. */
const page = (address: string) => `<!doctype html><title>A page</title>
<script type="importmap">${JSON.stringify({ imports: { ...imports, 'eventsource-parser/stream': '/eventsource-parser/dist/stream.js' } })}</script>
<script type="module">
import { EventSource } from 'eventsource';
globalThis.seen = [];
const withKey = (to, init) => fetch(to, { ...init, headers: { ...init.headers, 'X-API-KEY': '${apiKey}' } });
const source = new EventSource('${address}', { fetch: withKey });
source.addEventListener('next', ({ data }) => seen.push(data));
source.addEventListener('error', ({ message }) => seen.push(message ?? 'the connection was closed'));
</script>`;

describe.skipIf(isWithoutBrowser || !isInstalled)(
  'the package eventsource in a page of another origin',
  () => {
    let live: LiveGateway;
    let served: Awaited<ReturnType<typeof serveGateway>>;
    let site: Server;
    let browser: Browser;
    let tab: Page;
    const resumedFrom: (string | undefined)[] = [];
    beforeAll(async () => {
      live = await openLiveGateway({ corsOrigins: '*' });
      served = await serveGateway(live.gateway);
      served.server.on('request', ({ method, headers }) => {
        if (method === 'GET') resumedFrom.push(headers['last-event-id'] as string | undefined);
      });
      site = createServer(({ url = '' }, response) => {
        if (extname(url) !== '.js')
          return void response
            .setHeader('content-type', 'text/html')
            .end(page(`http://127.0.0.1:${served.port}${countsPath}`));
        response.setHeader('content-type', 'text/javascript').end(readFileSync(join(modules, url)));
      });
      const port = await listen(site);
      browser = await openBrowser();
      tab = await browser.newPage();
      await tab.goto(`http://127.0.0.1:${port}/`);
    });
    afterAll(async () => {
      await browser?.close();
      site?.closeAllConnections();
      site?.close();
      await served?.close();
      await live?.close();
    });
    const seen = () => tab.evaluate(() => (globalThis as unknown as { seen: string[] }).seen);

    test('gets events, and goes on after the last one when it has connected again', async () => {
      await eventually(async () => expect(await seen()).toEqual(['{"result":[{"n":1}]}']));
      served.server.closeAllConnections();
      await eventually(() => expect(resumedFrom).toHaveLength(2));
      expect(resumedFrom).toEqual([undefined, expect.stringMatching(/^W\/"/)]);
      live.setRows(['{"n":2}']);
      // The stream that has begun again may wait for its next refresh a moment later.
      await eventually(async () => {
        await live.clock.pass(5_250);
        expect((await seen()).at(-1)).toBe('{"result":[{"n":2}]}');
      });
      expect((await seen()).filter((one) => one.startsWith('{'))).toHaveLength(2);
      expect((await seen()).join()).not.toContain('Failed to fetch');
    });
  },
);
