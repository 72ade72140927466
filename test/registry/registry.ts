import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../support/free-port.ts';

/** A registry of packages on this machine, and how programs are started that use it. */
export interface Registry {
  readonly url: string;
  /** For npm, Bun and Deno. */
  readonly env: NodeJS.ProcessEnv;
  close(): Promise<void>;
}

/** Starts Verdaccio on a free port: it keeps what is published, and passes on what the configured registry has of others. */
export async function openRegistry(folder: string): Promise<Registry> {
  mkdirSync(folder, { recursive: true });
  const upstream = execFileSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8' }).trim();
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/`;
  writeFileSync(
    join(folder, 'config.yaml'),
    `storage: ./storage
uplinks:
  upstream: { url: '${upstream}', maxage: 30m, timeout: 60s, max_fails: 10 }
packages:
  'querygate': { access: $all, publish: $all }
  '@querygate/*': { access: $all, publish: $all }
  '**': { access: $all, proxy: upstream }
max_body_size: 50mb
log: { type: stdout, level: warn }
`,
  );
  const npmrc = join(folder, 'npmrc');
  // npm publishes only with a token; this registry takes any.
  writeFileSync(npmrc, `registry=${url}\n//127.0.0.1:${port}/:_authToken=of-this-machine\n`);
  const program = resolve('test/registry/node_modules/verdaccio/bin/verdaccio');
  const options = ['--config', join(folder, 'config.yaml'), '--listen', `127.0.0.1:${port}`];
  const child = spawn(process.execPath, [program, ...options], { stdio: ['ignore', 'ignore', 'inherit'] });
  await answers(`${url}-/ping`, child);
  const env = {
    ...process.env,
    npm_config_userconfig: npmrc,
    npm_config_registry: url,
    npm_config_cache: join(folder, 'cache'),
    npm_config_update_notifier: 'false',
    // Of an npm around this program.
    npm_config_local_prefix: undefined,
    npm_config_prefix: undefined,
    NPM_CONFIG_REGISTRY: url,
    BUN_CONFIG_REGISTRY: url,
    BUN_INSTALL_CACHE_DIR: join(folder, 'bun-cache'),
    DENO_DIR: join(folder, 'deno'),
    DENO_NO_UPDATE_CHECK: '1',
  };
  return { url, env, close: () => end(child) };
}

/** Waits until a server answers 200. @throws if its process ends before */
export async function answers(url: string, child: ChildProcess): Promise<void> {
  for (let tries = 0; tries < 3000 && child.exitCode === null; tries += 1) {
    const response = await fetch(url).catch(() => undefined);
    if (response?.status === 200) return;
    await sleep(100);
  }
  throw new Error(`${url} does not answer`);
}

/** Ends a process, and waits for that. @param isGroup it was started as `detached`: what it has started ends too */
export async function end(child: ChildProcess, isGroup = false): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  process.kill(isGroup ? -child.pid : child.pid, 'SIGTERM');
  await ended;
}
