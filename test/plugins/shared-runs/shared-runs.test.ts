import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import type { GatewayPlugin } from '../../../src/gateway/plugin.ts';
import { duckdb } from '../../../src/engines/duckdb/duckdb.ts';
import { type ErrorCode, GatewayError } from '../../../src/errors.ts';
import { createGateway, type Gateway } from '../../../src/gateway/create-gateway.ts';
import { redis } from '../../../src/gateway/redis.ts';
import { apiKey as keyOf } from '../../../src/keys/sources/api-key.ts';
import { sharedRuns } from '../../../src/plugins/shared-runs/shared-runs.ts';
import { untilAborted } from '../../../src/concurrency/abort.ts';
import { eventually } from '../../support/eventually.ts';
import { makeQueryFolder, type QueryFolder } from '../../support/query-folder.ts';
import { writeKeyFile } from '../../support/key-files.ts';
import { keyFile } from '../../../src/keys/sources/key-file.ts';
import { hasRedis, redisServer } from '../../support/redis-server.ts';
import { fileOf, tables } from './shared-queries.ts';
import { isNightly } from '../../support/nightly.ts';

const apiKey = 'a-key-for-tests-only';
const engineTimeoutMs = 3_000;
const tenants = Array.from({ length: 24 }, (_, at) => `t${at}`);

let folder: QueryFolder | undefined;
let dataDir: string | undefined;
let gateways: Gateway[] = [];

afterEach(async () => {
  for (const gateway of gateways) await gateway.close();
  gateways = [];
  folder?.close();
  folder = undefined;
});

interface Runs {
  /** How many tenants each run of the engine was for. */
  readonly tenants: number[];
  /** The keys that were billed. */
  readonly payers: (string | undefined)[];
  /** The error of each run. */
  failure?: GatewayError | undefined;
  /** The runs for this tenant take longer than a run may. */
  slow?: string | undefined;
}

/** Counts the runs that reach the engine. */
const counting = (runs: Runs): GatewayPlugin => ({
  name: 'counting',
  async aroundRun(bound, options, run) {
    const list = Object.values(bound.parameters).find((value) => typeof value !== 'string');
    runs.tenants.push(list?.length ?? 1);
    runs.payers.push(options.payer?.id);
    if (runs.failure !== undefined) throw runs.failure;
    if (runs.slow !== undefined && [list ?? Object.values(bound.parameters)].flat().includes(runs.slow)) {
      const late = new Promise((resolve) => setTimeout(resolve, engineTimeoutMs));
      await untilAborted(late, options.signal);
      throw new GatewayError('ENGINE_TIMEOUT', 'Too slow');
    }
    return run(options);
  },
});

/** A gateway with one query: the tenant, and how long ago the run began in its wave. */
async function open(
  header: readonly string[],
  shared?: Parameters<typeof redis>[0],
  keyOfTenant: (tenant: string) => string = () => apiKey,
  keys: Parameters<typeof createGateway>[0]['keys'] = keyOf(apiKey),
): Promise<{
  readonly runs: Runs;
  readonly rowsOf: (tenant: string, caller?: string) => Promise<unknown>;
}> {
  const runs: Runs = { tenants: [], payers: [] };
  folder ??= makeQueryFolder({
    ...tables,
    'q.sql': fileOf(
      'q',
      {
        sql: `SELECT tenant, UNIX_MILLIS(CURRENT_TIMESTAMP()) AS moment FROM events WHERE tenant = @project ORDER BY tenant`,
        columns: { tenant: 'string', moment: 'integer' },
      },
      [],
    ).replace(/caching: .*\ncache_warming: .*\n/, header.map((line) => `${line}\n`).join('')),
  });
  dataDir ??= mkdtempSync(join(tmpdir(), 'querygate-test-'));
  writeFileSync(
    join(dataDir, 'events.ndjson'),
    tenants.map((tenant) => `${JSON.stringify({ tenant })}\n`).join(''),
  );
  const gateway = await createGateway({
    queries: folder.folder,
    engine: duckdb({ isolate: false, dataDir, storeFile: ':memory:' }),
    keys,
    reload: false,
    engineConcurrency: 2,
    engineTimeoutMs,
    plugins: [sharedRuns(), counting(runs)],
    ...(shared && { cache: { shared: redis(shared) } }),
  });
  gateways.push(gateway);
  return {
    runs,
    async rowsOf(tenant, caller = tenant) {
      const url = `http://gateway.test/api/endpoints/query/q?project=${tenant}`;
      const response = await gateway.fetch(
        new Request(url, { headers: { 'x-api-key': keyOfTenant(caller) } }),
      );
      return (await response.json()) as unknown;
    },
  };
}

test('keys of many tenants at once never see a row of another tenant', async () => {
  const keys = writeKeyFile(Object.fromEntries(tenants.map((tenant) => [tenant, { tenants: [tenant] }])));
  const { runs, rowsOf } = await open(['caching: disabled'], undefined, keys.keyOf, keyFile(keys.path));
  let sharedRuns = 0;
  for (let round = 0; round < 40; round += 1) {
    const triples = tenants.flatMap((caller, at) => {
      const other = tenants[(at * 7 + round) % tenants.length] ?? caller;
      return [caller, other].map((tenant) => ({ caller, tenant }));
    });
    runs.tenants.length = 0;
    const bodies = await Promise.all(triples.map(({ caller, tenant }) => rowsOf(tenant, caller)));
    sharedRuns += runs.tenants.filter((count) => count > 1).length;
    for (const [at, { caller, tenant }] of triples.entries())
      expect(bodies[at]).toEqual(
        caller === tenant
          ? { result: [expect.objectContaining({ tenant })] }
          : { error: expect.objectContaining({ code: 'FORBIDDEN' }) },
      );
  }
  expect(sharedRuns).toBeGreaterThan(10);
  keys.remove();
});

const momentOf = (body: unknown) => (body as { result: { moment: number }[] }).result[0]?.moment ?? 0;

describe('callers of many tenants who wait at once', () => {
  test('get their own rows of a few runs, which their key pays', async () => {
    const { runs, rowsOf } = await open(['caching: disabled']);
    // The statement for many is derived after the start.
    await eventually(async () => {
      runs.tenants.length = 0;
      runs.payers.length = 0;
      const bodies = await Promise.all(tenants.map((tenant) => rowsOf(tenant)));
      expect(bodies).toEqual(tenants.map((tenant) => ({ result: [expect.objectContaining({ tenant })] })));
      expect(runs.tenants.length).toBeLessThan(4);
    });
    expect(new Set(runs.payers).size).toBe(1);
    expect(runs.payers[0]).toBeDefined();
  });

  test('wait half as long for a run of all as for their own, of which one is too slow', async () => {
    const { runs, rowsOf } = await open(['caching: disabled']);
    await eventually(async () => {
      runs.tenants.length = 0;
      await Promise.all(tenants.map((tenant) => rowsOf(tenant)));
      expect(runs.tenants.length).toBeLessThan(4);
    });
    runs.tenants.length = 0;
    runs.slow = 't7';
    const bodies = await Promise.all(tenants.map((tenant) => rowsOf(tenant)));
    expect(bodies.filter((body) => (body as { error?: unknown }).error !== undefined)).toEqual([
      { error: expect.objectContaining({ code: 'ENGINE_TIMEOUT' }) },
    ]);
    expect(runs.tenants.filter((count) => count > 1)).toHaveLength(1);
  });
});

const warm = [
  'caching: 60s',
  'cache_warming: 4s',
  `warm: [${tenants.map((tenant) => `{ project: ${tenant} }`).join(', ')}]`,
];

/** Resolves when the results of all tenants are of one moment after another. */
async function nextWave({ rowsOf }: Awaited<ReturnType<typeof open>>, after: number): Promise<number> {
  let moment = 0;
  await eventually(async () => {
    const bodies = await Promise.all(tenants.map((tenant) => rowsOf(tenant)));
    const moments = new Set(bodies.map(momentOf));
    expect(moments.size).toBe(1);
    [moment = 0] = moments;
    expect(moment).toBeGreaterThan(after);
    expect(bodies).toEqual(tenants.map((tenant) => ({ result: [expect.objectContaining({ tenant })] })));
  });
  return moment;
}

describe('results that are kept warm', () => {
  test('of all tenants are of one run and one moment, which no key pays', async () => {
    const gateway = await open(warm);
    const first = await nextWave(gateway, 0);
    gateway.runs.tenants.length = 0;
    gateway.runs.payers.length = 0;
    const second = await nextWave(gateway, first);
    const third = await nextWave(gateway, second);
    expect(third).toBeGreaterThan(second);
    const waves = gateway.runs.tenants;
    expect(waves.filter((count) => count === tenants.length).length).toBeGreaterThan(1);
    expect(waves.filter((count) => count < tenants.length)).toEqual([]);
    expect(new Set(gateway.runs.payers)).toEqual(new Set([undefined]));
  });

  /** Until all refreshes of a wave have begun. */
  const failWave = async ({ runs }: Awaited<ReturnType<typeof open>>, code: ErrorCode) => {
    runs.failure = new GatewayError(code, 'Not now');
    runs.tenants.length = 0;
    await eventually(() => expect(runs.tenants.length).toBeGreaterThan(0));
    await new Promise((resolve) => setTimeout(resolve, 400));
    expect(runs.tenants).toEqual([tenants.length]);
  };

  test('whose run fails because a budget is spent do not run alone', async () => {
    const gateway = await open(warm);
    await nextWave(gateway, 0);
    await failWave(gateway, 'BUDGET_EXCEEDED');
  });

  test('whose run fails because the engine is busy are of one run again', async () => {
    const gateway = await open(warm);
    const { runs } = gateway;
    const first = await nextWave(gateway, 0);
    await failWave(gateway, 'ENGINE_BUSY');
    runs.failure = undefined;
    await nextWave(gateway, first);
    expect(new Set(runs.tenants)).toEqual(new Set([tenants.length]));
  });

  test.skipIf(!hasRedis || !isNightly)(
    'at several gateways with one Redis, of one run of one of them',
    async () => {
      const server = await redisServer();
      await server.start();
      try {
        const shared = { url: server.url, secret: 'a-secret-of-thirty-two-characters' };
        const both = [await open(warm, shared), await open(warm, shared)];
        const [one, other] = both as [(typeof both)[0], (typeof both)[0]];
        let moment = await nextWave(one, await nextWave(one, 0));
        for (const { runs } of both) runs.tenants.length = 0;
        const begun = moment;
        moment = await nextWave(other, moment);
        moment = await nextWave(one, moment);
        const waves = Math.ceil((moment - begun) / 4000) + 1;
        const counts = both.flatMap(({ runs }) => runs.tenants);
        expect(counts.length).toBeLessThanOrEqual(waves);
      } finally {
        for (const gateway of gateways) await gateway.close();
        gateways = [];
        await server.close();
      }
    },
  );
});
