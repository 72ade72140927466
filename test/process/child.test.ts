import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import type { Frame } from '../../src/process/frames.ts';
import { type Child, type ChildOptions, startChild } from '../../src/process/start-child.ts';
import { usageOf } from '../../src/process/usage-of.ts';
import { watchChild } from '../../src/process/watch-child.ts';
import { collectOutput } from '../support/child-output.ts';
import { eventually } from '../support/eventually.ts';

const echo = 1;
const block = 2;
const take = 3;
const end = 4;
const say = 5;
const hello = 6;

let child: Child | undefined;
afterEach(() => child?.kill());

function start({ onFrame, ...limits }: Partial<ChildOptions> = {}) {
  const frames: Frame[] = [];
  const lines: string[] = [];
  const started = startChild({
    program: new URL('./fixtures/obedient-child.ts', import.meta.url),
    ...limits,
    onFrame(frame) {
      frames.push(frame);
      onFrame?.(frame);
    },
    onOutput: (line) => lines.push(line),
  });
  child = started;
  const frameOf = async (kind: number, id = 0) => {
    const find = () => frames.find((one) => one.kind === kind && one.id === id);
    return (await eventually(() => find() ?? Promise.reject(new Error('no frame')))).value;
  };
  return { child: started, frames, lines, frameOf };
}

/** A process that has ended, but that nobody has waited for, does not run any more. */
function isRunning(pid: number): boolean {
  try {
    if (process.platform !== 'linux') return process.kill(pid, 0);
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

test('large frames go both ways, and what is sent waits for the reader', async () => {
  const { child, frameOf } = start();
  await frameOf(hello);
  const payload = Buffer.alloc(20_000_000, 'abcdefg');
  for (let id = 1; id <= 3; id += 1) {
    child.channel.send(echo, id, payload);
    expect(child.channel.drained()).toBeInstanceOf(Promise);
    await child.channel.drained();
  }
  for (let id = 1; id <= 3; id += 1) expect(payload.equals((await frameOf(echo, id)).payload)).toBe(true);
});

test('a child has none of the variables of its parent but those that every process needs', async () => {
  vi.stubEnv('SECRET_OF_THE_GATEWAY', 'x');
  onTestFinished(() => void vi.unstubAllEnvs());
  const { frameOf } = start();
  const { payload } = await frameOf(hello);
  const { env } = JSON.parse(String(payload)) as { env: readonly string[] };
  expect(env).toContain('PATH');
  expect(env).not.toContain('SECRET_OF_THE_GATEWAY');
});

test('how a child ended is told, and what it wrote', async () => {
  const { child, lines, frameOf } = start();
  await frameOf(hello);
  child.channel.send(say, 0, Buffer.from('one\n\ntwo'));
  child.channel.send(end, 7);
  expect(await child.ended).toEqual({ code: 7, signal: null });
  await expect.poll(() => lines).toEqual(['one', 'two']);
  // Nothing happens.
  child.channel.send(echo, 1);
  child.kill();
});

test('a child that is killed has ended by a signal', async () => {
  const { child, frameOf } = start();
  await frameOf(hello);
  child.channel.send(block, 0);
  child.kill();
  expect(await child.ended).toEqual({ code: null, signal: 'SIGKILL' });
});

test('a child without an answer is killed, and one that takes too much memory', async () => {
  const killed: string[] = [];
  const watch = (silentSeconds: number, memoryBytes: number) => {
    const started = start();
    watchChild(started.child, { silentSeconds, memoryBytes, onKill: (reason) => killed.push(reason) });
    return started;
  };
  const silent = watch(2, 1e12);
  await silent.frameOf(hello);
  silent.child.channel.send(block, 0);
  expect((await silent.child.ended).signal).toBe('SIGKILL');

  const large = watch(1_000, 300_000_000);
  await large.frameOf(hello);
  large.child.channel.send(take, 400_000_000);
  expect((await large.child.ended).signal).toBe('SIGKILL');
  expect(killed).toEqual([
    'did not answer for 2 s',
    expect.stringMatching(/^took \d+ MB of memory; it may take 300 MB$/),
  ]);
});

test('a child that sends too much, or what cannot be read, is killed, and ends nothing else', async () => {
  const large = start({ maxPayloadBytes: 1_000 });
  await large.frameOf(hello);
  large.child.channel.send(echo, 1, Buffer.alloc(1_000));
  await large.frameOf(echo, 1);
  large.child.channel.send(echo, 2, Buffer.alloc(1_001));
  expect((await large.child.ended).signal).toBe('SIGKILL');
  expect(large.lines).toEqual(['(what it sent cannot be read: Error: a frame of 1001 bytes)']);

  const broken = start({ onFrame: ({ kind, payload }) => kind === echo && JSON.parse(String(payload)) });
  await broken.frameOf(hello);
  broken.child.channel.send(echo, 1, Buffer.from('{'));
  expect((await broken.child.ended).signal).toBe('SIGKILL');
  expect(broken.lines).toEqual([expect.stringMatching(/^\(what it sent cannot be read: SyntaxError/)]);
});

test.runIf(process.platform === 'linux').each([
  ['frames', /^Error: no process can be started: too many files are open\ngoes on\n$/],
  [
    'an engine',
    /^for people: The process of the engine cannot be started:\n {2}no process can be started: too many files are open\ngoes on\n$/,
  ],
])('what cannot be started is an error, once: a process with %s', async (what, printed) => {
  const fixture = resolve('test/process/fixtures/many-files.ts');
  const args = ['-c', 'ulimit -n 100; exec "$@"', 'sh', process.execPath, fixture, what];
  const limited = spawn('/bin/sh', args, { stdio: ['ignore', 'pipe', 'inherit'] });
  await collectOutput(limited).until(printed);
});

test('what a process has used is known as long as it runs', async () => {
  const { child, frameOf } = start();
  await frameOf(hello);
  expect((await usageOf(child.pid ?? 0))?.memoryBytes).toBeGreaterThan(20_000_000);
  child.kill();
  await child.ended;
  await eventually(async () => expect(await usageOf(child.pid ?? 0)).toBeUndefined());
});

test.runIf(process.platform === 'linux')('memory beyond the address space is refused', async () => {
  const { child, lines, frameOf } = start({ addressSpaceBytes: 2_000_000_000 });
  await frameOf(hello);
  child.channel.send(take, 1_500_000_000);
  const { code } = await child.ended;
  expect(code).toBe(1);
  await expect.poll(() => lines.join('\n')).toContain('Failed to allocate memory');
});

const oomScoreOf = (pid: number | undefined) => Number(readFileSync(`/proc/${pid}/oom_score_adj`, 'utf8'));

test.runIf(process.platform === 'linux').each([0, 900])(
  'a machine without memory ends a child before its parent, whose score is at least %i',
  async (score) => {
    const script = `[ $(cat /proc/$$/oom_score_adj) -ge ${score} ] || echo ${score} >/proc/$$/oom_score_adj; exec "$@"`;
    const fixture = resolve('test/process/fixtures/parent.ts');
    const parent = spawn('/bin/sh', ['-c', script, 'sh', process.execPath, fixture, 'idle'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [, pid] = await collectOutput(parent).until(/pid (\d+)\n/);
    const ofParent = oomScoreOf(parent.pid);
    expect(oomScoreOf(Number(pid))).toBe(Math.floor((ofParent + 1001) / 2));
    parent.kill('SIGKILL');
  },
);

test.each(['idle', 'blocked'])('a child that is %s ends with its parent, which was killed', async (state) => {
  const parent = spawn(process.execPath, [resolve('test/process/fixtures/parent.ts'), state], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [, pid] = await collectOutput(parent).until(/pid (\d+)\n/);
  expect(isRunning(Number(pid))).toBe(true);
  parent.kill('SIGKILL');
  await eventually(() => expect(isRunning(Number(pid))).toBe(false));
});

test('what a child has written for its parent is removed when that was killed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'querygate-test-'));
  writeFileSync(join(folder, 'rows.parquet'), 'rows');
  const parent = spawn(process.execPath, [resolve('test/process/fixtures/parent.ts'), 'idle', folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await collectOutput(parent).until(/pid (\d+)\n/);
  expect(existsSync(folder)).toBe(true);
  parent.kill('SIGKILL');
  await eventually(() => expect(existsSync(folder)).toBe(false));
});
