import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { isWithoutBrowser, openBrowser, watchPage } from '../support/browser.ts';
import { isNightly } from '../support/nightly.ts';
import { queryText } from '../support/queries.ts';
import { makeQueryFolder } from '../support/query-folder.ts';
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

test.skipIf(isWithoutBrowser)(
  'examples are sent as REST reads them, and placeholders only by who presses Run',
  async () => {
    const columns = { n: 'integer' };
    const folder = makeQueryFolder({
      'placeholders.sql': queryText({
        name: 'placeholders',
        columns,
        parameters: {
          size: '{ type: integer, required: true, description: Size. }',
          statuses: '{ type: integer, repeated: true, required: true, description: Statuses. }',
          day: '{ type: date, required: true, description: Day. }',
          exact: '{ type: boolean, required: true, description: Exact. }',
        },
        sql: 'select length(concat(@size, @day, @exact)) + array_length(@statuses) as n',
      }),
      'examples.sql': queryText({
        name: 'examples',
        columns,
        parameters: {
          word: '{ type: string, required: true, example: example, description: Word. }',
          statuses: '{ type: integer, repeated: true, example: [200, 404], description: Statuses. }',
          owner: `{ type: string, example: "it's & me", description: Owner. }`,
        },
        caching: ['caching: disabled', 'row_arguments: all'],
        sql: 'select length(concat(@word, @owner)) + array_length(@statuses) as n',
      }),
    });
    const served = await serveTestApp({ API_KEY: apiKey, QUERIES_DIR: folder.folder });
    const origin = `http://127.0.0.1:${served.port}`;
    const browser = await openBrowser();
    try {
      const page = await browser.newPage();
      const requests: string[] = [];
      page.on('request', (request) => requests.push(new URL(request.url()).pathname));
      await page.goto(`${origin}/openapi`);
      await page.getByLabel('API key').fill(apiKey);
      await page.keyboard.press('Enter');
      const curl = page.locator('#examples').getByText('curl -H').first();
      await curl.waitFor();
      expect(await curl.textContent()).toBe(
        `curl -H "X-API-KEY: $API_KEY" '${origin}/api/endpoints/query/examples?word=example&statuses=200&statuses=404&owner=it%27s%20%26%20me'`,
      );

      await page.goto(`${origin}/queries/examples`);
      await page.locator('.rows tbody tr').waitFor();
      expect(new URL(page.url()).search).toBe('?word=example');
      await page.goto(`${origin}/queries/placeholders`);
      await page.getByText('Fill in the parameters and press Run.').waitFor();
      expect(requests).toContain('/api/endpoints/query/examples');
      expect(requests).not.toContain('/api/endpoints/query/placeholders');
    } finally {
      await browser.close();
      await served.close();
      folder.close();
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
