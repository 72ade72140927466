import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { axeViolations, screensOf } from '../support/axe.ts';
import { isWithoutBrowser, openBrowser, watchPage } from '../support/browser.ts';
import { type GatewayProcess, startGateway } from '../support/gateway-process.ts';
import { type KeyFile, writeKeyFile } from '../support/key-files.ts';

/** The first project of the demo. */
const project = 'mzqkvxwotrplbhnydsea';

describe.skipIf(isWithoutBrowser)('the page for SQL, over the demo', () => {
  const queries = mkdtempSync(join(tmpdir(), 'querygate-test-'));
  cpSync('queries', queries, { recursive: true });
  for (const name of ['logs.all', 'usage.api-counts']) {
    const file = join(queries, `${name}.sql`);
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, text.replace('query_sandboxing: disabled', 'query_sandboxing: enabled'));
  }
  writeFileSync(
    join(queries, 'path.strict.sql'),
    `/*---
id: 5c1f7a52-8f0e-4b5e-9a66-0f6c2f7f3c55
description: Requests of a project.
strict: true
max_rows: 100
caching: disabled
query_sandboxing: enabled
parameters:
  project: { type: string, required: true, tenant: true, description: Whose requests. }
  method: { type: string, default: GET, description: The method. }
  at_least: { type: integer, required: true, description: The least number. }
columns:
  n: { type: integer, description: The number. }
---*/
with requests as (
  select r.path from edge_logs as t, unnest(t.metadata) as m, unnest(m.request) as r
  where t.project = @project and r.method = @method
)
select count(*) as n from requests having n >= cast(@at_least as int64)
`,
  );
  let keys: KeyFile;
  let gateway: GatewayProcess;
  let browser: Browser;
  beforeAll(async () => {
    keys = writeKeyFile({
      with: { tenants: [project], permissions: ['sql'] },
      without: { tenants: [project] },
    });
    const env = { QUERIES_DIR: queries, API_KEYS_FILE: keys.path };
    [gateway, browser] = await Promise.all([startGateway(env), openBrowser()]);
  });
  afterAll(async () => {
    await browser?.close();
    await gateway?.end();
    keys.remove();
    rmSync(queries, { recursive: true });
  });

  const open = async (page: Page, key: string) => {
    await page.goto(`${gateway.origin}/`);
    await page.getByRole('navigation', { name: 'Site' }).getByRole('link', { name: 'SQL' }).click();
    await page.getByLabel('API key').fill(keys.keyOf(key));
    await page.keyboard.press('Enter');
  };
  test.each(screensOf(390, 1280))(
    'at $width px, $colorScheme: rows, types, plan and SQL for DuckDB; axe finds nothing',
    async ({ width, colorScheme }) => {
      const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme });
      const watched = await watchPage(page, gateway.origin);
      await open(page, 'with');
      await page.getByLabel('SQL', { exact: true }).filter({ hasNotText: 'x' }).waitFor();
      await expect
        .poll(() => page.getByLabel('SQL', { exact: true }).inputValue())
        .toContain('FROM edge_logs');
      await page
        .getByLabel('SQL', { exact: true })
        .fill('select count(*) as n, max(timestamp) as latest\nfrom edge_logs');
      await page.keyboard.press('Control+Enter');
      await page.getByRole('heading', { name: 'Rows' }).waitFor();
      expect(
        Number((await page.locator('#sql-rows tbody td').first().textContent())?.replace(',', '')),
      ).toBeGreaterThan(0);
      expect(await page.locator('#sql-types tbody').innerText()).toMatch(/n\s+INT64\s+latest\s+TIMESTAMP/);
      expect(await page.locator('#sql-plan').innerText()).toContain('of edge_logs');
      expect(await page.locator('#sql-duckdb pre').textContent()).toContain('FROM "edge_logs"');
      expect(await page.getByRole('status').textContent()).toBe('1 row.');
      expect(await axeViolations(page)).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);

      await page.getByLabel('SQL', { exact: true }).fill('select id,\n  nope\nfrom edge_logs');
      await page.getByRole('button', { name: 'Run' }).click();
      await page
        .getByRole('alert')
        .filter({ hasText: 'line 2, column 3: no column is named nope' })
        .waitFor();
      expect(await page.locator('.behind mark').textContent()).toBe('nope');
      // The mark is where the word is in the field.
      expect(
        await page.evaluate(
          '(() => { const field = document.querySelector("#sql-text"); return [field.selectionStart, field.value.slice(field.selectionStart, field.selectionStart + 4), field.getAttribute("aria-invalid")]; })()',
        ),
      ).toEqual([13, 'nope', 'true']);
      expect(await page.getByRole('heading', { name: 'Rows' }).count()).toBe(0);
      expect(await axeViolations(page)).toEqual([]);
      expect(watched).toEqual({ elsewhere: [], errors: [] });
      await page.close();
    },
  );

  test('only parameters that SQL has are in the form and in the request', async () => {
    const page = await browser.newPage();
    await open(page, 'with');
    await page.getByLabel('Saved query').selectOption('path.strict');
    await page.getByLabel('method').waitFor();
    expect(await page.getByLabel('at_least').count()).toBe(0);
    const field = page.getByLabel('SQL', { exact: true });
    // A suggestion that comes between the selection of the old text and the new one would stay before it.
    await expect.poll(() => field.inputValue()).toContain('FROM requests');
    await field.fill('select count(*) as n from requests');
    await page.getByRole('button', { name: 'Run' }).click();
    await page.getByRole('heading', { name: 'Rows' }).waitFor();
    expect(await page.getByRole('status').textContent()).toBe('1 row.');
    await page.close();
  });

  test('what is on its way when another query is chosen is neither sent to that one nor shown', async () => {
    const page = await browser.newPage();
    await open(page, 'with');
    await expect.poll(() => page.getByLabel('SQL', { exact: true }).inputValue()).toContain('FROM edge_logs');
    const [sent, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const explains = '**/sql/explain/logs.all?*sql=*';
    await page.route(explains, () => {
      sent.resolve();
      return answered.promise;
    });
    const requested: string[] = [];
    page.on('request', (request) => requested.push(new URL(request.url()).pathname));
    await page.getByRole('button', { name: 'Run' }).click();
    await page.getByText('Running…').waitFor();
    // What is not sent yet is not aborted.
    await sent.promise;
    const aborted = page.waitForEvent('requestfailed', (request) => request.url().includes('sql='));
    await page.getByLabel('Saved query').selectOption('usage.api-counts');
    await aborted;
    answered.resolve();
    expect(await page.getByRole('status').textContent()).toBe('');
    await page.unroute(explains);
    await page.getByLabel('Saved query').selectOption('logs.all');
    // Until its tables are there, the text may be the one about those of the other query.
    await expect.poll(() => page.getByLabel('SQL', { exact: true }).inputValue()).toContain('FROM edge_logs');
    await page.getByRole('button', { name: 'Run' }).click();
    await page.getByRole('heading', { name: 'Rows' }).waitFor();
    expect(requested.filter((path) => path.startsWith('/api/'))).toEqual(['/api/endpoints/query/logs.all']);
    await page.close();
  });

  test('an empty text is not sent, and a time is in one line', async () => {
    const page = await browser.newPage({ viewport: { width: 390, height: 900 } });
    await open(page, 'with');
    const field = page.getByLabel('SQL', { exact: true });
    await expect.poll(() => field.inputValue()).toContain('FROM edge_logs');
    const requested: string[] = [];
    page.on('request', (request) => requested.push(request.url()));
    await field.fill(' \n');
    await page.getByRole('button', { name: 'Run' }).click();
    await page.getByRole('alert').filter({ hasText: 'There is no SQL; write one SELECT.' }).waitFor();
    expect(requested).toEqual([]);
    await field.fill(
      "select date '2026-01-31' as d, datetime '2026-01-31 12:34:56' as t, repeat('long ', 90) as x",
    );
    await page.getByRole('button', { name: 'Run' }).click();
    await page.getByRole('heading', { name: 'Rows' }).waitFor();
    const heights = await page
      .locator('#sql-rows td .nowrap')
      .evaluateAll((cells) => cells.map((cell) => [cell.textContent, cell.getClientRects().length]));
    expect(heights).toEqual([
      ['2026-01-31', 1],
      ['2026-01-31 12:34:56', 1],
    ]);
    await page.close();
  });

  test('a key without the permission sees no table', async () => {
    const page = await browser.newPage();
    await open(page, 'without');
    await page.getByText('Your key may not send SQL').waitFor();
    expect(await page.content()).not.toContain('edge_logs');
    await page.close();
  });
});
