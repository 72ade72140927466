import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isWithoutBrowser, openBrowser } from '../support/browser.ts';
import { type FolderApp, openFolderApp } from '../support/folder-app.ts';
import { serveGateway } from '../support/live-gateway.ts';
import { mcpClient } from '../support/mcp-request.ts';
import { isWithoutNginx, type Nginx, startNginx } from '../support/nginx.ts';
import { queryText } from '../support/queries.ts';
import { apiKey } from '../support/test-app.ts';

const numbers = (name: string, ...header: string[]) =>
  queryText({
    name,
    caching: ['caching: 900s', ...header],
    columns: { n: 'integer' },
    sql: 'select n from unnest(generate_array(1, 500)) as n order by n',
  });

const files = {
  'numbers.all.sql': numbers('numbers.all', 'page: { by: [n] }'),
  'old.sql': numbers('old', "deprecated: { since: '2026-01-01', successor: numbers.all }"),
};

/** How a proxy passes on what is below `/base/`. */
const proxies = [
  ['removes the path', {}, (port: number) => `proxy_pass http://127.0.0.1:${port}/;`],
  [
    'removes the path, which is set',
    { BASE_PATH: '/base' },
    (port: number) => `proxy_pass http://127.0.0.1:${port}/;`,
  ],
  ['leaves the path', { BASE_PATH: '/base/' }, (port: number) => `proxy_pass http://127.0.0.1:${port};`],
] as const;

describe.skipIf(isWithoutBrowser || isWithoutNginx).each(proxies)('behind nginx that %s', (_, env, pass) => {
  let folder: FolderApp;
  let served: Awaited<ReturnType<typeof serveGateway>>;
  let nginx: Nginx;
  let browser: Browser;
  beforeAll(async () => {
    folder = await openFolderApp(files, {
      env: {
        MCP: 'on',
        PAGES: 'on',
        EMBED_ORIGINS: 'https://wiki.example.com',
        API_KEY: apiKey,
        ...env,
      },
    });
    served = await serveGateway(folder.app);
    nginx = await startNginx(
      `location /base/ { ${pass(served.port)} proxy_set_header Host $http_host; } location / { return 404; }`,
    );
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await nginx?.close();
    await served?.close();
    await folder?.close();
  });

  const headers = { 'x-api-key': apiKey };
  const get = (address: string) => fetch(new URL(address, nginx.origin), { headers });
  const linkOf = (response: Response) =>
    new URL(/^<([^>]*)>/.exec(response.headers.get('link') ?? '')?.[1] ?? 'none', response.url).href;

  test('all that pages load and link is there', async () => {
    const page = await browser.newPage();
    const failed: string[] = [];
    page.on('response', (response) => {
      const { pathname } = new URL(response.url());
      if (response.status() >= 400 && response.status() !== 401)
        failed.push(`${response.status()} ${pathname}`);
      if (!pathname.startsWith('/base/')) failed.push(`outside: ${pathname}`);
    });
    page.on('pageerror', (error) => failed.push(error.message));
    await page.goto(`${nginx.origin}/base/`);
    await page.getByLabel('API key').fill(apiKey);
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'numbers.all' }).first().click();
    await page.waitForURL(`${nginx.origin}/base/queries/numbers.all`);
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByRole('cell', { name: '1', exact: true }).first().waitFor();
    for (const [name, path, shown] of [
      ['OpenAPI', 'openapi', 'text=openapi.json'],
      ['Agents', 'agents', '[aria-label=URL]'],
      ['GraphiQL', 'graphql', '.graphiql-container'],
      ['Queries', '', 'text=numbers.all'],
    ] as const) {
      await page.getByRole('navigation', { name: 'Site' }).getByRole('link', { name, exact: true }).click();
      await page.waitForURL(`${nginx.origin}/base/${path}`);
      await page.locator(shown).first().waitFor();
      if (path === 'agents')
        expect(await page.locator(shown).first().textContent()).toBe(`${nginx.origin}/base/mcp`);
    }
    await page.goto(`${nginx.origin}/base/embed/numbers.all`);
    await page.waitForFunction('document.querySelector("main")?.childElementCount > 0');

    expect(failed).toEqual([]);
    await page.goto(`${nginx.origin}/base/no/such/page`);
    await page.getByRole('link', { name: 'All queries' }).click();
    await page.waitForURL(`${nginx.origin}/base/`);
    expect(failed).toEqual(['404 /base/no/such/page']);
    await page.close();
  });

  test('links in answers, and addresses in the OpenAPI document, lead to the gateway', async () => {
    const first = await get('/base/api/endpoints/query/numbers.all?limit=200');
    const second = await get(linkOf(first));
    expect(((await second.json()) as { result: unknown[] }).result[0]).toEqual({ n: 201 });
    const successor = linkOf(await get('/base/api/endpoints/query/old?x=1'));
    expect(successor).toBe(`${nginx.origin}/base/api/endpoints/query/numbers.all`);

    const document = await get('/base/openapi.json');
    const { servers, paths } = (await document.json()) as { servers: { url: string }[]; paths: object };
    const server = new URL(servers[0]?.url ?? '', document.url).href.replace(/\/$/, '');
    expect(Object.keys(paths).length).toBeGreaterThan(1);
    for (const path of Object.keys(paths).filter((one) => !one.includes('{')))
      expect((await get(server + path)).status, path).toBe(200);
  });

  test.skipIf(!('BASE_PATH' in env))('commands for agents have the path', async () => {
    const agent = mcpClient((path, init) => fetch(`${nginx.origin}/base${path}`, init), apiKey);
    const { text } = await agent.call('numbers_all');
    const [, url = ''] = /'(http[^']*format=csv[^']*)'/.exec(text) ?? [];
    expect(url.startsWith(`${nginx.origin}/base/api/`)).toBe(true);
    expect((await (await get(url)).text()).split('\r\n')).toHaveLength(502);
  });
});
