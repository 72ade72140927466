import { existsSync } from 'node:fs';
import { chromium } from 'playwright-core';
import { expect, test } from 'vitest';
import { serveTestApp } from '../support/served-app.ts';
import { apiKey } from '../support/test-app.ts';

const browserPath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(
  (path) => existsSync(path),
);
const missing = browserPath === undefined;

test.skipIf(missing && !process.env.CI)(
  'the page of the OpenAPI document shows every endpoint to who has a key, and loads nothing from elsewhere',
  async () => {
    const served = await serveTestApp();
    const origin = `http://127.0.0.1:${served.port}`;
    const browser = await chromium.launch({
      executablePath: browserPath ?? 'chromium',
      args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-sync'],
    });
    try {
      const page = await browser.newPage({ viewport: { width: 390, height: 800 } });
      const elsewhere: string[] = [];
      const refused: string[] = [];
      page.on('console', (line) => {
        if (line.type() === 'error') refused.push(line.text());
      });
      page.on('pageerror', (error) => refused.push(error.message));
      page.on('request', (request) => {
        if (!request.url().startsWith(origin)) elsewhere.push(request.url());
      });
      const response = await page.goto(`${origin}/openapi`);
      expect(response?.headers()['content-security-policy']).toMatch(/script-src 'sha256-\S+';/);
      expect(await page.content()).not.toContain('usage.api-counts');

      // By the keyboard alone.
      await page.keyboard.press('Tab');
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
      expect(refused).toEqual([]);

      await page.getByLabel('API key').fill('wrong');
      await page.getByRole('button').click();
      await section.waitFor({ state: 'detached' });
      expect(await page.getByRole('status').textContent()).toContain('API key');
    } finally {
      await browser.close();
      await served.close();
    }
  },
);
