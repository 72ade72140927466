import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { isWithoutBrowser, openBrowser, watchPage } from '../support/browser.ts';
import { isNightly } from '../support/nightly.ts';
import { serveTestApp } from '../support/served-app.ts';
import { apiKey } from '../support/test-app.ts';

/** What axe-core finds in a page. */
async function violationsOf(page: Page): Promise<unknown> {
  await page.evaluate(readFileSync('node_modules/axe-core/axe.min.js', 'utf8'));
  return page.evaluate(
    'axe.run().then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]))',
  );
}

test.skipIf(isWithoutBrowser)(
  'the page of the OpenAPI document shows every endpoint to who has a key, and loads nothing from elsewhere',
  async () => {
    const served = await serveTestApp({ API_KEY: apiKey });
    const origin = `http://127.0.0.1:${served.port}`;
    const browser = await openBrowser();
    try {
      const page = await browser.newPage({ viewport: { width: 390, height: 800 } });
      const { elsewhere, errors } = await watchPage(page, origin);
      const response = await page.goto(`${origin}/openapi`);
      expect(response?.headers()['content-security-policy']).toContain("script-src 'self';");
      expect(await page.content()).not.toContain('usage.api-counts');

      // By the keyboard alone.
      await page.getByLabel('API key').waitFor();
      await page.keyboard.type(apiKey);
      await page.keyboard.press('Enter');
      const section = page.locator('#usageApiCounts');
      await section.waitFor();
      expect(await section.getByRole('heading').textContent()).toBe(
        'GET /api/endpoints/query/usage.api-counts',
      );
      const text = (await section.textContent()) ?? '';
      for (const part of [
        'minutely, hourly, daily',
        'total_rest_requests',
        'INVALID_PARAMETER',
        'If-None-Match',
      ])
        expect(text).toContain(part);
      expect(await page.locator('#functionsInvocationStats').textContent()).toContain(
        'p95_execution_timenumber (double)ms',
      );
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
      expect(elsewhere).toEqual([]);
      expect(errors).toEqual([]);

      // The three have one header and one key.
      await page.getByRole('navigation', { name: 'Site' }).getByRole('link', { name: 'Queries' }).click();
      await page.getByRole('link', { name: 'usage.api-counts' }).waitFor();
      await page.getByRole('navigation', { name: 'Site' }).getByRole('link', { name: 'GraphiQL' }).click();
      await page
        .getByRole('status')
        .filter({ hasText: 'The schema is loaded.' })
        .waitFor({ timeout: 60_000 });
      await page.getByRole('navigation', { name: 'Site' }).getByRole('link', { name: 'OpenAPI' }).click();
      await section.waitFor();
      await page.getByRole('button', { name: /^Forget( the)? key$/ }).click();
      await page.getByLabel('API key').fill('wrong');
      await page.keyboard.press('Enter');
      await page
        .locator('#key-problem')
        .filter({ hasText: /key is not valid/ })
        .waitFor();
      expect(await section.count()).toBe(0);
    } finally {
      await browser.close();
      await served.close();
    }
  },
);

test.skipIf(isWithoutBrowser || !isNightly)(
  'axe finds nothing in it, light and dark, on a phone and on a desk',
  async () => {
    const served = await serveTestApp({ API_KEY: apiKey });
    const browser = await openBrowser();
    try {
      for (const width of [390, 1280]) {
        for (const colorScheme of ['light', 'dark'] as const) {
          const page = await browser.newPage({ viewport: { width, height: 800 }, colorScheme });
          await page.goto(`http://127.0.0.1:${served.port}/openapi`);
          await page.getByLabel('API key').fill(apiKey);
          await page.keyboard.press('Enter');
          await page.locator('#usageApiCounts').waitFor();
          expect(await violationsOf(page), `${width} ${colorScheme}`).toEqual([]);
          await page.close();
        }
      }
    } finally {
      await browser.close();
      await served.close();
    }
  },
);
