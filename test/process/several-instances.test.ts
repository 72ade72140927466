import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { SignJWT } from 'jose';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { type GatewayProcess, runCommand, startGateway } from '../support/gateway-process.ts';
import { type KeyFile, writeKeyFile } from '../support/key-files.ts';
import { atNight, nightly } from '../support/nightly.ts';
import { queryText } from '../support/queries.ts';
import { hasRedis, type RedisServer, redisServer } from '../support/redis-server.ts';

/** `made` is the moment of the run: equal bodies come from one run. */
const query = (word: string) =>
  queryText({
    name: 'word',
    columns: { word: 'string', made: 'timestamp' },
    caching: ['caching: 900s'],
    sql: `select '${word}' as word, current_timestamp() as made`,
  });

describe.skipIf(!hasRedis)('several gateways on one Redis', () => {
  const secret = 'a-secret-of-the-gateways-32-long';
  const jwtSecret = 'a-secret-that-signs-tokens-32-long';
  let folder: string;
  let keys: KeyFile;
  let redis: RedisServer;
  let gateways: GatewayProcess[] = [];

  const foldersOf = (...names: string[]) => names.map((name) => join(folder, name));
  const start = async (env: Record<string, string> = {}, file?: string) => {
    const gateway = await startGateway(
      {
        API_KEYS_FILE: keys.path,
        JWT_SECRET: jwtSecret,
        CACHE_URL: redis.url,
        CACHE_SECRET: secret,
        DATA_DIR: 'test',
        QUERIES_DIR: join(folder, 'old'),
        LOG_LEVEL: 'debug',
        ...env,
      },
      'pipe',
      [],
      file,
    );
    gateways.push(gateway);
    return gateway;
  };
  const request = async (gateway: GatewayProcess, key: string, name = 'word') => {
    const headers = { authorization: `Bearer ${key}` };
    const response = await fetch(`${gateway.origin}/api/endpoints/query/${name}`, { headers });
    return { status: response.status, headers: response.headers, body: await response.text() };
  };
  const body = async (gateway: GatewayProcess, name?: string) => {
    const { status, body } = await request(gateway, keys.keyOf('unlimited'), name);
    expect(status, body).toBe(200);
    return body;
  };
  /** How many of so many requests pass, sent by turns to all gateways. */
  const passed = async (key: string, count: number, to = gateways) => {
    const responses = await Promise.all(
      Array.from({ length: count }, (_, at) => request(to[at % to.length] as GatewayProcess, key)),
    );
    for (const { status } of responses) expect([200, 429]).toContain(status);
    return responses.filter(({ status }) => status === 200).length;
  };
  const cameBack = (perMinute: number, since: number) =>
    Math.ceil(((performance.now() - since) / 60_000) * perMinute);
  /** The log arrives a little later than the responses, and nothing else does. */
  const expectRuns = async (...counts: number[]) => {
    await eventually(() => expect(runs()).toEqual(counts));
    await sleep(300);
    expect(runs()).toEqual(counts);
  };
  const runs = () => gateways.map((one) => one.log().split('"msg":"the engine runs a query"').length - 1);

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'querygate-test-'));
    for (const [at, path] of foldersOf('old', 'new').entries()) {
      cpSync('queries/tables', join(path, 'tables'), { recursive: true });
      writeFileSync(join(path, 'word.sql'), query(at === 0 ? 'old' : 'new'));
      writeFileSync(join(path, 'same.sql'), query('same').replace(/^id: .*$/m, `id: ${sameId}`));
    }
    keys = writeKeyFile({
      unlimited: {},
      slow: { rate: { requests_per_minute: 30 } },
      fast: { rate: { requests_per_minute: fastPerMinute } },
    });
  });
  afterAll(() => {
    keys.remove();
    rmSync(folder, { recursive: true });
  });
  beforeEach(async () => {
    gateways = [];
    redis = await redisServer();
    await redis.start();
  });
  afterEach(async () => {
    await Promise.all(gateways.map((gateway) => gateway.end()));
    await redis.close();
  });

  test.each(['slow', ...atNight('fast')])('let through the rate of a key together: %s', async (name) => {
    await Promise.all([start(), start()]);
    await passed(keys.keyOf('unlimited'), 2);
    const limit = name === 'slow' ? 30 : fastPerMinute;
    const startedAt = performance.now();
    let count = 0;
    for (let sent = 0; sent < 1.5 * limit; sent += 100) count += await passed(keys.keyOf(name), 100);
    expect(count).toBeGreaterThanOrEqual(limit);
    expect(count).toBeLessThanOrEqual(limit + cameBack(limit, startedAt));

    if (name === 'fast') return;
    // One comes back every two seconds.
    const { value: refused } = await eventually(async () => {
      const response = await request(gateways[0] as GatewayProcess, keys.keyOf('slow'));
      expect(response.status).toBe(429);
      return response;
    });
    expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(2);
    expect(refused.headers.get('ratelimit')).toMatch(/^"default";r=0;t=(59|60)$/);
    // Neither ids nor names of keys are in Redis.
    const stored = await redis.run((client) => client.keys('*'));
    expect(stored.some((key) => key.startsWith('querygate:rate:'))).toBe(true);
    for (const key of stored) expect(key).not.toContain(keys.idOf(name));
  });

  nightly('let through the rate of a token together', async () => {
    await Promise.all([start(), start()]);
    const token = () =>
      new SignJWT({ sub: 'alice', tenants: ['abc'], rate: 12, jti: String(Math.random()) })
        .setProtectedHeader({ alg: 'HS256' })
        .setExpirationTime('1h')
        .sign(Buffer.from(jwtSecret));
    // What the token may not query counts for its rate too.
    const tokens = [await token(), await token()];
    const startedAt = performance.now();
    const responses = await Promise.all(
      Array.from({ length: 40 }, (_, at) =>
        request(gateways[at % 2] as GatewayProcess, tokens[at % 2] as string),
      ),
    );
    const within = responses.filter(({ status }) => status !== 429).length;
    expect(within).toBeGreaterThanOrEqual(12);
    expect(within).toBeLessThanOrEqual(12 + cameBack(12, startedAt));
    for (const key of await redis.run((client) => client.keys('*'))) expect(key).not.toContain('alice');
  });

  test('answer while Redis is gone, within their own limits, and count together when it is back', async () => {
    await Promise.all([start(), start()]);
    const key = keys.keyOf('slow');
    const startedAt = performance.now();
    expect(await passed(key, 10)).toBe(10);
    redis.signal('SIGKILL');
    // Each knows of its own 5, of those of the other as of its last exchange, and of what that had in reserve.
    const alone = [await passed(key, 40, gateways.slice(0, 1)), await passed(key, 40, gateways.slice(1))];
    for (const count of alone) {
      expect(count).toBeGreaterThanOrEqual(18);
      expect(count).toBeLessThanOrEqual(20 + 5 + cameBack(30, startedAt));
    }
    await redis.start();
    const connections = (one: GatewayProcess) =>
      one.log().split('connected to the shared rate counter').length - 1;
    await eventually(() => expect(gateways.every((one) => connections(one) >= 2)).toBe(true));
    expect(await passed(key, 40)).toBeLessThanOrEqual(cameBack(30, startedAt));
    for (const gateway of gateways) {
      expect(gateway.log().split('the shared rate counter does not respond').length - 1).toBe(1);
      expect(gateway.log()).not.toContain('a bug in the gateway');
    }
  });

  nightly(
    'with one query changed, each answers with its own, and what did not change is shared',
    async () => {
      const [old, changed] = [await start(), await start({ QUERIES_DIR: join(folder, 'new') })];
      for (let round = 0; round < 3; round += 1) {
        expect(await body(old)).toContain('"word":"old"');
        expect(await body(changed)).toContain('"word":"new"');
      }
      expect(await body(changed, 'same')).toBe(await body(old, 'same'));
      await expectRuns(1, 2);
      // Both start again: what the other has stored is still there, and still not mixed up.
      await Promise.all(gateways.map((gateway) => gateway.end()));
      gateways = [];
      const [again, changedAgain] = [await start(), await start({ QUERIES_DIR: join(folder, 'new') })];
      expect(await body(changedAgain)).toContain('"word":"new"');
      expect(await body(again)).toContain('"word":"old"');
      await expectRuns(0, 0);
    },
  );

  nightly('of two cache formats answer right, and neither removes what belongs to the other', async () => {
    const copy = join(folder, 'next');
    cpSync('src', join(copy, 'src'), { recursive: true });
    cpSync('package.json', join(copy, 'package.json'));
    symlinkSync(resolve('node_modules'), join(copy, 'node_modules'));
    const file = join(copy, 'src/results/redis/format-version.ts');
    const text = readFileSync(file, 'utf8');
    const next = text.replace(/'querygate\/(\d+)'/, (_, number) => `'querygate/${Number(number) + 1}'`);
    expect(next).not.toBe(text);
    writeFileSync(file, next);

    const first = await start();
    const before = await body(first);
    const names = async () => (await redis.run((client) => client.keys('querygate:result:*'))).sort();
    await expectRuns(1);
    const ofFirst = await names();
    expect(ofFirst).toHaveLength(1);
    const entry = () => redis.run((client) => client.get(ofFirst[0] ?? ''));
    const stored = await entry();

    const second = await start({}, join(copy, 'src/main.ts'));
    const after = await body(second);
    expect(after).toContain('"word":"old"');
    // It has run the query for itself: nothing of the other format was read.
    expect(after).not.toBe(before);
    await expectRuns(1, 1);
    expect(await entry()).toBe(stored);
    expect(await names()).toHaveLength(2);

    // Each finds its own again, after both have stored theirs.
    await Promise.all(gateways.map((gateway) => gateway.end()));
    gateways = [];
    const [again, secondAgain] = [await start(), await start({}, join(copy, 'src/main.ts'))];
    expect([await body(again), await body(secondAgain)]).toEqual([before, after]);
    await expectRuns(0, 0);
    // The rates are those of both.
    const startedAt = performance.now();
    const count = await passed(keys.keyOf('slow'), 60);
    expect(count).toBeGreaterThanOrEqual(30);
    expect(count).toBeLessThanOrEqual(30 + cameBack(30, startedAt));
  });

  test('a cold question at both in the same moment runs once', async () => {
    await Promise.all([start(), start()]);
    const bodies = await Promise.all(
      Array.from({ length: 50 }, (_, at) => body(gateways[at % 2] as GatewayProcess)),
    );
    expect(new Set(bodies).size).toBe(1);
    const total = () => runs().reduce((sum, count) => sum + count, 0);
    await eventually(() => expect(total()).toBe(1));
    await sleep(300);
    expect(total()).toBe(1);
  });
});

/** Each request costs a millisecond of three processes. */
const fastPerMinute = 6_000;

const sameId = '00000000-0000-4000-8000-00000000aaaa';

describe('two gateways over one DATA_DIR', () => {
  let dataDir: string;
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'querygate-test-'));
  });
  afterEach(() => rmSync(dataDir, { recursive: true }));

  test('the second is refused with what to do, until the first has ended or was killed', async () => {
    const env = { DATA_DIR: dataDir, STORE_FILE: '', PORT: '0' };
    const first = await startGateway(env);
    const { exitCode, errors } = await runCommand('src/main.ts', env);
    expect(exitCode).toBe(2);
    expect(errors).toContain('it is in use by another process');
    expect(errors).toContain('so name another file for this one');

    first.child.kill('SIGKILL');
    await once(first.child, 'exit');
    const next = await startGateway(env);
    expect(await next.end()).toBe(0);
  });

  nightly('both run when each has a store of its own', async () => {
    const both = await Promise.all(
      ['a', 'b'].map((name) =>
        startGateway({ DATA_DIR: dataDir, STORE_FILE: join(dataDir, `.${name}`, 'store') }),
      ),
    );
    expect(await Promise.all(both.map((gateway) => gateway.end()))).toEqual([0, 0]);
  });
});
