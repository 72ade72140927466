import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { nightly } from '../support/nightly.ts';
// Loaded before the first request, which could otherwise begin to wait after the time has passed.
import '../../src/plugins/live/open-live.ts';
import '../../src/plugins/live/replies/rest-replies.ts';
import { openapi, pages } from '../../src/exports/plugins.ts';
import type { Caller } from '../../src/keys/sources/key-function.ts';
import { axeViolations, screensOf } from '../support/axe.ts';
import { isWithoutBrowser, openBrowser, watchPage } from '../support/browser.ts';
import { type LiveGateway, openLiveGateway, serveGateway } from '../support/live-gateway.ts';
import { queryText } from '../support/queries.ts';
import { apiKey } from '../support/test-app.ts';

const columns = {
  timestamp: '{ type: timestamp, required: true, description: Start of the bucket. }',
  count: '{ type: integer, required: true, description: How many. }',
  note: '{ type: string, description: A text. }',
};

const counts = queryText({
  name: 'counts',
  columns,
  parameters: { zone: '{ type: string, description: Of what. }' },
  caching: ['caching: 60s', 'live: 5s', 'key: [timestamp]'],
  sql: 'select @zone',
});

const queries = {
  'counts.sql': counts,
  'places.sql': queryText({
    name: 'places',
    columns,
    caching: ['caching: 60s', 'cache_warming: 30s'],
    sql: 'select 1',
  }),
  'plain.sql': queryText({ name: 'plain', columns, caching: ['caching: 60s'], sql: 'select 1' }),
};

const hour = 3_600_000_000;
const row = (at: number, count: number, note = `note ${at}`) => ({
  timestamp: Date.UTC(2026, 0, 1) * 1000 + at * hour,
  count,
  note,
});
/** Notes the states of the connection, and lets marks of changes stay until the test ends them: it may be slow. */
const watchStates = `
  window.states = [];
  window.endMarks = [];
  const realTimeout = window.setTimeout;
  window.setTimeout = (run, ms, ...others) =>
    ms === 2500 ? window.endMarks.push(run) : realTimeout.call(window, run, ms, ...others);
  new MutationObserver(() => {
    const text = document.querySelector('.live [role=status]')?.textContent ?? '';
    if (text !== window.states.at(-1)) window.states.push(text);
  }).observe(document, { childList: true, characterData: true, subtree: true });
`;

/** A table that has to be scrolled. */
const first = Array.from({ length: 60 }, (_, at) => row(at, at + 1));

describe.skipIf(isWithoutBrowser)('a page that follows its result', () => {
  let browser: Browser;
  let live: LiveGateway;
  let served: Awaited<ReturnType<typeof serveGateway>>;
  let origin: string;
  let caller: Caller | undefined;
  let time: ReturnType<typeof passTime>;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser?.close());
  beforeEach(async () => {
    caller = { id: 'ann' };
    live = await openLiveGateway({ queries, keys: () => caller, plugins: [openapi(), pages()] });
    setRows(first);
    served = await serveGateway(live.gateway);
    time = passTime();
    origin = `http://127.0.0.1:${served.port}`;
  });
  afterEach(async () => {
    await time.stop();
    await served.close();
    await live.close();
  });

  const setRows = (rows: readonly object[]) => live.setRows(rows.map((one) => JSON.stringify(one)));

  /** The gateway's time passes faster than that of the page. */
  function passTime() {
    let isStopped = false;
    const passing = (async () => {
      while (!isStopped) {
        await live.clock.pass(250);
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    })();
    return {
      async stop() {
        isStopped = true;
        await passing;
      },
    };
  }

  async function open(path: string, options: Parameters<Browser['newPage']>[0] = {}): Promise<Page> {
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, ...options });
    await page.addInitScript(watchStates);
    await page.addInitScript(`sessionStorage.setItem('querygate:key', '${apiKey}')`);
    await page.goto(origin + path);
    await page.locator('.plot svg').waitFor();
    return page;
  }
  const passedState = (page: Page, pattern: RegExp) =>
    expect
      .poll(async () =>
        ((await page.evaluate('window.states')) as string[]).some((text) => pattern.test(text)),
      )
      .toBe(true);
  const endMarks = (page: Page) => page.evaluate('for (const end of window.endMarks.splice(0)) end()');
  const liveSwitch = (page: Page) => page.getByRole('switch', { name: /^Live/ });
  const state = (page: Page) => page.locator('.live [role=status]');
  async function openLive(options: Parameters<Browser['newPage']>[0] = {}): Promise<Page> {
    const page = await open('/queries/counts', options);
    await liveSwitch(page).check();
    await state(page).filter({ hasText: 'Connected.' }).waitFor();
    return page;
  }
  const ends = () => live.logged.flatMap(({ msg, end }) => (msg === 'request' && end ? [end] : []));
  const setHidden = (page: Page, isHidden: boolean) =>
    page.evaluate(
      `Object.defineProperty(document, 'hidden', { value: ${isHidden}, configurable: true }); document.dispatchEvent(new Event('visibilitychange'))`,
    );

  test('has a switch where the query can be followed, and nowhere else', async () => {
    const page = await open('/queries/plain');
    expect(await liveSwitch(page).count()).toBe(0);
    await page.goto(`${origin}/queries/places`);
    await page.getByText('Live: within 30 s').waitFor();
    expect(await page.getByLabel(/Refresh every/).isVisible()).toBe(true);
    await liveSwitch(page).check();
    await state(page).filter({ hasText: 'Connected.' }).waitFor();
    expect(await page.getByLabel(/Refresh every/).isVisible()).toBe(false);
    await liveSwitch(page).uncheck();
    expect(await page.getByLabel(/Refresh every/).isVisible()).toBe(true);
    expect(await state(page).textContent()).toBe('');
    await expect.poll(ends).toEqual(['CLIENT']);
    await page.close();
  });

  test('changes the cells that are others, and leaves place, focus and selection as they are', async () => {
    const page = await openLive();
    const { errors } = await watchPage(page, origin);
    const rows = page.locator('.rows tbody tr');
    await page.evaluate(`
      document.querySelector('.rows').scrollTop = 600;
      window.rowsBefore = [...document.querySelectorAll('.rows tbody tr')];
      window.drawn = document.querySelector('.plot');
      getSelection().selectAllChildren(window.rowsBefore[30].cells[2]);
      document.querySelector('#chart-point').focus();
    `);
    await page.keyboard.press('Home');
    const placeOf = (at: number) => rows.nth(at).evaluate((one) => one.getBoundingClientRect().top);
    const [place, chart] = [await placeOf(30), await page.locator('.plot').boundingBox()];
    // The first is gone, one is other, one is new.
    const next = [
      ...first.slice(1).map((one, at) => (at === 29 ? { ...one, count: 4711 } : one)),
      row(60, 61),
    ];
    setRows([row(-2, 7), row(-1, 8), ...next]);
    await page.getByText('62 rows.').waitFor();
    await page.getByRole('cell', { name: '4,711' }).waitFor();
    expect(await page.locator('td.changed').allTextContents()).toEqual(['4,711']);
    expect(await page.locator('tr.changed').count()).toBe(3);
    expect(
      await page.evaluate(`[
        window.rowsBefore.filter((one) => one.isConnected).length,
        getSelection().toString(),
        document.activeElement.id,
        document.querySelector('#chart-point').getAttribute('aria-valuetext').slice(0, 13),
        window.drawn === document.querySelector('.plot'),
      ]`),
    ).toEqual([59, 'note 30', 'chart-point', '2026-01-01 00', true]);
    // Row 30 is now the 32nd, at the same place of the screen.
    expect(await placeOf(31)).toBeCloseTo(place, 0);
    expect(await page.locator('.plot').boundingBox()).toEqual(chart);
    await endMarks(page);
    expect(await page.locator('.changed').count()).toBe(0);
    expect(errors).toEqual([]);
    await page.close();
  });

  test('keeps the order that was chosen, what is opened, and says no change aloud', async () => {
    setRows(first.map((one) => ({ ...one, note: 'x'.repeat(300) })));
    const page = await openLive();
    await page.getByRole('columnheader', { name: 'count' }).getByRole('button').click();
    await page.getByRole('columnheader', { name: 'count' }).getByRole('button').click();
    const top = page.locator('.rows tbody tr').first();
    await top.locator('summary').click();
    await top.locator('summary').focus();
    setRows([
      row(0, 1000, 'y'.repeat(300)),
      ...first.slice(1).map((one) => ({ ...one, note: 'x'.repeat(300) })),
    ]);
    await expect.poll(() => top.locator('td').nth(1).textContent()).toBe('1,000');
    // The row that was at the top is the second one, still open and with the focus.
    const second = page.locator('.rows tbody tr').nth(1);
    expect(await second.locator('.whole').isVisible()).toBe(true);
    expect(await second.evaluate((one) => one.contains(document.activeElement))).toBe(true);
    expect(await page.locator('.rows caption').getAttribute('aria-live')).toBe('off');
    expect(await page.locator('#result > .row > [role=status]').getAttribute('aria-live')).toBe('off');
    await page.close();
  });

  test('shows rows that come and go', async () => {
    setRows([]);
    const page = await browser.newPage();
    await page.addInitScript(`sessionStorage.setItem('querygate:key', '${apiKey}')`);
    await page.goto(`${origin}/queries/counts`);
    await page.getByText('The query has found nothing.').waitFor();
    await liveSwitch(page).check();
    await state(page).filter({ hasText: 'Connected.' }).waitFor();
    setRows(first);
    await page.locator('.plot svg').waitFor();
    expect(await page.locator('.rows tbody tr').count()).toBe(60);
    setRows([]);
    await page.getByText('The query has found nothing.').waitFor();
    expect(await page.locator('.rows').isVisible()).toBe(false);
    await page.close();
  });

  test('connects again after the connection was lost, and has missed nothing', async () => {
    const page = await openLive();
    served.server.closeAllConnections();
    await passedState(page, /^The connection was lost\. Connecting again in 1 s\.$/);
    setRows([row(0, 99), ...first.slice(1)]);
    await state(page).filter({ hasText: 'Connected.' }).waitFor();
    await page.getByRole('cell', { name: '99', exact: true }).waitFor();
    expect(await page.locator('td.changed').allTextContents()).toEqual(['99']);
    await page.close();
  });

  test('waits as long as the gateway says when it ends', async () => {
    const page = await openLive();
    await live.gateway.close();
    await passedState(page, /^The gateway is ending\. Connecting again in [1-5] s\.$/);
    expect(await liveSwitch(page).isChecked()).toBe(true);
    await page.close();
  });

  test('pauses while it is hidden', async () => {
    const page = await openLive();
    await setHidden(page, true);
    await state(page).filter({ hasText: 'Paused while this page is hidden.' }).waitFor();
    await expect.poll(ends).toEqual(['CLIENT']);
    setRows([row(0, 99), ...first.slice(1)]);
    expect(await page.getByRole('cell', { name: '99', exact: true }).count()).toBe(0);
    await setHidden(page, false);
    await state(page).filter({ hasText: 'Connected.' }).waitFor();
    await page.getByRole('cell', { name: '99', exact: true }).waitFor();
    await page.close();
  });

  test('ends with a key that is revoked, and with a query that is changed', async () => {
    const page = await openLive();
    caller = undefined;
    await state(page)
      .filter({ hasText: 'Ended: the key does not permit this any more (KEY_REVOKED).' })
      .waitFor();
    expect(await liveSwitch(page).isChecked()).toBe(false);
    expect(await page.locator('.rows tbody tr').count()).toBe(60);
    caller = { id: 'ann' };
    await liveSwitch(page).check();
    await state(page).filter({ hasText: 'Connected.' }).waitFor();
    await live.setQueries({ ...queries, 'counts.sql': `${counts}-- other\n` });
    await state(page).filter({ hasText: '(QUERY_CHANGED)' }).waitFor();
    await page.close();
  });

  nightly('says that the engine fails, and goes on', async () => {
    const page = await openLive();
    live.engine.failing = true;
    await page.getByRole('alert').filter({ hasText: 'The rows are those of before.' }).waitFor();
    live.engine.failing = false;
    setRows([row(0, 99), ...first.slice(1)]);
    await page.getByRole('cell', { name: '99', exact: true }).waitFor();
    expect(await page.getByRole('alert').filter({ hasText: 'those of before' }).count()).toBe(0);
    await page.close();
  });

  test('ends when the parameters are others, or another page is opened', async () => {
    const page = await openLive();
    await page.getByLabel('zone').fill('north');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await state(page).filter({ hasText: 'Ended: the parameters are others.' }).waitFor();
    await expect.poll(ends).toEqual(['CLIENT']);
    await liveSwitch(page).check();
    await state(page).filter({ hasText: 'Connected.' }).waitFor();
    // The same again: it goes on.
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await expect.poll(ends).toEqual(['CLIENT', 'CLIENT']);
    await state(page).filter({ hasText: 'Connected.' }).waitFor();
    await page.getByRole('link', { name: 'Queries' }).click();
    await page.getByRole('link', { name: 'plain' }).waitFor();
    await expect.poll(ends).toEqual(['CLIENT', 'CLIENT', 'CLIENT']);
    await page.close();
  });

  nightly('takes no more memory after many changes', async () => {
    const page = await openLive();
    const session = await page.context().newCDPSession(page);
    const heap = async () => {
      await session.send('HeapProfiler.collectGarbage');
      const { usedSize } = await session.send('Runtime.getHeapUsage');
      return usedSize;
    };
    const changeTimes = async (times: number, start: number) => {
      for (let at = start; at < start + times; at += 1) {
        setRows(first.map((one) => ({ ...one, count: at, note: `${at}`.repeat(50) })));
        await page.locator('.rows tbody td:nth-child(2)').getByText(at.toLocaleString('en')).last().waitFor();
      }
      await endMarks(page);
    };
    await changeTimes(10, 1000);
    const before = await heap();
    await changeTimes(60, 2000);
    const after = await heap();
    expect(after - before).toBeLessThan(500_000);
    await page.close();
  });

  test('marks changes without a movement for people who want none', async () => {
    const page = await openLive({ reducedMotion: 'reduce' });
    const styleOf = async () => {
      const cell = page.locator('td.changed').first();
      await cell.waitFor();
      return cell.evaluate((one) => [
        getComputedStyle(one).animationName,
        getComputedStyle(one).backgroundColor,
      ]);
    };
    setRows([row(0, 99), ...first.slice(1)]);
    const [animation, background] = await styleOf();
    expect(animation).toBe('none');
    expect(background).not.toBe('rgba(0, 0, 0, 0)');
    await endMarks(page);
    await page.emulateMedia({ reducedMotion: 'no-preference' });
    setRows([row(0, 100), ...first.slice(1)]);
    expect((await styleOf())[0]).toBe('changed');
    await page.close();
  });

  test.each(screensOf(390, 1280))(
    'has nothing that axe finds at $width px, $colorScheme',
    async ({ width, colorScheme }) => {
      // The colors of a mark that fades are none that could be measured.
      const options = { viewport: { width, height: 900 }, colorScheme, reducedMotion: 'reduce' } as const;
      const page = await openLive(options);
      const shoot = async (name: string) => {
        if (process.env.SCREENSHOTS_OF_STATES !== undefined)
          await page.screenshot({
            path: `${process.env.SCREENSHOTS_OF_STATES}/${name}-${width}-${colorScheme}.png`,
            fullPage: true,
          });
      };
      expect(await axeViolations(page)).toEqual([]);
      // Longer than a mark takes.
      await page.evaluate('window.setTimeout = (run, ms) => ms === 2500 ? 0 : setInterval(run, ms)');
      setRows([row(0, 99), { timestamp: row(1, 0).timestamp, count: 5 }, ...first.slice(2), row(60, 61)]);
      await page.locator('td.changed').first().waitFor();
      await shoot('live');
      expect(await axeViolations(page)).toEqual([]);
      await setHidden(page, true);
      await state(page).filter({ hasText: 'Paused' }).waitFor();
      expect(await axeViolations(page)).toEqual([]);
      await setHidden(page, false);
      await state(page).filter({ hasText: 'Connected.' }).waitFor();
      await live.gateway.close();
      await passedState(page, /^The gateway is ending/);
      await shoot('ending');
      expect(await axeViolations(page)).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
      await page.close();
    },
  );
});
