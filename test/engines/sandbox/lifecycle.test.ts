import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import type { Outline } from '@querygate/bigquery-sql/sandbox';
import { openSandboxes } from '../../../src/engines/duckdb/sandbox/open-sandboxes.ts';
import { type SandboxProcess, startSandbox } from '../../../src/engines/duckdb/sandbox/sandbox-process.ts';
import type { StoppedSql } from '../../../src/engine-contract/engine.ts';
import { collectOutput } from '../../support/child-output.ts';
import { eventually } from '../../support/eventually.ts';
import { nightly } from '../../support/nightly.ts';
import { openWorld } from './world.ts';

const { execPath } = process;
const limits = { memoryBytes: 1e9, diskBytes: 1e9, processorMs: 60_000 };
const outline: Outline = {
  names: { tables: [], parameters: [], functions: new Set() },
  parameters: [],
  tables: [],
};
const request = { sql: '', parameters: {}, known: {}, now: 0, maxRows: 1 };

let folder: string;
let problems: string[];
let close: (() => Promise<void>) | undefined;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'querygate-lifecycle-'));
  problems = [];
});
afterEach(async () => {
  process.execPath = execPath;
  await close?.();
  close = undefined;
  rmSync(folder, { recursive: true, force: true });
});

/** From now on processes of sandboxes run `played-sandbox.ts`. */
function play(fault: string): void {
  const program = join(folder, 'played');
  const fixture = resolve('test/engines/sandbox/fixtures/played-sandbox.ts');
  writeFileSync(program, `#!/bin/sh\nexec '${execPath}' '${fixture}' '${fault}'\n`, { mode: 0o700 });
  process.execPath = program;
}

const start = () => startSandbox({ ...limits, folder: join(folder, 'one') });

/** @returns runs a task with a sandbox, for one key */
function open(inFolder = folder) {
  const sandboxes = openSandboxes({
    ...{ folder: inFolder, size: 2, queueLength: 10, limits },
    onProblem: (message) => problems.push(message),
  });
  close = sandboxes.close;
  return <T>(task: (sandbox: SandboxProcess) => Promise<T>) =>
    sandboxes.use({ owner: 'one', signal: new AbortController().signal }, task);
}

const pidOf = async ({ pid }: SandboxProcess) => pid;

test('a process that cannot be started takes no place, and is told once', async () => {
  const inFile = join(folder, 'sandboxes');
  writeFileSync(inFile, '');
  const use = open(inFile);
  // More than there are places, of which each key has one.
  for (let at = 0; at < 3; at += 1)
    await expect(use(pidOf)).rejects.toMatchObject({ code: 'ENGINE_UNAVAILABLE', retryAfterSeconds: 2 });
  expect(problems).toEqual([expect.stringMatching(/^SQL of callers cannot run: its process does not start/)]);
  rmSync(inFile);
  mkdirSync(inFile);
  expect(await use(pidOf)).toBeGreaterThan(0);
});

test('a process that cannot be started leaves no folder', () => {
  process.execPath = 'no\0path';
  expect(() => start()).toThrow();
  expect(existsSync(join(folder, 'one'))).toBe(false);
});

test('a process that cannot open its database is ended, with its folder', async () => {
  play('cannot open');
  const sandbox = start();
  await expect(sandbox.ready).rejects.toMatchObject({ code: 'ENGINE_FAILED', message: 'as played' });
  expect(sandbox.hasEnded).toBe(true);
  expect((await sandbox.ended).wasKilled).toBe(true);
  await eventually(() => expect(existsSync(join(folder, 'one'))).toBe(false));
});

test('a process whose database is unusable runs no other text', async () => {
  play('unusable');
  const use = open();
  const pids: (number | undefined)[] = [];
  const judge = () =>
    use((sandbox) => {
      pids.push(sandbox.pid);
      return sandbox.judge(outline, request);
    });
  for (let at = 0; at < 2; at += 1)
    await expect(judge()).rejects.toMatchObject({ reason: 'crashed', cause: { code: 'ENGINE_FAILED' } });
  expect(new Set(pids).size).toBe(2);
});

test('a text that makes the database of its process unusable counts as stopped, with its own error', async () => {
  play('unusable');
  const stopped: unknown[] = [];
  const sqlStopped = ({ reason, rests }: StoppedSql) => stopped.push([reason, rests]);
  const world = await openWorld({ others: false, isolate: true, events: { sqlStopped } });
  close = world.close;
  for (let at = 0; at < 3; at += 1) expect(await world.run('')).toBe('ENGINE_FAILED as played');
  expect(stopped).toEqual([
    ['crashed', false],
    ['crashed', false],
    ['crashed', true],
  ]);
  expect(await world.run('')).toMatch(/^RATE_LIMITED sql: 3 texts /);
});

test('an answer to an earlier request is not taken for that to the last one', async () => {
  play('late');
  const use = open();
  for (let at = 0; at < 2; at += 1)
    expect(await use((sandbox) => sandbox.judge(outline, request))).toEqual([]);
});

test('a process that was killed is given no text, though it has not ended yet', async () => {
  play('');
  const use = open();
  const killed = await use(async (sandbox) => {
    sandbox.kill();
    expect(sandbox.hasEnded).toBe(true);
    return sandbox.pid;
  });
  expect(await use(pidOf)).not.toBe(killed);
});

test('a process is ready before it has run texts over no rows, and a text ends these', async () => {
  const sandbox = start();
  const changedAt = () => statSync(sandbox.folder).mtimeMs;
  const madeAt = changedAt();
  await sandbox.ready;
  // The texts of the warm-up read a file, which is written into the folder.
  expect(changedAt()).toBe(madeAt);
  sandbox.warmUp();
  expect(await sandbox.judge(outline, { ...request, sql: 'select 1 as one' })).toEqual([]);
  expect(await sandbox.run([])).toMatchObject({ rowCount: 1 });
  expect(String(await sandbox.rows())).toBe('{"result":[{"one":1}]}');
  sandbox.kill();
  await sandbox.ended;
});

nightly('what a process has compiled is kept where Node keeps it, for those that start later', async () => {
  const compiled = join(folder, 'compiled');
  vi.stubEnv('NODE_COMPILE_CACHE', compiled);
  onTestFinished(() => void vi.unstubAllEnvs());
  const sandbox = start();
  await sandbox.ready;
  await eventually(() => expect(readdirSync(compiled)).toHaveLength(1));
  sandbox.kill();
  await sandbox.ended;
});

test('a spare process runs texts over no rows', async () => {
  const sandboxes = openSandboxes({
    ...{ folder, size: 2, queueLength: 10, limits },
    onProblem: () => {},
  });
  close = sandboxes.close;
  sandboxes.prepare();
  const changedAt = () => statSync(join(folder, 'sandbox-1')).mtimeMs;
  const { value: madeAt } = await eventually(changedAt);
  await eventually(() => expect(changedAt()).toBeGreaterThan(madeAt));
});

test('a folder goes when its process has ended, also if rows are still written into it', async () => {
  play('');
  const sandbox = start();
  await sandbox.ready;
  sandbox.kill();
  await sandbox.ended;
  for (let at = 0; at < 20 && existsSync(join(folder, 'one')); at += 1) {
    writeFileSync(join(join(folder, 'one'), `${at}.parquet`), 'x');
    await setImmediate();
  }
  await eventually(() => expect(existsSync(join(folder, 'one'))).toBe(false));
});

test.runIf(process.platform === 'linux')(
  'a text is watched on after a look that was not possible',
  async () => {
    const fixture = resolve('test/engines/sandbox/fixtures/watch-without-files.ts');
    const args = ['-c', 'ulimit -n 100; exec "$@"', 'sh', execPath, fixture];
    const limited = spawn('/bin/sh', args, { stdio: ['ignore', 'pipe', 'inherit'] });
    await collectOutput(limited).until(/^no file can be opened\ntoo much memory\n$/);
  },
);
