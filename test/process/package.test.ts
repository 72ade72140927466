import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { collectOutput } from '../support/child-output.ts';
import { ready } from '../support/gateway-process.ts';
import { nightly } from '../support/nightly.ts';

const folder = mkdtempSync(join(tmpdir(), 'querygate-test-'));
const copy = join(folder, 'copy');
const installed = join(folder, 'user', 'node_modules', 'querygate');
afterAll(() => rmSync(folder, { recursive: true }));

/** Only Node: neither TypeScript nor the repository's programs. */
const path = dirname(process.execPath);

/** Packs a copy of the repository, and unpacks it as npm does; what it depends on is linked, and nothing else. */
beforeAll(() => {
  mkdirSync(copy);
  for (const name of [
    'src',
    'queries',
    'release',
    'README.md',
    'LICENSE',
    'package.json',
    'tsconfig.json',
    'tsconfig.build.json',
  ]) {
    cpSync(name, join(copy, name), { recursive: true });
  }
  cpSync('packages', join(copy, 'packages'), {
    recursive: true,
    filter: (path) => !/^packages\/[^/]+\/(?:node_modules|conformance|test|dist)$/.test(path),
  });
  linkModules();
  execFileSync('npm', ['pack', '--pack-destination', folder], { cwd: copy, stdio: 'ignore' });
  const { dependencies, name, version } = manifest(copy);
  mkdirSync(installed, { recursive: true });
  execFileSync('tar', [
    '-xzf',
    join(folder, `${name}-${version}.tgz`),
    '--strip-components=1',
    '-C',
    installed,
  ]);
  for (const dependency of Object.keys(dependencies)) {
    // The packages of this repository are within the packed one.
    if (dependency.startsWith('@querygate/')) continue;
    const link = join(folder, 'user', 'node_modules', dependency);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(resolve('node_modules', dependency), link);
  }
});

/** The modules of the copy: those of the repository, and its own packages. */
function linkModules(): void {
  const modules = join(copy, 'node_modules');
  mkdirSync(join(modules, '@querygate'), { recursive: true });
  for (const name of readdirSync('node_modules')) {
    if (name === '@querygate') continue;
    symlinkSync(name === 'querygate' ? '..' : resolve('node_modules', name), join(modules, name));
  }
  for (const name of readdirSync('packages')) {
    symlinkSync(join('..', '..', 'packages', name), join(modules, '@querygate', name));
  }
}

const manifest = (at: string) => JSON.parse(readFileSync(join(at, 'package.json'), 'utf8'));

test('the package has code, saved queries and texts, and depends on no Node of its own', () => {
  const { bin, dependencies, engines, optionalDependencies, scripts } = manifest(installed);
  expect(manifest(copy)).toEqual(manifest('.'));
  expect({ engines, scripts }).toEqual({ engines: { node: '>=24' }, scripts: undefined });
  expect(bin).toEqual({ querygate: 'dist/main.js' });
  const names = Object.keys({ ...dependencies, ...optionalDependencies });
  expect(names.filter((name) => /^node(-|$)/.test(name))).toEqual([]);
  const files = execFileSync('find', ['.', '-type', 'f'], { cwd: installed, encoding: 'utf8' }).split('\n');
  const places = new Set(files.filter(Boolean).map((file) => file.split('/')[1]));
  expect([...places].sort()).toEqual([
    'LICENSE',
    'README.md',
    'dist',
    'node_modules',
    'package.json',
    'queries',
  ]);
  const isOurs = (file: string) => !file.includes('/tldts');
  expect(files.filter((file) => isOurs(file) && /(?<!\.d)\.ts$/.test(file))).toEqual([]);
  expect(readdirSync(join(installed, 'node_modules', '@querygate')).sort()).toEqual([
    'bigquery-sql',
    'duckdb-import',
    'pages',
    'text',
  ]);
  expect(files.filter((file) => file.includes('duckdb.node'))).toEqual([]);
});

test('the installed command answers in a folder without queries, and ends by SIGTERM', async () => {
  const child = spawn(process.execPath, [join(installed, 'dist', 'main.js'), '--port', '0'], {
    cwd: join(folder, 'user'),
    env: { PATH: path, API_KEY: 'my-key' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const { until } = collectOutput(child);
  await until(ready);
  const [, url = ''] = await until(/"(http:[^"]*usage\.api-counts[^"]*)"/);
  const response = await fetch(url, { headers: { 'x-api-key': 'my-key' } });
  expect(await response.json()).toMatchObject({ result: expect.any(Array) });
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
  expect(child.exitCode).toBe(0);
});

describe('what needs packages that npm does not install with it ends with what to install', () => {
  const querygate = (args: readonly string[], env: Record<string, string> = {}) =>
    spawnSync(process.execPath, [join(installed, 'dist', 'main.js'), ...args], {
      cwd: copy,
      env: { PATH: `${path}:/usr/bin:/bin`, ...env },
      encoding: 'utf8',
    });
  const { peerDependencies } = manifest('.');
  const install = (names: readonly string[]) =>
    `beside querygate: npm install ${names.map((name) => `${name}@${peerDependencies[name]}`).join(' ')}\n`;
  const ofTraces = Object.keys(peerDependencies).filter((name) => name.startsWith('@opentelemetry/'));

  test.each([
    ['http/protobuf', 'proto'],
    ['http/json', 'http'],
  ])('traces by %s', (protocol, exporter) => {
    const env = {
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318',
      OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
    };
    const { status, stderr } = querygate(['start'], env);
    const names = ofTraces.filter((name) => !name.includes('exporter') || name.endsWith(`-${exporter}`));
    expect({ status, lines: stderr.split('\n').length }).toEqual({ status: 2, lines: 3 });
    expect(stderr).toContain(install([...names].sort(exporterLast)));
  });

  test.each([
    ['diff', ['HEAD'], 2],
    ['new', ['a.b'], 1],
    ['test', [], 1],
    ['tables add', ['logs'], 1],
    ['lsp', [], 1],
  ])('%s', (command, args, code) => {
    const { status, stdout, stderr } = querygate([...command.split(' '), ...args]);
    expect({ status, stdout, lines: stderr.split('\n').length }).toEqual({
      status: code,
      stdout: '',
      lines: 3,
    });
    expect(stderr).toContain(`querygate ${command} needs packages that are not installed; install them`);
    expect(stderr).toContain(install(['@querygate/authoring']));
  });

  test('the help has no command that is not there', () => {
    const { stdout } = querygate(['--help']);
    expect(stdout).toMatch(/^ {2}check /m);
    expect(stdout).not.toMatch(/^ {2}(?:new|tables|test|diff|lsp) /m);
  });

  nightly('check --compose', () => {
    writeFileSync(join(copy, 'users.graphql'), 'type Query { user: String }\n');
    const { status, stderr } = querygate(['check', '--compose', 'users.graphql']);
    expect({ status, lines: stderr.split('\n').length }).toEqual({ status: 1, lines: 3 });
    expect(stderr).toContain(install(['@theguild/federation-composition']));
  });

  test('and nothing else needs them', () => {
    const ofAuthors = ['@querygate/authoring', '@theguild/federation-composition'];
    expect([...ofTraces, ...ofAuthors].sort()).toEqual(Object.keys(peerDependencies).sort());
  });
});

const exporterLast = (a: string, b: string) =>
  Number(a.includes('exporter')) - Number(b.includes('exporter'));
