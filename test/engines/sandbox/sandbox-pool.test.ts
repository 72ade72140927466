import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { SandboxPool } from '../../../src/engines/duckdb/sandbox/sandbox-pool.ts';
import { SandboxEnded, type SandboxProcess } from '../../../src/engines/duckdb/sandbox/sandbox-process.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A pool of sandboxes without processes. @param hasRoom whether one can be started */
function openPool(hasRoom = () => true) {
  const problems: string[] = [];
  const started: SandboxProcess[] = [];
  const start = (): SandboxProcess => {
    if (!hasRoom()) throw new Error('no room');
    const ended = Promise.withResolvers<SandboxEnded>();
    let hasEnded = false;
    const sandbox = {
      ...{ pid: started.length, ready: Promise.resolve(0), ended: ended.promise },
      get hasEnded() {
        return hasEnded;
      },
      warmUp() {},
      kill() {
        hasEnded = true;
        ended.resolve(new SandboxEnded('as played', true));
      },
    } as Partial<SandboxProcess> as SandboxProcess;
    started.push(sandbox);
    return sandbox;
  };
  const pool = new SandboxPool({ start, onProblem: (message) => problems.push(message) });
  return { pool, started, problems };
}

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

test('a sandbox is idle, runs a text, and is idle again; the one that was used last is taken first', async () => {
  const { pool, started } = openPool();
  pool.startSpareLater(0);
  await pass(1);
  const first = pool.take();
  expect([first.state, first.sandbox]).toEqual(['running', started[0]]);
  // Another one is ready for the next text.
  await pass(300);
  const second = pool.take();
  expect(second.sandbox).toBe(started[1]);
  pool.putBack(second);
  pool.putBack(first);
  expect([first.state, second.state]).toEqual(['idle', 'idle']);
  expect(pool.take()).toBe(first);
  await pool.close();
});

test('a sandbox that nobody needs for a minute is ended, but not the last one', async () => {
  const { pool } = openPool();
  const [first, second] = [pool.take(), pool.take()];
  pool.putBack(first);
  pool.putBack(second);
  await pass(60_000);
  expect([first.state, second.state]).toEqual(['ending', 'idle']);
  await pass(60_000);
  expect(second.state).toBe('idle');
  await pool.close();
  expect([pool.state, second.state]).toEqual(['closed', 'ending']);
});

test('a sandbox that was killed while it ran a text is not taken again, and a spare one is started', async () => {
  const { pool, started } = openPool();
  const one = pool.take();
  one.sandbox.kill();
  pool.putBack(one);
  expect(one.state).toBe('ending');
  await pass(250);
  expect(started).toHaveLength(2);
  expect(pool.take().sandbox).toBe(started[1]);
  await pool.close();
});

test('where none can be started, texts are refused, it is told once, and tried again', async () => {
  let hasRoom = false;
  const { pool, started, problems } = openPool(() => hasRoom);
  for (let at = 0; at < 2; at += 1)
    expect(() => pool.take()).toThrow(expect.objectContaining({ code: 'ENGINE_UNAVAILABLE' }));
  await pass(5_000);
  expect(problems).toHaveLength(1);
  hasRoom = true;
  await pass(2_000);
  expect(started).toHaveLength(1);
  await pool.close();
});
