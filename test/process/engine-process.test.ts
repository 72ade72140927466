import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { exitCode } from '../../src/exit-code.ts';
import { childProcesses, engineOf } from '../support/child-processes.ts';
import { eventually } from '../support/eventually.ts';
import { type GatewayProcess, runQuerygate, startGateway } from '../support/gateway-process.ts';
import { isNightly, nightly } from '../support/nightly.ts';
import { queryText } from '../support/queries.ts';

const apiKey = 'a-key-for-tests-only';
const tenants = ['abc', 'def'] as const;
const rowsOfTenant = 3_000;
const killCount = isNightly ? 5 : 2;

let folder: string;
let gateway: GatewayProcess | undefined;

const linesOf = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, at) => {
    const id = from + at;
    return `${JSON.stringify({ project: tenants[id % 2], id, text: `row ${id} of ${tenants[id % 2]}`.repeat(5) })}\n`;
  }).join('');

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'querygate-engine-process-'));
  mkdirSync(join(folder, 'queries', 'tables'), { recursive: true });
  const field = (name: string, type: string) => ({ name, type, mode: 'NULLABLE' });
  const schema = [field('project', 'STRING'), field('id', 'INTEGER'), field('text', 'STRING')];
  writeFileSync(join(folder, 'queries', 'tables', 'rows.json'), JSON.stringify(schema));
  const write = (name: string, caching: string, sql: string, columns: Record<string, string>) =>
    writeFileSync(
      join(folder, 'queries', `${name}.sql`),
      queryText({
        name,
        parameters: { project: '{ type: string, required: true, description: The tenant., tenant: true }' },
        caching: [caching],
        maxRows: 10_000,
        columns,
        sql,
      }),
    );
  write('all', 'caching: disabled', 'select id, text from `rows` where project = @project order by id', {
    id: 'integer',
    text: 'string',
  });
  write('cached', 'caching: 3600s', 'select count(*) as n from `rows` where project = @project', {
    n: 'integer',
  });
});
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(() => gateway?.end());

const start = async (data: string, env: Record<string, string> = {}) => {
  const dataDir = join(folder, data);
  gateway = await startGateway({
    API_KEY: apiKey,
    QUERIES_DIR: join(folder, 'queries'),
    DATA_DIR: dataDir,
    STORE_FILE: join(folder, `${data}.duckdb`),
    ...env,
  });
  return gateway;
};

const writeData = (data: string, files: Readonly<Record<string, string>>) => {
  mkdirSync(join(folder, data, 'rows'), { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, data, 'rows', name), text);
};

const get = (query: string, project: string, origin = gateway?.origin) =>
  fetch(`${origin}/api/endpoints/query/${query}?project=${project}`, { headers: { 'x-api-key': apiKey } });

test('the engine is killed again and again: what is served is right, and hits go on', async () => {
  writeData('killed', { 'a.ndjson': linesOf(0, 2 * rowsOfTenant) });
  const { child, origin, log } = await start('killed');
  const hit = await (await get('cached', 'abc')).text();
  expect(hit).toBe(`{"result":[{"n":${rowsOfTenant}}]}`);

  let isOn = true;
  const outcomes = new Map<number, number>();
  const load = async (project: string) => {
    while (isOn) {
      const response = await get('all', project);
      outcomes.set(response.status, (outcomes.get(response.status) ?? 0) + 1);
      const text = await response.text();
      if (response.status !== 200) {
        expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1']);
        continue;
      }
      const { result } = JSON.parse(text) as { result: { text: string }[] };
      expect(result).toHaveLength(rowsOfTenant);
      expect(result.every((row) => row.text.endsWith(` of ${project}`))).toBe(true);
    }
  };
  const loads = [...tenants, ...tenants].map(load);
  let last: number | undefined;
  for (let kills = 0; kills < killCount; kills += 1) {
    const { value: engine } = await eventually(() => {
      const found = engineOf(child.pid);
      if (found === undefined || found === last) throw new Error('no new process');
      return found;
    });
    await sleep(300 * kills);
    process.kill(engine, 'SIGKILL');
    last = engine;
    const during = await get('cached', 'abc');
    expect([during.headers.get('cache-status'), await during.text()]).toEqual([
      expect.stringContaining('hit'),
      hit,
    ]);
    expect((await fetch(`${origin}/healthz`)).status).toBe(200);
    await eventually(async () => expect((await get('all', 'abc')).status).toBe(200));
  }
  isOn = false;
  await Promise.all(loads);
  expect(outcomes.get(200)).toBeGreaterThan(5);
  const ends = () => log().match(/The process of the engine was ended by SIGKILL/g);
  await expect.poll(ends).toHaveLength(killCount);
  expect(await gateway?.end()).toBe(0);
  await eventually(() => expect(childProcesses(child.pid)).toEqual([]));
});

nightly('an engine that does not answer is replaced', async () => {
  writeData('silent', { 'a.ndjson': linesOf(0, 10) });
  const { child, log } = await start('silent');
  process.kill(engineOf(child.pid) ?? 0, 'SIGSTOP');
  const waiting = get('all', 'abc');
  const { value } = await eventually(async () => {
    const response = await get('all', 'def');
    expect(response.status).toBe(200);
    return response;
  });
  expect((await value.json()).result).toHaveLength(5);
  expect((await (await waiting).json()).result).toHaveLength(5);
  expect(log()).toContain('The process of the engine did not answer for 10 s');
});

nightly('killed three times in an import, the engine has every row once', async () => {
  const files = Object.fromEntries(
    Array.from({ length: 40 }, (_, at) => [`${at}.ndjson`, linesOf(at * 1000, (at + 1) * 1000)]),
  );
  writeData('import', files);
  const starting = start('import');
  starting.catch(() => {});
  // It can be found before the gateway is ready.
  const ownEngine = () =>
    childProcesses(process.pid).find(
      ({ command }) => command.includes('engine-program') && !/^\S*sh /.test(command),
    )?.pid;
  for (let kills = 0; kills < 3; kills += 1) {
    const { value } = await eventually(() => ownEngine() ?? Promise.reject(new Error('no process')));
    await sleep(400 + 150 * kills);
    process.kill(value, 'SIGKILL');
    await eventually(() => expect(ownEngine()).not.toBe(value));
  }
  await starting;
  for (const tenant of tenants)
    expect((await (await get('cached', tenant)).json()).result).toEqual([{ n: 20_000 }]);
});

nightly(
  'rows of the demo are kept when its process is killed, and removed when the gateway ends',
  async () => {
    const demo = join(folder, 'queries', 'demo');
    const temporary = join(folder, 'temporary');
    for (const made of [demo, temporary]) mkdirSync(made);
    const random = `SELECT 'abc' AS project, CAST(random() * 1e9 AS BIGINT) AS id, '' AS "text" FROM range(3)
    WHERE $to - $from > INTERVAL 12 HOURS`;
    writeFileSync(join(demo, 'rows.sql'), random);
    const env = { API_KEY: apiKey, QUERIES_DIR: join(folder, 'queries'), TMPDIR: temporary };
    gateway = await startGateway(env);
    const rows = await (await get('all', 'abc')).json();
    expect(rows.result.length).toBeGreaterThan(2);
    process.kill(engineOf(gateway.child.pid) ?? 0, 'SIGKILL');
    const { value } = await eventually(async () => {
      const response = await get('all', 'abc');
      expect(response.status).toBe(200);
      return response;
    });
    expect(await value.json()).toEqual(rows);
    // Its port is in use: it ends without closing its engine.
    const { port } = new URL(gateway.origin);
    expect(await runQuerygate(['start'], { ...env, PORT: port })).toMatchObject({
      exitCode: exitCode.badStart,
    });
    await gateway.end();
    const left = readdirSync(temporary).filter((name) => name.startsWith('querygate-'));
    expect(left).toEqual([]);
  },
);

test('a gateway that is killed leaves no process behind, and its store to the next one', async () => {
  writeData('left', { 'a.ndjson': linesOf(0, 10) });
  const { child } = await start('left');
  const left = childProcesses(child.pid).map(({ pid }) => pid);
  expect(left.length).toBeGreaterThan(0);
  await gateway?.end('SIGKILL');
  const running = () => left.filter((pid) => childProcesses(1).some((one) => one.pid === pid));
  await eventually(() => expect(running()).toEqual([]));
  await start('left');
  expect((await (await get('cached', 'abc')).json()).result).toEqual([{ n: 5 }]);
});

test.runIf(process.platform === 'linux')('the gateway does not load DuckDB, also for Parquet', async () => {
  writeData('loaded', { 'a.ndjson': linesOf(0, 10) });
  const { child } = await start('loaded');
  expect((await get('all', 'abc')).status).toBe(200);
  const parquet = Buffer.from(await (await get('all.parquet', 'abc')).arrayBuffer());
  expect(parquet.subarray(-4).toString()).toBe('PAR1');
  const mapped = (pid: number | undefined) => readFileSync(`/proc/${pid}/maps`, 'utf8');
  expect(mapped(child.pid)).not.toContain('duckdb');
  expect(mapped(engineOf(child.pid))).toContain('duckdb');
});
