import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { type ChildOutput, collectOutput } from './child-output.ts';
import { demoCache, demoStore } from './demo-store.ts';

export interface GatewayProcess {
  readonly child: ChildProcess;
  /** Where it listens, e.g. `http://127.0.0.1:41234`. */
  readonly origin: string;
  /** What it printed to standard output until it was ready. */
  readonly banner: string;
  /** Everything it has written to standard error so far. */
  log(): string;
  /** Ends it as an operator would. @returns its exit code */
  end(signal?: NodeJS.Signals): Promise<number | null>;
}

/** The last part of the start banner, or the line that a log has instead. */
export const ready = /GraphQL:\n.*\n|"msg":"Querygate is ready"\}\n/;

/** What `program-files.ts` makes of the sources; outside of Vitest the sources. */
const gatewayProgram =
  process.env.TEST_PROGRAMS === undefined ? 'src/main.ts' : join(process.env.TEST_PROGRAMS, 'src/main.js');

/**
 * Starts the real process on a free port, and waits until it says that it is ready.
 *
 * @param logTo an open file for its log, for when this process is too busy to read it
 * @param flags of Node
 * @param file of another copy of the sources
 */
export async function startGateway(
  env: Record<string, string> = {},
  logTo: 'pipe' | number = 'pipe',
  flags: readonly string[] = [],
  file = gatewayProgram,
): Promise<GatewayProcess> {
  const store = await demoStore(env, (STORE_FILE) => startGateway({ STORE_FILE }));
  const { child, output, errors, until } = spawnNode(
    file,
    { PORT: '0', ...(store !== undefined && { STORE_FILE: store }), ...env },
    { logTo, flags },
  );
  const ended = once(child, 'exit');
  await until(ready);
  const [, origin = ''] = await until(/(http:\/\/[^\s"]+)\/graphql/);
  return {
    child,
    origin,
    banner: output(),
    log: errors,
    end: async (signal = 'SIGTERM') => {
      child.kill(signal);
      await ended;
      if (store !== undefined) rmSync(store, { force: true });
      return child.exitCode;
    },
  };
}

/** Runs a command of `querygate` until it ends by itself. */
export const runQuerygate = (args: readonly string[], env: Record<string, string> = {}) =>
  runCommand('src/main.ts', env, args);

/** Runs a program of the project until it ends by itself. */
export async function runCommand(
  file: string,
  env: Record<string, string>,
  args: readonly string[] = [],
): Promise<{ exitCode: number | null; output: string; errors: string }> {
  const { child, output, errors } = spawnNode(file, env, { args });
  await once(child, 'close');
  return { exitCode: child.exitCode, output: output(), errors: errors() };
}

interface SpawnOptions {
  readonly args?: readonly string[];
  readonly flags?: readonly string[];
  readonly logTo?: 'pipe' | number;
}

function spawnNode(
  file: string,
  env: Record<string, string>,
  { args = [], flags = [], logTo = 'pipe' }: SpawnOptions,
): ChildOutput & { readonly child: ChildProcess } {
  const child = spawn(process.execPath, [...flags, file, ...args], {
    // A store beside the data would be shared by all tests.
    env: { PATH: process.env.PATH, STORE_FILE: ':memory:', ...demoCache(), ...env },
    stdio: ['ignore', 'pipe', logTo],
  });
  return { child, ...collectOutput(child) };
}
