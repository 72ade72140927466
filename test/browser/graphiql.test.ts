import { existsSync } from 'node:fs';
import { chromium } from 'playwright-core';
import { expect, test } from 'vitest';
import { startGateway } from '../support/gateway-process.ts';

const browserPath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(
  (path) => existsSync(path),
);
const missing = browserPath === undefined;
if (missing && !process.env.CI)
  console.warn('skipped: GraphiQL in a browser needs chromium (apt-get install chromium)');

test.skipIf(missing && !process.env.CI)(
  'GraphiQL opens with an example for every query, and runs one',
  async () => {
    const gateway = await startGateway();
    const browser = await chromium.launch({
      executablePath: browserPath ?? 'chromium',
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--disable-background-networking',
        '--disable-sync',
      ],
    });
    try {
      const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
      const elsewhere: string[] = [];
      const refused: string[] = [];
      // A violation of the page's policy is logged to the console.
      page.on('console', (line) => {
        if (line.type() === 'error' || line.text().includes('Content Security Policy'))
          refused.push(line.text());
      });
      page.on('pageerror', (error) => refused.push(error.message));
      page.on('request', (request) => {
        if (!request.url().startsWith(gateway.origin) && /^https?:/.test(request.url()))
          elsewhere.push(request.url());
      });

      // Twice: GraphiQL remembers its tabs.
      for (const load of ['first', 'second']) {
        const response = await page.goto(`${gateway.origin}/graphql`);
        expect(response?.headers()['content-security-policy']).toMatch(
          /script-src 'sha256-\S+' 'sha256-\S+';/,
        );
        const tabs = page.getByRole('tab', { name: /Stats|Logs|Usage/ });
        await tabs.first().waitFor();
        expect(await tabs.count(), load).toBe(3);
        await page.getByRole('button', { name: /Execute query/ }).click();
        const result = page.locator('.result-window');
        await result.getByText('"rows"').waitFor();
        expect(await result.textContent(), load).toMatch(/"count":\s[1-9]/);
      }
      expect(elsewhere).toEqual([]);
      expect(refused).toEqual([]);

      // Scripts injected into the page are not run.
      await page.evaluate(
        "document.body.append(Object.assign(document.createElement('script'), { text: 'window.ran = 1' }))",
      );
      expect(await page.evaluate('window.ran')).toBeUndefined();
      expect(refused.join()).toContain('Content Security Policy');
    } finally {
      await browser.close();
      await gateway.end();
    }
  },
  60_000,
);
