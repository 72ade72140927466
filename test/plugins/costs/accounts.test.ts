import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, inject, test, vi } from 'vitest';
import type { SavedQuery } from '../../../src/catalog/model/saved-query.ts';
import { readConfig } from '../../../src/config.ts';
import type { Engine } from '../../../src/engine-contract/engine.ts';
import { createGateway } from '../../../src/gateway/create-gateway.ts';
import { redis } from '../../../src/gateway/redis.ts';
import { unrestricted } from '../../../src/keys/principal.ts';
import { apiKey as apiKeyOf } from '../../../src/keys/sources/api-key.ts';
import { type AccountRow, accountOf, add, noBill, type Totals } from '../../../src/plugins/costs/account.ts';
import { type AccountStore, Accounts } from '../../../src/plugins/costs/accounts.ts';
import { sharedAccounts } from '../../../src/plugins/costs/shared-accounts.ts';
import { AccountTextReader, textOf } from '../../../src/plugins/costs/account-text.ts';
import { costs } from '../../../src/plugins/costs/costs.ts';
import { openAccountFile, readAccountFile } from '../../../src/plugins/costs/account-file.ts';
import { readAccounts } from '../../../src/cli/costs/print-costs.ts';
import {
  type Billing,
  closedAfterEach,
  openBillingApp,
  parameterOf,
  startBilling,
} from '../../support/billing-app.ts';
import { eventually } from '../../support/eventually.ts';
import { completeBody, errorReply, incompleteBody, reply } from '../../support/fake-bigquery.ts';
import { makeQueryFolder, queryText } from '../../support/query-folder.ts';
import { writeKeyFile } from '../../support/key-files.ts';
import { hasRedis, type RedisServer, redisServer } from '../../support/redis-server.ts';
import { apiKey, now, type TestApp } from '../../support/test-app.ts';

const day = '2026-03-10';

/** Bytes that nothing else has. */
const bytesOf = (text = '') => 10_485_760 + text.length * 1_048_576 + (text.codePointAt(0) ?? 0);

const short = (rows: readonly AccountRow[]) =>
  rows
    .map(({ day, key, tenant, endpoint, runs, bytesBilled, slotMs }) => [
      ...[day, key, tenant, endpoint],
      ...[runs, bytesBilled, slotMs],
    ])
    .sort();

const sumOf = (rows: readonly AccountRow[]) => rows.reduce((sum, { bytesBilled }) => sum + bytesBilled, 0);

let folder: string;
let file: string;
let billing: Billing;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'querygate-test-'));
  file = join(folder, 'accounts.json');
  billing = await startBilling((body) => ({ bytes: bytesOf(parameterOf(body, 'project')), slotMs: 7 }));
});
afterEach(() => rmSync(folder, { recursive: true }));
// Vitest calls the last one first.
const { opened } = closedAfterEach(() => billing);

const call = (app: TestApp, project: string, key = apiKey, headers = {}) =>
  app.fetch(`/api/endpoints/query/numbers?project=${project}`, { headers: { 'x-api-key': key, ...headers } });

const cached = { numbers: { caching: ['caching: 60s', 'cache_warming: 2s'] } };

test('accounts without a store are those of the last days', async () => {
  const accounts = new Accounts(undefined, pino({ enabled: false }));
  const days = Array.from({ length: 40 }, (_, at) => new Date(Date.UTC(2026, 0, 1 + at)).toISOString());
  for (const day of days)
    accounts.settle(
      { day: day.slice(0, 10), key: 'k', tenant: 't', endpoint: 'e' },
      { runs: 1, bytesBilled: 5, slotMs: 0 },
    );
  const loaded = await accounts.load(new Set(days.map((day) => day.slice(0, 10))));
  expect(loaded.map(({ day }) => day)).toEqual(days.slice(9).map((day) => day.slice(0, 10)));
});

test('a run for several tenants is of one account, whichever they are', () => {
  const tenantOf = (...tenants: string[]) => {
    const query = { name: 'q', tenant: { parameter: 'list', pattern: undefined } } as SavedQuery;
    return accountOf({ query, parameters: { list: tenants } }, unrestricted('k'), day).tenant;
  };
  expect(['t0', 't1', 't2'].map((one) => tenantOf(one, 't9', 't8'))).toEqual(Array(3).fill('(several)'));
  expect([tenantOf('a'), tenantOf('a', 'a'), tenantOf()]).toEqual(['a', 'a', '']);
});

describe('accounts in a store', () => {
  const bill = { runs: 1, bytesBilled: 7, slotMs: 0 };
  const account = (tenant: string) => ({ day, key: 'k', tenant, endpoint: 'e' });
  const open = (store: Partial<AccountStore>) => {
    const none = { hasLost: async () => false, load: async () => [], close: async () => {} };
    return new Accounts({ ...none, save: async () => true, ...store }, pino({ enabled: false }));
  };

  test('are known before they are saved: nothing waits for a file that rests', async () => {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const other = { ...account('other'), ...bill, instance: 'i' };
    let saved: readonly AccountRow[] = [];
    const accounts = open({
      async save(rows) {
        saved = rows;
        return promise;
      },
      load: async () => [other, ...saved],
    });
    accounts.settle(account('a'), bill);
    await eventually(() => expect(saved).toHaveLength(1));
    accounts.settle(account('a'), bill);
    const loaded = await accounts.load(new Set([day]));
    expect(loaded.map(({ tenant, runs }) => [tenant, runs])).toEqual([
      ['other', 1],
      ['a', 2],
    ]);
    resolve(true);
    await accounts.close();
  });

  test('are saved again after a loss, also while bills keep coming', async () => {
    const rows = new Map<string, AccountRow>();
    const accounts = open({
      async save(saved) {
        for (const row of saved) rows.set(row.tenant, row);
        return true;
      },
      hasLost: async ({ tenant }) => !rows.has(tenant),
    });
    const settle = async (tenant: string) => {
      accounts.settle(account(tenant), bill);
      await eventually(() => expect(rows.has(tenant)).toBe(true));
      await nextTurn();
    };
    await settle('a');
    rows.clear();
    for (const tenant of ['b', 'c']) await settle(tenant);
    expect([...rows.keys()].sort()).toEqual(['a', 'b', 'c']);
    await accounts.close();
  });
});

describe('accounts in a file', () => {
  test('a bill is that of a key, a tenant, an endpoint and a day; what is cached costs nothing', async () => {
    const keys = writeKeyFile({ ab: { tenants: ['a', 'bb'] } });
    const app = await opened(
      openBillingApp(billing, cached, { ACCOUNTS_FILE: file, API_KEYS_FILE: keys.path }),
    );
    for (const project of ['a', 'bb', 'a', 'a'])
      expect((await call(app, project, keys.keyOf('ab'))).status).toBe(200);
    expect((await call(app, 'ccc')).status).toBe(200);
    const id = keys.idOf('ab');
    await eventually(() =>
      expect(short(readAccountFile(file))).toEqual(
        [
          [day, 'API_KEY', 'ccc', 'numbers', 1, bytesOf('ccc'), 7],
          [day, id, 'a', 'numbers', 1, bytesOf('a'), 7],
          [day, id, 'bb', 'numbers', 1, bytesOf('bb'), 7],
        ].sort(),
      ),
    );
    expect(sumOf(readAccountFile(file))).toBe(billing.sum());
    keys.remove();
  });

  test('a refresh is of the endpoint, and of no key', async () => {
    const app = await opened(
      openBillingApp(billing, cached, { ACCOUNTS_FILE: file }, { clock: () => new Date() }),
    );
    await call(app, 'a');
    await eventually(() => {
      const rows = readAccountFile(file).filter(({ key }) => key === '(refresh)');
      expect(rows).toMatchObject([{ tenant: '', endpoint: 'numbers', bytesBilled: bytesOf('a') }]);
    });
  });

  test('a start adds to what was there, and metrics name no tenant', async () => {
    for (let start = 1; start <= 3; start += 1) {
      const app = await openBillingApp(billing, cached, { ACCOUNTS_FILE: file });
      await call(app, 'secret-tenant');
      const metrics = await (await app.fetch('/metrics')).text();
      expect(metrics).toContain(
        `querygate_account_billed_bytes_total{endpoint="numbers",payer="key"} ${bytesOf('secret-tenant')}`,
      );
      expect(metrics).not.toContain('secret-tenant');
      await app.close();
      expect(sumOf(readAccountFile(file))).toBe(start * bytesOf('secret-tenant'));
    }
  });

  test('runs that a shutdown cancels are billed, also if their jobs end a little later', async () => {
    const job = { jobComplete: false, jobReference: { projectId: 'our-project', jobId: 'job_1' } };
    let cancelledAt = Number.POSITIVE_INFINITY;
    billing.fake.respondWith((response, received, at) => {
      if (received.path === '/jobs/job_1/cancel') cancelledAt = Math.min(cancelledAt, performance.now());
      const isDone = performance.now() > cancelledAt + 300;
      const statistics = isDone ? { totalSlotMs: '5', query: { totalBytesBilled: '77' } } : {};
      const isJob = received.path.startsWith('/jobs/job_1');
      const body = isJob ? { status: { state: isDone ? 'DONE' : 'RUNNING' }, statistics } : job;
      reply(body)(response, received, at);
    });
    const app = await openBillingApp(billing, cached, { ACCOUNTS_FILE: file });
    const waiting = call(app, 'a');
    // The second request has the job of the first reply.
    await eventually(() => expect(billing.fake.received.length).toBeGreaterThan(1));
    const begunAt = performance.now();
    await app.close();
    expect(performance.now() - begunAt).toBeLessThan(2_000);
    expect((await waiting).status).not.toBe(200);
    expect(sumOf(readAccountFile(file))).toBe(77);
  });

  test('a cost with fractions is rounded, so that the next start reads the file', async () => {
    const queries = makeQueryFolder({ 'q.sql': queryText({ caching: 'disabled' }) });
    const cost = { ...{ bytesProcessed: 2.5, bytesBilled: 1.5, slotMs: 1.5 }, cacheHit: false, jobId: 'j' };
    const engine = async (): Promise<Engine> => ({
      source: 'test',
      run: async () => ({ rows: ['{"n":1}'], truncated: false, cost }),
      close: async () => {},
    });
    const key = 'a-key-for-tests-only';
    for (let start = 1; start <= 2; start += 1) {
      const gateway = await createGateway({
        queries: queries.folder,
        engine: { name: 'fractions', sql: 'native', open: engine },
        keys: apiKeyOf(key),
        plugins: [costs({ file })],
      });
      const request = new Request('http://gateway.test/api/endpoints/query/q', {
        headers: { 'x-api-key': key },
      });
      expect((await gateway.fetch(request)).status).toBe(200);
      await gateway.close();
      expect(readAccountFile(file).reduce<Totals>(add, noBill)).toEqual({
        runs: start,
        bytesBilled: 2 * start,
        slotMs: 2 * start,
      });
    }
    queries.close();
  });

  test('a file that is cut anywhere stops the start and stays as it is', async () => {
    const app = await openBillingApp(billing, cached, { ACCOUNTS_FILE: file });
    for (const project of ['a', 'é"\\', 'c']) await call(app, encodeURIComponent(project));
    await app.close();
    const whole = readFileSync(file);
    expect(readAccountFile(file)).toHaveLength(3);
    for (let length = 0; length < whole.length - 1; length += 1) {
      writeFileSync(file, whole.subarray(0, length));
      expect(() => readAccountFile(file)).toThrow(
        /accounts\.json is (?:empty|damaged), and bills that are lost/,
      );
    }
    writeFileSync(file, whole.subarray(0, whole.length - 20));
    await expect(openBillingApp(billing, cached, { ACCOUNTS_FILE: file })).rejects.toThrow('is damaged');
    expect(readFileSync(file)).toEqual(whole.subarray(0, whole.length - 20));
  });

  test.each([
    ['another form', '{"keys": []}'],
    ['a negative bill', `{"accounts": [["${day}", "i", "k", "t", "e", 1, -5, 1]], "count": 1}`],
    ['a bill that is no number', `{"accounts": [["${day}", "i", "k", "t", "e", 1, null, 1]], "count": 1}`],
    ['fewer rows than it says', '{"accounts": [], "count": 1}'],
  ])('%s is damaged', (_, text) => {
    writeFileSync(file, text);
    expect(() => readAccountFile(file)).toThrow('is damaged');
  });

  test('a folder that does not exist stops the start: bills would end with the process', async () => {
    const path = join(folder, 'missing', 'accounts.json');
    await expect(openBillingApp(billing, cached, { ACCOUNTS_FILE: path })).rejects.toThrow(
      `accounts.json cannot be written (ENOENT): there is no folder ${join(folder, 'missing')}`,
    );
  });

  test.each([
    ['missing/accounts.json', 'cannot be written (ENOENT): there is no folder '],
    ['accounts.json', 'cannot be written (ELOOP): its symbolic links form a loop'],
  ])('a link to %s does, too', (target, message) => {
    symlinkSync(join(folder, target), file);
    expect(() => openAccountFile(file)).toThrow(message);
  });

  test.each([
    ['on one line', '{"version": 2, "accounts": [], "count": 0}'],
    ['first', '{"version": 2, "accounts": [\n], "count": 0}\n'],
    ['last', '{"accounts": [\n], "count": 0, "version": 2}\n'],
  ])('a file of a newer version says so: %s', (_, text) => {
    writeFileSync(file, text);
    expect(() => readAccountFile(file)).toThrow(/accounts\.json is of a newer version of Querygate/);
  });

  test('a text is read in parts of any length', () => {
    const rows = Array.from(
      { length: 1_203 },
      (_, at): AccountRow => ({
        ...{ day, instance: 'i', key: '],"é\\', tenant: `${at}\n`, endpoint: 'e' },
        ...{ runs: at, bytesBilled: at, slotMs: at },
      }),
    );
    for (const length of [1, 7, 16, 1_000, 1e6]) {
      const text = [...textOf(rows)].join('');
      const reader = new AccountTextReader();
      for (let at = 0; at < text.length; at += length) reader.add(text.slice(at, at + length));
      expect(reader.end()).toEqual(rows);
      expect(JSON.parse(text)).toMatchObject({ count: rows.length });
    }
  });

  test('one bill of many accounts leaves turns of the event loop to others, also after another process has written', async () => {
    const row = (at: number, runs = 1): AccountRow => ({
      ...{ instance: 'i', day, key: 'k', tenant: `t${at}`, endpoint: 'e' },
      ...{ runs, bytesBilled: runs, slotMs: 0 },
    });
    const [one, two] = [openAccountFile(file), openAccountFile(file)];
    /** How many turns others have had. */
    const turnsOf = async (work: Promise<unknown>) => {
      let [turns, isDone] = [0, false];
      const done = work.finally(() => {
        isDone = true;
      });
      while (!isDone) {
        await new Promise(setImmediate);
        turns += 1;
      }
      await done;
      return turns;
    };
    const count = 50_000;
    await one.save(
      Array.from({ length: count }, (_, at) => row(at)),
      AbortSignal.abort(),
    );
    const fewest = count / 2_000;
    expect(await turnsOf(one.save([row(1, 2)], AbortSignal.abort()))).toBeGreaterThan(fewest);
    expect(await turnsOf(two.save([row(2, 2)], AbortSignal.abort()))).toBeGreaterThan(2 * fewest);
    expect(await turnsOf(one.hasLost(row(1, 2)))).toBeGreaterThan(fewest);
    expect(sumOf(readAccountFile(file))).toBe(count + 2);
  });

  test('a clock that was days ahead, over a midnight, loses no bill', async () => {
    const accounts = new Accounts(openAccountFile(file), pino({ enabled: false }));
    let bills = 0;
    const settle = async (at: string, count: number) => {
      for (let bill = 0; bill < count; bill += 1) {
        const account = { day: at, key: 'k', tenant: 't', endpoint: 'e' };
        accounts.settle(account, { runs: 1, bytesBilled: 10, slotMs: 1 });
        bills += 1;
        await eventually(() => expect(sumOf(readAccountFile(file))).toBe(10 * bills));
      }
    };
    const days = ['2026-11-28', '2026-11-30', '2026-12-01', '2026-11-29', '2026-11-28', '2026-11-30'];
    for (const at of days) await settle(at, 5);
    await accounts.close();
    expect(sumOf(readAccountFile(file))).toBe(days.length * 50);
    expect(readAccountFile(file).length).toBeLessThanOrEqual(days.length);
  });

  test('two gateways that write one file lose nothing', async () => {
    const row = (instance: string, runs: number): AccountRow => ({
      ...{ instance, day, key: 'k', tenant: 't', endpoint: 'e' },
      ...{ runs, bytesBilled: runs, slotMs: 0 },
    });
    const [one, two] = [openAccountFile(file), openAccountFile(file)];
    const { signal } = new AbortController();
    for (let runs = 1; runs <= 20; runs += 1) {
      await one.save([row('one', runs)], signal);
      await two.save([row('two', runs)], signal);
    }
    expect(sumOf(readAccountFile(file))).toBe(40);
    // At the same time, and as the last of both.
    await Promise.all([one.save([row('one', 21)], signal), two.save([row('two', 21)], signal)]);
    expect(sumOf(readAccountFile(file))).toBe(42);
    rmSync(file);
    expect(await one.hasLost(row('one', 21))).toBe(true);
  });

  test('a bill that was corrected stays so, also after another gateway has written the file', async () => {
    const row = (instance: string, bytesBilled: number): AccountRow => ({
      ...{ instance, day, key: 'k', tenant: 't', endpoint: 'e', runs: 1, bytesBilled, slotMs: 0 },
    });
    const [one, two] = [openAccountFile(file), openAccountFile(file)];
    const { signal } = new AbortController();
    await one.save([row('one', 10)], signal);
    await two.save([row('two', 1)], signal);
    await one.save([row('one', 1_000)], signal);
    expect(sumOf(readAccountFile(file))).toBe(1_001);
    const before = readFileSync(file);
    await two.save([row('two', 2)], signal);
    expect(await one.hasLost(row('one', 1_000))).toBe(false);
    await two.save([row('two', 1)], signal);
    // As a gateway does that has read the file before the correction.
    writeFileSync(file, before.toString().replace('1000', '10'));
    expect(await one.hasLost(row('one', 1_000))).toBe(true);
    await one.save([], signal);
    expect(sumOf(readAccountFile(file))).toBe(1_001);
  });

  test('a gateway without runs reads a file once that another one has written', async () => {
    const row: AccountRow = {
      ...{ instance: 'two', day, key: 'k', tenant: 't', endpoint: 'e' },
      ...{ runs: 1, bytesBilled: 5, slotMs: 0 },
    };
    const [one, two] = [openAccountFile(file), openAccountFile(file)];
    const { signal } = new AbortController();
    await one.save([{ ...row, instance: 'one' }], signal);
    await two.save([row], signal);
    expect(await one.hasLost({ ...row, instance: 'one' })).toBe(false);
    expect(await one.load(new Set([day]))).toHaveLength(2);
    const read = vi.spyOn(AccountTextReader.prototype, 'end');
    expect(await one.hasLost({ ...row, instance: 'one' })).toBe(false);
    expect(read).not.toHaveBeenCalled();
    read.mockRestore();
    // Its next write keeps the rows of the other one.
    await one.save([{ ...row, instance: 'one', runs: 2, bytesBilled: 6 }], signal);
    expect(sumOf(readAccountFile(file))).toBe(11);
  });

  test.each(['an earlier text', 'no text yet'])('a link to a file with %s is kept', async (text) => {
    const volume = join(folder, 'volume');
    mkdirSync(volume);
    const target = join(volume, 'accounts.json');
    if (text === 'an earlier text') writeFileSync(target, [...textOf([])].join(''));
    symlinkSync(target, file);
    const row = {
      day,
      key: 'k',
      tenant: 't',
      endpoint: 'e',
      instance: 'i',
      runs: 1,
      bytesBilled: 5,
      slotMs: 0,
    };
    await openAccountFile(file).save([row], new AbortController().signal);
    expect(readlinkSync(file)).toBe(target);
    expect(readAccountFile(target)).toEqual([row]);
  });

  test('what is settled while a file rests after a long write is saved when the gateway ends', async () => {
    const store = openAccountFile(file);
    const clock = vi.spyOn(performance, 'now');
    // The write begins at the second of these times, and ends at the third.
    for (const time of [0, 0, 1e6]) clock.mockReturnValueOnce(time);
    await store.save([], new AbortController().signal);
    clock.mockRestore();
    const accounts = new Accounts(store, pino({ enabled: false }));
    const bill = { runs: 1, bytesBilled: 7, slotMs: 0 };
    accounts.settle({ day, key: 'k', tenant: 't', endpoint: 'e' }, bill);
    await accounts.close();
    expect(sumOf(readAccountFile(file))).toBe(7);
  });

  test('a folder that cannot be written is in the log once, and later writes have all of it', async () => {
    const lines: string[] = [];
    const log = pino({ level: 'error' }, { write: (line) => void lines.push(line) });
    const path = join(folder, 'lost', 'accounts.json');
    mkdirSync(join(folder, 'lost'));
    const app = await opened(openBillingApp(billing, cached, { ACCOUNTS_FILE: path }, { log }));
    rmSync(join(folder, 'lost'), { recursive: true });
    for (const project of ['a', 'b']) await call(app, project);
    await eventually(() => expect(lines.join('')).toContain('the accounts of costs cannot be saved'));
    expect(lines).toHaveLength(1);
    mkdirSync(join(folder, 'lost'));
    await eventually(() => expect(sumOf(readAccountFile(path))).toBe(billing.sum()));
  });

  test.each([
    ['has ended when its caller left', 'DONE'],
    ['ends some time later', 'RUNNING'],
  ])('a cancelled run that %s is in the account of its caller', async (_, first) => {
    const app = await opened(openBillingApp(billing, { numbers: {} }, { ACCOUNTS_FILE: file }));
    const leaving = new AbortController();
    const job = { statistics: { totalSlotMs: '5', query: { totalBytesBilled: '20971520' } } };
    let states = 0;
    billing.fake.respondWith((response, received, at) => {
      if (received.path.startsWith('/jobs/job_1/cancel')) return reply({})(response, received, at);
      if (received.path.startsWith('/jobs/job_1')) {
        const state = states === 0 ? first : 'DONE';
        states += 1;
        return reply({ ...job, status: { state } })(response, received, at);
      }
      setTimeout(() => leaving.abort(), 50);
      reply(incompleteBody)(response, received, at);
    });
    const asking = app.fetch('/api/endpoints/query/numbers?project=a', {
      signal: leaving.signal,
      headers: { 'x-api-key': apiKey },
    });
    await Promise.allSettled([asking]);
    await eventually(() =>
      expect(short(readAccountFile(file))).toEqual([[day, 'API_KEY', 'a', 'numbers', 1, 20_971_520, 5]]),
    );
  });

  test('a bill that could not be read with the rows is counted by what was read, and put right when it comes', async () => {
    const app = await opened(openBillingApp(billing, { numbers: {} }, { ACCOUNTS_FILE: file }));
    let asked = 0;
    let isUp = false;
    const job = { jobReference: incompleteBody.jobReference, totalBytesProcessed: '1000000' };
    billing.fake.respondWith((response, received, at) => {
      if (received.path === '/queries') return reply(incompleteBody)(response, received, at);
      if (received.path.startsWith('/queries/'))
        return reply(completeBody([1], { ...job, totalBytesBilled: undefined, totalSlotMs: undefined }))(
          response,
          received,
          at,
        );
      asked += 1;
      if (!isUp) return errorReply(503, 'backendError')(response, received, at);
      const statistics = { totalSlotMs: '9000', query: { totalBytesBilled: '20971520' } };
      reply({ status: { state: 'DONE' }, statistics })(response, received, at);
    });
    expect((await call(app, 'a')).status).toBe(200);
    const rows = (bytes: number, slotMs: number) => [[day, 'API_KEY', 'a', 'numbers', 1, bytes, slotMs]];
    await eventually(() => expect(short(readAccountFile(file))).toEqual(rows(10_485_760, 0)));
    isUp = true;
    await eventually(() => expect(short(readAccountFile(file))).toEqual(rows(20_971_520, 9_000)));
    expect(asked).toBeGreaterThan(1);
    const metrics = await (await app.fetch('/metrics')).text();
    expect(metrics).toContain('querygate_account_runs_total{endpoint="numbers",payer="key"} 1');
  });

  test('a run whose rows cannot be read is billed all the same', async () => {
    const app = await opened(openBillingApp(billing, { numbers: {} }, { ACCOUNTS_FILE: file }));
    billing.fake.respondWith(
      reply(completeBody([], { rows: [{ f: [{ v: 'one' }] }], totalBytesBilled: '20971520' })),
    );
    expect((await call(app, 'a')).status).toBe(503);
    await eventually(() =>
      expect(short(readAccountFile(file))).toEqual([[day, 'API_KEY', 'a', 'numbers', 1, 20_971_520, 30]]),
    );
  });
});

describe.skipIf(!hasRedis)('accounts in Redis', () => {
  let server: RedisServer;
  beforeEach(async () => {
    server = await redisServer();
    await server.start();
  });
  afterEach(() => server.close());

  const config = () => readConfig({ CACHE_URL: server.url, CACHE_SECRET: secret, API_KEY: apiKey });
  const secret = 's'.repeat(32);
  const read = () => readAccounts(config(), new Set([day]));

  test('gateways add up, also those that have ended, and after Redis has lost everything', async () => {
    const env = { CACHE_URL: server.url, CACHE_SECRET: secret };
    const [one, two] = await Promise.all([0, 1].map(() => openBillingApp(billing, { numbers: {} }, env)));
    const both = [one, two].filter((app) => app !== undefined);
    for (const app of both) for (const project of ['a', 'bb', 'a']) await call(app, project);
    await eventually(async () => expect(sumOf(await read())).toBe(billing.sum()));

    server.signal('SIGKILL');
    await sleep(50);
    for (const app of both) expect((await call(app, 'dddd')).status).toBe(200);
    await server.start();
    await eventually(async () => expect(sumOf(await read())).toBe(billing.sum()), 2 * inject('waitingMs'));
    expect(billing.billed).toHaveLength(8);
    for (const app of both) await app.close();
    expect(sumOf(await read())).toBe(billing.sum());
  });

  test('of a day are read in parts: Redis does nothing else meanwhile', async () => {
    const state = await redis({ url: server.url, secret }).openState('a test', pino({ enabled: false }));
    await state.ready;
    const longest = { reply: 0 };
    const evaluate: typeof state.evaluate = async (...given) => {
      const reply = await state.evaluate(...given);
      longest.reply = Math.max(longest.reply, JSON.stringify(reply).length);
      return reply;
    };
    const store = sharedAccounts({ ...state, evaluate });
    const rows = Array.from({ length: 5_000 }, (_, at) => ({
      ...{ day, instance: 'i', key: `k${at}`, tenant: 't', endpoint: 'e' },
      ...{ runs: 1, bytesBilled: at, slotMs: 0 },
    }));
    expect(await store.save(rows, new AbortController().signal)).toBe(true);
    const byBytes = (one: AccountRow, other: AccountRow) => one.bytesBilled - other.bytesBilled;
    expect([...(await store.load(new Set([day])))].sort(byBytes)).toEqual(rows);
    expect(longest.reply).toBeLessThan(200_000);
    await store.close();
  });

  test('a key of another type is replaced', async () => {
    const state = await redis({ url: server.url, secret }).openState('a test', pino({ enabled: false }));
    await state.ready;
    const store = sharedAccounts(state);
    const row = {
      day,
      instance: 'i',
      key: 'k',
      tenant: 't',
      endpoint: 'e',
      runs: 1,
      bytesBilled: 2,
      slotMs: 3,
    };
    await server.run((client) => client.set(state.keyOf('accounts', day), 'a text'));
    expect(await store.hasLost?.(row)).toBe(true);
    expect(await store.save([row], new AbortController().signal)).toBe(true);
    expect(await store.load(new Set([day]))).toEqual([row]);
    await store.close();
  });

  test('what another program has written there is no bill, and keys of Redis have no names', async () => {
    const state = await redis({ url: server.url, secret }).openState('a test', pino({ enabled: false }));
    await state.ready;
    const key = state.keyOf('accounts', day);
    await server.run(async (client) => {
      await client.hSet(key, {
        'not JSON': 'x',
        [state.encrypt('["i","k","t","e"]')]: '[1,-5,1]',
        [state.encrypt('["i","k"]')]: '[1,5,1]',
      });
    });
    const app = await opened(
      openBillingApp(billing, { numbers: {} }, { CACHE_URL: server.url, CACHE_SECRET: secret }),
    );
    await call(app, 'a');
    await eventually(async () =>
      expect(short(await read())).toEqual([[day, 'API_KEY', 'a', 'numbers', 1, bytesOf('a'), 7]]),
    );
    expect(key).not.toContain(day);
    await state.close();
  });
});

test('the day of an account is that of the time zone', async () => {
  const app = await openBillingApp(
    billing,
    cached,
    { ACCOUNTS_FILE: file, BUDGET_TIME_ZONE: 'Pacific/Auckland' },
    { clock: () => now },
  );
  await call(app, 'a');
  await app.close();
  expect(readAccountFile(file).map(({ day }) => day)).toEqual(['2026-03-11']);
});
