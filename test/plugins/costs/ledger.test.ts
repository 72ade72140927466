import { setTimeout as sleep } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { systemClock } from '../../../src/concurrency/clock.ts';
import { toBudget } from '../../../src/config/budget.ts';
import { redis } from '../../../src/gateway/redis.ts';
import { GatewayError } from '../../../src/errors.ts';
import { Accounts } from '../../../src/plugins/costs/accounts.ts';
import { Budgets } from '../../../src/plugins/costs/budgets/budgets.ts';
import { type Demand, type Ledger, LocalLedger } from '../../../src/plugins/costs/budgets/ledger.ts';
import { RecentBills } from '../../../src/plugins/costs/budgets/recent-bills.ts';
import { openLedger } from '../../../src/plugins/costs/budgets/open-ledger.ts';
import { buildPeriodOf, type Limit, limitsOf } from '../../../src/plugins/costs/budgets/limits.ts';
import { SharedLedger } from '../../../src/plugins/costs/budgets/shared-ledger.ts';
import { runBilled } from '../../../src/plugins/costs/run-billed.ts';
import type { SharedState } from '../../../src/redis/shared-state.ts';
import { eventually } from '../../support/eventually.ts';
import { hasRedis, type RedisServer, redisServer } from '../../support/redis-server.ts';

const dayLimit = (name: string, size: string): Limit => {
  const [limit] = limitsOf('query', name, toBudget({ bytes_per_day: size, tracking: false }));
  if (limit === undefined) throw new Error('no limit');
  return limit;
};

/** A bucket of 1 KB, which is filled in an hour. */
const hourLimit = (name: string): Limit => {
  const [limit] = limitsOf('query', name, toBudget({ rate: '1KB/h', tracking: false }));
  if (limit === undefined) throw new Error('no limit');
  return limit;
};

const periodOf = buildPeriodOf('UTC');

const localLedger = () => new LocalLedger({ keepMs: 60_000, periodOf });

const demand = (limit: Limit, worst: number | undefined, whole = 0): Demand => ({
  ...{ limit, worst, likely: worst, whole, assumed: worst ?? 0 },
});

test('the periods that bills are looked up in are those of their time', async () => {
  const moments: number[] = [];
  const recordedPeriodOf = (id: string, now: number) => {
    moments.push(now);
    return periodOf(id, now);
  };
  const query = {
    id: 'q',
    name: 'q',
    sql: 'select 1',
    budget: toBudget({ bytes_per_day: '1TB', tracking: false }),
  };
  const host = {
    clock: systemClock,
    engineTimeoutMs: 1_000,
    catalog: { queries: [query] },
    log: pino({ enabled: false }),
  };
  const ledger = new LocalLedger({ keepMs: 60_000, periodOf: recordedPeriodOf });
  const budgets = new Budgets({ host: host as never, ledger, periodOf: recordedPeriodOf, budget: undefined });
  const bound = { query, parameters: {} } as never;
  const grant = await budgets.reserve(bound, { signal: new AbortController().signal });
  for (const bytesBilled of [5, 7]) grant?.settle({ runs: 1, bytesBilled, slotMs: 0 });
  expect(moments).not.toEqual([]);
  expect(Math.min(...moments)).toBeGreaterThan(Date.now() - 60_000);
});

const interleavings = Number(process.env.INTERLEAVINGS ?? 150);

/** Numbers that are the same in each run. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/**
 * Gateways reserve and settle in any order, each bill at most its estimate.
 *
 * @returns by how much the budget was exceeded, and the largest bill
 */
async function interleave(ledgers: readonly Ledger[], limit: Limit, steps: number, random: () => number) {
  let spent = 0;
  let largest = 0;
  let refused = 0;
  const running: { ledger: Ledger; run: string; demands: Demand[]; bill: number }[] = [];
  const settleOne = async () => {
    const [one] = running.splice(Math.floor(random() * running.length), 1);
    if (one === undefined) return;
    spent += one.bill;
    largest = Math.max(largest, one.bill);
    await one.ledger.settle(one.run, one.demands, [one.bill], Date.now());
  };
  for (let step = 0; step < steps; step += 1) {
    if (random() < 0.4) {
      await settleOne();
      continue;
    }
    const ledger = ledgers[Math.floor(random() * ledgers.length)];
    const bill = Math.floor(1 + random() * 300);
    const demands = [demand(limit, random() < 0.1 ? undefined : Math.ceil(bill * (1 + random() * 0.45)))];
    const run = `run ${step}`;
    const waitedMs = random() < 0.3 ? random() * 6_000 : 0;
    const { verdict } = (await ledger?.reserve(run, demands, Date.now(), waitedMs)) ?? {};
    if (verdict === 'granted' && ledger !== undefined) running.push({ ledger, run, demands, bill });
    if (verdict === 'spent') {
      refused += 1;
      expect(spent).toBeGreaterThanOrEqual(limit.amount);
    }
  }
  while (running.length > 0) await settleOne();
  return { over: spent - limit.amount, largest, refused, spent };
}

async function checkUnknown(ledger: Ledger, limit: Limit): Promise<void> {
  const now = Date.now();
  const reserve = async (run: string, worst?: number, assumed = 10) =>
    (await ledger.reserve(run, [{ ...demand(limit, worst), assumed }], now)).verdict;
  expect(await reserve('known', 100)).toBe('granted');
  expect(await reserve('too small a half', undefined, 451)).toBe('wait');
  expect(await reserve('unknown')).toBe('granted');
  expect(await reserve('another')).toBe('wait');
  expect(await reserve('fits beside them', 450)).toBe('granted');
  expect(await reserve('does not', 1)).toBe('wait');
  const { states } = await ledger.reserve('nothing', [demand(limit, 0)], now);
  expect(states).toEqual([{ spent: 0, reserved: 1_000 }]);
}

async function checkTurns(ledger: Ledger): Promise<void> {
  const [limit, other] = [dayLimit('turns', '1KB'), dayLimit('other', '1KB')];
  const [ofKey] = limitsOf('key', 'k', toBudget({ bytes_per_day: '1KB' }));
  if (ofKey === undefined) throw new Error('no limit');
  const reserve = async (run: string, worst: number, waitedMs = 0, limits = [limit]) => {
    const demands = limits.map((one) => demand(one, worst));
    return (await ledger.reserve(run, demands, Date.now(), waitedMs)).verdict;
  };
  const end = (run: string) => ledger.settle(run, [demand(limit, 0)], [0], Date.now());
  expect(await reserve('held', 600)).toBe('granted');
  expect(await reserve('held by k', 600, 0, [other, ofKey])).toBe('granted');
  await sleep(30);
  expect(await reserve('large', 700, 20)).toBe('wait');
  expect(await reserve('younger', 900, 10)).toBe('wait');
  expect(await reserve('does not delay it', 200)).toBe('granted');
  expect(await reserve('would delay it', 150)).toBe('wait');
  expect(await reserve('needs nothing', 0)).toBe('granted');
  expect(await reserve('came earlier', 150, 60_000)).toBe('granted');
  for (const run of ['held', 'came earlier']) await end(run);
  expect(await reserve('large', 700, 30)).toBe('granted');
  expect(await reserve('would have delayed it', 100)).toBe('granted');
  // Its own key does not let it begin.
  expect(await reserve('another of k', 900, 20, [other, ofKey])).toBe('wait');
  expect(await reserve('of another key', 150, 0, [other])).toBe('granted');
}

describe('a ledger', () => {
  test('one process is never more than one query over, and refuses only what is spent', async () => {
    const random = randomOf(1);
    let all = 0;
    for (let at = 0; at < 200; at += 1) {
      const ledger = localLedger();
      const { over, largest, refused } = await interleave(
        [ledger],
        dayLimit(`local ${at}`, '2KB'),
        60,
        random,
      );
      expect(over).toBeLessThanOrEqual(largest);
      all += refused;
    }
    expect(all).toBeGreaterThan(0);
  });

  test('a run that never ends has cost what was reserved for it', async () => {
    const ledger = localLedger();
    const limit = dayLimit('lost', '1KB');
    const now = Date.parse('2026-03-10T12:00:00Z');
    await ledger.reserve('lost', [demand(limit, 900)], now);
    const at = (ms: number) => ledger.look(limit, now + ms);
    expect(at(59_000)).toEqual({ spent: 0, reserved: 900 });
    expect(at(60_000)).toEqual({ spent: 900, reserved: 0 });
  });

  test('a run of unknown cost has half of what is left, one at a time, and costs what is assumed', async () => {
    await checkUnknown(localLedger(), dayLimit('unknown', '1KB'));
    const ledger = localLedger();
    const limit = dayLimit('unknown and lost', '1KB');
    const now = Date.parse('2026-03-10T12:00:00Z');
    await ledger.reserve('lost', [{ ...demand(limit, undefined), assumed: 30 }], now);
    expect(ledger.look(limit, now + 59_000)).toEqual({ spent: 0, reserved: 500 });
    expect(ledger.look(limit, now + 60_000)).toEqual({ spent: 30, reserved: 0 });
  });

  test('later runs do not delay one that waits, as long as it tries', async () => {
    const ledger = localLedger();
    await checkTurns(ledger);
    const limit = dayLimit('gone', '1KB');
    const now = Date.now();
    const reserve = async (run: string, worst: number, ms: number, waitedMs = 0) =>
      (await ledger.reserve(run, [demand(limit, worst)], now + ms, waitedMs)).verdict;
    expect(await reserve('held', 600, 0)).toBe('granted');
    expect(await reserve('large', 900, 1_500, 1_000)).toBe('wait');
    expect(await reserve('later', 101, 2_499)).toBe('wait');
    expect(await reserve('later', 101, 2_500)).toBe('granted');
    expect(await reserve('large', 900, 3_000, 1_000)).toBe('wait');
    // The clock was ahead.
    expect(await reserve('earlier', 101, 1_000)).toBe('granted');
  });

  test('a bucket refills evenly, and no refusal lasts longer than an hour', async () => {
    const ledger = localLedger();
    const [limit] = limitsOf('gateway', '', toBudget({ rate: '1KB/h', burst: '2KB', tracking: false }));
    if (limit === undefined) throw new Error('no limit');
    let now = Date.parse('2026-03-10T12:00:00Z');
    const reserve = async (worst: number) =>
      (await ledger.reserve('one', [demand(limit, worst)], now)).verdict;
    const settle = (bill: number) => ledger.settle('one', [demand(limit, 0)], [bill], now);
    expect(await reserve(500_000)).toBe('granted');
    await settle(500_000);
    expect(await reserve(1)).toBe('spent');
    now += 3_599_000;
    expect(await reserve(1)).toBe('spent');
    now += 2_000;
    expect(await reserve(1)).toBe('granted');
  });

  test('a bucket refills again after a clock that was ahead for a moment', async () => {
    const ledger = localLedger();
    const noon = Date.parse('2026-03-10T12:00:00Z');
    const spentAt = (hours: number) => ledger.look(hourLimit('ahead'), noon + hours * 3_600_000).spent;
    expect(spentAt(20)).toBe(0);
    await ledger.settle('one', [demand(hourLimit('ahead'), 0)], [1_000], noon);
    expect([0.25, 0.5, -0.25, 0.5, 1].map(spentAt)).toEqual([750, 500, 500, 500, 0]);
  });

  test('a clock that is set back renews nothing, and one that is set forward renews once', async () => {
    const ledger = localLedger();
    const limit = dayLimit('clock', '1KB');
    const noon = Date.parse('2026-03-10T12:00:00Z');
    const spentAt = (now: number) => ledger.look(limit, now).spent;
    const settle = (now: number) => ledger.settle('one', [demand(limit, 0)], [1_000], now);
    await settle(noon);
    for (const hours of [-1, -20, 0, 5]) expect(spentAt(noon + hours * 3_600_000)).toBe(1_000);
    const nextWeek = noon + 7 * 86_400_000;
    expect(spentAt(nextWeek)).toBe(0);
    await settle(nextWeek);
    expect(spentAt(noon)).toBe(2_000);
    expect(spentAt(noon + 3_600_000)).toBe(2_000);
    expect(spentAt(noon + 86_400_000)).toBe(0);
  });

  test('a clock that jumps a week ahead and comes back has forgotten nothing of the day', async () => {
    const ledger = localLedger();
    const limit = dayLimit('jump', '1KB');
    const noon = Date.parse('2026-03-10T12:00:00Z');
    await ledger.settle('one', [demand(limit, 0)], [1_000], noon);
    for (const days of [7, 0, 30, 0, 2, 0])
      expect(ledger.look(limit, noon + days * 86_400_000).spent).toBe(days === 0 ? 1_000 : 0);
    const midnight = Date.parse('2026-03-11T01:00:00Z');
    for (const ms of [0, -7_200_000, 0]) expect(ledger.look(limit, midnight + ms).spent).toBe(0);
  });
});

test('limits that are over are forgotten: subjects of tokens are new each day', async () => {
  const moments: string[] = [];
  const ledger = new LocalLedger({
    ...{ keepMs: 60_000, periodOf },
    spentBefore({ of }) {
      moments.push(of);
      return 0;
    },
  });
  const start = Date.parse('2026-03-10T12:00:00Z');
  const spend = async (name: string, now: number) => {
    const demands = [demand(dayLimit(name, '1KB'), 10)];
    await ledger.reserve(name, demands, now);
    await ledger.settle(name, demands, [10], now);
    return ledger.look(dayLimit(name, '1KB'), now).spent;
  };
  for (let at = 0; at < 10_000; at += 1) await spend(`subject ${at}`, start);
  expect(moments).toHaveLength(10_000);
  const later = start + 2 * 86_400_000;
  expect(await spend('new', later)).toBe(10);
  expect(await spend('subject 1', later)).toBe(10);
  expect(moments.slice(10_000)).toEqual(['new', 'subject 1']);
});

test('what was spent on the day of 23 hours counts after a start in the hour after it', async () => {
  const row = { day: '2026-03-29', instance: 'i', key: 'k', tenant: 't', endpoint: 'e' };
  const loaded: string[] = [];
  const accounts = new Accounts(
    {
      save: async () => true,
      hasLost: async () => false,
      async load(days) {
        loaded.push(...days);
        return days.has(row.day) ? [{ ...row, runs: 1, bytesBilled: 700, slotMs: 0 }] : [];
      },
      close: async () => {},
    },
    pino({ enabled: false }),
  );
  const now = Date.parse('2026-03-30T00:01:00+02:00');
  const timeZone = 'Europe/Zurich';
  const ledger = await openLedger({
    host: { clock: { ...systemClock, now: () => new Date(now) }, engineTimeoutMs: 1_000 },
    ...{ accounts, timeZone, state: undefined, periodOf: buildPeriodOf(timeZone) },
  });
  expect(loaded).toEqual(['2026-03-30', '2026-03-29']);
  expect(ledger.look({ ...dayLimit('e', '1KB') }, now).spent).toBe(700);
  await accounts.close();
});

test('bills are remembered by short names, however long the texts of callers are', () => {
  const set = vi.spyOn(LRUCache.prototype, 'set');
  const bills = new RecentBills();
  const bound = (p: string) => ({ query: { id: 'q', sql: 'select 1' }, parameters: { p } }) as never;
  for (const last of ['a', 'b'])
    bills.add(bound('x'.repeat(20_000) + last), { runs: 1, bytesBilled: 5, slotMs: 0 });
  expect(set.mock.calls.map(([name]) => String(name).length)).toEqual([43, 43, 43, 43]);
  expect(new Set(set.mock.calls.map(([name]) => name)).size).toBe(3);
  set.mockRestore();
  expect(bills.ofPlan(bound(`${'x'.repeat(20_000)}b`))).toEqual({ bytesBilled: 5, slotMs: 0 });
});

test('an engine that has a maximum of its own is believed where budgets only count', async () => {
  const query = {
    id: 'q',
    name: 'q',
    sql: 'select 1',
    budget: toBudget({ bytes_per_day: '1TB', tracking: true }),
  };
  const host = { clock: systemClock, engineTimeoutMs: 1_000, catalog: { queries: [query] } };
  const budgets = new Budgets({ host: host as never, ledger: localLedger(), periodOf, budget: undefined });
  const bound = { query, parameters: {} } as never;
  const options = { signal: new AbortController().signal };
  const error = new GatewayError('QUERY_TOO_EXPENSIVE', 'too much', { isOverMaximum: true });
  const run = runBilled(bound, () => Promise.reject(error), options, {
    reserve: () => budgets.reserve(bound, options),
    settle: () => {},
  });
  await expect(run).rejects.toBe(error);
});

/** One on which no time passes, but that which something waits for. */
function clockThatSkips() {
  let elapsed = 0;
  const after = (ms: number, use: () => void) => {
    elapsed += ms;
    setImmediate(use);
  };
  return { ...systemClock, elapsedMs: () => elapsed, after };
}

test('a run that callers wait for has its turn, of one key or of several; a refresh leaves it to others', async () => {
  const query = { id: 'q', name: 'q', sql: 'select 1' };
  const host = { clock: clockThatSkips(), engineTimeoutMs: 2_000, catalog: { queries: [query] } };
  const ledger = localLedger();
  const reserve = vi.spyOn(ledger, 'reserve');
  const budget = toBudget({ bytes_per_day: '10GB' });
  const estimateBytes = vi.fn(async () => 4e9);
  const budgets = new Budgets({ host: { ...host, estimateBytes } as never, ledger, periodOf, budget });
  const limits = budgets.limitsOfQuery(query as never);
  await ledger.reserve(
    'other',
    limits.map((limit) => demand(limit, 8e9)),
    Date.now(),
  );
  const waited = async (options: object) => {
    reserve.mockClear();
    const signal = new AbortController().signal;
    await expect(
      budgets.reserve({ query, parameters: {} } as never, { signal, ...options }),
    ).rejects.toThrow();
    return Math.max(...reserve.mock.calls.map(([, , , waitedMs = 0]) => waitedMs));
  };
  for (const payer of [{ id: 'k' }, undefined]) expect(await waited({ payer })).toBeGreaterThanOrEqual(2_000);
  expect(await waited({ refresh: {} })).toBe(0);
  expect(estimateBytes).toHaveBeenLastCalledWith(
    expect.anything(),
    expect.objectContaining({ timeoutMs: 500 }),
  );
});

test('a refusal is that of the limit that refuses, not of one that is nearer its end', async () => {
  const query = { id: 'q', name: 'q', sql: 'select 1', budget: toBudget({ bytes_per_day: '10TB' }) };
  const host = { clock: clockThatSkips(), engineTimeoutMs: 1_000, catalog: { queries: [query] } };
  const ledger = localLedger();
  const budget = toBudget({ bytes_per_day: '10GB' });
  const budgets = new Budgets({
    host: { ...host, estimateBytes: async () => 4e9 } as never,
    ledger,
    periodOf,
    budget,
  });
  const bound = { query, parameters: {} } as never;
  const signal = new AbortController().signal;
  const [ofGateway, ofQuery] = budgets.limitsOfQuery(query as never);
  if (ofGateway === undefined || ofQuery === undefined) throw new Error('no limit');
  const settle = (limit: Limit, bill: number) => ledger.settle('x', [demand(limit, 0)], [bill], Date.now());
  await settle(ofGateway, 5e9);
  await settle(ofQuery, 9e12);
  await ledger.reserve('other', [demand(ofGateway, 2e9)], Date.now());
  const payer = { id: 'k' } as never;
  await expect(budgets.reserve(bound, { signal, payer })).rejects.toMatchObject({
    message: expect.stringMatching(/^The budget bytes_per_day of this gateway .* when these have ended$/),
    retryAfterSeconds: 5,
  });
  await settle(ofGateway, 3e9);
  budgets.remember(bound, { runs: 1, bytesBilled: 4e9, slotMs: 0 });
  await expect(budgets.reserve(bound, { signal })).rejects.toThrow('of this gateway');
});

test('a run that is stopped at its maximum is refused by the limit that gave it, until that is renewed', async () => {
  const query = { id: 'q', name: 'q', sql: 'select 1' };
  const host = { clock: systemClock, engineTimeoutMs: 1_000, catalog: { queries: [query] } };
  const ledger = localLedger();
  const budgets = new Budgets({
    host: { ...host, estimateBytes: async () => 10e6 } as never,
    ledger,
    periodOf,
    budget: toBudget({ bytes_per_day: '1TB' }),
  });
  const payer = { id: 'k', budget: toBudget({ rate: '10GB/h' }) };
  const [ofGateway] = budgets.limitsOfQuery(query as never);
  const [ofKey] = limitsOf('key', payer.id, payer.budget);
  if (ofGateway === undefined || ofKey === undefined) throw new Error('no limit');
  for (const [limit, bill] of [
    [ofGateway, 950e9],
    [ofKey, 9e9],
  ] as const)
    await ledger.settle('x', [demand(limit, 0)], [bill], Date.now());
  const signal = new AbortController().signal;
  const grant = await budgets.reserve({ query, parameters: {} } as never, { signal, payer: payer as never });
  expect(grant?.isPart).toBe(false);
  const error = grant?.exceeded();
  expect(error?.message).toMatch(/^The budget rate of this key .* it is renewed at /);
  expect(error?.retryAfterSeconds).toBeLessThan(5);
});

test('a limit that is new counts what this process has spent today', async () => {
  const accounts = new Accounts(undefined, pino({ enabled: false }));
  const ledger = await openLedger({
    host: { clock: systemClock, engineTimeoutMs: 1_000 },
    ...{ accounts, timeZone: 'UTC', state: undefined, periodOf },
  });
  const now = Date.parse('2026-03-10T12:00:00Z');
  for (const day of ['2026-03-09', '2026-03-10'])
    accounts.settle({ day, key: 'k', tenant: '', endpoint: 'e' }, { runs: 1, bytesBilled: 700, slotMs: 0 });
  expect(ledger.look(dayLimit('e', '1KB'), now).spent).toBe(700);
  expect(ledger.look(dayLimit('other', '1KB'), now).spent).toBe(0);
});

test('a limit that is removed and set again counts what was spent meanwhile', async () => {
  const accounts = new Accounts(undefined, pino({ enabled: false }));
  const now = Date.parse('2026-03-10T12:00:00Z');
  const clock = { ...systemClock, now: () => new Date(now) };
  const ledger = await openLedger({
    host: { clock, engineTimeoutMs: 1_000 },
    ...{ accounts, timeZone: 'UTC', state: undefined, periodOf },
  });
  const query = { name: 'e', budget: toBudget({ bytes_per_day: '1KB', tracking: false }) } as never;
  const without = { name: 'e' } as never;
  const host = { clock, engineTimeoutMs: 1_000, catalog: { queries: [query] } };
  const budgets = new Budgets({ host: host as never, ledger, periodOf, budget: undefined });
  const limit = dayLimit('e', '1KB');
  const spent = () => ledger.look(limit, now).spent;
  const bill = (bytesBilled: number) =>
    accounts.settle(
      { day: '2026-03-10', key: 'k', tenant: '', endpoint: 'e' },
      { runs: 1, bytesBilled, slotMs: 0 },
    );
  bill(10);
  expect(spent()).toBe(10);
  budgets.replaceCatalog({ queries: [without] });
  bill(500);
  budgets.replaceCatalog({ queries: [query] });
  expect(spent()).toBe(510);
});

describe('the days of a limit', () => {
  test.each([
    ['Europe/Zurich', '2026-03-29T12:00:00Z', 23],
    ['Europe/Zurich', '2026-10-25T12:00:00Z', 25],
    ['America/Sao_Paulo', '2018-11-04T12:00:00Z', 23],
    ['Australia/Lord_Howe', '2026-04-05T00:00:00Z', 24.5],
    ['Australia/Lord_Howe', '2026-10-04T00:00:00Z', 23.5],
    ['UTC', '2026-03-10T12:00:00Z', 24],
  ])('in %s that of %s has %d hours', (zone, text, hours) => {
    const lengths = Array.from({ length: 20 }, (_, at) => {
      const { start, end } = buildPeriodOf(zone)(`limit ${at}`, Date.parse(text));
      return (end - start) / 3_600_000;
    });
    expect(new Set(lengths)).toEqual(new Set([hours]));
  });

  test('begin one after the other, each limit at its own time within an hour after midnight', () => {
    const starts = Array.from(
      { length: 50 },
      (_, at) => periodOf(`limit ${at}`, Date.parse('2026-03-10T12:00:00Z')).start,
    );
    const minutes = starts.map((start) => (start - Date.parse('2026-03-10T00:00:00Z')) / 60_000);
    expect(Math.min(...minutes)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...minutes)).toBeLessThan(60);
    expect(new Set(minutes.map(Math.floor)).size).toBeGreaterThan(20);
    const first = periodOf('one', Date.parse('2026-03-10T12:00:00Z'));
    expect(periodOf('one', first.end).start).toBe(first.end);
    expect(periodOf('one', first.start - 1).end).toBe(first.start);
  });
});

describe.skipIf(!hasRedis)('the ledger of gateways on one Redis', () => {
  let server: RedisServer;
  const states: SharedState[] = [];
  beforeAll(async () => {
    server = await redisServer();
    await server.start();
    for (let at = 0; at < 3; at += 1) {
      const state = await redis({ url: server.url }).openState('a test', pino({ enabled: false }));
      await state.ready;
      states.push(state);
    }
  });
  afterAll(async () => {
    for (const state of states) await state.close();
    await server.close();
  });
  /** The gateways for which Redis was silent: each goes on with what it knows. */
  const alone = new Set<SharedState>();
  const ledgers = () =>
    states.map((state) => {
      const evaluate: SharedState['evaluate'] = async (...given) => {
        const reply = await state.evaluate(...given);
        if (reply === undefined) alone.add(state);
        return reply;
      };
      return new SharedLedger({ state: { ...state, evaluate }, keepMs: 60_000, periodOf });
    });

  test(
    'three gateways are never more than one query over, and refuse only what is spent',
    async () => {
      const random = randomOf(2);
      let all = 0;
      let whole = 0;
      for (let at = 0; whole < interleavings; at += 1) {
        await eventually(() => expect(states.every((state) => state.isUp())).toBe(true));
        alone.clear();
        const limit = dayLimit(`shared ${at}`, '700B');
        const { over, largest, refused } = await interleave(ledgers(), limit, 24, random);
        expect(over).toBeLessThanOrEqual((1 + alone.size) * largest);
        if (alone.size === 0) whole += 1;
        all += refused;
      }
      expect(all).toBeGreaterThan(interleavings / 10);
    },
    Math.max(120_000, 60 * interleavings),
  );

  /** Some calls do not arrive, and of others the reply is lost. */
  const unreliable = (random: () => number, lost: { count: number }) => (state: SharedState) => {
    const evaluate: SharedState['evaluate'] = async (...given) => {
      const luck = random();
      if (luck < 0.1) return undefined;
      const reply = await state.evaluate(...given);
      if (luck > 0.8) lost.count += 1;
      return luck > 0.8 ? undefined : reply;
    };
    return { ...state, evaluate };
  };

  test(
    'each bill counts once, and no reservation is left, whatever replies are lost',
    async () => {
      const random = randomOf(3);
      const lost = { count: 0 };
      for (let at = 0; at < interleavings; at += 1) {
        await eventually(() => expect(states.every((state) => state.isUp())).toBe(true));
        const limit = dayLimit(`unreliable ${at}`, '2KB');
        const calls = states.map(unreliable(random, lost));
        const all = calls.map((state) => new SharedLedger({ state, keepMs: 60_000, periodOf }));
        const now = Date.now();
        let spent = 0;
        const settling: Promise<void>[] = [];
        const running: { ledger: Ledger; run: string; demands: Demand[] }[] = [];
        for (let step = 0; step < 24; step += 1) {
          const [one] = random() < 0.4 ? running.splice(Math.floor(random() * running.length), 1) : [];
          const ledger = all[Math.floor(random() * all.length)];
          if (one !== undefined) {
            // A bill may be assumed first, and corrected later.
            const bills = [100, ...(random() < 0.3 ? [Math.floor(random() * 150) - 100] : [])];
            for (const bill of bills) settling.push(one.ledger.settle(one.run, one.demands, [bill], now));
            spent += bills.reduce((sum, bill) => sum + bill, 0);
          } else if (ledger !== undefined) {
            const run = `run ${step}`;
            const demands = [demand(limit, 100)];
            const reserve = async () => (await ledger.reserve(run, demands, now)).verdict;
            let verdict = await reserve();
            if (verdict === 'wait') verdict = await reserve();
            if (verdict === 'granted') running.push({ ledger, run, demands });
          }
        }
        for (const { ledger, run, demands } of running) {
          settling.push(ledger.settle(run, demands, [100], now));
          spent += 100;
        }
        await Promise.all(settling);
        for (const [of, state] of calls.entries()) Object.assign(state, states[of]);
        await eventually(async () => {
          const found = [];
          for (const ledger of all) {
            found.push((await ledger.reserve('look', [demand(limit, 0)], now)).states[0]);
            await ledger.settle('look', [demand(limit, 0)], [0], now);
          }
          expect([at, found.at(-1)]).toEqual([at, { spent, reserved: 0 }]);
        });
      }
      expect(lost.count).toBeGreaterThan(interleavings);
    },
    Math.max(120_000, 60 * interleavings),
  );

  test('gateways that reserve at the same moment get no more than fits', async () => {
    const limit = dayLimit('moment', '1KB');
    const all = ledgers();
    const verdicts = await Promise.all(
      Array.from({ length: 30 }, async (_, at) => {
        const now = Date.now();
        return (await all[at % 3]?.reserve(`run ${at}`, [demand(limit, 300)], now))?.verdict;
      }),
    );
    expect(verdicts.filter((one) => one === 'granted')).toHaveLength(3);
    expect(verdicts.filter((one) => one === 'wait')).toHaveLength(27);
  });

  test('several limits are reserved together or not at all', async () => {
    const [ledger] = ledgers();
    const [small, large] = [dayLimit('small', '1KB'), dayLimit('large', '1MB')];
    const now = Date.now();
    const of = (worst: number) => [demand(large, worst), demand(small, worst)];
    expect((await ledger?.reserve('a', of(900), now))?.verdict).toBe('granted');
    expect((await ledger?.reserve('b', of(900), now))?.verdict).toBe('wait');
    const { states } = (await ledger?.reserve('c', [demand(large, 0)], now)) ?? {};
    expect(states).toEqual([{ spent: 0, reserved: 900 }]);
  });

  test('a gateway whose clock is days ahead, or behind, renews nothing', async () => {
    const limit = dayLimit('clocks', '1KB');
    const [one, two] = ledgers();
    const now = Date.now();
    await one?.reserve('a', [demand(limit, 1_000)], now);
    await one?.settle('a', [demand(limit, 0)], [1_000], now);
    for (const days of [1, -1, 30, -30, 0]) {
      const wrong = now + days * 86_400_000;
      for (const ledger of [one, two])
        expect((await ledger?.reserve('b', [demand(limit, 1)], wrong))?.verdict).toBe('spent');
    }
  });

  test('a clock of Redis that was a week ahead has forgotten nothing of the day', async () => {
    const limit = dayLimit('ahead', '1KB');
    const [ledger] = ledgers();
    const now = Date.now();
    await ledger?.reserve('a', [demand(limit, 1_000)], now);
    await ledger?.settle('a', [demand(limit, 0)], [1_000], now);
    const { start } = periodOf(limit.id, now);
    const ahead = {
      spent: '0',
      since: `${start + 7 * 86_400_000}`,
      before: '1000',
      'before since': `${start}`,
    };
    await server.run((client) => client.hSet(states[0]?.keyOf('budget', limit.id) ?? '', ahead));
    const reserve = async () => (await ledger?.reserve('b', [demand(limit, 1)], now))?.verdict;
    expect([await reserve(), await reserve()]).toEqual(['spent', 'spent']);
  });

  test('a bucket refills again after a clock of Redis that was ahead for a moment', async () => {
    const limit = hourLimit('ahead');
    const [ledger] = ledgers();
    const ahead = { spent: '1000', since: `${Date.now() + 20 * 3_600_000}` };
    await server.run((client) => client.hSet(states[0]?.keyOf('budget', limit.id) ?? '', ahead));
    const spent = async () => (await ledger?.reserve('b', [demand(limit, 0)], Date.now()))?.states[0]?.spent;
    expect(await spent()).toBe(1_000);
    await eventually(async () => expect(await spent()).toBeLessThan(1_000), 5_000);
  });

  test('a bill that a bucket never fills again is taken up there', async () => {
    const [limit] = limitsOf('query', 'slow', toBudget({ rate: '1B/d', tracking: false }));
    if (limit === undefined) throw new Error('no limit');
    const [ledger] = ledgers();
    await eventually(async () => {
      alone.clear();
      await ledger?.settle('a', [demand(limit, 0)], [1e12], Date.now());
      expect(alone.size).toBe(0);
    }, 5_000);
  });

  test('what was spent is not forgotten while Redis is away, nor when it has lost everything', async () => {
    const limit = dayLimit('killed', '1KB');
    const [one, two] = ledgers();
    const now = Date.now();
    const run = async (ledger: Ledger | undefined, id: string, bill: number) => {
      const demands = [demand(limit, bill)];
      const { verdict } = (await ledger?.reserve(id, demands, now)) ?? {};
      if (verdict === 'granted') await ledger?.settle(id, demands, [bill], now);
      return verdict;
    };
    await run(one, 'a', 400);
    await run(two, 'b', 200);
    server.signal('SIGKILL');
    while (states.some((state) => state.isUp())) await new Promise((resolve) => setTimeout(resolve, 20));
    expect(await run(two, 'c', 300)).toBe('granted');
    expect(await run(two, 'd', 200)).toBe('granted');
    expect(await run(two, 'e', 200)).toBe('spent');
    await server.start();
    while (!states.every((state) => state.isUp())) await new Promise((resolve) => setTimeout(resolve, 20));
    expect(await run(two, 'f', 1)).toBe('spent');
    expect(await run(one, 'g', 1)).toBe('spent');
  });

  test('runs in progress that Redis has granted are still reserved while it is away', async () => {
    const limit = dayLimit('in progress', '1KB');
    const [state] = states;
    if (state === undefined) throw new Error('no Redis');
    let isAway = false;
    const evaluate: SharedState['evaluate'] = async (...given) =>
      isAway ? undefined : state.evaluate(...given);
    const ledger = new SharedLedger({ state: { ...state, evaluate }, keepMs: 60_000, periodOf });
    const now = Date.now();
    const reserve = async (run: string) => (await ledger.reserve(run, [demand(limit, 100)], now)).verdict;
    const runs = Array.from({ length: 10 }, (_, at) => `run ${at}`);
    for (const run of runs) expect(await reserve(run)).toBe('granted');
    expect(ledger.look(limit, now)).toEqual({ spent: 0, reserved: 1_000 });
    await ledger.settle('run 0', [demand(limit, 100)], [60], now);
    expect(ledger.look(limit, now)).toEqual({ spent: 60, reserved: 900 });
    isAway = true;
    expect(await reserve('one more')).toBe('wait');
    await ledger.settle('run 1', [demand(limit, 100)], [40], now);
    expect(await reserve('one more')).toBe('granted');
    expect(await reserve('another')).toBe('wait');
  });

  test('limits that are over are forgotten there, too', async () => {
    const [ledger] = ledgers();
    const now = Date.now();
    const spend = async (name: string, at: number) => {
      const demands = [demand(dayLimit(name, '1KB'), 10)];
      await ledger?.reserve(name, demands, at);
      await ledger?.settle(name, demands, [10], at);
    };
    const spentOf = (name: string) => ledger?.look(dayLimit(name, '1KB'), now).spent;
    for (let at = 0; at < 10_000; at += 100)
      await Promise.all(Array.from({ length: 100 }, (_, more) => spend(`subject ${at + more}`, now)));
    expect(spentOf('subject 1')).toBe(10);
    await spend('new', now + 2 * 86_400_000);
    expect(spentOf('subject 1')).toBe(0);
  });

  test('a run of unknown cost has half of what is left there, too', async () => {
    const [ledger] = ledgers();
    if (ledger !== undefined) await checkUnknown(ledger, dayLimit('unknown', '1KB'));
  });

  test('later runs do not delay one that waits there, either', async () => {
    const [ledger] = ledgers();
    if (ledger !== undefined) await checkTurns(ledger);
  });

  test('one that never ends has cost there what is assumed', async () => {
    const [state] = states;
    if (state === undefined) throw new Error('no Redis');
    const limit = dayLimit('unknown and lost', '1KB');
    const ledger = new SharedLedger({ state, keepMs: 50, periodOf });
    await ledger.reserve('lost', [{ ...demand(limit, undefined), assumed: 30 }], Date.now());
    const look = async () => (await ledger.reserve('look', [demand(limit, 0)], Date.now())).states[0];
    await eventually(async () => expect(await look()).toEqual({ spent: 30, reserved: 0 }));
  });

  test.each([
    ['a day', 'bytes_per_day' as const, '100MB'],
    ['a bucket', 'rate' as const, '100MB/h'],
  ])(
    'of %s, a bill counts once after Redis has lost everything, and after it was away',
    async (_, name, size) => {
      const bill = 40e6;
      const counts = async (id: string, during: (ledger: Ledger) => Promise<void>, isAway = () => false) => {
        const [limit] = limitsOf('query', `${name} ${id}`, toBudget({ [name]: size, tracking: false }));
        const [state] = states;
        if (limit === undefined || state === undefined) throw new Error('no limit');
        const evaluate: SharedState['evaluate'] = async (...given) =>
          isAway() ? undefined : state.evaluate(...given);
        const ledger = new SharedLedger({ state: { ...state, evaluate }, keepMs: 60_000, periodOf });
        const now = Date.now();
        await ledger.reserve('one', [demand(limit, bill)], now);
        await during(ledger);
        await ledger.settle('one', [demand(limit, bill)], [bill], now);
        expect(ledger.look(limit, now).spent).toBe(bill);
        isAway = () => false;
        const { states: found } = await ledger.reserve('look', [demand(limit, 0)], now);
        expect(found[0]?.spent).toBeGreaterThan(0.99 * bill);
        expect(found[0]?.spent).toBeLessThanOrEqual(bill);
        expect(found[0]?.reserved).toBe(0);
      };
      const flush = () => server.run((client) => client.flushAll()).then(() => {});
      await counts('lost', flush);
      let isAway = false;
      const leave = async () => {
        isAway = true;
      };
      await counts('away', leave, () => isAway);
      isAway = false;
      await counts(
        'away and lost',
        () => leave().then(flush),
        () => isAway,
      );
    },
  );

  test('what another program has written there makes nothing free', async () => {
    const limit = dayLimit('foreign', '1KB');
    const [ledger] = ledgers();
    const key = states[0]?.keyOf('budget', limit.id) ?? '';
    const now = Date.now();
    const verdict = async () =>
      (await ledger?.reserve(`run ${Math.random()}`, [demand(limit, 1)], now))?.verdict;
    await server.run((client) => client.set(key, 'a text'));
    expect(await verdict()).toBe('granted');
    await server.run((client) => client.hSet(key, { run: 'no number', spent: 'none', since: 'never' }));
    expect(['granted', 'wait']).toContain(await verdict());
  });
});
