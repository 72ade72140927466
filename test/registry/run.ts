import { equal, match, ok } from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { Project } from './installed.ts';
import { freePort } from '../support/free-port.ts';
import { answers, end, openRegistry } from './registry.ts';
import { playUpgrade } from './upgrade.ts';
import { Checkout } from './versions.ts';

/**
 * Plays a release against a registry on this machine, from the commit that is checked out: `node test/registry/run.ts`. It makes
 * a version and its tag, publishes the packages, runs them by `npx` in empty folders on each runtime, and changes a
 * user's installation from one version to the next and back. It needs `redis-server` and the configured registry.
 *
 * Provenance is not played: only a workflow of GitHub gets the token that signs it.
 */
const folder = mkdtempSync(join(tmpdir(), 'querygate-registry-'));
const npmCi = ['ci', '--prefix', 'test/registry', '--ignore-scripts', '--no-audit', '--no-fund', '--silent'];
equal(spawnSync('npm', npmCi, { stdio: 'inherit' }).status, 0);
const registry = await openRegistry(join(folder, 'registry'));
const redis = spawn('redis-server', ['--port', String(await freePort()), '--save', ''], { stdio: 'ignore' });
const statement = "select format_timestamp('%F', timestamp '2026-01-01') as day";
let emptyFolders = 0;
const redisUrl = `redis://127.0.0.1:${redis.spawnargs[2]}`;

try {
  const checkout = new Checkout(join(folder, 'checkout'), registry);
  const first = checkout.release();
  step(`npm run release: ${first}, tagged v${first}`);

  const refused = checkout.try('node', 'release/check-tag.ts', 'v9.9.9');
  equal(refused.status, 1);
  step(`tag v9.9.9: ${refused.stderr.split('\n')[0]}`);
  step(`publish, with the notes of the release\n${indented(checkout.publish(`v${first}`))}`);
  step(`publish again\n${indented(checkout.run('node', 'release/publish.ts', 'build'))}`);
  step(`what is published\n${indented(checkout.run('node', 'release/installation.ts', 'build'))}`);

  const node24 = dirname(process.execPath);
  const [node22] = globSync('test/registry/node_modules/node-22-*/bin/node').map((file) =>
    resolve(dirname(file)),
  );
  if (node22 === undefined) step('SKIPPED: Node 22, which has no package for this platform');
  else {
    const refusal = npx(node22, 'querygate', '--version');
    equal(refusal.status, 2);
    match(refusal.stderr, /querygate needs Node 24 or newer; this is 22\./);
    step(`npx querygate, Node 22: ${lastLine(refusal.stderr)}`);
    const compiler = npx(node22, '@querygate/bigquery-sql', statement);
    equal(compiler.status, 2);
    match(compiler.stderr, /bigquery-sql needs Node 24 or newer; this is 22\./);
    step(`npx @querygate/bigquery-sql, Node 22: ${lastLine(compiler.stderr)}`);
  }

  equal(npx(node24, 'querygate', '--version').stdout.trim(), first);
  step(`npx querygate --version, Node 24: ${first}`);
  step(`npx querygate start --demo, Node 24: ${await demo('npx', ['--yes', 'querygate'])}`);
  const bin = resolve('test/registry/node_modules');
  const [bun = ''] = globSync(`${bin}/@oven/bun-*/bin/bun`);
  step(`bun x querygate start --demo, Bun: ${await demo(bun, ['x', '--bun', 'querygate'])}`);
  const [deno = ''] = globSync(`${bin}/@deno/*/deno`);
  // Deno takes no version by itself that is not a day old.
  const denoOptions = ['run', '--allow-all', '--minimum-dependency-age=0', 'npm:querygate'];
  step(`deno run npm:querygate start --demo, Deno: ${await demo(deno, denoOptions)}`);
  const answer = npx(node24, '@querygate/bigquery-sql', statement);
  match(answer.stdout, /2026-01-01/);
  step(`npx @querygate/bigquery-sql, Node 24\n${indented(answer.stdout)}`);

  checkout.change('second', 'Something is new.');
  const second = checkout.release();
  checkout.publish(`v${second}`);
  // A version whose store and whose results have other formats.
  checkout.edit('packages/duckdb-import/src/store/open-store.ts', 'const format = 3;', 'const format = 4;');
  checkout.edit('src/results/redis/format-version.ts', "'querygate/2'", "'querygate/3'");
  checkout.change('third', 'The store and the cache have other formats.');
  const third = checkout.release();
  checkout.publish(`v${third}`);
  step(`${second} and ${third}, whose store and cache have other formats, are published`);
  const project = new Project(join(folder, 'project'), registry, redisUrl, node24);
  step('one folder of a user, with its keys, its store and a full cache');
  await playUpgrade(project, [first, second, third, first], step);

  // A stable name that is gone is found before it is released.
  checkout.edit('src/keys/principal.ts', "'metrics', 'sql'] as const", "'sql'] as const");
  checkout.git('commit', '--quiet', '--all', '--message', 'a permission is gone');
  const surface = checkout.try('node_modules/.bin/vitest', 'run', 'test/release/surface.test.ts');
  // Vitest prints what failed there.
  const [problem] = /[^"'\n]*permission metrics is gone[^"'\n]*/.exec(surface.stderr) ?? [];
  ok(problem !== undefined, surface.stderr);
  step(`a stable name that is gone: ${problem.trim()}`);
} finally {
  await end(redis);
  await registry.close();
  rmSync(folder, { recursive: true });
}

/** Runs a package in an empty folder, with the Node of a folder. */
function npx(node: string, ...args: readonly string[]) {
  const env = { ...registry.env, PATH: `${node}:${process.env.PATH}` };
  return spawnSync('npx', ['--yes', ...args], { cwd: emptyFolder(), env, encoding: 'utf8' });
}

/** Starts the demo by a runtime, in an empty folder, and calls its first query. */
async function demo(command: string, args: readonly string[]): Promise<string> {
  const port = await freePort();
  const key = 'a-key-of-the-release';
  const env = {
    ...registry.env,
    API_KEY: key,
    PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
    // Each makes the rows of the demo.
    XDG_CACHE_HOME: emptyFolder(),
  };
  const child = spawn(command, [...args, 'start', '--demo', '--port', String(port)], {
    cwd: emptyFolder(),
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
    // npx starts another process, which does not get its signals.
    detached: true,
  });
  try {
    const origin = `http://127.0.0.1:${port}`;
    await answers(`${origin}/readyz`, child);
    const path = '/api/endpoints/query/usage.api-counts?project=mzqkvxwotrplbhnydsea&interval=hourly';
    const response = await fetch(origin + path, { headers: { 'x-api-key': key } });
    const { result = [] } = (await response.json()) as { readonly result?: readonly object[] };
    equal(response.status, 200);
    ok(result.length > 0);
    return `${response.status}, ${result.length} rows`;
  } finally {
    await end(child, true);
  }
}

function emptyFolder(): string {
  const place = join(folder, 'empty', String(emptyFolders));
  emptyFolders += 1;
  mkdirSync(place, { recursive: true });
  return place;
}

function step(text: string): void {
  process.stdout.write(`${text}\n`);
}

function indented(text: string): string {
  return text.trim().replace(/^/gm, '  ');
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1) ?? '';
}
