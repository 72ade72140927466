import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { gunzipSync, gzipSync, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { runSteps } from '../../../src/concurrency/loop-turns.ts';
import { buildCacheCrypto, type CacheCrypto, type Signing } from '../../../src/results/redis/cache-crypto.ts';
import { encodeEntry } from '../../../src/results/redis/entry-codec.ts';
import { buildDocument, type ResultDocument } from '../../../src/results/result-document.ts';
import { type KeyFile, writeKeyFile } from '../../support/key-files.ts';
import { measureLoopTime } from '../../support/loop-time.ts';
import { atNight, isNightly, nightly } from '../../support/nightly.ts';
import { queryText } from '../../support/queries.ts';
import { hasRedis, type RedisServer, redisServer } from '../../support/redis-server.ts';
import { runTime } from '../../support/run-time.ts';
import { openTestApp, type TestApp } from '../../support/test-app.ts';

/** How a caller asks for a result, and reads its bytes. */
const decoded = {
  identity: (bytes: Buffer) => bytes,
  gzip: gunzipSync,
  zstd: zstdDecompressSync,
  graphql: (bytes: Buffer) => bytes,
};
const encode = (key: string, document: ResultDocument, crypto: Pick<CacheCrypto, 'signing'>) =>
  String(runSteps(encodeEntry(key, document, '1', crypto)));

const noSigning = { update: () => noSigning, digest: () => '' } as unknown as Signing;
const unsigned = { signing: () => noSigning };
type Way = keyof typeof decoded;
const ways = Object.keys(decoded) as readonly Way[];

const secret = 'PqvT9zq0Vh5o2Y7mJ1cXw8RkBn4LsDfG';
/** Somebody who can read and write the gateways' Redis, knows this code, and does not know the secret. */
describe.skipIf(!hasRedis)('a client of the same Redis without CACHE_SECRET', () => {
  let folder: string;
  let keys: KeyFile;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'querygate-test-'));
    cpSync('queries/tables', join(folder, 'queries', 'tables'), { recursive: true });
    const parameters = { project: '{ type: string, required: true, tenant: true, description: P. }' };
    const caching = ['caching: 900s', 'cache_warming: 300s'];
    const columns = { event_message: 'string' };
    writeFileSync(
      join(folder, 'queries', 'mine.sql'),
      queryText({
        name: 'mine',
        columns,
        parameters,
        caching,
        sql: 'select t.event_message from edge_logs as t where t.project = @project order by 1',
      }),
    );
    const digits = 'unnest([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]) as';
    writeFileSync(
      join(folder, 'queries', 'slow.sql'),
      queryText({
        name: 'slow',
        columns: { x: 'integer' },
        parameters,
        caching,
        sql: `select count(*) as x from edge_logs as t cross join unnest([0, 1, 2]) as z cross join ${Array.from('abcde', (name) => `${digits} ${name}`).join(' cross join ')}
        where t.project = @project and mod(a * b + c * d + e * z, 7) = 3`,
      }),
    );
    const row = (project: string, at: number) => ({
      timestamp: '2026-03-10T12:00:00Z',
      project,
      event_message: `row ${at} of ${project}`,
    });
    const rows = ['tenant-a', 'tenant-b'].flatMap((project) =>
      Array.from({ length: 100 }, (_, at) => row(project, at)),
    );
    writeFileSync(join(folder, 'edge_logs.ndjson'), rows.map((one) => `${JSON.stringify(one)}\n`).join(''));
    keys = writeKeyFile({ A: { tenants: ['tenant-a'] }, B: { tenants: ['tenant-b'] } });
  });
  afterAll(() => {
    rmSync(folder, { recursive: true });
    keys.remove();
  });

  let redis: RedisServer;
  let lines: { level: number; msg: string; endpoint?: string }[];
  let apps: TestApp[];
  beforeEach(async () => {
    redis = await redisServer();
    await redis.start();
    lines = [];
    apps = [];
  });
  afterEach(async () => {
    for (const app of apps) await app.close();
    await redis.close();
  });

  const start = async (env: Record<string, string> = {}) => {
    const app = await openTestApp(
      {},
      {
        DATA_DIR: folder,
        QUERIES_DIR: join(folder, 'queries'),
        API_KEYS_FILE: keys.path,
        CACHE_URL: redis.url,
        CACHE_SECRET: secret,
        // A run takes long on a busy machine.
        ENGINE_TIMEOUT_MS: '120000',
        ...env,
      },
      {
        clock: () => new Date(),
        log: pino({ level: 'debug' }, { write: (line) => void lines.push(JSON.parse(line)) }),
      },
    );
    apps.push(app);
    return app;
  };
  const runs = (endpoint?: string) =>
    lines.filter(
      (line) =>
        line.msg === 'the engine runs a query' && (endpoint === undefined || line.endpoint === endpoint),
    ).length;
  const rest = (app: TestApp, tenant: 'a' | 'b', query = 'mine', headers: Record<string, string> = {}) =>
    app.fetch(`/api/endpoints/query/${query}?project=tenant-${tenant}`, {
      headers: { 'x-api-key': keys.keyOf(tenant.toUpperCase()), ...headers },
    });
  const graphql = (app: TestApp, tenant: 'a' | 'b') =>
    app.fetch('/graphql', {
      method: 'POST',
      headers: { 'x-api-key': keys.keyOf(tenant.toUpperCase()), 'content-type': 'application/json' },
      body: JSON.stringify({ query: `{ mine(project: "tenant-${tenant}") { rows { eventMessage } } }` }),
    });
  /** The tenants whose rows are in a text. */
  const tenantsIn = (text: string) => [...new Set(text.match(/of tenant-\w/g))];
  const get = (name: string) => redis.run(async (client) => (await client.get(name)) ?? '');
  /** A fresh gateway does not read what is stored, and gives the tenant's own rows, which it stores instead. */
  const expectOwnRows = async (tenant: 'a' | 'b', way: Way, name: string) => {
    const forged = await get(name);
    // Its warming may be the first to run the query.
    const before = runs();
    const app = await start();
    const response =
      way === 'graphql'
        ? await graphql(app, tenant)
        : await rest(app, tenant, 'mine', { 'accept-encoding': way });
    expect(response.status).toBe(200);
    const text = decoded[way](Buffer.from(await response.arrayBuffer())).toString();
    expect(tenantsIn(text)).toEqual([`of tenant-${tenant}`]);
    expect(runs()).toBeGreaterThan(before);
    expect(JSON.stringify(lines)).not.toMatch(/script|evil|tenant-b/);
    // After its callers have it: what is forged next must not be overwritten by this.
    while ((await get(name)) === forged) await sleep(10);
  };
  /** The name of the result that a request of a tenant stores. */
  const storedName = async (tenant: 'a' | 'b') => {
    const names = () => redis.run((client) => client.keys('querygate:result:*'));
    const before = new Set(await names());
    const app = await start();
    expect(tenantsIn(await (await rest(app, tenant)).text())).toEqual([`of tenant-${tenant}`]);
    for (;;) {
      const added = (await names()).filter((name) => !before.has(name));
      if (added[0] !== undefined) return added[0];
      await sleep(10);
    }
  };
  const set = (name: string, text: string, px = 600_000) =>
    redis.run((client) => client.set(name, text, { PX: px }));

  test('1: copies the result of one tenant to the key of another', async () => {
    const [a, b] = [await storedName('a'), await storedName('b')];
    for (const way of ways) {
      await redis.run((client) => client.copy(b, a, { REPLACE: true }));
      await expectOwnRows('a', way, a);
    }
  });

  describe.each([
    ['2: forges rows', 0, '{"event_message":"row 1 of tenant-b"}'],
    ['3: forges a document that is no JSON', 2, '<script>alert(1)</script>'],
  ])('%s', (_, rowAt, row) => {
    test.each([
      ['under no secret', 0, buildCacheCrypto(undefined)],
      ['under a secret of its own', 1, buildCacheCrypto('evil'.repeat(8))],
      ['with an empty signature', 2, unsigned],
    ])('and no caller gets them: %s', async (_name, secretAt, crypto) => {
      const name = await storedName('a');
      const document = await buildDocument({ rows: [row], truncated: false }, runTime(Date.now()));
      const keys = ['', name, `"${folder}" ["mine"]`];
      for (const [at, way] of ways.entries()) {
        if (!isNightly && at !== (secretAt + rowAt) % ways.length) continue;
        await set(name, encode(keys[at % keys.length] ?? '', document, crypto));
        await expectOwnRows('a', way, name);
      }
    });
  });

  nightly('4: replaces one encoding of a result', async () => {
    const name = await storedName('a');
    const entry = await get(name);
    const [head = '', body = ''] = entry.split('\n');
    const [, zstd = 0, gzip = 0] = /"zstd":(\d+),"gzip":(\d+)/.exec(head)?.map(Number) ?? [];
    const bytes = Buffer.from(body, 'base64');
    expect(bytes.byteLength).toBe(zstd + gzip);
    const evil = gzipSync('{"result":[{"event_message":"row 1 of tenant-b"}]}');
    const forged = Buffer.concat([bytes.subarray(0, zstd), evil]).toString('base64');
    for (const way of ways) {
      await set(name, `${head.replace(/"gzip":\d+/, `"gzip":${evil.byteLength}`)}\n${forged}`);
      await expectOwnRows('a', way, name);
    }
  });

  nightly('5: stores small texts that expand to hundreds of megabytes', async () => {
    const name = await storedName('a');
    const bomb = zstdCompressSync(Buffer.alloc(500_000_000));
    const document = await buildDocument({ rows: ['{}'], truncated: false }, runTime(Date.now()));
    const identity = { byteLength: 1_000_000 } as Buffer;
    const huge: ResultDocument = { ...document, encodings: { zstd: bomb, identity } };
    const entry = encode(name, huge, buildCacheCrypto(undefined));
    await set(name, entry.replace('"size":1000000', '"size":500000000'));
    const gateways = await Promise.all(Array.from({ length: 6 }, () => start()));
    const before = process.memoryUsage.rss();
    const spent = process.threadCpuUsage();
    const texts = await Promise.all(gateways.map(async (app) => (await rest(app, 'a')).text()));
    const { user, system } = process.threadCpuUsage(spent);
    expect(texts.map(tenantsIn)).toEqual(Array.from({ length: 6 }, () => ['of tenant-a']));
    expect(process.memoryUsage.rss() - before).toBeLessThan(200_000_000);
    // Expanding them takes several seconds.
    expect((user + system) / 1_000).toBeLessThan(1_000);
  });

  /** Deletes all results, once there is one: it is stored after its callers have it. */
  const deleteResults = async () => {
    for (;;) {
      const names = await redis.run((client) => client.keys('querygate:result:*'));
      if (names.length > 0) return redis.run((client) => client.del(names));
      await sleep(10);
    }
  };
  const leaseNames = () => redis.run((client) => client.keys('querygate:lease:*'));

  /** A gateway that runs `slow`, another one that follows it, and the leader's lease. */
  const follow = async (env: Record<string, string> = {}) => {
    const [first, second] = [await start(env), await start(env)];
    const led = rest(first, 'a', 'slow');
    while ((await leaseNames()).length === 0) await sleep(2);
    const [lease = ''] = await leaseNames();
    const working = await get(lease);
    const followed = rest(second, 'a', 'slow');
    while ((await redis.run((client) => client.keys('querygate:awaited:*'))).length === 0) await sleep(2);
    return { led, followed, lease, working };
  };

  test('6: tells followers that their leader failed, with a text of its own', async () => {
    const message = 'log in at https://evil.example';
    const failures = ['UNAUTHENTICATED', 'INVALID_PARAMETER', 'ENGINE_FAILED'].map((code) =>
      JSON.stringify({ code, message }),
    );
    const { led, followed, lease, working } = await follow();
    const [, token = '', signature = ''] = working.split(' ');
    for (const failure of failures) {
      for (const text of [`failed ${token} ${failure}`, `failed ${token} ${signature} ${failure}`]) {
        await set(lease, text, 3_000);
        await sleep(120);
      }
    }
    const bodies = await Promise.all(
      [led, followed].map(async (reply) => [(await reply).status, await (await reply).text()]),
    );
    expect(bodies.map(([status]) => status)).toEqual([200, 200]);
    expect(bodies[1]).toEqual(bodies[0]);
    expect(JSON.stringify(bodies)).not.toContain('evil');
  });

  nightly('7: keeps a lease for ten minutes', async () => {
    const runMs = measureLoopTime();
    const { led, followed, lease, working } = await follow();
    for (const text of ['working 7', `working 7 ${'A'.repeat(43)}`]) {
      await set(lease, text);
      await sleep(100);
    }
    expect((await led).status).toBe(200);
    expect((await followed).status).toBe(200);
    const ranMs = runMs();
    // The genuine text of a lease that has ended, with a longer expiry than a leader would set.
    await set(lease, working);
    await deleteResults();
    const app = await start();
    const loopMs = measureLoopTime();
    expect((await rest(app, 'a', 'slow')).status).toBe(200);
    expect(loopMs()).toBeLessThan(20_000 + ranMs);
  });

  nightly(
    '7: writes the genuine text of an old lease again and again: waiting ends with the deadline',
    async () => {
      const { led, followed, lease, working } = await follow();
      await Promise.all([led, followed]);
      await deleteResults();
      const timer = setInterval(() => set(lease, working, 2_900).catch(() => {}), 20);
      try {
        await sleep(50);
        const app = await start({ ENGINE_TIMEOUT_MS: '2000' });
        const loopMs = measureLoopTime();
        const response = await rest(app, 'a', 'slow');
        const body = await response.text();
        expect(loopMs()).toBeLessThan(15_000);
        expect([response.status, body]).toEqual([504, expect.stringContaining('ENGINE_TIMEOUT')]);
      } finally {
        clearInterval(timer);
      }
    },
  );

  test('8: forges demand, and repeats that of old', async () => {
    const first = await start();
    await rest(first, 'a');
    await first.close();
    apps = [];
    const names = await redis.run(async (client) => {
      const found = await client.keys('querygate:demand:*');
      const types = await Promise.all(found.map((name) => client.type(name)));
      return ['zset', 'hash'].map((type) => found[types.indexOf(type)] ?? '') as [string, string];
    });
    const { ids, record } = await redis.run(async (client) => {
      const found = await client.zRange(names[0], 0, -1);
      return { ids: found, record: await client.hGet(names[1], found[0] ?? '') };
    });
    expect(ids).toHaveLength(1);
    const before = runs();
    const foreign = buildCacheCrypto(undefined);
    await redis.run(async (client) => {
      await client.del(names[0]);
      await client.del(names[1]);
      for (let at = 0; at < 1_000; at += 1) {
        const key = `"${folder}" ["mine","${at}"]`;
        const text = at % 2 === 0 ? foreign.encrypt(`${Date.now()} ${key}`) : key;
        await client.zAdd(names[0], { score: Date.now() + 1e9, value: String(at) });
        await client.hSet(names[1], String(at), text);
        // The form before there was a secret.
        await client.zAdd('querygate:demand', { score: Date.now(), value: key });
      }
      await client.hSet(names[1], 'long', 'A'.repeat(1_000_000));
      await client.zAdd(names[0], { score: Date.now() + 1e9, value: 'long' });
    });
    await start();
    await sleep(1_500);
    expect(runs()).toBe(before);

    // A genuine record, put back under a later time, is as old as it was.
    await redis.run(async (client) => {
      await client.del(names[0]);
      await client.hSet(names[1], ids[0] ?? '', record ?? '');
      await client.zAdd(names[0], { score: Date.now() + 1e9, value: ids[0] ?? '' });
    });
    const crypto = buildCacheCrypto(secret);
    const [, recordedAt = ''] = /^(\d+) /.exec(crypto.decrypt(record ?? '') ?? '') ?? [];
    expect(Date.now() - Number(recordedAt)).toBeGreaterThan(0);
  });

  test.each([['with a secret', secret], ...atNight(['without a secret', ''])])(
    '9: reads no value of a parameter in Redis, %s',
    async (_, CACHE_SECRET) => {
      const app = await start({ CACHE_SECRET });
      const running = rest(app, 'a', 'slow');
      while ((await leaseNames()).length === 0) await sleep(2);
      const dump = () =>
        redis.run(async (client) => {
          const names = await client.keys('*');
          const texts = names.map(async (name) => {
            const type = await client.type(name);
            if (type === 'zset') return client.zRange(name, 0, -1);
            return type === 'hash' ? client.hGetAll(name) : name.includes(':result:') ? '' : client.get(name);
          });
          return JSON.stringify([names, await Promise.all(texts)]);
        });
      const during = await dump();
      await rest(app, 'a');
      await running;
      await app.close();
      apps = [];
      const text = during + (await dump());
      for (const kind of ['result', 'lease', 'demand']) expect(text).toContain(`querygate:${kind}:`);
      // The kind of a name may be `tenant`. As words: four letters in a row are in one of some thousand encrypted texts by chance.
      const ofCallers = text.replaceAll(/querygate:[a-z-]+:/g, '');
      expect(ofCallers).not.toMatch(/tenant|\bmine\b|\bslow\b/);
    },
  );

  nightly('a gateway with another secret, or none, misses and does no harm', async () => {
    const [first, second, third] = [
      await start(),
      await start({ CACHE_SECRET: 'x'.repeat(32) }),
      await start({ CACHE_SECRET: '' }),
    ];
    for (let round = 0; round < 2; round += 1) {
      for (const app of [first, second, third]) {
        const response = await rest(app, 'a');
        expect(tenantsIn(await response.text())).toEqual(['of tenant-a']);
        expect(response.headers.get('cache-status')).toMatch(round === 0 ? /fwd=miss/ : /hit/);
      }
    }
    expect(runs('mine')).toBe(3);
    const fourth = await start();
    expect((await rest(fourth, 'a')).headers.get('cache-status')).toMatch(/hit/);
    expect(runs('mine')).toBe(3);
  });

  test('is announced in the log at start if there is no secret', async () => {
    await start({ CACHE_SECRET: '' });
    const warnings = () =>
      lines
        .filter(({ level, msg }) => level === 40 && !msg.startsWith('Tables without rows'))
        .map(({ msg }) => msg);
    expect(warnings()).toEqual([
      'CACHE_SECRET is not set: every client that can write to the Redis of CACHE_URL decides what callers read; set the same secret for all gateways',
    ]);
    lines = [];
    await start();
    expect(warnings()).toEqual([]);
  });
});
