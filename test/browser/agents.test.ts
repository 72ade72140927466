import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { isWithoutBrowser, openBrowser, watchPage } from '../support/browser.ts';
import { serveTestApp } from '../support/served-app.ts';
import { apiKey } from '../support/test-app.ts';

test.skipIf(isWithoutBrowser)(
  'the page for agents has the endpoint and configurations that work, and axe finds nothing in it',
  async () => {
    const served = await serveTestApp({ API_KEY: apiKey, MCP: 'on' });
    const origin = `http://127.0.0.1:${served.port}`;
    const browser = await openBrowser();
    try {
      for (const [width, colorScheme] of [
        [390, 'dark'],
        [1280, 'light'],
      ] as const) {
        const page = await browser.newPage({ viewport: { width, height: 800 }, colorScheme });
        const { elsewhere, errors } = await watchPage(page, origin);
        await page.goto(`${origin}/graphql`);
        await page.getByRole('navigation', { name: 'Site' }).getByRole('link', { name: 'Agents' }).click();
        await page.getByLabel('API key').fill(apiKey);
        await page.keyboard.press('Enter');
        expect(await page.getByRole('region', { name: 'URL' }).textContent()).toBe(`${origin}/mcp`);

        const texts: string[] = [];
        for (const client of ['Claude Code', 'Cursor', 'VS Code', 'Claude Desktop', 'curl']) {
          await page.getByRole('tab', { name: client }).click();
          texts.push((await page.getByRole('tabpanel').locator('pre').textContent()) ?? '');
        }
        const [claude = '', cursor = '', code = '', desktop = '', curl = ''] = texts;
        expect(claude).toContain(`querygate '${origin}/mcp' --header "Authorization: Bearer $QUERYGATE_KEY"`);
        expect(JSON.parse(cursor).mcpServers.querygate.url).toBe(`${origin}/mcp`);
        expect(JSON.parse(code).servers.querygate).toMatchObject({ type: 'http', url: `${origin}/mcp` });
        expect(JSON.parse(desktop).mcpServers.querygate.args).toEqual(['querygate', 'mcp', '--url', origin]);
        expect(texts.join()).not.toContain(apiKey);

        const [body = ''] = /(?<=-d ').*(?=')/.exec(curl) ?? [];
        const response = await fetch(`${origin}/mcp`, {
          method: 'POST',
          headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
          body,
        });
        expect(JSON.stringify(await response.json())).toContain('usage_api_counts');

        await page.evaluate(readFileSync('node_modules/axe-core/axe.min.js', 'utf8'));
        const violations = await page.evaluate(
          'axe.run().then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]))',
        );
        expect(violations, colorScheme).toEqual([]);
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
        // One line of links, also on a phone.
        expect((await page.locator('header.site').boundingBox())?.height).toBeLessThan(50);
        expect([elsewhere, errors]).toEqual([[], []]);
        await page.close();
      }
    } finally {
      await browser.close();
      await served.close();
    }
  },
);

test.skipIf(isWithoutBrowser)('without agents there is no such page, and no link to it', async () => {
  const served = await serveTestApp({ API_KEY: apiKey, MCP: 'off' });
  const browser = await openBrowser();
  try {
    const page = await browser.newPage();
    const response = await page.goto(`http://127.0.0.1:${served.port}/agents`);
    expect(response?.status()).toBe(404);
    await page.getByRole('heading', { name: 'Not found' }).waitFor();
    await page.getByText('MCP=on').waitFor();
    expect(await page.getByRole('link', { name: 'Agents' }).count()).toBe(0);
  } finally {
    await browser.close();
    await served.close();
  }
});
