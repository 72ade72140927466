import { existsSync } from 'node:fs';
import { type Browser, chromium, type LaunchOptions, type Page } from 'playwright-core';

/** Chromium without its windows and menus comes first: it renders the same pages in a quarter of the processor time. */
const browserPath = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome']
  .map((name) => `/usr/bin/${name}`)
  .find((path) => existsSync(path));

/** True where tests in a browser are left out: on a laptop without Chromium, never in CI. */
export const isWithoutBrowser = browserPath === undefined && !process.env.CI;

export function openBrowser(options: LaunchOptions = {}): Promise<Browser> {
  return chromium.launch({
    ...options,
    executablePath: browserPath ?? 'chromium-headless-shell',
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-sync'],
  });
}

export interface Watched {
  /** Requests to other origins; they are blocked. */
  readonly elsewhere: readonly string[];
  /** Errors of scripts, and violations of the page's policy. */
  readonly errors: readonly string[];
}

/** Lets a page reach one origin only, as on a laptop without internet, and notes what goes wrong in it. */
export async function watchPage(page: Page, origin: string): Promise<Watched> {
  const elsewhere: string[] = [];
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('console', (line) => {
    // A failed request is logged too; tests of failures make them.
    if (line.type() === 'error' && !line.text().startsWith('Failed to load resource'))
      errors.push(line.text());
  });
  await page.route(
    (url) => url.origin !== origin && /^https?:$/.test(url.protocol),
    (route) => {
      elsewhere.push(route.request().url());
      return route.abort();
    },
  );
  return { elsewhere, errors };
}
