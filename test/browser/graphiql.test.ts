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
      page.on('request', (request) => {
        if (!request.url().startsWith(gateway.origin) && /^https?:/.test(request.url()))
          elsewhere.push(request.url());
      });

      // Twice: GraphiQL remembers an earlier visit.
      for (const visit of ['first', 'second']) {
        await page.goto(`${gateway.origin}/graphql`);
        const tabs = page.getByRole('tab', { name: /Stats|Logs|Usage/ });
        await tabs.first().waitFor();
        expect(await tabs.count(), visit).toBe(3);
        await page.getByRole('button', { name: /Execute query/ }).click();
        const result = page.locator('.result-window');
        await result.getByText('"rows"').waitFor();
        expect(await result.textContent(), visit).toMatch(/"count":\s[1-9]/);
      }
      expect(elsewhere).toEqual([]);
    } finally {
      await browser.close();
      await gateway.end();
    }
  },
);
