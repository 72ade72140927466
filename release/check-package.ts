import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const apiKey = 'a-key-of-the-release-check';

/**
 * Installs a packed package into an empty folder and runs it there: its version, one answer of the demo, its end.
 *
 * @returns the milliseconds from the start to the first answer
 * @throws if anything differs
 */
export async function checkPackage(tarball: string, version: string): Promise<number> {
  const folder = install(tarball);
  try {
    const main = join(folder, 'node_modules', 'querygate', 'dist', 'main.js');
    const shown = execFileSync(process.execPath, [main, '--version'], {
      cwd: folder,
      encoding: 'utf8',
    }).trim();
    if (shown !== version) throw new Error(`the package has version ${shown}, not ${version}`);
    return await runDemo(main, folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/**
 * Installs the packed compiler and what it imports into an empty folder, and runs the first line of its README there.
 *
 * @throws if the row differs
 */
export function checkCompiler(...tarballs: readonly string[]): void {
  const folder = install(...tarballs);
  try {
    const sql = "select format_timestamp('%F', timestamp '2026-01-01')";
    const command = join(folder, 'node_modules', '.bin', 'bigquery-sql');
    const printed = execFileSync(command, [sql], { cwd: folder, encoding: 'utf8' });
    if (!printed.includes('\n2026-01-01\n')) throw new Error(`bigquery-sql prints ${printed}`);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/**
 * Installs the packed import and what it imports into an empty folder, and runs the example of its README there.
 *
 * @throws if a row is missing
 */
export function checkImport(...tarballs: readonly string[]): void {
  const folder = install(...tarballs);
  try {
    const readme = readFileSync('packages/duckdb-import/README.md', 'utf8');
    const [, example = ''] = /```ts\n([\s\S]*?)```/.exec(readme) ?? [];
    mkdirSync(join(folder, 'data'));
    writeFileSync(join(folder, 'data', 'visits.ndjson'), '{"page":"/"}\n');
    writeFileSync(join(folder, 'example.ts'), example);
    const printed = execFileSync(process.execPath, ['example.ts'], { cwd: folder, encoding: 'utf8' });
    if (printed !== '1 rows, 0 rejected\n') throw new Error(`the example of the import prints ${printed}`);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/**
 * Installs the tools for authors beside the gateway into an empty folder, and runs the tests of the saved queries of the demo.
 *
 * @throws if one fails
 */
export function checkAuthoring(...tarballs: readonly string[]): void {
  const folder = install(...tarballs);
  try {
    const env = { PATH: process.env.PATH, QUERIES_DIR: join(folder, 'node_modules', 'querygate', 'queries') };
    const command = join(folder, 'node_modules', '.bin', 'querygate');
    execFileSync(command, ['test'], { cwd: folder, env, stdio: ['ignore', 'ignore', 'inherit'] });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** @returns an empty folder with the packages */
function install(...tarballs: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'querygate-release-'));
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
  execFileSync('npm', ['install', '--omit=dev', '--no-audit', '--no-fund', ...tarballs], {
    cwd: folder,
    stdio: 'inherit',
  });
  return folder;
}

async function runDemo(main: string, cwd: string): Promise<number> {
  const startedAt = performance.now();
  const child = spawn(process.execPath, [main, 'start', '--demo', '--port', '0'], {
    cwd,
    env: { PATH: process.env.PATH, API_KEY: apiKey, LOG_FORMAT: 'pretty' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  try {
    const url = await firstUrl(child.stdout, ended);
    const response = await fetch(url, { headers: { 'x-api-key': apiKey } });
    const { result } = (await response.json()) as { readonly result?: readonly unknown[] };
    if (response.status !== 200 || result === undefined || result.length === 0) {
      throw new Error(`${url} answers ${response.status} without rows`);
    }
    return performance.now() - startedAt;
  } finally {
    child.kill('SIGTERM');
    const [code] = await ended;
    if (code !== 0) process.exitCode = 1;
  }
}

/** The first URL of a saved query that the start prints. */
async function firstUrl(output: NodeJS.ReadableStream, ended: Promise<unknown[]>): Promise<string> {
  let text = '';
  const found = new Promise<string>((resolve) => {
    output.on('data', (chunk) => {
      text += chunk;
      const url = /"(http:[^"]*\/api\/endpoints\/query\/[^"]*)"\n[\s\S]*GraphQL:\n.*\n/.exec(text)?.[1];
      if (url !== undefined) resolve(url);
    });
  });
  const failed = ended.then(() => {
    throw new Error(`the package does not start: ${text}`);
  });
  return Promise.race([found, failed]);
}
