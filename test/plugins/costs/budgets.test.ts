import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readConfig } from '../../../src/config.ts';
import { budgetSchema, parseBudget, toBudget } from '../../../src/config/budget.ts';
import { parseSavedQuery } from '../../../src/catalog/header/parse-saved-query.ts';
import { redis } from '../../../src/gateway/redis.ts';
import { parseKeys } from '../../../src/keys/file/parse-keys.ts';
import { readClaims } from '../../../src/keys/jwt/claims.ts';
import { buildPeriodOf, limitsOf } from '../../../src/plugins/costs/budgets/limits.ts';
import { SharedLedger } from '../../../src/plugins/costs/budgets/shared-ledger.ts';
import { mostBilled } from '../../../src/plugins/costs/rounding.ts';
import {
  type Bill,
  type Billing,
  closedAfterEach,
  openBillingApp,
  parameterOf,
  startBilling,
} from '../../support/billing-app.ts';
import { eventually } from '../../support/eventually.ts';
import { writeKeyFile } from '../../support/key-files.ts';
import { queryText } from '../../support/queries.ts';
import { hasRedis, redisServer } from '../../support/redis-server.ts';
import { apiKey, type TestApp } from '../../support/test-app.ts';

const megabyte = 2 ** 20;

let bill: Bill;
let billing: Billing;
let folder: string;
beforeEach(async () => {
  bill = { bytes: 40 * megabyte };
  billing = await startBilling(() => bill);
  folder = mkdtempSync(join(tmpdir(), 'querygate-test-'));
});
afterEach(() => rmSync(folder, { recursive: true }));
// Vitest calls the last one first.
const { opened, closeAll } = closedAfterEach(() => billing);

const call = (app: TestApp, project: string, key = apiKey, headers = {}) =>
  app.fetch(`/api/endpoints/query/numbers?project=${project}`, { headers: { 'x-api-key': key, ...headers } });

const runs = () => billing.bodies.filter(({ dryRun }) => dryRun !== true);

const budget = (text: string) => ({ header: [`budget: ${text}`] });
const cached = { caching: ['caching: 600s'] };

describe('a budget of a query', () => {
  test('refuses runs, and nothing that is cached, with what was spent and when it is renewed', async () => {
    const numbers = { ...cached, ...budget('{ bytes_per_day: 100MB }') };
    const app = await opened(openBillingApp(billing, { numbers, others: cached }));
    for (const project of ['a', 'b', 'a']) expect((await call(app, project)).status).toBe(200);
    const refused = await call(app, 'c');
    expect(refused.status).toBe(429);
    const { error } = (await refused.json()) as { error: { code: string; message: string } };
    expect(error.code).toBe('BUDGET_EXCEEDED');
    expect(error.message).toMatch(
      /^The budget bytes_per_day of this query does not allow this query: 83886080 bytes of 100000000 bytes are spent; it is renewed at (?<at>2026-03-11T00:\d\d:\d\dZ)$/,
    );
    const renewal = Date.parse(/renewed at (.*)$/.exec(error.message)?.[1] ?? '');
    const seconds = (renewal - Date.parse('2026-03-10T12:34:56.789Z')) / 1_000;
    expect(Math.abs(Number(refused.headers.get('retry-after')) - seconds)).toBeLessThan(2);
    for (const project of ['a', 'b'])
      expect((await call(app, project)).headers.get('cache-status')).toContain('hit');
    expect((await app.fetch('/api/endpoints/query/others?project=c')).status).toBe(200);
    expect(billing.sum()).toBe(120 * megabyte);
    const answer = await app.fetch('/graphql', {
      method: 'POST',
      headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
      body: JSON.stringify({ query: '{ numbers(project: "d") { rowCount } }' }),
    });
    expect(await answer.json()).toMatchObject({ errors: [{ extensions: { code: 'BUDGET_EXCEEDED' } }] });
    const metrics = await (await app.fetch('/metrics')).text();
    expect(metrics).toContain('querygate_budget_refusals_total{payer="query"} 2');
    expect(metrics).toMatch(
      /querygate_budget_used_ratio\{payer="query",endpoint="numbers",limit="bytes_per_day"\} 0\.83/,
    );
  });

  test('limits each run to what is left', async () => {
    const app = await opened(openBillingApp(billing, { numbers: budget('{ bytes_per_day: 100MB }') }));
    await call(app, 'a');
    await call(app, 'b');
    expect(runs().map(({ maximumBytesBilled }) => maximumBytesBilled)).toEqual([
      '100000000',
      String(100_000_000 - 40 * megabyte),
    ]);
  });

  test('an estimate that is 45 % too high refuses nobody whose bills fit', async () => {
    bill = { bytes: 40 * megabyte, estimate: 58 * megabyte, ms: 20 };
    const app = await opened(
      openBillingApp(billing, { numbers: budget('{ bytes_per_day: 400MiB }') }, { ENGINE_CONCURRENCY: '16' }),
    );
    const statuses = await Promise.all(
      Array.from({ length: 10 }, (_, at) => call(app, `p${at}`).then(({ status }) => status)),
    );
    expect(statuses).toEqual(Array(10).fill(200));
    expect(billing.sum()).toBe(400 * megabyte);
    expect((await call(app, 'more')).status).toBe(429);
    expect(billing.sum()).toBe(400 * megabyte);
  });

  test('a run of a query over two tables reserves the least bytes of both; over a wildcard, all that is left', async () => {
    bill = { bytes: 20 * megabyte, estimate: 1, ms: 100 };
    const header = ['budget: { bytes_per_day: 35MiB }'];
    const sql =
      'select x from numbers join more using (x) where numbers.project = @project and more.project = @project';
    const wild = "select x from `numbers_*` where project = @project and _table_suffix > '1'";
    const app = await opened(
      openBillingApp(billing, { numbers: { sql, header }, wild: { sql: wild, header } }),
    );
    const pair = (name: string) =>
      Promise.all(['a', 'b'].map((project) => app.fetch(`/api/endpoints/query/${name}?project=${project}`)));
    expect((await pair('numbers')).map(({ status }) => status)).toEqual([200, 200]);
    expect(runs().map(({ maximumBytesBilled }) => Number(maximumBytesBilled) / megabyte)).toEqual([35, 20]);
    billing.bodies.splice(0);
    bill = { bytes: 15 * megabyte, estimate: 1, ms: 100 };
    const twice = pair('wild');
    await eventually(() => expect(runs()).toHaveLength(1));
    expect((await twice).map(({ status }) => status)).toEqual([200, 200]);
    expect(runs().map(({ maximumBytesBilled }) => Number(maximumBytesBilled) / megabyte)).toEqual([35, 20]);
  });

  test('a bucket says when it holds enough, and a run that waited for others that they have to end', async () => {
    bill = { bytes: 90 * megabyte };
    let now = Date.parse('2026-03-10T12:00:00Z');
    const app = await opened(
      openBillingApp(billing, { numbers: budget('{ rate: 100MiB/h }') }, {}, { clock: () => new Date(now) }),
    );
    expect((await call(app, 'a')).status).toBe(200);
    const large = await call(app, 'b');
    expect([large.status, large.headers.get('retry-after')]).toEqual([429, '2880']);
    now += 2_881_000;
    expect((await call(app, 'b')).status).toBe(200);
  });

  test('a refresh whose bills fit is made, also if its estimate does not', async () => {
    bill = { bytes: 10 * megabyte, estimate: 300 * megabyte };
    const numbers = { caching: ['caching: 60s', 'cache_warming: 1s'], ...budget('{ bytes_per_day: 100MB }') };
    const app = await opened(openBillingApp(billing, { numbers }, {}, { clock: () => new Date() }));
    bill = { bytes: 10 * megabyte };
    await call(app, 'a');
    bill = { bytes: 10 * megabyte, estimate: 300 * megabyte };
    await eventually(() => expect(billing.billed).toHaveLength(3));
  });

  test('a caller gets stale rows if the query allows it', async () => {
    const numbers = {
      caching: ['caching: 1s', 'stale_if_error: 600s'],
      ...budget('{ bytes_per_day: 40MB }'),
    };
    let now = Date.parse('2026-03-10T12:00:00Z');
    const app = await opened(openBillingApp(billing, { numbers }, {}, { clock: () => new Date(now) }));
    expect((await call(app, 'a')).status).toBe(200);
    now += 5_000;
    const stale = await call(app, 'a');
    expect([stale.status, stale.headers.get('cache-status')]).toEqual([
      200,
      expect.stringContaining('stale'),
    ]);
    expect((await call(app, 'b')).status).toBe(429);
    now += 86_400_000;
    expect((await call(app, 'b')).status).toBe(200);
  });

  test('of slot time is spent by slot time', async () => {
    bill = { bytes: megabyte, slotMs: 40_000 };
    const app = await opened(openBillingApp(billing, { numbers: budget('{ slot_time_per_day: 1m }') }));
    const statuses = [];
    for (const project of ['a', 'b', 'c']) statuses.push((await call(app, project)).status);
    expect(statuses).toEqual([200, 200, 429]);
    expect(runs()[0]).not.toHaveProperty('maximumBytesBilled');
    expect(billing.bodies).toHaveLength(2);
  });

  test('that only tracks refuses nothing', async () => {
    const app = await opened(
      openBillingApp(billing, { numbers: budget('{ bytes_per_day: 10MB, tracking: true }') }),
    );
    for (const project of ['a', 'b', 'c']) expect((await call(app, project)).status).toBe(200);
    expect(await (await app.fetch('/metrics')).text()).toMatch(
      /querygate_budget_used_ratio\{payer="query",.*\} 12\.5/,
    );
  });

  test('stretches refreshes when it is nearly spent, and stops them before callers', async () => {
    bill = { bytes: 10 * megabyte };
    const numbers = { caching: ['caching: 60s', 'cache_warming: 1s'], ...budget('{ bytes_per_day: 35MB }') };
    const app = await opened(openBillingApp(billing, { numbers }, {}, { clock: () => new Date() }));
    await call(app, 'a');
    await eventually(() => expect(billing.billed).toHaveLength(3));
    const hit = await eventually(async () => {
      const answer = await call(app, 'a');
      expect(answer.headers.get('querygate-budget')).toBe('refreshes=stretched');
      return answer;
    });
    expect(hit.value.status).toBe(200);
    const metrics = await (await app.fetch('/metrics')).text();
    expect(metrics).toContain('querygate_budget_stretched{endpoint="numbers"} 1');
    await eventually(async () =>
      expect(await (await app.fetch('/metrics')).text()).toContain(
        'querygate_budget_refusals_total{payer="query"} 1',
      ),
    );
    expect(billing.billed).toHaveLength(3);
    bill = { bytes: 2 * megabyte, estimate: 3 * megabyte };
    expect((await call(app, 'a')).headers.get('cache-status')).toContain('hit');
  });

  test('of a run that never started, or that BigQuery refused, nothing is spent', async () => {
    const app = await opened(openBillingApp(billing, { numbers: budget('{ bytes_per_day: 100MB }') }));
    bill = { bytes: 150 * megabyte };
    const refused = await call(app, 'a');
    expect([refused.status, billing.sum()]).toEqual([429, 0]);
    bill = { bytes: 90 * megabyte };
    expect((await call(app, 'a')).status).toBe(200);
  });
});

describe('budgets of others', () => {
  test('a caller who joined the run of one whose budget is spent gets a run of its own', async () => {
    const keys = writeKeyFile({ poor: { budget: { bytes_per_day: '40MB' } }, rich: {} });
    const app = await opened(openBillingApp(billing, { numbers: cached }, { API_KEYS_FILE: keys.path }));
    expect((await call(app, 'a', keys.keyOf('poor'))).status).toBe(200);
    const both = await Promise.all([call(app, 'b', keys.keyOf('poor')), call(app, 'b', keys.keyOf('rich'))]);
    expect(both.map(({ status }) => status)).toEqual([429, 200]);
    expect((await call(app, 'b', keys.keyOf('poor'))).status).toBe(200);
    keys.remove();
  });

  test.each(['gateway', 'key', 'query'] as const)(
    'equal callers whose run that of a %s refuses share the refusal',
    async (payer) => {
      const keys = writeKeyFile({
        poor: payer === 'key' ? { budget: { bytes_per_day: '50MB' } } : {},
        rich: {},
      });
      const numbers = { ...cached, ...(payer === 'query' ? budget('{ bytes_per_day: 50MB }') : {}) };
      const env = { API_KEYS_FILE: keys.path, ...(payer === 'gateway' && { BUDGET: 'bytes_per_day: 50MB' }) };
      const app = await opened(openBillingApp(billing, { numbers }, env));
      bill = { bytes: 40 * megabyte, ms: 300 };
      const first = call(app, 'a', keys.keyOf('poor'));
      await eventually(() => expect(runs()).toHaveLength(1));
      const callers = [...Array(5).fill('poor'), 'rich'].map((name) => call(app, 'b', keys.keyOf(name)));
      const statuses = (await Promise.all(callers)).map(({ status }) => status);
      expect([...statuses, (await first).status]).toEqual([
        ...Array(5).fill(429),
        payer === 'key' ? 200 : 429,
        200,
      ]);
      expect(await (await app.fetch('/metrics')).text()).toContain(
        `querygate_budget_refusals_total{payer="${payer}"} 1\n`,
      );
      keys.remove();
    },
  );

  test('that of the gateway holds for all, also after a start, as the accounts say', async () => {
    const env = { BUDGET: 'bytes_per_day: 100MB', ACCOUNTS_FILE: join(folder, 'accounts.json') };
    const first = await openBillingApp(billing, { numbers: {} }, env);
    for (const project of ['a', 'b']) expect((await call(first, project)).status).toBe(200);
    await first.close();
    bill = { bytes: 10 * megabyte };
    const second = await opened(openBillingApp(billing, { numbers: {} }, env));
    expect((await call(second, 'c')).status).toBe(200);
    expect((await call(second, 'd')).status).toBe(429);
  });

  test('a bucket is full after a start, whatever was spent earlier in the day', async () => {
    bill = { bytes: 50 * megabyte };
    const env = { BUDGET: 'rate: 100MiB/h', ACCOUNTS_FILE: join(folder, 'accounts.json') };
    let now = Date.parse('2026-03-10T02:00:00Z');
    const open = () => openBillingApp(billing, { numbers: {} }, env, { clock: () => new Date(now) });
    const first = await open();
    for (let at = 0; at < 4; at += 1, now += 3_600_000)
      expect((await call(first, `p${at}`)).status).toBe(200);
    await first.close();
    expect((await call(await opened(open()), 'a')).status).toBe(200);
  });

  test.skipIf(!hasRedis)('gateways on one Redis are at most one query over', async () => {
    const server = await redisServer();
    await server.start();
    bill = { bytes: 40 * megabyte, estimate: 58 * megabyte, ms: 30 };
    const env = { CACHE_URL: server.url, BUDGET: 'bytes_per_day: 1000MiB', ENGINE_CONCURRENCY: '16' };
    const apps = await Promise.all(
      [0, 1, 2].map(() => opened(openBillingApp(billing, { numbers: {} }, env))),
    );
    const statuses = await Promise.all(
      Array.from({ length: 60 }, async (_, at) => {
        const app = apps[at % 3];
        return app === undefined ? 0 : (await call(app, `p${at}`)).status;
      }),
    );
    expect(statuses.filter((status) => status === 200)).toHaveLength(25);
    expect(statuses.filter((status) => status === 429)).toHaveLength(35);
    expect(billing.sum()).toBe(1000 * megabyte);
    await closeAll();
    await server.close();
  });

  test.skipIf(!hasRedis)('a bill that another gateway corrects leaves room here, too', async () => {
    const server = await redisServer();
    await server.start();
    let now = Date.now();
    const app = await opened(
      openBillingApp(
        billing,
        { numbers: budget('{ bytes_per_day: 100MB }') },
        { CACHE_URL: server.url },
        { clock: () => new Date(now) },
      ),
    );
    const state = await redis({ url: server.url }).openState('a test', pino({ enabled: false }));
    await state.ready;
    const other = new SharedLedger({ state, keepMs: 60_000, periodOf: buildPeriodOf('UTC') });
    const limits = limitsOf('query', 'numbers', toBudget({ bytes_per_day: '100MB', tracking: false }));
    const demands = limits.map((limit) => ({ limit, worst: 70e6, likely: 70e6, assumed: 70e6, whole: 0 }));
    expect((await call(app, 'a')).status).toBe(200);
    await other.settle('left', demands, [70e6], Date.now());
    // The second one, and those of the next seconds, need nothing from Redis.
    expect([(await call(app, 'b')).status, (await call(app, 'b')).status]).toEqual([429, 429]);
    await other.settle('left', demands, [-70e6], Date.now());
    expect((await call(app, 'b')).status).toBe(429);
    now += 6_000;
    expect((await call(app, 'b')).status).toBe(200);
    await closeAll();
    await state.close();
    await server.close();
  });

  test('BigQuery runs a query in its reservation, else in that of the settings', async () => {
    const name = (last: string) => `projects/p/locations/EU/reservations/${last}`;
    const others = { header: [`reservation: ${name('own')}`] };
    const app = await opened(
      openBillingApp(billing, { numbers: {}, others }, { BIGQUERY_RESERVATION: name('all') }),
    );
    await call(app, 'a');
    await app.fetch('/api/endpoints/query/others?project=a');
    expect(runs().map(({ reservation }) => reservation)).toEqual([name('all'), name('own')]);
  });
});

describe('bad budgets', () => {
  const wrong = [
    '{ bytes_per_day: 100 }',
    '{ bytes_per_day: -1MB }',
    '{ bytes_per_day: 0MB }',
    '{ bytes_per_day: 2h }',
    '{ bytes_per_day: 1e9GB }',
    '{ bytes_per_month: 1GB }',
    '{ slot_time_per_day: 1GB }',
    '{ rate: 1GB }',
    '{ rate: 1GB/y }',
    '{ rate: 1GB/h, burst: 1h }',
    '{ burst: 1GB }',
    '{ rate: 1B/d, burst: 100GB }',
    '{ tracking: true }',
    '{}',
    '100MB',
  ];
  const draft = (text: string) =>
    queryText({ columns: { x: 'integer' }, sql: 'select 1 as x' }).replace(
      'columns:',
      `budget: ${text}\ncolumns:`,
    );

  test.each(wrong)('%s in a header is a problem of the query', (text) => {
    const { query, problems } = parseSavedQuery('draft', 'draft.sql', draft(text));
    expect(query).toBeUndefined();
    expect(problems[0]?.message).toMatch(/^budget/);
  });

  test.each(wrong)('%s is a problem of the key file, and of a token', (text) => {
    const file = `keys:\n  - id: 7k2m9q4x\n    name: one\n    sha256: "${'0'.repeat(64)}"\n    budget: ${text}\ncount: 1\n`;
    expect(parseKeys('keys.yaml', file).problems[0]?.message).toMatch(/^keys\.0\.budget/);
    const claims = { tenants: 'tenants', endpoints: 'endpoints', rate: 'rate', permissions: 'permissions' };
    const payload = { tenants: ['a'], budget: text.includes(':') ? { [text]: 1 } : text };
    expect(readClaims(payload, { claims, allowsWithoutTenants: false })).toEqual({
      problem: 'the claim budget has a wrong value',
    });
  });

  test.each([
    ...wrong.filter((text) => text !== '{ tracking: true }'),
    'bytes_per_day: 1GB, bytes_per_day: 2GB',
    'tracking: yes',
    ...['on', 'yes', 'True', 'FALSE', '1', ''].map((value) => `bytes_per_day: 1GB, tracking: ${value}`),
  ])('%s stops the start', (text) => {
    expect(() => readConfig({ BUDGET: text })).toThrow(
      /BUDGET: got .*; must be limits, as in bytes_per_day: 1TB/,
    );
  });

  test.each([
    ['bytes_per_day: 1TB, x: 2', 'unknown: x'],
    [
      'bytes_per_day: 100mb',
      'bytes_per_day: must be a size, as in 100MB: .*, in upper and lower case as here',
    ],
    ['rate: 1MB/d, burst: 400GB', 'burst: must be filled by rate within 1,000 years'],
    ['rate: 10XB/h, burst: 1KB', 'rate: must be an amount[^;]*'],
  ])('%s stops the start with its cause', (text, cause) => {
    expect(() => readConfig({ BUDGET: text })).toThrow(new RegExp(`burst: 1TB \\(${cause}\\)`));
  });

  test('a setting has limits with or without brackets, and a token the same as a header', () => {
    const given = { bytes_per_day: '1GB', rate: '10 GB/h', burst: '20GB' };
    const made = toBudget(budgetSchema.parse(given));
    expect(parseBudget('{ bytes_per_day: 1GB, rate: 10 GB/h, burst: 20GB }')).toEqual(made);
    expect(parseBudget('bytes_per_day: 1GB,rate: 10 GB/h,burst: 20GB')).toEqual(made);
    expect(made.limits.map(({ amount }) => amount)).toEqual([1e9, 20e9]);
    expect(parseBudget('rate: 1GB/d, burst: 10TB')).toBeDefined();
    for (const isTracking of [true, false])
      expect(parseBudget(`bytes_per_day: 1GB, tracking: ${isTracking}`)).toMatchObject({ isTracking });
    const claims = { tenants: 'tenants', endpoints: 'endpoints', rate: 'rate', permissions: 'permissions' };
    const read = readClaims({ tenants: ['a'], budget: given }, { claims, allowsWithoutTenants: false });
    expect(read).toMatchObject({ claims: { budget: made } });
  });

  test('a bill is rounded up for each table, as BigQuery does', () => {
    expect(mostBilled(163_595_928, 1)).toBe(164_626_432);
    expect([mostBilled(0, 1), mostBilled(1, 1), mostBilled(1, 3)]).toEqual([0, 10 * megabyte, 30 * megabyte]);
  });
});

test('a caller of the key that waits for its budget and leaves has spent nothing', async () => {
  bill = { bytes: 40 * megabyte, ms: 300 };
  const app = await opened(openBillingApp(billing, { numbers: budget('{ bytes_per_day: 50MB }') }));
  const first = call(app, 'a');
  await eventually(() => expect(runs()).toHaveLength(1));
  const leaving = new AbortController();
  const second = app.fetch('/api/endpoints/query/numbers?project=b', {
    headers: { 'x-api-key': apiKey },
    signal: leaving.signal,
  });
  leaving.abort();
  await Promise.allSettled([first, second]);
  expect(billing.billed).toHaveLength(1);
  expect(parameterOf(runs()[0] ?? {}, 'project')).toBe('a');
});
