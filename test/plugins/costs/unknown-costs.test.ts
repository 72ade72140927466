import { beforeEach, describe, expect, test } from 'vitest';
import {
  type Bill,
  type Billing,
  type BillingQuery,
  closedAfterEach,
  openBillingApp,
  parameterOf,
  startBilling,
} from '../../support/billing-app.ts';
import { eventually } from '../../support/eventually.ts';
import { completeBody, errorReply, reply } from '../../support/fake-bigquery.ts';
import { atNight } from '../../support/nightly.ts';
import { makeQueryFolder } from '../../support/query-folder.ts';
import { queryText } from '../../support/queries.ts';
import { hasRedis, redisServer } from '../../support/redis-server.ts';
import { apiKey, openTestApp, type TestApp } from '../../support/test-app.ts';

const megabyte = 2 ** 20;

let bill: Bill;
let billing: Billing;
beforeEach(async () => {
  bill = { bytes: 40 * megabyte };
  billing = await startBilling(() => bill);
});
const { opened, closeAll } = closedAfterEach(() => billing);

const headers = { 'x-api-key': apiKey };
const call = (app: TestApp, project: string, name = 'numbers') =>
  app.fetch(`/api/endpoints/query/${name}?project=${project}`, { headers });
const statuses = (apps: readonly TestApp[], count: number) =>
  Promise.all(
    Array.from({ length: count }, async (_, at) => {
      const app = apps[at % apps.length];
      return app === undefined ? 0 : (await call(app, `p${at}`)).status;
    }),
  );
const runs = () => billing.bodies.filter(({ dryRun }) => dryRun !== true);
const numbers = (budget: string, draft: BillingQuery = {}) => ({
  numbers: { ...draft, header: [`budget: ${budget}`, 'batch: off'] },
});
const wild = "select x from `numbers_*` where project = @project and _table_suffix > '1'";
const usedRatio = async (app: TestApp) =>
  Number(/querygate_budget_used_ratio\{payer="query".*\} (\S+)/.exec(await metrics(app))?.[1]);
const metrics = async (app: TestApp) => (await app.fetch('/metrics')).text();

describe('a run that fails without a bill', () => {
  /** BigQuery fails some requests, until `end`. */
  const fail = (isFailing: (isDryRun: boolean) => boolean) => {
    let hasEnded = false;
    billing.fake.respondWith((response, received, at) => {
      const isDryRun = received.body.dryRun === true;
      if (!hasEnded && isFailing(isDryRun)) return errorReply(503, 'backendError')(response, received, at);
      const cost = isDryRun
        ? { totalBytesProcessed: String(bill.bytes) }
        : { totalBytesBilled: String(bill.bytes), totalSlotMs: '30' };
      reply(completeBody([1], cost))(response, received, at);
    });
    return () => {
      hasEnded = true;
    };
  };

  test.each([
    ['all requests', '{ bytes_per_day: 1TB }', undefined, () => true],
    ['runs', '{ bytes_per_day: 1TB }', undefined, (isDryRun: boolean) => !isDryRun],
    ['runs over a wildcard', '{ bytes_per_day: 1TB }', wild, (isDryRun: boolean) => !isDryRun],
    ['runs in slots', '{ slot_time_per_day: 1000h }', undefined, () => true],
  ])(
    'because BigQuery fails %s costs no more than usual, now and later',
    async (_, budget, sql, isFailing) => {
      let now = Date.parse('2026-03-10T12:00:00Z');
      const app = await opened(
        openBillingApp(
          billing,
          numbers(budget, sql === undefined ? {} : { sql }),
          { ENGINE_TIMEOUT_MS: '4000' },
          { clock: () => new Date(now) },
        ),
      );
      const end = fail(isFailing);
      expect((await call(app, 'a')).status).toBe(503);
      expect(await metrics(app)).toContain('querygate_budget_assumed_bills_total 1');
      end();
      for (const [at, project] of ['b', 'c', 'd'].entries()) {
        expect((await call(app, project)).status).toBe(200);
        expect(await usedRatio(app)).toBeLessThan(0.001);
        now += at * 66_000;
      }
    },
  );

  test('because its caller has left is settled again when the bill comes', async () => {
    const leaving = new AbortController();
    const job = { jobComplete: false, jobReference: { projectId: 'our-project', jobId: 'job_1' } };
    const app = await opened(openBillingApp(billing, numbers('{ bytes_per_day: 100MiB }', { sql: wild })));
    billing.fake.respondWith((response, received, at) => {
      const cost = { totalSlotMs: '5', query: { totalBytesBilled: String(50 * megabyte) } };
      if (received.path.startsWith('/jobs/job_1'))
        return reply({ status: { state: 'DONE' }, statistics: cost })(response, received, at);
      if (received.body.dryRun === true) return errorReply(400, 'invalid')(response, received, at);
      leaving.abort();
      reply(job)(response, received, at);
    });
    const asked = app.fetch('/api/endpoints/query/numbers?project=a', { headers, signal: leaving.signal });
    await Promise.allSettled([asked]);
    await eventually(async () => expect(await usedRatio(app)).toBe(0.5));
  });
});

describe('many runs of unknown cost at once', () => {
  const env = { ENGINE_CONCURRENCY: '32', ENGINE_TIMEOUT_MS: '5000' };
  const clock = () => new Date();

  test.each(['slot_time_per_day: 1000h', 'bytes_per_day: 1TB'])(
    'are not refused what fits in %s, and do not run one by one',
    async (budget) => {
      let [running, most] = [0, 0];
      bill = { bytes: 10 * megabyte, slotMs: 100, ms: 300, estimate: 0 };
      const app = await opened(openBillingApp(billing, numbers(`{ ${budget} }`), env, { clock }));
      const all = statuses([app], 30);
      const counting = setInterval(() => {
        running = runs().length - billing.billed.length;
        most = Math.max(most, running);
      }, 5);
      expect(await all).toEqual(Array(30).fill(200));
      clearInterval(counting);
      expect(most).toBeGreaterThan(5);
    },
  );

  test.each([
    ['nothing is estimated', { bytes: 40 * megabyte, estimate: 0, ms: 100 }],
    ['too little is estimated', { bytes: 40 * megabyte, estimate: 10 * megabyte, ms: 100 }],
  ])('keep within the budget where %s', async (_, given) => {
    bill = given;
    const app = await opened(openBillingApp(billing, numbers('{ bytes_per_day: 100MB }'), env, { clock }));
    const found = await statuses([app], 30);
    expect(found.filter((status) => status === 200)).toHaveLength(2);
    expect(found.filter((status) => status === 429)).toHaveLength(28);
    expect(billing.sum()).toBe(80 * megabyte);
    // A run beside others is limited to what is reserved for it.
    for (const { maximumBytesBilled } of runs()) expect(Number(maximumBytesBilled)).toBeLessThanOrEqual(1e8);
  });

  test.each([1, ...atNight(2, 3)])('keep within it with any bills and estimates (%d)', async (seed) => {
    const bills = new Map(
      Array.from({ length: 60 }, (_, at) => {
        const bytes = (10 + ((at * 37 + seed * 17) % 61)) * megabyte;
        const estimate = Math.ceil(([0, 0.3, 1, 1.45][at % 4] ?? 0) * bytes);
        return [`p${at}`, { bytes, estimate, ms: 1 + ((at * 29 + seed * 7) % 60) }];
      }),
    );
    const other = await startBilling((body) => bills.get(parameterOf(body, 'project') ?? '') ?? bill);
    const app = await openBillingApp(other, numbers('{ bytes_per_day: 600MiB }'), env, { clock });
    const found = await statuses([app], bills.size);
    const largest = Math.max(...other.billed.map(({ bytes }) => bytes));
    expect(other.sum()).toBeLessThanOrEqual(600 * megabyte + largest);
    expect(other.sum()).toBeGreaterThan(500 * megabyte);
    expect(new Set(found)).toEqual(new Set([200, 429]));
    await app.close();
    await other.close();
  });

  test.skipIf(!hasRedis)('of several gateways on one Redis keep within it, too', async () => {
    const server = await redisServer();
    await server.start();
    bill = { bytes: 40 * megabyte, estimate: 10 * megabyte, ms: 50 };
    const apps = await Promise.all(
      [0, 1, 2].map(() =>
        opened(
          openBillingApp(
            billing,
            numbers('{ bytes_per_day: 400MiB }'),
            { ...env, CACHE_URL: server.url },
            { clock },
          ),
        ),
      ),
    );
    const found = await statuses(apps, 30);
    expect(billing.sum()).toBe(400 * megabyte);
    expect(found.filter((status) => status === 200)).toHaveLength(10);
    await closeAll();
    await server.close();
  });

  test('and of an engine that does not bill need no reservation, also if a caller leaves', async () => {
    const slow = queryText({
      name: 'slow',
      columns: { x: 'integer' },
      parameters: {
        k: '{ type: integer, bind: INT64, description: k, required: true, example: 1 }',
      },
      sql: 'select count(*) as x from unnest(generate_array(1, 700)) a, unnest(generate_array(1, 700)) b where mod(a*b+@k, 7) = 3',
    });
    const text = slow.replace('columns:', 'budget: { bytes_per_day: 1MB }\ncolumns:');
    const { folder, close } = makeQueryFolder({ 'slow.sql': text });
    let now = Date.parse('2026-03-10T12:00:00Z');
    const app = await opened(
      openTestApp(
        {},
        { QUERIES_DIR: folder, BUDGET: 'bytes_per_day: 1MB, rate: 1m/h' },
        { clock: () => new Date(now) },
      ),
    );
    const ask = (k: number, signal?: AbortSignal) =>
      app.fetch(`/api/endpoints/query/slow?k=${k}`, { headers, ...(signal && { signal }) });
    const leaving = new AbortController();
    const left = ask(0, leaving.signal);
    setTimeout(() => leaving.abort(), 5);
    await Promise.allSettled([left]);
    const all = await Promise.all(Array.from({ length: 20 }, (_, k) => ask(k + 1)));
    expect(all.map(({ status }) => status)).toEqual(Array(20).fill(200));
    now += 100_000;
    expect((await ask(100)).status).toBe(200);
    close();
  });
});

describe('a refusal says', () => {
  const messageOf = async (answer: Response) =>
    ((await answer.json()) as { error: { message: string } }).error.message;

  test('that a budget never allows a query that is larger', async () => {
    bill = { bytes: 250 * megabyte };
    const app = await opened(openBillingApp(billing, numbers('{ bytes_per_day: 100MB }')));
    const refused = await call(app, 'a');
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, null]);
    expect(await messageOf(refused)).toBe(
      'The budget bytes_per_day of this query never allows this query: it needs 262144000 bytes, and the budget has 100000000 bytes in all; ask for less, or raise the budget',
    );
  });

  test.each([
    ['what BigQuery cannot compute', 'resourcesExceeded', {}],
    ['the limit of the settings', 'bytesBilledLimitExceeded', { BIGQUERY_MAXIMUM_BYTES_BILLED: '1000000' }],
  ])('nothing of a budget where %s refuses the run', async (_, reason, env) => {
    const app = await opened(
      openBillingApp(billing, numbers('{ bytes_per_day: 100TB }', { sql: wild }), env),
    );
    billing.fake.respondWith((response, received, at) =>
      (received.body.dryRun === true
        ? reply(completeBody([], { totalBytesProcessed: '99000000' }))
        : errorReply(400, reason))(response, received, at),
    );
    const refused = await call(app, 'a');
    expect([refused.status, await messageOf(refused)]).toEqual([
      422,
      expect.stringContaining('would read or compute more than is allowed'),
    ]);
  });

  test('after a start, of a bucket, when it holds what the query needs', async () => {
    bill = { bytes: 90 * megabyte };
    let now = Date.parse('2026-03-10T12:00:00Z');
    const app = await opened(
      openBillingApp(
        billing,
        numbers('{ rate: 100MiB/h, burst: 80MiB }'),
        {},
        { clock: () => new Date(now) },
      ),
    );
    await call(app, 'a');
    bill = { bytes: 30 * megabyte, estimate: 40 * megabyte };
    const refused = await call(app, 'b');
    now += 1_000 * Number(refused.headers.get('retry-after') ?? 0);
    expect((await call(app, 'b')).status).toBe(200);
  });
});
