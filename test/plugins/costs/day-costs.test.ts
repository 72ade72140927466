import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openServer } from '../../../src/http/node/open-server.ts';
import { pino } from 'pino';
import { type Bill, type Billing, openBillingApp, startBilling } from '../../support/billing-app.ts';
import { isWithoutBrowser, openBrowser, watchPage } from '../../support/browser.ts';
import { type KeyFile, writeKeyFile } from '../../support/key-files.ts';
import { listen } from '../../support/listen.ts';
import { apiKey, type TestApp } from '../../support/test-app.ts';

const megabyte = 2 ** 20;

let bill: Bill;
let billing: Billing;
let keys: KeyFile;
let app: TestApp;
let now: number;
beforeEach(async () => {
  bill = { bytes: 40 * megabyte };
  now = Date.parse('2026-03-10T12:00:00Z');
  billing = await startBilling(() => bill);
  keys = writeKeyFile({
    all: {},
    a: { tenants: ['secret-a'] },
    b: { tenants: ['secret-b'] },
    other: { endpoints: ['others'] },
  });
  app = await openBillingApp(
    billing,
    { numbers: {}, others: {} },
    { API_KEYS_FILE: keys.path },
    { clock: () => new Date(now) },
  );
});
afterEach(async () => {
  await app.close();
  await billing.close();
  keys.remove();
});

const call = (project: string, key: string) =>
  app.fetch(`/api/endpoints/query/numbers?project=${project}`, { headers: { 'x-api-key': key } });

const costs = (key: string, endpoint = 'numbers') =>
  app.fetch(`/costs.json?endpoint=${endpoint}`, { headers: { 'x-api-key': key } });

describe('the costs of an endpoint by day', () => {
  test('are those of all callers, and to a key that is restricted to tenants only its own', async () => {
    await call('secret-a', keys.keyOf('a'));
    now += 86_400_000;
    for (const project of ['secret-a', 'x']) await call(project, keys.keyOf('all'));
    const daysOf = async (name: string) => {
      const response = await costs(keys.keyOf(name));
      const text = await response.text();
      expect(text).not.toContain('secret');
      const { of, days } = JSON.parse(text);
      expect(days).toHaveLength(30);
      return [of, ...days.slice(-2).map((day: { bytesBilled: number }) => day.bytesBilled / megabyte)];
    };
    expect(await daysOf('all')).toEqual(['all callers', 40, 80]);
    expect(await daysOf('a')).toEqual(['this key', 40, 0]);
    expect(await daysOf('b')).toEqual(['this key', 0, 0]);
    expect((await costs(keys.keyOf('other'))).status).toBe((await call('x', keys.keyOf('other'))).status);
    expect((await costs(apiKey, 'missing')).status).toBe(404);
    expect(
      (await app.fetch('/costs.json?endpoint=numbers', { headers: { 'x-api-key': 'none' } })).status,
    ).toBe(401);
  });
});

describe.skipIf(isWithoutBrowser)('in a browser', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser.close());

  test('the page of a query shows them as a chart, and nothing where nothing was billed', async () => {
    await call('x', apiKey);
    now += 86_400_000;
    bill = { bytes: 20 * megabyte };
    await call('x', apiKey);
    const { server } = openServer(app.listener, { log: pino({ enabled: false }) });
    const origin = `http://127.0.0.1:${await listen(server)}`;
    const page = await browser.newPage();
    const watched = await watchPage(page, origin);
    await page.addInitScript((key) => sessionStorage.setItem('querygate-key', key), apiKey);
    await page.goto(`${origin}/queries/numbers?project=y`);
    const field = page.getByLabel('API key');
    if (await field.isVisible()) {
      await field.fill(apiKey);
      await field.press('Enter');
    }
    await page.getByRole('heading', { name: 'Cost a day' }).waitFor();
    const chart = page.getByRole('img', { name: /Billed to all callers from 2026-02-10 to 2026-03-11/ });
    expect(await chart.count()).toBe(1);
    const heights = await chart
      .locator('rect')
      .evaluateAll((bars) => bars.map((bar) => Number(bar.getAttribute('height'))));
    expect(heights.slice(-2)).toEqual([120, expect.any(Number)]);
    expect(heights.at(-1)).toBeGreaterThan(0);
    expect(heights.slice(0, -2)).toEqual(Array(28).fill(0));
    expect(await chart.locator('rect').last().textContent()).toMatch(/^2026-03-11: .* MB, \d runs?$/);
    await page.goto(`${origin}/queries/others?project=y`);
    await page.getByRole('heading', { name: 'Columns' }).waitFor();
    expect(await page.getByRole('heading', { name: 'Cost a day' }).isVisible()).toBe(false);
    expect(watched.errors).toEqual([]);
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
});
