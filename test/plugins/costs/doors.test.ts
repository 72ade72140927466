import { type JWTPayload, SignJWT } from 'jose';
import { beforeEach, describe, expect, test } from 'vitest';
import {
  type Bill,
  type Billing,
  closedAfterEach,
  openBillingApp,
  startBilling,
} from '../../support/billing-app.ts';
import { mcpClient } from '../../support/mcp-request.ts';
import { apiKey } from '../../support/test-app.ts';

const megabyte = 2 ** 20;
const secret = 'a secret of at least thirty-two bytes';
const noon = Date.parse('2026-03-10T12:00:00Z');

let bill: Bill;
let billing: Billing;
const { opened } = closedAfterEach(() => billing);
beforeEach(async () => {
  bill = { bytes: 40 * megabyte };
  billing = await startBilling(() => bill);
});

const header = ['budget: { bytes_per_day: 40MB }'];
const path = '/api/endpoints/query/numbers?project=';

describe('a budget that is spent refuses runs', () => {
  test('by REST, GraphQL, MCP and live, each in its form, and nothing that is cached', async () => {
    const caching = ['caching: 600s', 'live: 5s'];
    const app = await opened(openBillingApp(billing, { numbers: { header, caching } }, { MCP: 'on' }));
    const headers = { 'x-api-key': apiKey };
    expect((await app.fetch(`${path}a`, { headers })).status).toBe(200);

    const rest = await app.fetch(`${path}b`, { headers });
    expect([rest.status, Number(rest.headers.get('retry-after'))]).toEqual([429, expect.any(Number)]);
    const live = await app.fetch(`${path}b`, { headers: { ...headers, accept: 'text/event-stream' } });
    expect([live.status, await live.text()]).toEqual([429, expect.stringContaining('BUDGET_EXCEEDED')]);
    const query = '{ a: numbers(project: "a") { rowCount } b: numbers(project: "b") { rowCount } }';
    const graphql = await app.fetch('/graphql', {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ query }),
    });
    expect(await graphql.json()).toMatchObject({
      data: { a: { rowCount: 1 } },
      errors: [{ path: ['b'], extensions: { code: 'BUDGET_EXCEEDED' } }],
    });
    const { call } = mcpClient(app.fetch, apiKey);
    expect(await call('numbers', { project: 'b' })).toMatchObject({
      isError: true,
      text: expect.stringContaining('The budget bytes_per_day of this query does not allow this query'),
    });
    expect((await call('numbers', { project: 'a' })).isError).toBe(false);
    expect(billing.billed).toHaveLength(1);
  });
});

describe('the budget of a token', () => {
  const token = (subject: string, budget: object) =>
    new SignJWT({ sub: subject, tenants: ['a', 'b', 'c'], budget, exp: noon / 1_000 + 900 } as JWTPayload)
      .setProtectedHeader({ alg: 'HS256' })
      .sign(Buffer.from(secret));

  test('is that of its subject, also of later tokens, and of no other subject', async () => {
    const app = await opened(
      openBillingApp(billing, { numbers: {} }, { JWT_SECRET: secret }, { clock: () => new Date(noon) }),
    );
    const call = async (project: string, text: string) =>
      (await app.fetch(path + project, { headers: { authorization: `Bearer ${text}` } })).status;
    const budget = { bytes_per_day: '50MB' };
    expect(await call('a', await token('alice', budget))).toBe(200);
    expect(await call('b', await token('alice', budget))).toBe(429);
    expect(await call('b', await token('alice', { bytes_per_day: '90MB' }))).toBe(200);
    expect(await call('b', await token('bob', budget))).toBe(200);
    expect(await call('c', await token('bob', { ...budget, tracking: true }))).toBe(200);
    expect(await call('c', await token('eve', { bytes_per_day: 40 }))).toBe(401);
  });
});

test('a budget that only tracks makes no dry run, and one of slot time stops refreshes, too', async () => {
  bill = { bytes: megabyte, slotMs: 25_000 };
  const caching = ['caching: 60s', 'cache_warming: 1s'];
  const app = await opened(
    openBillingApp(
      billing,
      {
        numbers: { caching, header: ['budget: { slot_time_per_day: 1m }'] },
        others: { header: ['budget: { bytes_per_day: 1MB, tracking: true }'] },
      },
      {},
      { clock: () => new Date() },
    ),
  );
  await app.fetch('/api/endpoints/query/others?project=a');
  expect(billing.bodies.map(({ dryRun }) => dryRun)).toEqual([undefined]);
  await app.fetch(`${path}a`);
  await expect
    .poll(async () => (await app.fetch('/metrics')).text())
    .toContain('querygate_budget_refusals_total{payer="query"} 1');
  expect(billing.billed).toHaveLength(3);
  expect((await app.fetch(`${path}a`)).headers.get('cache-status')).toContain('hit');
});
