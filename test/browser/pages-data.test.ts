import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { axeViolations, screensOf } from '../support/axe.ts';
import { isWithoutBrowser, openBrowser, type Watched, watchPage } from '../support/browser.ts';
import { type KeyFile, writeKeyFile } from '../support/key-files.ts';
import { listen } from '../support/listen.ts';
import { queryText } from '../support/queries.ts';
import { makeQueryFolder, type QueryFolder, uuidOf } from '../support/query-folder.ts';
import { type ServedApp, serveTestApp } from '../support/served-app.ts';
import { apiKey } from '../support/test-app.ts';

const markup = '<img src=x onerror="window.ran = true"><script>window.ran = true</script>';

const parameters = {
  project: '{ type: string, required: true, tenant: true, example: abc, description: The project. }',
  kind: `{ type: enum, enum: Kind, default: all, description: 'Which ${markup}', values: { all: { name: ALL, description: 'All ${markup}' }, some: { name: SOME, also: [a-few], description: Some } } }`,
  since: '{ type: timestamp, description: The first moment. }',
  at_least: '{ type: integer, default: 5, description: The least count. }',
  exact: '{ type: boolean, description: Whether counts are exact. }',
};

const columns = {
  timestamp: '{ type: timestamp, required: true, description: Start of the bucket. }',
  level: `{ type: string, description: '${markup}' }`,
  count: '{ type: integer, unit: requests, description: How many. }',
  size: '{ type: float, unit: MB, description: How large. }',
  amount: '{ type: numeric, description: Exact. }',
  constructor: '{ type: string, description: A name that every object has. }',
  more: '{ type: record, description: Nested. }',
  tags: '{ type: string, repeated: true, description: Several. }',
};

const listParameters = {
  statuses: '{ type: integer, repeated: true, max_items: 5, bind: INT64, min: 100, description: Statuses. }',
  kinds: `{ type: enum, enum: Kind, repeated: true, description: Kinds., values: { all: { name: ALL, description: 'All ${markup}' }, some: { name: SOME, description: Some } } }`,
  day: '{ type: date, default: -1d, bind: DATE, description: The day. }',
  from: '{ type: datetime, description: A time of the clock. }',
};

const hour = 3_600_000_000;
const start = Date.UTC(2026, 0, 1) * 1000;

const rows = [
  {
    timestamp: start,
    level: markup,
    count: 1,
    size: 1.5,
    amount: '10.5',
    more: { html: markup, big: 'B' },
    tags: [],
  },
  { timestamp: start, level: 'warn', count: 20, size: 2, amount: '9.25', tags: ['a', 'b'] },
  { timestamp: start + hour, level: 'warn', count: 3, amount: '-1', constructor: 'c' },
  // Two hours later: a bucket without rows lies between.
  {
    timestamp: start + 3 * hour + 5,
    level: 'rtl \u202e\u0000 \u05d0\u05d1',
    count: 100,
    amount: '123456789012345678901234567890.5',
  },
  {
    timestamp: start + 3 * hour + 5,
    level: 'x'.repeat(3000),
    size: 1e300,
    amount: '123456789012345678901234567890.4',
  },
].map((row) => JSON.stringify(row).replace('"B"', '9007199254740993'));

const many = Array.from(
  { length: 50_000 },
  (_, at) => `{"timestamp":${start + at * 1_000_000},"level":"l${at % 3}","count":${(at * 7919) % 50_000}}`,
);

const kinds = [
  ...['{"kind":"checkout","requests":48211}', '{"kind":"search","requests":-3}'],
  ...['{"kind":"login"}', '{"requests":7}'],
];

/** The last one is over in 2100. */
const centuries = [1900, 2000].map(
  (year) => `{"time":${Date.UTC(year, 0, 1) * 1000},"p95":${year / 10},"count":${year}}`,
);

const draft = {
  parameters,
  columns,
  sql: 'select @project, @kind, @since, @at_least, @exact',
  caching: ['caching: 900s', 'cache_warming: 300s'],
};

describe.skipIf(isWithoutBrowser)('pages in a browser, over rows of a test', () => {
  let folder: QueryFolder;
  let keys: KeyFile;
  let served: ServedApp;
  let browser: Browser;
  let origin: string;
  beforeAll(async () => {
    const text = (more: object) => `${queryText({ ...draft, maxRows: 100_000, ...more })}`;
    folder = makeQueryFolder({});
    const files = {
      'a.hostile': text({}),
      'b.many': text({ parameters: {}, sql: 'select 1' }),
      'd.lists': text({
        parameters: listParameters,
        columns: { seen: 'string' },
        sql: 'select @statuses, @kinds, @day, @from',
      }),
      'f.tenants': text({
        columns: { seen: 'string' },
        parameters: {
          project:
            '{ type: string, repeated: true, required: true, tenant: true, description: The projects. }',
        },
        sql: 'select @project',
      }),
      'e.long-names': text({
        columns: { timestamp: 'timestamp', count: 'integer', ['c'.repeat(120)]: 'string' },
        parameters: {},
        sql: 'select 1',
      }),
      'g.kinds': text({
        columns: { kind: 'string', requests: 'integer' },
        parameters: {},
        sql: 'select 1',
      }),
      'h.centuries': text({
        columns: {
          time: 'timestamp',
          p95: '{ type: float, unit: ms, description: How long. }',
          count: 'integer',
        },
        parameters: {},
        sql: 'select 1',
      }),
      constructor: text({ columns: { n: 'integer' }, parameters: {}, sql: 'select 1' }),
      'c.more': text({ columns: { n: 'integer' }, parameters: {}, sql: 'select 1' }),
      'c.more@2': text({
        columns: { n: 'integer', m: 'integer' },
        parameters: {},
        sql: 'select 1, 2',
        caching: ['caching: disabled', 'deprecated: { since: 2026-01-01, reason: "Too slow." }'],
      }),
    };
    for (const [at, [name, file]] of Object.entries(files).entries())
      folder.write(`${name}.sql`, file.replace(/^id: .*$/m, `id: ${uuidOf(at)}`));
    keys = writeKeyFile({
      all: { permissions: ['fresh', 'catalog'] },
      plain: {},
      bound: { tenants: ['mine'] },
      two: { tenants: ['mine', 'other'] },
    });
    served = await serveTestApp(
      { API_KEY: apiKey, QUERIES_DIR: folder.folder, API_KEYS_FILE: keys.path },
      1,
      {
        rows: ({ query, parameters }) => {
          if (query.name === 'd.lists' || query.name === 'f.tenants')
            return [JSON.stringify({ seen: JSON.stringify(parameters) })];
          if (query.name === 'g.kinds') return kinds;
          if (query.name === 'h.centuries') return centuries;
          if (query.name === 'e.long-names') return many.slice(0, 100);
          return query.name === 'b.many' ? many : parameters.kind === 'some' ? [] : rows;
        },
      },
    );
    origin = `http://127.0.0.1:${served.port}`;
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await served?.close();
    keys?.remove();
    folder?.close();
  });

  const address = '/queries/a.hostile?project=abc';

  /** Opens a page with a key in its tab. */
  async function open(
    path: string,
    { key = 'all', width = 1280, colorScheme = 'light' as 'light' | 'dark' } = {},
  ): Promise<{ page: Page; watched: Watched }> {
    const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme });
    const watched = await watchPage(page, origin);
    const script = `sessionStorage.getItem('opened') ?? (sessionStorage.setItem('querygate:key', '${keys.keyOf(key)}'), sessionStorage.setItem('opened', '1'))`;
    await page.addInitScript(script);
    await page.goto(origin + path);
    return { page, watched };
  }
  const firstCells = (page: Page, column: number) =>
    page.locator(`.rows tbody tr td:nth-child(${column})`).allTextContents();

  test('nothing in rows, descriptions or addresses becomes markup', async () => {
    const { page, watched } = await open(`${address}&kind=${encodeURIComponent(markup)}#sort=${markup}`);
    // Not one of the enum's values: the gateway says so.
    await page.getByText('one of all, some').waitFor();
    await page.goto(`${origin}${address}`);
    await page.locator('.plot svg').waitFor();
    expect((await firstCells(page, 2))[0]).toBe(markup);
    await page.locator('.rows summary', { hasText: '2 fields' }).click();
    await page.getByText('"big": 9007199254740993').waitFor();
    expect(await page.getByText('rtl U+202EU+0000').count()).toBeGreaterThan(0);
    expect(await page.locator('img').count()).toBe(0);
    expect(await page.evaluate('window.ran')).toBeUndefined();
    expect(watched).toEqual({ elsewhere: [], errors: [] });
    await page.close();
  });

  test('the table sorts numbers as numbers and exactly, with NULLs last', async () => {
    const { page } = await open(address);
    const head = (name: string) => page.getByRole('columnheader', { name }).getByRole('button');
    await page.locator('.rows tbody tr').first().waitFor();
    await head('count').click();
    expect(await firstCells(page, 3)).toEqual(['1', '3', '20', '100', 'NULL']);
    expect(await page.getByRole('columnheader', { name: 'count' }).getAttribute('aria-sort')).toBe(
      'ascending',
    );
    await head('count').click();
    expect(await firstCells(page, 3)).toEqual(['100', '20', '3', '1', 'NULL']);
    await head('amount').click();
    await head('amount').click();
    expect((await firstCells(page, 5)).map((text) => text.slice(-4))).toEqual([
      '90.5',
      '90.4',
      '10.5',
      '9.25',
      '-1',
    ]);
    expect(page.url()).toContain('#sort=-amount');
    await head('constructor').click();
    expect(await firstCells(page, 6)).toEqual(['c', 'NULL', 'NULL', 'NULL', 'NULL']);
    await page.close();
  });

  test('the chart splits, has an axis for each unit, and its choices are in the address', async () => {
    const { page } = await open(address);
    await page.locator('.plot svg').waitFor();
    await page.getByText(/Not drawn, choose below: size .* in sum\), amount/).waitFor();
    await page.getByText('Drawn: count by level').click();
    // Several rows have the same time, so they are split by the text.
    expect(await page.getByLabel('level', { exact: true }).isChecked()).toBe(true);
    await page.getByLabel('size (MB)').check();
    await page.waitForURL(/#y=count&y=size&split=level/);
    const titles = page.locator('.plot .axis-title');
    await expect
      .poll(() => titles.allTextContents())
      .toEqual(['count (requests)', 'size (MB, logarithmic axis)']);
    const shared = page.url();
    await page.getByLabel('level', { exact: true }).uncheck();
    await page.getByText('Rows with the same time are drawn as their sum.').waitFor();
    await expect
      .poll(() => titles.allTextContents())
      .toEqual(['sum of count (requests)', 'sum of size (MB)']);
    await page.goto('about:blank');
    await page.goto(shared);
    await page.locator('.plot svg').waitFor();
    expect(await page.getByLabel('size (MB)').isChecked()).toBe(true);
    expect(await page.locator('.legend li').count()).toBeGreaterThan(3);
    // Pointing at the picture shows the values of the time below the pointer, with all digits.
    const { x = 0, y = 0, width = 0 } = (await page.locator('.plot svg').boundingBox()) ?? {};
    await page.mouse.move(x + width / 20, y + 100);
    await page.getByText('2026-01-01 00:00:00 UTC', { exact: true }).waitFor();
    expect(await page.locator('.legend .value').first().getAttribute('title')).toBe('1 requests');
    await page.close();
  });

  test('a chart of several columns shows all of them, counts first, and says which values are not final', async () => {
    const { page } = await open('/queries/h.centuries');
    await page.locator('.plot svg').waitFor();
    expect(await page.locator('.plot .axis-title').allTextContents()).toEqual(['count', 'p95 (ms)']);
    expect(await page.locator('.legend li').allTextContents()).toEqual([' count 2,000', ' p95 200 ms']);
    // A name that is read from right to left does not take the value with it.
    expect(await page.locator('.legend bdi').allTextContents()).toEqual(['count', 'p95']);
    expect(await page.locator('#chart-summary').textContent()).not.toContain('Not drawn');
    const slider = page.getByLabel('Values at');
    const shown = () => slider.getAttribute('aria-valuetext');
    expect(await shown()).toBe('Jan 2000, not over: count 2,000, p95 200 ms');
    await slider.press('ArrowLeft');
    expect(await shown()).toBe('Jan 1900: count 1,900, p95 190 ms');
    // Of a later time with equal rows, too.
    const summary = () => page.locator('#chart-summary').textContent();
    const before = await summary();
    expect(before).toContain('is not over: its values are those until');
    await expect
      .poll(async () => {
        await page.getByRole('button', { name: 'Run now, without the cache' }).click();
        return summary();
      })
      .not.toBe(before);
    await page.close();
  });

  test('a chart is saved as SVG with its title and legend, and as PNG', async () => {
    const { page, watched } = await open(address);
    await page.locator('.plot svg').waitFor();
    const save = async (name: string) => {
      const saved = page.waitForEvent('download');
      await page.getByRole('button', { name, exact: true }).click();
      const download = await saved;
      expect(download.suggestedFilename()).toBe(`a.hostile.${name.toLowerCase()}`);
      return readFileSync(await download.path());
    };
    const svg = (await save('SVG')).toString();
    for (const text of ['a.hostile', 'project=abc', 'count (requests)', 'warn']) expect(svg).toContain(text);
    expect(svg).not.toMatch(/<img|<script|class=/);
    const shown = await browser.newPage();
    await shown.setContent(svg);
    expect(await shown.locator('svg path').count()).toBeGreaterThan(1);
    const { height = 0 } = (await shown.locator('svg').boundingBox()) ?? {};
    await shown.close();
    const png = await save('PNG');
    expect(png.subarray(1, 4).toString()).toBe('PNG');
    // The height, two pixels for each of the screen's.
    expect(png.readUInt32BE(20)).toBeGreaterThan(height * 1.9);
    expect(watched).toEqual({ elsewhere: [], errors: [] });
    await page.close();
  });

  test('rows without a time are bars, and no rows say what could be changed', async () => {
    const { page, watched } = await open('/queries/g.kinds', { width: 390, colorScheme: 'dark' });
    await page.locator('.plot .bar').nth(2).waitFor();
    expect(await page.locator('.plot text').allTextContents()).toEqual(
      expect.arrayContaining(['kind', 'requests', 'checkout', '48,211', 'NULL']),
    );
    expect(await page.locator('.plot .bar title').first().textContent()).toBe('checkout requests: 48211');
    await page.goto(`${origin}${address}&kind=some`);
    await page
      .getByText('Nothing was found for project = abc; kind = some; at_least = 5 (default).')
      .waitFor();
    expect(await page.locator('.rows').isVisible()).toBe(false);
    expect(await page.getByRole('button', { name: 'CSV', exact: true }).isVisible()).toBe(false);
    expect(watched).toEqual({ elsewhere: [], errors: [] });
    await page.close();
  });

  test('a chart is shown in a frame of a listed origin with a token, and in no other', async () => {
    let target = '';
    const outer = createServer((_request, response) => {
      response.setHeader('content-type', 'text/html');
      const chart = `${target}/embed/a.hostile?project=abc#token=${keys.keyOf('plain')}&y=count`;
      response.end(`<!doctype html><title>Wiki</title><iframe title="Chart" src="${chart}"></iframe>`);
    });
    const port = await listen(outer);
    const embedding = await serveTestApp(
      {
        API_KEY: apiKey,
        QUERIES_DIR: folder.folder,
        API_KEYS_FILE: keys.path,
        EMBED_ORIGINS: `http://localhost:${port}`,
      },
      1,
      { rows: () => rows },
    );
    target = `http://127.0.0.1:${embedding.port}`;
    const page = await browser.newPage();
    const refused: string[] = [];
    page.on('console', (line) => refused.push(line.text()));
    await page.goto(`http://localhost:${port}/`);
    const frame = page.frameLocator('iframe');
    await frame.locator('.plot svg').waitFor();
    await frame.getByText('Rows with the same time are drawn as their sum.').waitFor();
    expect(await frame.locator('header').count()).toBe(0);
    expect(refused).toEqual([]);
    await page.goto(`http://127.0.0.1:${port}/`);
    await expect.poll(() => refused.join()).toContain('frame-ancestors');
    // The colors of the outer page, whatever the reader's system has.
    for (const theme of ['dark', 'light']) {
      await page.goto('about:blank');
      await page.goto(`${target}/embed/a.hostile?project=abc#token=${keys.keyOf('plain')}&theme=${theme}`);
      await page.locator('.plot svg').waitFor();
      const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
      expect(await background()).toBe(theme === 'dark' ? 'rgb(13, 17, 23)' : 'rgb(255, 255, 255)');
    }
    // Without a token, or with a wrong one.
    await page.goto(`${target}/embed/a.hostile?project=abc`);
    await page.getByText('The address of this frame has no #token=').waitFor();
    await page.goto(`${target}/embed/a.hostile?project=abc#token=wrong`);
    await page.getByText(/valid API key/).waitFor();
    expect(await page.locator('figure').isVisible()).toBe(false);
    // A new token, and then a refresh that fails.
    await page.clock.install();
    await page.goto(`${target}/embed/a.hostile?project=abc#token=${keys.keyOf('plain')}`);
    await page.getByText(/^Rows of 20/).waitFor();
    await page.route('**/api/endpoints/**', (route) => route.abort());
    await page.clock.runFor(303_000);
    await page
      .getByText(/^The rows could not be refreshed, and are those of before\. .* Rows of 20.* UTC\.$/)
      .waitFor();
    expect(await page.locator('.plot svg').isVisible()).toBe(true);
    await page.unroute('**/api/endpoints/**');
    // A table of a part of the rows; none without rows.
    for (const [result, truncated] of [
      ['[{"n":1}]', 'true'],
      ['[]', 'false'],
    ] as const) {
      const headers = { 'querygate-truncated': truncated };
      await page.route('**/api/endpoints/**', (route) =>
        route.fulfill({ headers, body: `{"result":${result}}` }),
      );
      await page.goto('about:blank');
      await page.goto(`${target}/embed/c.more#token=${keys.keyOf('plain')}`);
      const text = truncated === 'true' ? '1 row: the query has more' : 'The query has found nothing';
      await page.getByText(text).waitFor();
      expect(await page.locator('table').isVisible()).toBe(truncated === 'true');
      await page.unroute('**/api/endpoints/**');
    }
    await page.close();
    await embedding.close();
    outer.close();
  });

  test('a page whose parameters have examples opens with its result', async () => {
    const { page } = await open('/queries/a.hostile', { width: 1280 });
    await page.locator('.plot svg').waitFor();
    await page.getByText("Filled in with the author's examples.").waitFor();
    expect(new URL(page.url()).search).toBe('?project=abc');
    // Above the fold of a small laptop.
    const { y = 0, height = 0 } = (await page.locator('.plot').boundingBox()) ?? {};
    expect(y + height).toBeLessThan(800);
    await page.getByLabel('at_least').fill('6');
    expect(await page.getByText("Filled in with the author's examples.").isVisible()).toBe(false);
    await page.close();
  });

  test('the address holds the parameters: back, forward, a moment, a value of the enum', async () => {
    const { page } = await open(`${address}&since=2026-01-01T02:00:00%2B02:00&at_least=7&exact=true`);
    await page.locator('.rows tbody tr').first().waitFor();
    expect(await page.getByLabel('since').inputValue()).toBe('2026-01-01T00:00');
    expect(await page.getByLabel('exact').inputValue()).toBe('true');
    await page.getByLabel('kind').selectOption('some');
    await page.getByLabel('since').fill('2026-02-03T04:05');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByText(/^0 rows\./).waitFor();
    expect(new URL(page.url()).search).toBe(
      '?project=abc&kind=some&since=2026-02-03T04%3A05%3A00Z&at_least=7&exact=true',
    );
    await page.goBack();
    await page.getByText('5 rows.').waitFor();
    expect(await page.getByLabel('kind').inputValue()).toBe('');
    await page.goForward();
    await page.getByText(/^0 rows\./).waitFor();
    await page.locator('figure').waitFor({ state: 'hidden' });
    // Values that a field cannot hold are those of the rows, until it is changed.
    const search = '?project=a%0D%0Ab&kind=some&kind=all&at_least=7';
    await page.goto(`${origin}/queries/a.hostile${search}`);
    const curl = page.locator('#snippet-panel code').first();
    await curl.filter({ hasText: 'project=a%0D%0Ab' }).waitFor();
    await curl.filter({ hasText: 'kind=some' }).filter({ hasText: 'kind=all' }).waitFor();
    await page.getByLabel('at_least').fill('8');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.waitForURL((url) => url.search === '?project=a%0D%0Ab&kind=some&at_least=8');
    await curl.filter({ hasNotText: 'kind=all' }).waitFor();
    await page.getByLabel('project').fill('abc');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.waitForURL((url) => url.search === '?project=abc&kind=some&at_least=8');
    // Other spellings of values that the form has.
    await page.goto(`${origin}${address}&kind=a-few&exact=TRUE`);
    await page.getByText(/^0 rows\./).waitFor();
    expect(await page.getByLabel('kind').inputValue()).toBe('some');
    expect(await page.getByLabel('exact').inputValue()).toBe('true');
    await page.close();
  });

  test('lists, dates and times have fields of their own', async () => {
    const { page, watched } = await open('/queries/d.lists');
    await page.getByText(/^1 row\./).waitFor();
    await page.getByLabel('statuses').fill('200\n404\n');
    await page.getByLabel(/all:/).check();
    await page.getByLabel('day', { exact: true }).fill('2026-02-28');
    await page.getByLabel('from', { exact: true }).fill('2026-02-28T10:00');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    const search = '?statuses=200&statuses=404&kinds=all&day=2026-02-28&from=2026-02-28T10%3A00%3A00';
    await page.waitForURL((url) => url.search === search);
    const seen = page.locator('.rows td').filter({ hasText: '["200","404"]' });
    await seen.waitFor();
    expect(JSON.parse((await seen.textContent()) ?? '')).toMatchObject({ kinds: ['all'], day: '2026-02-28' });
    await page.getByRole('tab', { name: 'BigQuery console' }).click();
    const script = page.locator('#snippet-panel code');
    for (const text of [
      'ARRAY<INT64>[CAST("200" AS INT64), CAST("404" AS INT64)] AS `statuses`',
      'ARRAY<STRING>["all"] AS `kinds`',
      'CAST("2026-02-28" AS DATE) AS `day`',
    ])
      await script.filter({ hasText: text }).waitFor();
    await page.getByLabel('statuses').fill('200\n99');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByText(/^statuses: value 2: /).waitFor();
    // Not a day, an unknown value: they are shown, not lost.
    await page.goto(`${origin}/queries/d.lists?day=2026-02-31&kinds=other`);
    await page
      .locator('.field .problem')
      .filter({ hasText: /day|kinds/ })
      .first()
      .waitFor();
    expect(await page.getByLabel('day', { exact: true }).inputValue()).toBe('2026-02-31');
    expect(await page.getByLabel('other', { exact: true }).isChecked()).toBe(true);
    expect(watched).toEqual({ elsewhere: [], errors: [] });
    await page.close();
  });

  test('with COMPAT=logflare, where a failed query is a 200, its error is shown too', async () => {
    const compat = await serveTestApp({
      API_KEY: apiKey,
      QUERIES_DIR: folder.folder,
      API_KEYS_FILE: keys.path,
      COMPAT: 'logflare',
    });
    const page = await browser.newPage();
    await page.addInitScript(`sessionStorage.setItem('querygate:key', '${keys.keyOf('all')}')`);
    await page.goto(`http://127.0.0.1:${compat.port}${address}&at_least=x`);
    await page
      .locator('.field .problem')
      .getByText(/^at_least: got/)
      .waitFor();
    await page.close();
    await compat.close();
  });

  test('a version has a page of its own, and a deprecated one says so', async () => {
    const { page, watched } = await open('/');
    const item = page.getByRole('listitem').filter({ hasText: 'Versions:' });
    expect((await item.locator('.versions').innerText()).trim()).toMatch(
      /^Versions: 2 deprecated +1 default$/,
    );
    await item.getByText('not used yet').waitFor();
    await item.getByRole('link', { name: 'Version 2 of c.more' }).click();
    await page.getByText(/Deprecated since 2026-01-01: Too slow/).waitFor();
    await page.getByText('5 rows.').waitFor();
    await page.getByRole('tab', { name: 'GraphQL' }).click();
    await page
      .locator('#snippet-panel code')
      .first()
      .filter({ hasText: /rows \{\s+n\s+m\s+\}/ })
      .waitFor();
    expect(page.url()).toBe(`${origin}/queries/c.more@2#tab=graphql`);
    // A gateway that reports no use has none of a query with the name of a member of every object, either.
    await page.route('**/use.json', (route) => route.fulfill({ status: 404, body: '{}' }));
    const answered = page.waitForResponse('**/use.json');
    await page.goto(`${origin}/`);
    await page.getByRole('link', { name: 'constructor' }).waitFor();
    await (await answered).finished();
    await page.evaluate('new Promise((resolve) => setTimeout(resolve))');
    expect(watched).toEqual({ elsewhere: [], errors: [] });
    await page.close();
  });

  test('what is wrong with a value is beside its field, by the browser and by the gateway', async () => {
    const { page } = await open(address);
    const field = page.getByLabel('at_least');
    await field.fill('many');
    await field.press('Enter');
    await page.getByText('Type a whole number.').waitFor();
    expect(await field.getAttribute('aria-invalid')).toBe('true');
    expect(await page.evaluate('document.activeElement.id')).toBe(await field.getAttribute('id'));
    await field.fill('99999999999999999999');
    await field.press('Enter');
    await page.getByText(/^at_least: got/).waitFor();
    await field.fill('');
    await page.getByLabel('project').fill('');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByText('A value is required.').waitFor();
    await page.close();
  });

  test('a bound key has its tenant filled in, and sees no SQL', async () => {
    const { page } = await open('/queries/a.hostile', { key: 'bound' });
    expect(await page.getByLabel('project').inputValue()).toBe('mine');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByText('5 rows.').waitFor();
    expect(page.url()).toContain('?project=mine');
    expect(await page.getByRole('tab', { name: 'BigQuery console' }).count()).toBe(0);
    expect(await page.getByText('SQL', { exact: true }).count()).toBe(0);
    expect(await page.getByText('Run now, without the cache').count()).toBe(0);
    expect(await page.content()).not.toContain('other');
    await page.goto(`${origin}/queries/a.hostile?project=other`);
    await page.getByText('this key has no access to it').waitFor();
    const { page: two } = await open('/queries/a.hostile', { key: 'two' });
    await two.getByLabel('project').waitFor();
    expect(await two.getByLabel('project').locator('option').allTextContents()).toEqual([
      'choose …',
      'mine',
      'other',
    ]);
    await Promise.all([page.close(), two.close()]);
  });

  test('of a list of tenants, a bound key may choose several of its own', async () => {
    const { page } = await open('/queries/f.tenants?project=mine&project=other', { key: 'two' });
    await page.getByText('{"project":["mine","other"]}').waitFor();
    await page.getByLabel('mine').uncheck();
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByText('{"project":["other"]}').waitFor();
    expect(page.url()).toBe(`${origin}/queries/f.tenants?project=other`);
    const { page: bound } = await open('/queries/f.tenants', { key: 'bound' });
    await bound.getByRole('button', { name: 'Run', exact: true }).click();
    await bound.getByText('{"project":["mine"]}').waitFor();
    await Promise.all([page.close(), bound.close()]);
  });

  test('a page without a key takes it and continues; a revoked one is replaced', async () => {
    const page = await browser.newPage();
    await page.goto(origin + address);
    await page.getByLabel('API key').fill('wrong');
    await page.keyboard.press('Enter');
    await page.locator('#key-problem').filter({ hasText: /key/ }).waitFor();
    await page.getByLabel('API key').fill(keys.keyOf('plain'));
    await page.keyboard.press('Enter');
    await page.getByText('5 rows.').waitFor();
    expect(page.url()).toBe(origin + address);
    // As if it was revoked while the page is open.
    await page.route('**/api/endpoints/**', (route) =>
      route.fulfill({
        status: 401,
        body: '{"error":{"code":"UNAUTHENTICATED","message":"The API key is wrong"}}',
      }),
    );
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByText('This key is not valid. It may be mistyped, expired or revoked.').waitFor();
    expect(await page.evaluate('sessionStorage.getItem("querygate:key")')).toBeNull();
    await page.close();
  });

  test('the key that the gateway made is not kept, and can be replaced by another one', async () => {
    const made = await serveTestApp({ QUERIES_DIR: folder.folder, API_KEYS_FILE: keys.path });
    const page = await browser.newPage();
    await page.goto(`http://127.0.0.1:${made.port}/`);
    await page.getByRole('link', { name: 'a.hostile' }).waitFor();
    // At its next start the gateway makes another one.
    expect(await page.evaluate('sessionStorage.length + localStorage.length')).toBe(0);
    await page.getByRole('button', { name: 'Forget the key' }).click();
    await page.getByLabel('API key').fill(keys.keyOf('bound'));
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'a.hostile' }).click();
    await page.getByLabel('project').and(page.locator('select')).waitFor();
    expect(await page.getByLabel('project').inputValue()).toBe('mine');
    await page.close();
    await made.close();
  });

  test('an address with another view of the same rows is shown as it says', async () => {
    const { page } = await open(address);
    await page.locator('.plot svg').waitFor();
    await page.evaluate("location.hash = 'sort=-count&y=size&y=gone&tab=python'");
    await expect.poll(() => firstCells(page, 3)).toEqual(['100', '20', '3', '1', 'NULL']);
    await expect.poll(() => page.getByLabel('size (MB)').isChecked()).toBe(true);
    expect(await page.getByLabel('count (requests)').isChecked()).toBe(false);
    await page.getByRole('tab', { name: 'Python', selected: true }).waitFor();
    // Columns of an older address.
    await page.evaluate("location.hash = 'sort=gone&y=gone'");
    await expect.poll(() => page.getByLabel('count (requests)').isChecked()).toBe(true);
    await page.getByText('5 rows, in the order of the query').waitFor();
    await page.close();
  });

  test('a cancelled run leaves no rows of other parameters, and the rows of the same ones', async () => {
    const { page } = await open(address);
    await page.getByText('5 rows.').waitFor();
    await page.route('**/api/endpoints/**', () => {});
    const run = page.getByRole('button', { name: 'Run', exact: true });
    await run.click();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('Cancelled.').waitFor();
    expect(await page.locator('.rows tbody tr').first().isVisible()).toBe(true);
    await page.getByLabel('at_least').fill('8');
    await run.click();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('Cancelled.').waitFor();
    await page.locator('.rows').waitFor({ state: 'hidden' });
    await page.close();
  });

  test('a refused request says when to try again, in sentences', async () => {
    const { page } = await open(address);
    const reply = {
      status: 429,
      headers: { 'retry-after': '19' },
      body: '{"error":{"code":"RATE_LIMITED","message":"Too many requests"}}',
    };
    await page.getByText('5 rows.').waitFor();
    await page.route('**/api/endpoints/**', (route) => route.fulfill(reply));
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByText('Too many requests. Try again in 19 s.').waitFor();
    await page.route('**/openapi.json', (route) => route.fulfill(reply));
    await page.goto(`${origin}/`);
    await page.getByText('Too many requests. Try again in 19 s.').waitFor();
    await page.close();
  });

  test('numbers stay on one line, and long texts have room on a phone', async () => {
    const { page } = await open(address, { width: 390 });
    await page.locator('.rows tbody tr').first().waitFor();
    const sizes = await page.locator('.rows td.number .text, .rows td .long').evaluateAll((all) =>
      all.map((one) => {
        const { width, height } = one.getBoundingClientRect();
        return { isLong: one.className.includes('long'), width, height };
      }),
    );
    expect(sizes.filter(({ isLong }) => isLong).length).toBeGreaterThan(1);
    for (const { isLong, width, height } of sizes) {
      if (isLong) expect(width).toBeGreaterThan(190);
      else expect(height).toBeLessThan(30);
    }
    await page.close();
  });

  test('very long names widen no page, and a printed table is whole', async () => {
    const { page } = await open('/queries/e.long-names', { width: 390 });
    await page.locator('.plot svg').waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    const name = page.locator('#columns th[scope=row]').last();
    expect(
      await name.evaluate(({ clientWidth, scrollWidth }) => scrollWidth - clientWidth),
    ).toBeLessThanOrEqual(0);
    const table = page.locator('.rows');
    const isCaptionShown = () =>
      table.evaluate((scrolled) => {
        const { left, right } = scrolled.getBoundingClientRect();
        const caption = scrolled.querySelector('caption')?.getBoundingClientRect();
        return caption !== undefined && caption.left >= left && caption.right <= right;
      });
    expect(await isCaptionShown()).toBe(true);
    await table.evaluate((scrolled) => {
      scrolled.scrollLeft = 150;
    });
    expect(await table.evaluate(({ scrollLeft }) => scrollLeft)).toBe(150);
    expect(await isCaptionShown()).toBe(true);
    const hiddenRows = () => table.evaluate(({ clientHeight, scrollHeight }) => scrollHeight - clientHeight);
    expect(await hiddenRows()).toBeGreaterThan(1000);
    await page.emulateMedia({ media: 'print' });
    expect(await hiddenRows()).toBeLessThanOrEqual(0);
    expect(await page.getByRole('button', { name: 'count' }).isVisible()).toBe(true);
    expect(await page.getByRole('button', { name: 'CSV', exact: true }).isVisible()).toBe(false);
    await page.close();
  });

  test('the choice to refresh cached rows does not apply to a query that runs at each request', async () => {
    const { page } = await open(address);
    await page.getByLabel(/Refresh every/).uncheck();
    await page.getByLabel(/Refresh every/).check();
    await page.goto(`${origin}/queries/c.more@2`);
    await page.getByText('5 rows.').waitFor();
    expect(await page.getByLabel(/Refresh every/).isChecked()).toBe(false);
    await page.close();
  });

  test('a key that was typed gives the focus to the page, and a key that is gone takes its rows away', async () => {
    // Playwright switches the browser's cache of whole pages off.
    const own = await openBrowser({ ignoreDefaultArgs: ['--disable-back-forward-cache'] });
    const page = await own.newPage();
    await page.goto(origin + address);
    await page.getByLabel('API key').fill(keys.keyOf('plain'));
    await page.keyboard.press('Enter');
    await page.getByText('5 rows.').waitFor();
    await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('main');
    await page.getByRole('link', { name: 'Queries' }).click();
    await page.getByRole('button', { name: 'Forget the key' }).click();
    await page.getByLabel('API key').waitFor();
    await page.goBack();
    await page.getByLabel('API key').waitFor();
    expect(await page.locator('.rows').count()).toBe(0);
    await own.close();
  });

  test('forced colors leave the empty buckets and the chosen tab apart from the others', async () => {
    const page = await browser.newPage({ forcedColors: 'active' });
    await page.addInitScript(`sessionStorage.setItem('querygate:key', '${keys.keyOf('all')}')`);
    await page.goto(origin + address);
    await page.locator('.plot svg').waitFor();
    const fillOf = (selector: string) =>
      page
        .locator(selector)
        .first()
        .evaluate((one) => getComputedStyle(one).fill);
    const fills = [await fillOf('.plot .empty'), await fillOf('.plot text')];
    const background = await page.evaluate('getComputedStyle(document.body).backgroundColor');
    expect(new Set([...fills, background]).size).toBe(3);
    const back = (name: string) =>
      page.getByRole('tab', { name }).evaluate((tab) => getComputedStyle(tab).backgroundColor);
    expect(await back('curl')).not.toBe(await back('Python'));
    await page.close();
  });

  test.each(['<html>Please log in</html>', 'null', '{}'])(
    'the answer %s of a proxy in place of the gateway is not taken for rows',
    async (body) => {
      const { page, watched } = await open(address);
      await page.getByText('5 rows.').waitFor();
      const login = { contentType: 'text/html', body };
      await page.route('**/api/endpoints/**', (route) => route.fulfill(login));
      await page.getByRole('button', { name: 'Run', exact: true }).click();
      await page
        .getByText(
          body === '{}' ? 'There are no rows.' : 'Something between this page and the gateway answered',
        )
        .waitFor();
      await page.route('**/openapi.json', (route) => route.fulfill(login));
      await page.goto(`${origin}/`);
      await page.getByText('Something between this page and the gateway answered').waitFor();
      expect(watched.errors).toEqual([]);
      await page.close();
    },
  );

  test('where the SQL cannot be had, its places say so', async () => {
    const { page } = await open(address);
    await page.route('**/graphql', (route) =>
      route.fulfill({ status: 403, body: '{"errors":[{"message":"Only trusted documents"}]}' }),
    );
    await page.reload();
    await page.getByRole('tab', { name: 'BigQuery console' }).click();
    await page
      .locator('#snippet-panel code')
      .filter({ hasText: '-- The SQL cannot be shown. Only trusted documents' })
      .waitFor();
    await page.close();
  });

  test('50,000 rows are shown, sorted and drawn without a freeze', async () => {
    const { page } = await open('/queries/b.many');
    await page.getByText('50,000 rows').first().waitFor();
    await page.locator('.plot svg').waitFor();
    expect(await page.locator('.rows tbody tr').count()).toBe(200);
    const session = await page.context().newCDPSession(page);
    await session.send('Performance.enable', { timeDomain: 'threadTicks' });
    /** Processor time of the page's thread. */
    const usedMs = async () => {
      const { metrics } = await session.send('Performance.getMetrics');
      return 1000 * (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN);
    };
    const before = await usedMs();
    const head = page.getByRole('columnheader', { name: 'count' }).getByRole('button');
    await head.click();
    expect((await firstCells(page, 3)).slice(0, 3)).toEqual(['0', '1', '2']);
    await page.getByRole('button', { name: 'Show 200 more' }).click();
    expect(await page.locator('.rows tbody tr').count()).toBe(400);
    const used = (await usedMs()) - before;
    expect(used).toBeGreaterThan(0);
    // All of it is a fifth of a second.
    expect(used).toBeLessThan(1000);
    await page.close();
  });

  test('a refresh that fails keeps the rows and says so; it waits as long as the gateway says', async () => {
    const { page } = await open('/');
    await page.clock.install();
    await page.goto(origin + address);
    await page.getByText('5 rows.').waitFor();
    const box = page.getByLabel(/Refresh every 5 min/);
    expect(await box.isChecked()).toBe(true);
    let requests = 0;
    let reply: { status: number; headers?: Record<string, string>; body: string } | 'none' = 'none';
    await page.route('**/api/endpoints/**', (route) => {
      requests += 1;
      return reply === 'none' ? route.abort() : route.fulfill(reply);
    });
    await page.clock.runFor(303_000);
    await page.getByText('The rows could not be refreshed').waitFor();
    expect(await page.locator('.rows tbody tr').count()).toBe(5);
    reply = {
      status: 429,
      headers: { 'retry-after': '120' },
      body: '{"error":{"code":"RATE_LIMITED","message":"Too many requests"}}',
    };
    await page.clock.runFor(61_000);
    await page.getByText('Too many requests').waitFor();
    expect(requests).toBe(2);
    await page.clock.runFor(100_000);
    expect(requests).toBe(2);
    await page.clock.runFor(25_000);
    await expect.poll(() => requests).toBe(3);
    await box.uncheck();
    await page.clock.runFor(3_600_000);
    expect(requests).toBe(3);
    await page.reload();
    await page.getByLabel(/Refresh every 5 min/).waitFor({ state: 'attached' });
    expect(await page.getByLabel(/Refresh every 5 min/).isChecked()).toBe(false);
    await page.close();
  });

  test('a refresh leaves the focus and what is opened in the rows, and marks nothing', async () => {
    const { page } = await open('/');
    await page.clock.install();
    const answer = (n: number) => ({
      body: JSON.stringify({ result: [{ n, m: 1 }, ...[1, 2].map((m) => ({ n: { a: m }, m }))] }),
    });
    let n = 1;
    await page.route('**/api/endpoints/**', (route) => route.fulfill(answer(n)));
    await page.goto(`${origin}/queries/c.more@2`);
    await page.getByText('3 rows.').waitFor();
    await page.getByLabel(/Refresh every/).check();
    await page.locator('.rows summary').nth(1).click();
    await page.clock.runFor(100);
    n = 77;
    await page.clock.runFor(63_000);
    await expect.poll(() => firstCells(page, 1).then(([first]) => first)).toBe('77');
    expect(await page.locator('.rows details').nth(1).getAttribute('open')).toBe('');
    expect(await page.evaluate('document.activeElement.localName')).toBe('summary');
    expect(await page.locator('.changed').count()).toBe(0);
    await page.close();
  });

  test('without the gateway the page says so, and tries again on request', async () => {
    const { page } = await open(address);
    await page.getByText('5 rows.').waitFor();
    await page.context().setOffline(true);
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByText('The gateway did not answer').waitFor();
    await page.context().setOffline(false);
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByText('5 rows.').waitFor();
    expect(await page.getByText('The gateway did not answer').count()).toBe(0);
    await page.close();
  });

  describe('axe finds nothing', () => {
    test.each(screensOf(390, 1280, 1600))('at $width px, $colorScheme', async ({ width, colorScheme }) => {
      const { page } = await open('/', { width, colorScheme });
      await page.getByRole('link', { name: 'a.hostile' }).waitFor();
      expect(await axeViolations(page)).toEqual([]);
      await page.route('**/openapi.json', () => {});
      await page.goto(origin + address);
      await page.getByText('Loading…').waitFor();
      expect(await axeViolations(page)).toEqual([]);
      await page.unroute('**/openapi.json');
      await page.goto(origin + address);
      await page.locator('.plot svg').waitFor();
      await page.evaluate(
        "for (const summary of document.querySelectorAll('details:not([open]) > summary')) summary.click()",
      );
      expect(await axeViolations(page)).toEqual([]);
      await page.getByRole('columnheader', { name: 'level' }).getByRole('button').click();
      expect(await axeViolations(page)).toEqual([]);
      for (const name of ['GraphQL', 'TypeScript', 'Python', 'BigQuery console']) {
        await page.getByRole('tab', { name }).click();
      }
      await page.getByLabel('at_least').fill('many');
      await page.getByRole('button', { name: 'Run', exact: true }).click();
      await page.getByText('Type a whole number.').waitFor();
      expect(await axeViolations(page)).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
      await page.goto(`${origin}/queries/no-such-query`);
      await page.getByText('There is no such query').waitFor();
      expect(await axeViolations(page)).toEqual([]);
      await page.goto(`${origin}/queries/g.kinds`);
      await page.locator('.plot .bar').first().waitFor();
      expect(await axeViolations(page)).toEqual([]);
      await page.goto(`${origin}/docs`);
      await page.getByText('There is no page at this address').waitFor();
      expect(await axeViolations(page)).toEqual([]);
      await page.goto(`${origin}/queries/no-such-query`);
      await page.getByRole('button', { name: /^Forget( the)? key$/ }).click();
      await page.getByLabel('API key').fill('wrong');
      await page.keyboard.press('Enter');
      await page.locator('#key-problem').filter({ hasText: /key/ }).waitFor();
      expect(await axeViolations(page)).toEqual([]);
      await page.close();
    });
  });
});
