import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { type GatewayProcess, runQuerygate, startGateway } from '../support/gateway-process.ts';
import { hasProgram } from '../support/has-program.ts';

const folder = mkdtempSync(join(tmpdir(), 'querygate-test-'));
const keyFile = join(folder, 'keys.yaml');
let gateway: GatewayProcess;
let metricsOrigin: string;
let scraperKey: string;

const tenant = 'mzqkvxwotrplbhnydsea';
const rest = (name: string, search: string) => `/api/endpoints/query/${name}?${search}`;
const key = { 'x-api-key': 'my-key' };

const samplesOf = (text: string) =>
  text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const {
        name = '',
        labels = '',
        value = '',
      } = /^(?<name>\w+)(?:\{(?<labels>.*)\})? (?<value>\S+)$/.exec(line)?.groups ?? {};
      const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, name, value]) => [
        name,
        value,
      ]);
      return { name, labels: Object.fromEntries(pairs) as Record<string, string>, value: Number(value) };
    });

const scrape = async () => (await fetch(`${metricsOrigin}/metrics`)).text();

beforeAll(async () => {
  const created = await runQuerygate(['keys', 'create', '--name', 'scraper', '--permission', 'metrics'], {
    API_KEYS_FILE: keyFile,
  });
  scraperKey = created.output.trim();
  gateway = await startGateway({ API_KEY: 'my-key', API_KEYS_FILE: keyFile, METRICS_PORT: '0' });
  const [, port] =
    /"port":(\d+),"msg":"metrics are served"/.exec(await untilLogged('metrics are served')) ?? [];
  metricsOrigin = `http://127.0.0.1:${port}`;
});
afterAll(async () => {
  await gateway.end();
  rmSync(folder, { recursive: true });
});

async function untilLogged(text: string): Promise<string> {
  await eventually(() => expect(gateway.log()).toContain(text));
  return gateway.log();
}

interface LogLine {
  readonly msg: string;
  readonly path: string;
  readonly status: number;
}

const requestLines = () =>
  gateway
    .log()
    .split('\n')
    .filter((line) => line.includes('"msg":"request"'))
    .map((line) => JSON.parse(line) as LogLine);

test('after 1,000 mixed requests the counters equal the access log', async () => {
  const graphql = (query: string) => ({ method: 'POST', body: JSON.stringify({ query }) });
  const json = { ...key, 'content-type': 'application/json' };
  const kinds: readonly (readonly [path: string, init: RequestInit])[] = [
    [rest('usage.api-counts', `project=${tenant}&interval=hourly`), { headers: key }],
    [rest('usage.api-counts', `project=${tenant}&interval=daily`), { headers: key }],
    [rest('logs.all', `project=${tenant}`), { headers: key }],
    [rest('functions.invocation-stats', `project=${tenant}&interval=1hr`), { headers: key, method: 'HEAD' }],
    [rest('usage.api-counts', 'interval=weekly'), { headers: key }],
    [rest('no.such-query', 'a=b'), { headers: key }],
    [rest('usage.api-counts', `project=${tenant}&interval=hourly`), {}],
    [
      '/graphql',
      {
        headers: json,
        ...graphql(`{ usageApiCounts(project: "${tenant}", interval: HOURLY) { rows { timestamp } } }`),
      },
    ],
    ['/graphql', { headers: json, ...graphql('{ nothing }') }],
    ['/healthz', {}],
    ['/somewhere/else', {}],
    ['/api/x', { method: 'DELETE' }],
    [rest('usage.api-counts', 'x=y'), { method: 'OPTIONS' }],
  ];
  const total = 1_000;
  for (let sent = 0; sent < total; sent += 20) {
    const batch = Array.from({ length: 20 }, async (_, at) => {
      const [path, init] = kinds[(sent + at) % kinds.length] ?? ['/', {}];
      await (await fetch(`${gateway.origin}${path}`, init)).arrayBuffer();
    });
    await Promise.all(batch);
  }
  await eventually(() => expect(requestLines().length).toBeGreaterThanOrEqual(total));

  const logged = Map.groupBy(requestLines(), ({ path, status }) => `${path} ${status}`);
  const counted = samplesOf(await scrape()).filter(({ name }) => name === 'querygate_http_requests_total');
  const sum = (wanted: (labels: Record<string, string>) => boolean) =>
    counted.filter(({ labels }) => wanted(labels)).reduce((total, { value }) => total + value, 0);
  expect(sum(() => true)).toBe(requestLines().length);
  const apis = { '/graphql': 'graphql', '/healthz': 'health', unknown: 'other' } as const;
  for (const [place, lines] of logged) {
    const [path = '', status = ''] = place.split(' ');
    const endpoint = path.startsWith('/api/') ? (path.split('/').at(-1) ?? '') : '';
    const api = path.startsWith('/api/') ? 'rest' : apis[path as keyof typeof apis];
    expect(
      sum((labels) => labels.api === api && labels.endpoint === endpoint && labels.status === status),
      place,
    ).toBe(lines.length);
  }
  const hits = sum(({ cache, endpoint }) => cache === 'hit' && endpoint === 'usage.api-counts');
  expect(hits).toBeGreaterThan(100);
});

test('no label has a key, a project or a parameter, and the number of series is bounded', async () => {
  const before = samplesOf(await scrape());
  for (let sent = 0; sent < 50; sent += 1) {
    await fetch(`${gateway.origin}${rest('usage.api-counts', `project=p${sent}&interval=hourly`)}`, {
      headers: key,
    });
    await fetch(`${gateway.origin}/path-${sent}`, { headers: { 'x-api-key': `k${sent}` } });
  }
  const text = await scrape();
  expect(samplesOf(text).length - before.length).toBeLessThan(20);
  for (const secret of [tenant, 'my-key', 'hourly', 'path-', scraperKey]) expect(text).not.toContain(secret);
});

test.skipIf(!hasProgram('promtool'))('promtool finds nothing to complain about', async () => {
  const { status, stdout, stderr } = spawnSync('promtool', ['check', 'metrics'], {
    input: await scrape(),
    encoding: 'utf8',
  });
  expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: '', stderr: '' });
});

test('/metrics beside the API needs a key with the permission, the other port serves nothing else', async () => {
  const get = async (headers: Record<string, string>) => {
    const response = await fetch(`${gateway.origin}/metrics`, { headers });
    return { status: response.status, type: response.headers.get('content-type') };
  };
  expect(await get({})).toMatchObject({ status: 401 });
  expect(await get(key)).toEqual({ status: 200, type: 'text/plain; version=0.0.4; charset=utf-8' });
  expect(await get({ 'x-api-key': scraperKey })).toMatchObject({ status: 200 });
  const other = await runQuerygate(['keys', 'create', '--name', 'other'], { API_KEYS_FILE: keyFile });
  let status = 401;
  // Wrong keys have a limit of their own.
  for (; status === 401; await sleep(250)) ({ status } = await get({ 'x-api-key': other.output.trim() }));
  expect(status).toBe(403);
  await untilLogged('"reason":"permission","status":403');
  expect((await fetch(`${metricsOrigin}/graphql`)).status).toBe(404);
  expect((await fetch(`${metricsOrigin}/metrics`, { method: 'POST' })).status).toBe(404);
});

describe('what is built on the metrics', () => {
  /** Families without samples too, such as those of Redis. */
  const existing = async () => {
    const types = (await scrape()).matchAll(/^# TYPE (?<name>\w+) (?<type>\w+)$/gm);
    return new Set(
      [...types].flatMap(({ groups: { name = '', type = '' } = {} }) =>
        type === 'histogram' ? [name, `${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
      ),
    );
  };
  const used = (text: string) => [...new Set(text.match(/\b(?:querygate|nodejs|process)_[a-z0-9_]+\b/g))];

  test.each(['deploy/grafana/querygate.json', 'deploy/prometheus/alerts.yaml', 'docs/monitoring.md'])(
    '%s uses names that exist',
    async (file) => {
      const names = await existing();
      const found = used(readFileSync(file, 'utf8'));
      expect(found.length).toBeGreaterThan(5);
      expect(found.filter((name) => !names.has(name))).toEqual([]);
    },
  );

  test('docs/monitoring.md lists every metric of the gateway, and no other', async () => {
    const own = [...(await scrape()).matchAll(/^# TYPE (querygate_\w+) /gm)].map(([, name = '']) => name);
    const page = readFileSync('docs/monitoring.md', 'utf8');
    const listed = [...page.matchAll(/^\| `(querygate_\w+)`/gm)].map(([, name = '']) => name);
    expect(listed.sort()).toEqual(own.sort());
  });

  test.skipIf(!hasProgram('promtool'))('promtool accepts the alert rules', () => {
    const { status, stderr } = spawnSync('promtool', ['check', 'rules', 'deploy/prometheus/alerts.yaml'], {
      encoding: 'utf8',
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });
});
