import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { axeViolations, screensOf } from '../support/axe.ts';
import { isWithoutBrowser, openBrowser, type Watched, watchPage } from '../support/browser.ts';
import { type GatewayProcess, startGateway } from '../support/gateway-process.ts';
import { type KeyFile, writeKeyFile } from '../support/key-files.ts';
import { nightly } from '../support/nightly.ts';
import { queryText } from '../support/queries.ts';
import { type ServedApp, serveTestApp } from '../support/served-app.ts';

/** On a busy machine. */
const soon = { timeout: 60_000 };

describe.skipIf(isWithoutBrowser)('GraphiQL in a browser', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser.close());

  const tabsOf = (page: Page) =>
    page.getByRole('list', { name: 'Select active operation' }).getByRole('listitem');
  const isSelected = (tab: Locator) => tab.locator('[aria-current=true]').count();
  const status = (page: Page) => page.getByRole('status');
  const loaded = (page: Page) => status(page).filter({ hasText: 'The schema is loaded.' }).waitFor(soon);
  const editorText = async (page: Page) =>
    (await page.locator('.graphiql-query-editor .view-lines').first().textContent())?.replaceAll(
      '\u00a0',
      ' ',
    );
  /** Replaces the operation of the tab, whose title follows it. */
  const edit = async (page: Page, text: string) => {
    await page.locator('.graphiql-query-editor .view-lines').first().click();
    await page.keyboard.press('Control+A');
    await page.keyboard.insertText(text);
    const [, name = ''] = /(?:query|subscription) (\w+)/.exec(text) ?? [];
    await tabsOf(page)
      .filter({ has: page.locator('[aria-current=true]') })
      .filter({ hasText: name })
      .waitFor();
  };

  const stored = (page: Page) => page.evaluate('JSON.stringify(localStorage)').then(String);
  /** GraphiQL writes what it keeps half a second later. */
  const waitUntilKept = (page: Page, title: string) =>
    expect.poll(async () => (await stored(page)).includes(`\\"title\\":\\"${title}\\"`), soon).toBe(true);

  describe('of the demo, on its own machine', () => {
    let gateway: GatewayProcess;
    beforeAll(async () => {
      gateway = await startGateway();
    });
    afterAll(() => gateway.end());

    const open = async (context: BrowserContext) => {
      const page = await context.newPage();
      const seen = await watchPage(page, gateway.origin);
      const response = await page.goto(`${gateway.origin}/graphql`);
      expect(response?.headers()['content-security-policy']).toMatch(/script-src 'sha256-\S+' 'self';/);
      await loaded(page);
      return { page, seen };
    };

    test('opens with an example for every query, runs one, and keeps tabs and history over a reload', async () => {
      const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
      const { page, seen } = await open(context);
      expect(await tabsOf(page).count()).toBe(3);
      await page.getByRole('button', { name: /Execute query/ }).click();
      const result = page.locator('.result-window');
      await result.getByText('"rows"').waitFor();
      expect(await result.textContent()).toMatch(/"count":\s[1-9]/);

      await page.getByRole('button', { name: 'New tab' }).click();
      await edit(page, 'query Mine { __typename }');
      await page.keyboard.press('Control+Enter');
      await result.getByText('"__typename"').waitFor();
      await waitUntilKept(page, 'Mine');
      await page.reload();
      await loaded(page);
      expect(await tabsOf(page).allTextContents()).toEqual([
        expect.stringContaining('FunctionsInvocationStats'),
        expect.stringContaining('LogsAll'),
        expect.stringContaining('UsageApiCounts'),
        expect.stringContaining('Mine'),
      ]);
      await expect.poll(() => editorText(page), soon).toContain('query Mine { __typename }');
      await page.getByRole('button', { name: 'Show History' }).click();
      const history = page.getByRole('region', { name: 'History' });
      await history.getByText('Mine').waitFor();
      await history.getByText('FunctionsInvocationStats').waitFor();
      expect(seen.elsewhere).toEqual([]);
      expect(seen.errors).toEqual([]);

      // Scripts injected into the page are not run.
      await page.evaluate(
        "document.body.append(Object.assign(document.createElement('script'), { text: 'window.ran = 1' }))",
      );
      expect(await page.evaluate('window.ran')).toBeUndefined();
      expect(seen.errors.join()).toContain('Content Security Policy');
      await context.close();
    });

    nightly(
      'says how to run an example, which is not run by itself, and whose copy is answered elsewhere',
      async () => {
        const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
        await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: gateway.origin });
        const page = await context.newPage();
        const sent: string[] = [];
        page.on('request', (request) => {
          if (request.method() === 'POST') sent.push(String(request.postDataJSON().operationName));
        });
        await page.goto(`${gateway.origin}/graphql`);
        await loaded(page);
        await expect.poll(() => editorText(page), soon).toMatch(/^# Run it with ▶, Ctrl-Enter or ⌘-Enter\.#/);
        expect(sent).toEqual(['IntrospectionQuery']);
        await page.getByRole('button', { name: /Prettify/ }).click();
        await page.getByRole('button', { name: /Copy query/ }).click();
        const copied = () => page.evaluate('navigator.clipboard.readText()').then(String);
        await expect
          .poll(copied, soon)
          .toMatch(/^# Run it with ▶.+\n# .+\nquery FunctionsInvocationStats \{/);
        const query = await copied();
        const answer = await fetch(`${gateway.origin}/graphql`, {
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            'x-api-key': await page.getByLabel('API key').inputValue(),
          },
          body: JSON.stringify({ query }),
        });
        expect(await answer.json()).toMatchObject({
          data: { functionsInvocationStats: { truncated: false } },
        });
        // It opens from a link too, and is run by the keys of the hint.
        await page.goto(`${gateway.origin}/graphql?${new URLSearchParams({ query })}`);
        await loaded(page);
        await page.locator('.graphiql-query-editor .view-lines').first().click();
        await page.keyboard.press('Control+Enter');
        await page.locator('.result-window').getByText('"rows"').waitFor();
        expect(sent).toEqual(['IntrospectionQuery', 'IntrospectionQuery', 'FunctionsInvocationStats']);
        await context.close();
      },
    );

    test('shows the results of a subscription', async () => {
      const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
      const { page, seen } = await open(context);
      const result = page.locator('.result-window');
      const run = async (text: string) => {
        await page.getByRole('button', { name: 'New tab' }).click();
        await edit(page, text);
        const [response] = await Promise.all([
          page.waitForResponse(`${gateway.origin}/graphql`, soon),
          page.keyboard.press('Control+Enter'),
        ]);
        return response.headers()['content-type'];
      };
      const project = '(project: "mzqkvxwotrplbhnydsea")';
      const following = `subscription Following { functionsInvocationStats${project} { __typename rowCount } }`;
      expect(await run(following)).toContain('text/event-stream');
      await expect.poll(() => result.textContent(), soon).toContain('"FunctionsInvocationStatsResult"');
      await page.getByRole('button', { name: /Stop query/ }).click();
      await page.getByRole('button', { name: /Execute query/ }).waitFor(soon);
      expect(await result.textContent()).toContain('"FunctionsInvocationStatsResult"');
      expect(seen.errors).toEqual([]);
      await context.close();
    });

    nightly(
      'keeps the tabs in a storage that is full, and opens the examples if it cannot be read',
      async () => {
        const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
        const { page } = await open(context);
        await edit(page, 'query Mine { __typename }');
        await waitUntilKept(page, 'Mine');
        // As if the catalog had changed, while other pages took the rest of the storage.
        await page.evaluate(`localStorage.setItem('querygate:examples', '[]');
        for (let text = 'x'.repeat(1 << 20), at = 0; text !== ''; at += 1)
          try { localStorage.setItem('other' + at, text) } catch { text = text.slice(0, text.length >> 1) }`);
        await page.reload();
        await loaded(page);
        await expect.poll(() => editorText(page), soon).toContain('query Mine');
        // From another page of the gateway: GraphiQL keeps its tabs half a second after they change, so also after a clear.
        await page.goto(`${gateway.origin}/healthz`);
        await page.evaluate("localStorage.clear(); localStorage.setItem('querygate:graphiql:tabState', '{')");
        await page.goto(`${gateway.origin}/graphql`);
        await loaded(page);
        expect(await tabsOf(page).count()).toBe(3);
        await context.close();
      },
    );

    nightly('is loaded compressed, and from the cache of the browser the next time', async () => {
      const context = await browser.newContext();
      const page = await context.newPage();
      const protocol = await context.newCDPSession(page);
      await protocol.send('Network.enable');
      const bytes = new Map<string, number>();
      const urls = new Map<string, string>();
      protocol.on('Network.responseReceived', ({ requestId, response }) => urls.set(requestId, response.url));
      protocol.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
        const { pathname } = new URL(urls.get(requestId) ?? '', gateway.origin);
        bytes.set(pathname, (bytes.get(pathname) ?? 0) + encodedDataLength);
      });
      const assetBytes = () =>
        [...bytes].reduce((sum, [path, size]) => sum + (path.startsWith('/assets/') ? size : 0), 0);
      await page.goto(`${gateway.origin}/graphql`);
      await loaded(page);
      await expect.poll(assetBytes).toBeGreaterThan(500_000);
      // Its editor requests more files later.
      await page.waitForTimeout(1000);
      expect(assetBytes()).toBeLessThan(1_400_000);
      const known = new Set(bytes.keys());
      bytes.clear();
      await page.reload();
      await loaded(page);
      await page.waitForTimeout(1000);
      // Files that were not requested before the reload do not count.
      for (const path of bytes.keys()) if (!known.has(path)) bytes.delete(path);
      expect(bytes.size).toBeGreaterThan(1);
      expect(assetBytes()).toBe(0);
      await context.close();
    });

    describe('in a window', () => {
      let page: Page;
      let seen: Watched;
      beforeAll(async () => {
        const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
        ({ page, seen } = await open(context));
      });
      afterAll(() => page.context().close());

      test('shows default values of arguments in its documentation', async () => {
        await page.getByRole('button', { name: 'Show Documentation Explorer' }).click();
        const docs = page.getByRole('region', { name: 'Documentation Explorer' });
        await docs.getByRole('link', { name: 'Query', exact: true }).click();
        await docs.getByText('interval: InvocationInterval = ONE_DAY').waitFor();
        await docs.getByRole('link', { name: 'functionsInvocationStats', exact: true }).click();
        await docs.getByText('= ONE_DAY').waitFor();
        await page.getByRole('button', { name: 'Hide Documentation Explorer' }).click();
      });

      // A hand moves the mouse a little while it clicks: dragging the tabs would begin at three pixels.
      test.each([
        ['LogsAll', 8, 0],
        ['UsageApiCounts', 60, 5],
        ['LogsAll', 55, 4],
      ])(
        'hears the first click on %s, at %d pixels, with a hand that moves by %d',
        async (name, at, moved) => {
          const tab = tabsOf(page).filter({ hasText: name });
          expect(await isSelected(tab)).toBe(0);
          const box = await tab.boundingBox();
          if (box === null) throw new Error('the tab is not shown');
          const y = box.y + box.height / 2;
          await page.mouse.move(box.x + at, y, { steps: 5 });
          await page.mouse.down();
          await page.mouse.move(box.x + at + moved, y + 1, { steps: 2 });
          await page.mouse.up();
          await expect.poll(() => isSelected(tab), soon).toBe(1);
          await expect.poll(() => editorText(page), soon).toContain(`query ${name} {`);
        },
      );

      test('formats the operation and the variables', async () => {
        await page.getByRole('button', { name: 'Variables', exact: true }).click();
        const variables = page.locator('.graphiql-editor-tool .view-lines:visible');
        await variables.click();
        await page.keyboard.insertText('{"a":1}');
        await edit(page, 'query Mine{endpoints{name}}');
        await page.getByRole('button', { name: /Prettify/ }).click();
        await expect.poll(() => page.locator('.graphiql-query-editor .view-line').count(), soon).toBe(6);
        await expect
          .poll(async () => (await variables.textContent())?.replaceAll('\u00a0', ' '), soon)
          .toContain('"a": 1');
        expect(seen.errors).toEqual([]);
      });
    });

    nightly('fits on a phone: the editor above the result, panes closed until they are opened', async () => {
      const context = await browser.newContext({ viewport: { width: 390, height: 844 }, hasTouch: true });
      const { page } = await open(context);
      const show = (name: string) => page.getByRole('button', { name: new RegExp(`^(Show|Hide) ${name}`) });
      await show('Documentation').tap();
      await page.getByRole('region', { name: 'Documentation Explorer' }).waitFor();
      await page.reload();
      await loaded(page);
      expect(await page.getByRole('region', { name: 'Documentation Explorer' }).count()).toBe(0);
      await page.getByRole('button', { name: /Execute query/ }).tap();
      await page.locator('.result-window').getByText('"rows"').waitFor();
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
      const boxes = await Promise.all(
        ['.graphiql-query-editor', '.graphiql-response'].map((part) => page.locator(part).boundingBox()),
      );
      const [editor, response] = boxes;
      expect(editor?.width).toBeGreaterThan(340);
      expect(response?.width).toBeGreaterThan(300);
      expect(response?.y).toBeGreaterThan((editor?.y ?? 0) + (editor?.height ?? 0) - 1);
      expect(response?.height).toBeGreaterThan(200);
      for (const name of ['History', 'GraphiQL Explorer', 'Documentation Explorer']) {
        await show(name).tap();
        const pane = await page.locator('.graphiql-plugin').boundingBox();
        expect(pane?.width, name).toBeGreaterThan(340);
        await show(name).tap();
      }
      await context.close();
    });

    test.each(screensOf(390, 1280))(
      'has nothing that axe finds at $width px, $colorScheme, and the header of the other pages',
      async ({ width, colorScheme }) => {
        const context = await browser.newContext({ viewport: { width, height: 844 }, colorScheme });
        const { page } = await open(context);
        expect((await page.locator('header.site').boundingBox())?.height).toBeLessThan(50);
        await page.getByRole('button', { name: /Execute query/ }).click();
        await page.locator('.result-window').getByText('"rows"').waitFor();
        expect(await axeViolations(page)).toEqual([]);
        for (const name of ['History', 'GraphiQL Explorer', 'Documentation Explorer']) {
          await page.getByRole('button', { name: `Show ${name}` }).click();
          await page.locator('.graphiql-plugin > *').first().waitFor();
          expect(await axeViolations(page), name).toEqual([]);
          if (width === 390) await page.getByRole('button', { name: `Hide ${name}` }).click();
        }
        // The field of the key is opened by its label.
        await page.getByText('API key', { exact: true }).click();
        await page.keyboard.type('x');
        await expect.poll(() => status(page).textContent(), soon).toBe('This key is not valid.');
        expect((await page.getByLabel('API key').boundingBox())?.width).toBeGreaterThan(100);
        expect(await axeViolations(page)).toEqual([]);
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
        await context.close();
      },
    );
  });

  describe('of a gateway with keys of its own', () => {
    let folder: string;
    let file: KeyFile;
    let served: ServedApp;
    let url: string;
    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), 'querygate-test-'));
      for (const name of ['open.one', 'secret.two'])
        writeFileSync(
          join(folder, `${name}.sql`),
          queryText({ name, columns: { count: 'integer' }, sql: 'select 1 as count' }),
        );
      file = writeKeyFile({ ann: { endpoints: ['open.one'] }, bob: {} });
      const env = { QUERIES_DIR: folder, API_KEYS_FILE: file.path };
      served = await serveTestApp(env, 1, { options: { hideEndpoints: 'all' } });
      url = `http://127.0.0.1:${served.port}/graphql`;
    });
    afterAll(async () => {
      await served.close();
      file.remove();
      rmSync(folder, { recursive: true });
    });

    /** As from another machine: without examples. */
    const openRemote = async () => {
      const context = await browser.newContext({ extraHTTPHeaders: { 'X-Forwarded-For': '192.0.2.1' } });
      const page = await context.newPage();
      await page.goto(url);
      await tabsOf(page).first().waitFor();
      return { context, page };
    };
    const typesOf = async (page: Page) => {
      await page.getByRole('button', { name: /^(Show|Hide) Documentation/ }).click();
      const docs = page.getByRole('region', { name: 'Documentation Explorer' });
      await docs.getByRole('link', { name: 'UUID', exact: true }).waitFor();
      const text = await docs.textContent();
      await page.getByRole('button', { name: /^(Show|Hide) Documentation/ }).click();
      return text ?? '';
    };

    test('loads the schema as soon as a key is typed, and says what is wrong with a wrong one', async () => {
      const { context, page } = await openRemote();
      const requests: string[] = [];
      page.on('request', (request) => {
        if (request.method() === 'POST') requests.push(request.headers()['x-api-key'] ?? '');
      });
      await expect.poll(() => status(page).textContent(), soon).toBe('Type an API key to load the schema.');
      expect(await page.content()).not.toMatch(/openOne|secretTwo/);
      const key = file.keyOf('ann');
      // In one task: a busy machine makes no pause between two characters.
      await page.getByLabel('API key').focus();
      await page.evaluate(`for (const one of '${key}x') document.execCommand('insertText', false, one)`);
      await expect.poll(() => status(page).textContent(), soon).toBe('This key is not valid.');
      await page.keyboard.press('Backspace');
      await loaded(page);
      // One request for each pause, not for each character; and no second attempt with a wrong key.
      expect(requests).toEqual([`${key}x`, key]);
      expect(await typesOf(page)).toMatch(/OpenOneRow/);

      await page.getByLabel('API key').fill('');
      await page.keyboard.press('Enter');
      await expect.poll(() => status(page).textContent(), soon).toBe('Type an API key to load the schema.');
      await page.getByRole('button', { name: /^(Show|Hide) Documentation/ }).click();
      await expect
        .poll(() => page.getByRole('region', { name: 'Documentation Explorer' }).textContent(), soon)
        .not.toContain('OpenOneRow');
      await context.close();
    });

    test('says that a text is no key, and that headers cannot be sent, without a request', async () => {
      const { context, page } = await openRemote();
      await expect.poll(() => status(page).textContent(), soon).toBe('Type an API key to load the schema.');
      let requests = 0;
      page.on('request', (request) => {
        if (request.method() === 'POST') requests += 1;
      });
      // As word processors write quotes and dashes.
      await page.getByLabel('API key').fill(`\u201c${file.keyOf('ann')}\u201d`);
      await page.keyboard.press('Enter');
      await expect.poll(() => status(page).textContent(), soon).toBe('This key is not valid.');
      await page.getByRole('button', { name: 'Headers', exact: true }).click();
      await page.locator('.graphiql-editor-tool .view-lines:visible').click();
      await page.keyboard.insertText('{"X API KEY": "a"}');
      await edit(page, 'query Mine { __typename }');
      await page.keyboard.press('Control+Enter');
      const result = async () =>
        (await page.locator('.result-window').textContent())?.replaceAll('\u00a0', ' ');
      await expect.poll(result, soon).toContain('headers of this tab');
      expect(await result()).not.toContain('stack');
      await page.getByLabel('API key').fill(file.keyOf('bob'));
      await page.keyboard.press('Enter');
      await expect
        .poll(() => status(page).textContent(), soon)
        .toContain('headers of this tab cannot be sent');
      expect(requests).toBe(0);
      expect(await tabsOf(page).count()).toBe(1);
      await context.close();
    });

    nightly('loads the schema for a key in the headers of a tab, which nothing keeps', async () => {
      const { context, page } = await openRemote();
      await page.getByRole('button', { name: 'Headers', exact: true }).click();
      await page.locator('.graphiql-editor-tool .view-lines:visible').click();
      await page.keyboard.insertText(`{"X-API-KEY": "${file.keyOf('bob')}"}`);
      await loaded(page);
      await edit(page, 'query Bobs { secretTwo { rowCount } }');
      await page.keyboard.press('Control+Enter');
      await page.locator('.result-window').getByText('"rowCount"').waitFor();
      await waitUntilKept(page, 'Bobs');
      const kept = await stored(page);
      expect(kept).toContain('query Bobs');
      expect(kept).not.toContain(file.keyOf('bob'));
      await page.reload();
      await expect.poll(() => editorText(page), soon).toContain('query Bobs');
      await context.close();
    });

    test('two people with a browser in common see neither keys, nor tabs, nor history of the other', async () => {
      const { context, page } = await openRemote();
      const enter = async (name: string) => {
        await page.getByLabel('API key').fill(file.keyOf(name));
        await page.keyboard.press('Enter');
        await loaded(page);
      };
      const run = async (text: string) => {
        await edit(page, text);
        await page.keyboard.press('Control+Enter');
        await page.locator('.result-window').getByText('"data"').waitFor();
        await waitUntilKept(page, /(?:query|subscription) (\w+)/.exec(text)?.[1] ?? '');
      };
      const historyOf = async () => {
        await page.getByRole('button', { name: 'Show History' }).click();
        const text = await page.getByRole('region', { name: 'History' }).textContent();
        await page.getByRole('button', { name: 'Hide History' }).click();
        return text;
      };
      await enter('ann');
      await run('query Anns { openOne { rowCount } }');
      expect(await historyOf()).toContain('Anns');
      await enter('bob');
      expect(await tabsOf(page).allTextContents()).not.toContainEqual(expect.stringContaining('Anns'));
      expect(await historyOf()).not.toContain('Anns');
      expect(await typesOf(page)).toContain('SecretTwoRow');
      await run('query Bobs { secretTwo { rowCount } }');
      await enter('ann');
      await expect.poll(() => editorText(page), soon).toContain('query Anns');
      expect(await historyOf()).not.toContain('Bobs');
      expect(await typesOf(page)).not.toContain('SecretTwo');
      const kept = await stored(page);
      for (const name of ['ann', 'bob']) expect(kept).not.toContain(file.keyOf(name));

      // A reload keeps the key; another window, or another day, does not have it.
      await page.reload();
      await loaded(page);
      await expect.poll(() => editorText(page), soon).toContain('query Anns');
      const other = await context.newPage();
      await other.goto(url);
      await expect.poll(() => status(other).textContent(), soon).toBe('Type an API key to load the schema.');
      expect(await other.getByLabel('API key').inputValue()).toBe('');
      await context.close();
    });

    test('the schema of an earlier key, which comes late, changes nothing', async () => {
      const { context, page } = await openRemote();
      const late = Promise.withResolvers<void>();
      await page.route(url, async (route) => {
        const key = route.request().headers()['x-api-key'];
        if (key === file.keyOf('ann')) await late.promise;
        await route.continue();
      });
      const enter = async (name: string) => {
        await page.getByLabel('API key').fill(file.keyOf(name));
        await page.keyboard.press('Enter');
      };
      await enter('ann');
      expect(await status(page).textContent()).toBe('Loading the schema…');
      await enter('bob');
      await loaded(page);
      const answered = page.waitForResponse(
        (response) => response.request().headers()['x-api-key'] === file.keyOf('ann'),
      );
      late.resolve();
      await (await answered).finished();
      expect(await typesOf(page)).toContain('SecretTwoRow');
      expect(await page.evaluate("sessionStorage.getItem('querygate:key')")).toBe(file.keyOf('bob'));
      await context.close();
    });

    test('when the gateway cannot be reached, the line beside the key says so', async () => {
      const { context, page } = await openRemote();
      await page.route(url, (route) => route.abort());
      await page.getByLabel('API key').fill(file.keyOf('ann'));
      await page.keyboard.press('Enter');
      await expect.poll(() => status(page).textContent(), soon).toBe('The gateway could not be reached.');
      await context.close();
    });

    test('opens the operation in its URL once', async () => {
      const { context, page } = await openRemote();
      await page.goto(`${url}?${new URLSearchParams({ query: 'query Linked { endpoints { name } }' })}`);
      await expect.poll(() => editorText(page), soon).toContain('query Linked');
      expect(page.url()).toBe(url);
      await waitUntilKept(page, 'Linked');
      await page.reload();
      await expect.poll(() => editorText(page), soon).toContain('query Linked');
      const titles = await tabsOf(page).allTextContents();
      expect(titles.filter((title) => title.includes('Linked'))).toHaveLength(1);
      await context.close();
    });
  });
});
