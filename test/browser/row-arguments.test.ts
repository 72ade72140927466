import { readFileSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { axeViolations, screensOf } from '../support/axe.ts';
import { isWithoutBrowser, openBrowser, watchPage } from '../support/browser.ts';
import { type GatewayProcess, startGateway } from '../support/gateway-process.ts';
import { queryText } from '../support/queries.ts';
import { makeQueryFolder, type QueryFolder } from '../support/query-folder.ts';
import { apiKey } from '../support/test-app.ts';

const things = queryText({
  name: 'things',
  columns: {
    n: 'integer',
    kind: 'string',
    size: 'float',
    seen: 'timestamp',
    even: 'boolean',
    amount: 'numeric',
    own: '{ type: string, description: With no arguments. }',
  },
  parameters: { kind: '{ type: string, description: Another kind., example: kind 7 }' },
  caching: ['caching: 900s', 'cache_warming: 300s', 'row_arguments: all'],
  sql: `select
  n,
  if(mod(n, 4) = 0, @kind, concat('kind "', cast(mod(n, 3) as string), '", (x)')) as kind,
  if(mod(n, 5) = 0, null, n * 1.5) as size,
  timestamp_micros(n * 3600000000 + 120000) as seen,
  mod(n, 2) = 0 as even,
  cast(n as numeric) / 4 as amount,
  concat('own ', cast(mod(n, 7) as string)) as own
from unnest(generate_array(1, 40)) as n
order by n`,
});

/** @param limit of callers who request no page */
const linesText = (name: string, limit = '') =>
  queryText({
    name,
    columns: {
      seen: '{ type: timestamp, required: true, description: When. }',
      n: '{ type: integer, required: true, description: Which. }',
    },
    maxRows: 100,
    caching: ['page: { by: [seen, n] }', 'caching: disabled'],
    sql: `select timestamp_seconds(n) as seen, n from unnest(generate_array(1, 250)) as n order by seen desc, n desc ${limit}`,
  });

describe.skipIf(isWithoutBrowser)('rows on pages', () => {
  let folder: QueryFolder;
  let gateway: GatewayProcess;
  let browser: Browser;
  beforeAll(async () => {
    folder = makeQueryFolder({
      'things.sql': things,
      'lines.sql': linesText('lines'),
      'recent.sql': linesText('recent', 'limit 10'),
    });
    [gateway, browser] = await Promise.all([
      startGateway({
        API_KEY: apiKey,
        QUERIES_DIR: folder.folder,
        EMBED_ORIGINS: 'https://wiki.example.com',
      }),
      openBrowser(),
    ]);
  });
  afterAll(async () => {
    await browser?.close();
    await gateway?.end();
    folder?.close();
  });

  async function open(path: string, options: Parameters<Browser['newPage']>[0] = {}) {
    const page = await browser.newPage({
      viewport: { width: 1280, height: 900 },
      acceptDownloads: true,
      ...options,
    });
    const watched = await watchPage(page, gateway.origin);
    await page.addInitScript(`sessionStorage.setItem('querygate:key', '${apiKey}')`);
    await page.goto(gateway.origin + path);
    await page.locator('.rows tbody tr').first().waitFor();
    return { page, watched };
  }
  const cells = (page: Page, column: number) =>
    page.locator(`.rows tbody tr td:nth-child(${column})`).allTextContents();
  const search = (page: Page) => decodeURIComponent(new URL(page.url()).search.replaceAll('+', ' '));
  const head = (page: Page, name: string) =>
    page.getByRole('columnheader', { name: new RegExp(`^${name} `) });
  const chips = (page: Page) =>
    page.getByRole('list', { name: 'Conditions on the rows' }).getByRole('listitem');

  test('are ordered by the gateway: ascending, descending, as the query does', async () => {
    const { page, watched } = await open('/queries/things');
    const press = () => head(page, 'size').getByRole('button').click();
    await press();
    await expect.poll(() => search(page)).toBe('?order=size.asc');
    // NULL is first, as in BigQuery.
    await expect
      .poll(async () => (await cells(page, 3)).slice(0, 9))
      .toEqual([...Array(8).fill('NULL'), '1.5']);
    expect(await head(page, 'size').getAttribute('aria-sort')).toBe('ascending');
    await page.getByText('40 rows, sorted by size, ascending').waitFor();
    await press();
    await expect.poll(async () => (await cells(page, 3))[0]).toBe('58.5');
    expect(search(page)).toBe('?order=size.desc');
    expect(await head(page, 'size').getAttribute('aria-sort')).toBe('descending');
    await press();
    await expect.poll(async () => (await cells(page, 1))[0]).toBe('1');
    expect(search(page)).toBe('');
    expect(await head(page, 'size').getAttribute('aria-sort')).toBeNull();
    await page.goBack();
    await expect.poll(async () => (await cells(page, 3))[0]).toBe('58.5');
    expect(watched).toEqual({ elsewhere: [], errors: [] });
    await page.close();
  });

  test('are filtered by the value of a cell of each type, and by NULL', async () => {
    const { page, watched } = await open('/queries/things?kind=k%20%22a%22');
    const only = async (column: number, row: number, expected: number, label: string) => {
      // Anywhere in the cell, not only on its text.
      const cell = page.locator(`.rows tbody tr:nth-child(${row}) td:nth-child(${column})`);
      const { width = 0 } = (await cell.boundingBox()) ?? {};
      await cell.click({ position: { x: row % 2 === 0 ? 3 : width - 3, y: 3 } });
      await chips(page).filter({ hasText: label }).waitFor();
      await page.getByText(`${expected} of the 40 rows of the result.`).waitFor();
      expect(await page.locator('.rows tbody tr').count()).toBe(expected);
      await page.getByRole('button', { name: `Remove: ${label}` }).click();
      await page.getByText('40 rows.').waitFor();
      expect(await chips(page).count()).toBe(0);
    };
    await only(1, 3, 1, 'n = 3');
    // The parameter has the name of the column.
    await only(2, 1, 10, 'kind = kind "1", (x)');
    await only(2, 4, 10, 'kind = k "a"');
    await only(3, 5, 8, 'size is NULL');
    await only(3, 7, 1, 'size = 10.5');
    await only(4, 2, 1, 'seen = 1970-01-01T02:00:00.12Z');
    await only(5, 2, 20, 'even is TRUE');
    await only(6, 1, 1, 'amount = 0.25');
    expect(search(page)).toBe('?kind=k "a"');
    expect(watched).toEqual({ elsewhere: [], errors: [] });
    await page.close();
  });

  test('have their state in the address, in the downloads and in the snippets', async () => {
    const { page } = await open('/queries/things');
    await page.locator('.rows tbody tr:nth-child(2) td:nth-child(5) button').click();
    await page.getByText('20 of the 40 rows').waitFor();
    await head(page, 'n').getByRole('button').click();
    await head(page, 'n').getByRole('button').click();
    await expect.poll(() => search(page)).toBe('?even=is.true&order=n.desc');
    await expect.poll(async () => (await cells(page, 1))[0]).toBe('40');
    const snippet = page.locator('#snippet-panel code').first();
    await snippet.filter({ hasText: "--data-urlencode 'even=is.true'" }).waitFor();
    await snippet.filter({ hasText: "--data-urlencode 'order=n.desc'" }).waitFor();
    await page.getByRole('tab', { name: 'TypeScript' }).click();
    await snippet.filter({ hasText: '["order", "n.desc"]' }).waitFor();
    await page.getByRole('tab', { name: 'GraphQL' }).click();
    await snippet.filter({ hasText: /^# All rows of the result, without the conditions/ }).waitFor();
    for (const name of ['CSV', 'JSON']) {
      const saved = page.waitForEvent('download');
      await page.getByRole('button', { name, exact: true }).click();
      const text = readFileSync(await (await saved).path(), 'utf8');
      const numbers =
        name === 'JSON'
          ? JSON.parse(text).result.map(({ n }: { n: number }) => n)
          : text
              .trim()
              .split('\r\n')
              .slice(1)
              .map((line) => Number.parseInt(line, 10));
      expect(numbers).toEqual(Array.from({ length: 20 }, (_, at) => 40 - at * 2));
    }
    const shared = page.url();
    await page.goto('about:blank');
    await page.goto(shared);
    await page.getByText('20 of the 40 rows').waitFor();
    expect((await cells(page, 1)).slice(0, 2)).toEqual(['40', '38']);
    await page.emulateMedia({ media: 'print' });
    expect(await page.locator('.rows tbody button').first().isVisible()).toBe(true);
    await page.emulateMedia({ media: null });
    expect(await head(page, 'n').getAttribute('aria-sort')).toBe('descending');
    // Other parameters leave the conditions.
    await page.locator('#parameter-0').fill('x');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await expect.poll(() => search(page)).toBe('?kind=x&even=is.true&order=n.desc');
    await page.getByText('20 of the 40 rows').waitFor();
    await page.close();
  });

  test('of a page are those of the downloads, the snippets and an embedded chart', async () => {
    const { page } = await open('/queries/recent');
    expect(await cells(page, 2)).toHaveLength(100);
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'CSV', exact: true }).click();
    const text = readFileSync(await (await saved).path(), 'utf8');
    expect(text.trim().split('\r\n')).toHaveLength(101);
    const snippet = page.locator('#snippet-panel code').first();
    await snippet.filter({ hasText: "--data-urlencode 'limit=100'" }).waitFor();
    expect(search(page)).toBe('');
    const embedded = page.waitForRequest(/\/api\/endpoints\/query\/recent/);
    await page.goto(`${gateway.origin}/embed/recent#token=${apiKey}`);
    expect(new URL((await embedded).url()).search).toBe('?limit=100');
    await page.close();
  });

  test('can be chosen by what people write into the address; what is wrong is said, and can be removed', async () => {
    const { page } = await open('/queries/things?n=gte.39&or=(even.is.true,n.eq.1)');
    await page.getByText('1 of the 40 rows').waitFor();
    expect((await chips(page).allInnerTexts()).map((text) => text.replace(/\s*×$/, ''))).toEqual([
      'n ≥ 39',
      'or (even.is.true,n.eq.1)',
    ]);
    await page.goto(`${gateway.origin}/queries/things?n=gte.many&even=is.null`);
    await page.getByText(/^n: got "many"/).waitFor();
    await page.getByRole('button', { name: 'Remove: n ≥ many' }).click();
    await page.getByText('The result has no rows that meet the conditions.').waitFor();
    expect(await page.evaluate('document.activeElement.getAttribute("aria-label")')).toBe(
      'Remove: even is NULL',
    );
    await page.keyboard.press('Enter');
    await page.getByText('40 rows.').waitFor();
    await page.close();
  });

  test('that REST would refuse, or warn of, are not left out in silence', async () => {
    const { page } = await open('/queries/things?kind=x&sort=n');
    await page.getByText('sort is ignored, write order=n.').waitFor();
    for (const [search, problem] of [
      ['n[gte]=39', 'n[gte]: is not a column; write n=gte.39'],
      ['kind[]=x', 'kind[]: is not a list'],
    ] as const) {
      await page.goto(`${gateway.origin}/queries/things?${search}`);
      await page.getByText(problem).waitFor();
    }
    await page.goto(`${gateway.origin}/embed/things?kind=x&n[gte]=39#token=${apiKey}`);
    await page.getByText('n[gte]: is not a column').waitFor();
    await page.close();
  });

  test('are those of a chart in a frame too', async () => {
    const page = await browser.newPage();
    const requested = page.waitForRequest(/\/api\/endpoints\/query\/things\?/);
    await page.goto(`${gateway.origin}/embed/things?kind=x&n=eq.1000&order=n.desc#token=${apiKey}`);
    expect(new URL((await requested).url()).search).toBe('?kind=x&n=eq.1000&order=n.desc');
    await page.getByText('The result has no rows that meet the conditions.').waitFor();
    await page.close();
  });

  test('have no hidden characters in the list of conditions', async () => {
    const { page } = await open(`/queries/things?n=gte.1&kind=x&own=neq.${encodeURIComponent('a\u202eb')}`);
    await chips(page).getByText('own ≠ aU+202Eb').waitFor();
    await page.getByRole('button', { name: 'Remove: own ≠ aU+202Eb' }).waitFor();
    await page.close();
  });

  test('are chosen by keyboard: one cell is reached by Tab, the others by arrow keys', async () => {
    const { page } = await open('/queries/things');
    await page.locator('.rows').focus();
    const focused = () => page.evaluate('document.activeElement.textContent') as Promise<string>;
    for (let at = 0; at < 8; at += 1) await page.keyboard.press('Tab');
    expect(await focused()).toBe('1');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('End');
    expect(await focused()).toBe('own 2');
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowLeft');
    expect(await focused()).toBe('true');
    await page.keyboard.press('Tab');
    expect(await page.locator('.rows').evaluate((one) => one.contains(document.activeElement))).toBe(false);
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Enter');
    await page.getByText('20 of the 40 rows').waitFor();
    await page.close();
  });

  test('that are chosen cannot be followed, and the page says so', async () => {
    const { page } = await open('/queries/things');
    const live = page.getByRole('switch', { name: /^Live/ });
    await live.check();
    await page.getByText('Connected.').waitFor();
    await page.locator('.rows tbody tr:nth-child(2) td:nth-child(5) button').click();
    await page.getByText('Conditions, an order and pages of rows cannot be followed.').waitFor();
    expect([await live.isChecked(), await live.isDisabled()]).toEqual([false, true]);
    await page.getByRole('button', { name: /^Remove/ }).click();
    await page.getByText('40 rows.').waitFor();
    await live.check();
    await page.getByText('Connected.').waitFor();
    await page.close();
  });

  test('are read to the oldest, page by page, and back', async () => {
    const { page, watched } = await open('/queries/lines');
    const older = page.getByRole('button', { name: 'Older rows' });
    const newer = page.getByRole('button', { name: 'Newer rows' });
    const first = async (n: string) => expect.poll(async () => (await cells(page, 2))[0]).toBe(n);
    await first('250');
    expect(await newer.isVisible()).toBe(false);
    await older.click();
    await first('150');
    expect(search(page)).toMatch(/^\?limit=100&after=\S+$/);
    await expect.poll(() => page.evaluate('document.activeElement.className')).toContain('rows');
    await older.click();
    await first('50');
    expect(await older.isVisible()).toBe(false);
    await chips(page).getByText('Rows after those of another page').waitFor();
    const shared = page.url();
    await newer.click();
    await first('150');
    await page.goBack();
    await first('50');
    await page.goto(shared);
    await first('50');
    expect(await page.locator('.rows tbody tr').count()).toBe(50);
    await page.locator('#snippet-panel code').filter({ hasText: "--data-urlencode 'after=" }).waitFor();
    await page.getByRole('button', { name: /^Remove/ }).click();
    await first('250');
    expect(search(page)).toBe('');
    // A cursor of another query.
    await page.goto(`${gateway.origin}/queries/lines?after=abc`);
    await page.getByRole('alert').filter({ hasText: 'after' }).waitFor();
    await page.getByRole('button', { name: /^Remove/ }).click();
    await first('250');
    expect(watched).toEqual({ elsewhere: [], errors: [] });
    await page.close();
  });

  test.each(screensOf(390, 1280))(
    'have nothing that axe finds at $width px, $colorScheme',
    async ({ width, colorScheme }) => {
      const { page } = await open('/queries/things', { viewport: { width, height: 900 }, colorScheme });
      const shoot = async (name: string) => {
        if (process.env.SCREENSHOTS_OF_STATES !== undefined)
          await page.screenshot({
            path: `${process.env.SCREENSHOTS_OF_STATES}/${name}-${width}-${colorScheme}.png`,
            fullPage: true,
          });
      };
      await page.locator('.rows tbody tr:nth-child(2) td:nth-child(5) button').click();
      await page.getByText('20 of the 40 rows').waitFor();
      await page.locator('.rows tbody tr:nth-child(2) td:nth-child(2) button').click();
      await chips(page).nth(1).waitFor();
      await head(page, 'n').getByRole('button').click();
      await expect.poll(() => head(page, 'n').getAttribute('aria-sort')).toBe('ascending');
      await shoot('rows');
      expect(await axeViolations(page)).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
      await page.goto(`${gateway.origin}/queries/things?n=eq.1000`);
      await page.getByText('no rows that meet').waitFor();
      expect(await axeViolations(page)).toEqual([]);
      await page.goto(`${gateway.origin}/queries/lines`);
      await page.getByRole('button', { name: 'Older rows' }).click();
      await page.getByRole('button', { name: 'Newer rows' }).waitFor();
      await shoot('pages');
      expect(await axeViolations(page)).toEqual([]);
      await page.close();
    },
  );
});
