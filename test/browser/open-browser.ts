import { existsSync } from 'node:fs';
import type { Page } from 'playwright-core';

export const browserPath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(
  (path) => existsSync(path),
);

export const browserFlags: readonly string[] = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--disable-background-networking',
  '--disable-sync',
];

/** What a page requested from elsewhere, and what it complained about: violations of its policy are logged, too. */
export function watchPage(page: Page, origin: string): { elsewhere: string[]; problems: string[] } {
  const seen = { elsewhere: [] as string[], problems: [] as string[] };
  page.on('console', (line) => {
    if (line.type() === 'error' || line.text().includes('Content Security Policy'))
      seen.problems.push(line.text());
  });
  page.on('pageerror', (error) => seen.problems.push(error.message));
  page.on('request', (request) => {
    if (!request.url().startsWith(origin) && /^https?:/.test(request.url()))
      seen.elsewhere.push(request.url());
  });
  return seen;
}
