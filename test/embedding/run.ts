import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { packAll } from '../../release/pack.ts';
import { packages } from '../../release/packages.ts';
import { freePort } from '../support/free-port.ts';

/**
 * Packs all packages, installs them into an empty folder with the servers and runtimes of `package.json`, and runs there a
 * program, every example of docs/embedding.md, and the command `bigquery-sql`: `npx node test/embedding/run.ts`. It exits with 1 if one of
 * them fails, or if `publint` or `attw` finds an error in a package. With `--node` it leaves out what it would have to
 * install besides: other runtimes, other servers, and the two judges.
 */
const { values: options } = parseArgs({ options: { node: { type: 'boolean', default: false } } });
const folder = mkdtempSync(join(tmpdir(), 'querygate-embedding-'));
const apiKey = 'a-key-of-the-embedding-check';
const env = { ...process.env, API_KEY: apiKey, JWT_SECRET: 'a secret of at least thirty-two bytes' };
const quiet = ['--loglevel', 'error'];
const run = (command: string, ...args: readonly string[]) =>
  execFileSync(command, args, { cwd: folder, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });

try {
  const tarballs = packAll(folder).map((file) => basename(file));
  print('packed');
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }\n');
  const { devDependencies } = JSON.parse(readFileSync('test/embedding/package.json', 'utf8')) as {
    readonly devDependencies: Readonly<Record<string, string>>;
  };
  const others = Object.entries(options.node ? {} : devDependencies).map(
    ([name, version]) => `${name}@${version}`,
  );
  const packed = tarballs.map((name) => `./${name}`);
  run('npm', 'install', '--ignore-scripts', '--no-audit', '--no-fund', ...quiet, ...packed, ...others);
  print('installed');
  if (!options.node) judge(tarballs);
  cpSync('test/embedding/program.js', join(folder, 'program.js'));
  const examples = writeExamples();
  await runOn('Node', process.execPath, 'node.js');
  if (!options.node) {
    checkTypes();
    run(process.execPath, 'node_modules/next/dist/bin/next', 'build', 'next');
    print('Next: built');
    await runOn('Bun', binary('node_modules/@oven/bun-*/bin/bun{,.exe}'), 'bun.js');
    await runOn('Deno', binary('node_modules/@deno/*/deno{,.exe}'), 'deno.js', 'run', '--allow-all');
    for (const name of ['express.js', 'fastify.js', 'hono.js'])
      await serve(name, '/warehouse', process.execPath);
  }
  importExamples(examples);

  const statement = "select format_timestamp('%F', timestamp '2026-01-01') as day";
  print(`bigquery-sql: ${run('node_modules/.bin/bigquery-sql', statement).trim()}`);
} finally {
  rmSync(folder, { recursive: true });
}

function judge(tarballs: readonly string[]): void {
  for (const { name } of packages)
    print(run('node_modules/.bin/publint', 'run', `node_modules/${name}`, '--strict').trim());
  // What is built for browsers has no types.
  for (const name of tarballs.filter((one) => !one.includes('-pages-')))
    print(run('node_modules/.bin/attw', name, '--profile', 'esm-only', '--format', 'ascii').trim());
}

/** Runs the program, and the example that listens, on a runtime. */
async function runOn(name: string, command: string, example: string, ...args: readonly string[]) {
  print(`${name}: ${run(command, ...args, 'program.js').trim()}`);
  await serve(example, '', command, ...args);
}

/** Of a runtime, in its package for this platform. */
function binary(pattern: string): string {
  const [found] = globSync(pattern, { cwd: folder });
  if (found === undefined) throw new Error(`${pattern}: not installed`);
  return join(folder, found);
}

/** The examples of the page, whose first line is their file. @returns their files */
function writeExamples(): readonly string[] {
  cpSync('queries', join(folder, 'queries'), { recursive: true });
  mkdirSync(join(folder, 'logs'));
  writeFileSync(join(folder, 'keys.yaml'), 'keys: []\ncount: 0\n');
  const page = readFileSync('docs/embedding.md', 'utf8');
  return [...page.matchAll(/^```[jt]s\n\/\/ (\S+)\n([\s\S]*?)^```/gm)].map(([, file = '', text = '']) => {
    // Types are checked of all as of TypeScript, and Next is built of them.
    write(`typed/${file.replace(/\.js$/, '.ts')}`, text);
    if (/^(?:app\/|next\.config|gateway)/.test(file)) write(`next/${file}`, text);
    if (file === 'gateway.js')
      write('below.js', text.replace('engine:', "basePath: '/warehouse',\n  engine:"));
    const imported = join(folder, `/${file}${text}`.includes('/warehouse') ? 'below.js' : 'gateway.js');
    return write(
      file === 'gateway.js' ? file : `examples/${file}`,
      text.replace(/'(?:\.\.?\/)+gateway(?:\.js)?'/, `'${imported}'`),
    );
  });
}

/** @returns its path */
function write(file: string, text: string): string {
  const path = join(folder, file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

/** Compiles the examples under strict types; those of Bun and Deno need types that exclude each other. */
function checkTypes(): void {
  const compilerOptions = {
    lib: ['esnext', 'dom', 'dom.iterable', 'dom.asynciterable'],
    target: 'es2024',
    module: 'esnext',
    moduleResolution: 'bundler',
    types: ['node'],
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: true,
    noEmit: true,
  };
  const exclude = ['typed/bun.ts', 'typed/deno.ts'];
  write('typed.json', JSON.stringify({ compilerOptions, include: ['typed'], exclude }));
  run(process.execPath, 'node_modules/typescript/bin/tsc', '--project', 'typed.json');
  print('types: checked');
}

/** Runs an example that listens, on a free port, and calls it by REST and GraphQL. */
async function serve(name: string, path: string, command: string, ...args: readonly string[]): Promise<void> {
  const port = await freePort();
  const file = join(folder, 'examples', name);
  writeFileSync(file, readFileSync(file, 'utf8').replaceAll('3000', String(port)));
  const child = spawn(command, [...args, file], { cwd: folder, env, stdio: ['ignore', 'ignore', 'inherit'] });
  const ended = once(child, 'exit');
  try {
    const url = `http://127.0.0.1:${port}${path}`;
    await answers(`${url}/healthz`, child);
    const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' };
    const body = JSON.stringify({ query: '{ endpoints { name } }' });
    const graphql = await fetch(`${url}/graphql`, { method: 'POST', headers, body });
    const { data } = (await graphql.json()) as {
      readonly data: { readonly endpoints: readonly { name: string }[] };
    };
    const without = await fetch(`${url}/api/endpoints/query/${data.endpoints[0]?.name}`);
    if (graphql.status !== 200 || without.status !== 401)
      throw new Error(`${name}: ${graphql.status} ${without.status}`);
    if (!(await fetch(url)).headers.has('x-request-id'))
      throw new Error(`${name}: ${path} itself is not the gateway's`);
    print(`${name}: ${data.endpoints.length} endpoints`);
  } finally {
    child.kill();
    await ended;
  }
}

async function answers(url: string, child: { readonly exitCode: number | null }): Promise<void> {
  for (let tries = 0; tries < 300 && child.exitCode === null; tries += 1) {
    const response = await fetch(url).catch(() => undefined);
    if (response?.status === 200) return;
    await sleep(200);
  }
  throw new Error(`${url} does not answer`);
}

/** The other examples: a gateway, or a handler of requests. */
function importExamples(files: readonly string[]): void {
  for (const file of files.filter((one) => /(?:keys|stored-queries|route)\.[jt]s$/.test(one))) {
    const program = `
      const { gateway, GET } = await import(${JSON.stringify(file)});
      const request = new Request(GET ? 'http://localhost/warehouse/readyz' : 'http://localhost/readyz');
      const response = await (GET ?? gateway.fetch)(request);
      console.log(response.status, await response.text());
      process.exit(response.status === 200 ? 0 : 1);`;
    const name = file.slice(`${folder}/examples/`.length);
    print(`${name}: ${run(process.execPath, '--input-type=module', '-e', program).trim()}`);
  }
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
