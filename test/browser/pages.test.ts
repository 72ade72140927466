import { readFileSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isWithoutBrowser, openBrowser, watchPage } from '../support/browser.ts';
import { type GatewayProcess, startGateway } from '../support/gateway-process.ts';
import { atNight } from '../support/nightly.ts';

const key = 'a-key-for-tests-only';

/** The sizes at which the pages are tested: a phone, a laptop, a large screen. */
const widths = [390, ...atNight(1280, 1600)];

describe.skipIf(isWithoutBrowser)('pages in a browser, over the demo', () => {
  let gateway: GatewayProcess;
  let browser: Browser;
  beforeAll(async () => {
    [gateway, browser] = await Promise.all([startGateway({ API_KEY: key }), openBrowser()]);
  });
  afterAll(async () => {
    await browser?.close();
    await gateway?.end();
  });

  const pressUntil = async (page: Page, name: RegExp) => {
    for (let pressed = 0; pressed < 60; pressed += 1) {
      await page.keyboard.press('Tab');
      const text = String(
        await page.evaluate(
          '(document.activeElement.getAttribute("aria-label") ?? document.activeElement.innerText ?? "") + " " + (document.activeElement.id ?? "")',
        ),
      );
      if (name.test(text)) return;
    }
    throw new Error(`Tab does not reach ${name}`);
  };

  test.each(widths)('at %i px: from the list to a chart and a CSV by keyboard alone', async (width) => {
    const page = await browser.newPage({
      viewport: { width, height: 900 },
      colorScheme: width === 390 ? 'dark' : 'light',
      acceptDownloads: true,
    });
    const watched = await watchPage(page, gateway.origin);
    await page.goto(`${gateway.origin}/`);
    await page.getByLabel('API key').waitFor();
    await page.keyboard.type(key);
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'usage.api-counts' }).waitFor();
    await pressUntil(page, /^functions\.invocation-stats/);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'functions.invocation-stats' }).waitFor();
    if (width === 390) {
      // There the result comes first.
      await page.locator('.plot svg').waitFor();
      await pressUntil(page, /^Parameters/);
      await page.keyboard.press('Enter');
    }
    await pressUntil(page, /^ parameter-0|parameter-0$/);
    // The example is filled in.
    await page.keyboard.press('Enter');
    await page.locator('.plot svg').waitFor();
    expect(page.url()).toBe(
      `${gateway.origin}/queries/functions.invocation-stats?project=mzqkvxwotrplbhnydsea`,
    );
    expect(await page.locator('.rows tbody tr').count()).toBeGreaterThan(5);
    await pressUntil(page, /chart-point/);
    const before = await page.locator('#chart-point').getAttribute('aria-valuetext');
    await page.keyboard.press('ArrowLeft');
    const after = await page.locator('#chart-point').getAttribute('aria-valuetext');
    expect(after).toMatch(
      /^\d{4}-\d\d-\d\d \d\d:00:00 UTC: count \d+, error_count \d+, min_execution_time \d+ ms, /,
    );
    expect(after).not.toBe(before);

    await pressUntil(page, /^CSV /);
    const saved = page.waitForEvent('download');
    await page.keyboard.press('Enter');
    const download = await saved;
    expect(download.suggestedFilename()).toMatch(/^functions\.invocation-stats-.*\.csv$/);
    const lines = readFileSync(await download.path(), 'utf8').split('\r\n');
    expect(lines[0]).toMatch(/^timestamp,min_execution_time,/);
    expect(lines.length - 2).toBe(await page.locator('.rows tbody tr').count());

    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
    expect(watched).toEqual({ elsewhere: [], errors: [] });
    if (process.env.SCREENSHOTS !== undefined && width !== 1600) await takeScreenshot(page, width);
    await page.close();
  });

  /** For the documentation: `SCREENSHOTS=1 npx vitest run test/browser/pages.test.ts` */
  async function takeScreenshot(page: Page, width: number): Promise<void> {
    await page.evaluate('document.activeElement.blur(); scrollTo(0, 0)');
    const height = width === 390 ? 1600 : 1100;
    await page.setViewportSize({ width, height });
    await page.waitForTimeout(300);
    await page.screenshot({ path: width === 390 ? 'docs/pages-phone.png' : 'docs/pages.png' });
  }

  test('the list, a page with its chart and a download take less than 250 KB, and a second visit almost nothing', async () => {
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    const session = await page.context().newCDPSession(page);
    await session.send('Network.enable');
    let bytes = 0;
    let requests = 0;
    session.on('Network.loadingFinished', ({ encodedDataLength }) => {
      bytes += encodedDataLength;
      requests += 1;
    });
    const address = `${gateway.origin}/queries/usage.api-counts?project=mzqkvxwotrplbhnydsea&interval=hourly`;
    await page.goto(`${gateway.origin}/`);
    await page.getByLabel('API key').fill(key);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('link', { name: 'usage.api-counts' }).waitFor();
    const load = async () => {
      await page.goto(address);
      await page.locator('.plot svg').waitFor();
      await page.getByRole('status').filter({ hasText: 'rows.' }).waitFor();
      await page.waitForLoadState('networkidle');
    };
    await load();
    const first = { bytes, requests };
    [bytes, requests] = [0, 0];
    await load();
    expect(first.bytes).toBeGreaterThan(30_000);
    expect(first.bytes).toBeLessThan(80_000);
    // The page, its styles, script and icon, OpenAPI, rows, SQL, and the chart library: each is a round trip, or a part of one.
    expect(first.requests).toBeLessThan(20);
    expect(bytes).toBeLessThan(10_000);
    await page.close();
  });
});
