import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { readConfig } from '../../../../src/config.ts';
import { withDefaults } from '../../../../src/engines/duckdb/duckdb-options.ts';
import { openDuckdb } from '../../../../src/engines/duckdb/open-duckdb.ts';
import { ConnectionPool } from '../../../../src/engines/duckdb/run/connection-pool.ts';
import { engineHost } from '../../../support/engine-host.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

async function openPool(size: number) {
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
  const open = new Set<DuckDBConnection>();
  const connect = async () => {
    const connection = await instance.connect();
    open.add(connection);
    return connection;
  };
  const disconnect = (connection: DuckDBConnection) => {
    open.delete(connection);
    connection.closeSync();
  };
  const connections = [];
  for (let left = size; left > 0; left -= 1) connections.push(await connect());
  const stuck: string[] = [];
  const pool = new ConnectionPool(connections, {
    maxSlow: size,
    queueLength: 100,
    database: { hostWorks: new Map(), connect, disconnect },
    onStuck: (name) => stuck.push(name),
  });
  /** Who has begun to run, in order. */
  const begun: string[] = [];
  /** A run that heeds no interrupt: it goes on until `end`. */
  const start = (name: string, owner: string, isCallerSql: boolean) => {
    const client = new AbortController();
    const { promise, resolve: end } = Promise.withResolvers<void>();
    const use = { key: name, name, owner, isCallerSql, signal: client.signal };
    const outcome = pool.use(use, async (_, __, onResult) => {
      begun.push(name);
      await promise;
      onResult();
      return name;
    });
    outcome.catch(() => {});
    return { end, outcome, leave: () => client.abort(new Error('gone')) };
  };
  return { pool, start, begun, open, instance, stuck };
}

/** Lets everything happen that waits for nothing but a connection. */
async function settle(): Promise<void> {
  for (let left = 50; left > 0; left -= 1) await setImmediate();
}

/** As `settle`, for what waits for a new connection. */
async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await setImmediate();
}

async function pass(ms: number): Promise<void> {
  await vi.advanceTimersByTimeAsync(ms);
  await settle();
}

test.each([
  [1, ['a0'], ['a0']],
  [2, ['a0'], ['a0']],
  [3, ['a0'], ['a0', 'b0']],
  [4, ['a0', 'a1'], ['a0', 'a1', 'b0']],
  [8, ['a0', 'a1', 'a2', 'a3'], ['a0', 'a1', 'a2', 'a3', 'b0', 'b1', 'b2']],
])(
  'of %i places, SQL of callers holds all but one, and half of those for one key',
  async (size, ofOne, ofAll) => {
    const { pool, start, begun } = await openPool(size);
    const runs = [];
    for (let at = 0; at < 9; at += 1) runs.push(start(`a${at}`, 'a', true));
    await settle();
    expect(begun).toEqual(ofOne);
    for (let at = 0; at < 9; at += 1) runs.push(start(`b${at}`, 'b', true));
    await settle();
    expect(begun).toEqual(ofAll);
    const saved = start('saved', 'a', false);
    saved.end();
    await settle();
    expect(begun.includes('saved')).toBe(size > 1);
    for (const { end } of runs) end();
    await Promise.all([saved.outcome, ...runs.map(({ outcome }) => outcome)]);
    expect(begun).toHaveLength(19);
    await pool.close();
  },
);

test('a place is kept for quick saved queries beside slow ones and SQL of callers', async () => {
  const { pool, start, begun } = await openPool(4);
  // It is judged by processor time of the process, of which a part counts even if nothing computes.
  const slow = [start('slow0', 'x', false), start('slow1', 'x', false)];
  await settle();
  vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 10_000);
  await pass(1_000);
  const callers = [start('a', 'a', true), start('b', 'b', true), start('c', 'c', true)];
  await settle();
  vi.restoreAllMocks();
  expect(begun).toEqual(['slow0', 'slow1', 'a']);
  const quick = start('quick', 'victim', false);
  quick.end();
  expect(await quick.outcome).toBe('quick');
  for (const { end } of [...slow, ...callers]) end();
  await Promise.all([...slow, ...callers].map(({ outcome }) => outcome));
  await pool.close();
});

test('a run that ignores its interrupt gives its place to another connection, which is closed with it', async () => {
  const { pool, start, begun, open } = await openPool(2);
  const stuck = start('stuck', 'a', true);
  const next = start('next', 'b', true);
  await settle();
  stuck.leave();
  await expect(stuck.outcome).rejects.toThrow('gone');
  await pass(900);
  expect(begun).toEqual(['stuck']);
  await pass(200);
  await until(() => begun.length === 2);
  expect(begun).toEqual(['stuck', 'next']);
  expect(open.size).toBe(3);
  stuck.end();
  await until(() => open.size === 2);
  next.end();
  expect(await next.outcome).toBe('next');
  await pool.close();
});

test('a run that heeds its interrupt within a second keeps its connection', async () => {
  const { pool, start, open } = await openPool(2);
  const run = start('run', 'a', true);
  await settle();
  const before = [...open];
  run.leave();
  await pass(900);
  run.end();
  await pass(10_000);
  expect([...open]).toEqual(before);
  await pool.close();
});

test('no more runs are left behind than there are places; other tenants are served beside all of them', async () => {
  const { pool, start, begun, open } = await openPool(2);
  const stuck = [];
  for (let at = 0; at < 10; at += 1) stuck.push(start(`stuck${at}`, 'a', true));
  for (const count of [1, 2, 3]) {
    await until(() => begun.length === count);
    stuck[count - 1]?.leave();
    await pass(2_100);
  }
  await pass(10_000);
  expect(begun).toEqual(['stuck0', 'stuck1', 'stuck2']);
  expect(open.size).toBe(4);
  const cold = start('cold', 'victim', false);
  cold.end();
  expect(await cold.outcome).toBe('cold');
  // One ends at last: another one can be left behind.
  stuck[0]?.end();
  await pass(2_100);
  await until(() => begun.length === 5);
  expect(begun).toEqual(['stuck0', 'stuck1', 'stuck2', 'cold', 'stuck3']);
  expect(open.size).toBe(4);
  let isClosed = false;
  for (const { leave } of stuck.slice(3)) leave();
  const closing = pool.close().then(() => {
    isClosed = true;
  });
  await settle();
  expect(isClosed).toBe(false);
  for (const { end } of stuck) end();
  await closing;
});

test('a run that goes on long after its caller has gone is reported once', async () => {
  const { start, stuck } = await openPool(2);
  const endless = start('endless', 'a', false);
  const brief = start('brief', 'b', false);
  await settle();
  await pass(10_000);
  endless.leave();
  brief.leave();
  await pass(3_000);
  brief.end();
  expect(stuck).toEqual([]);
  await pass(20_000);
  expect(stuck).toEqual(['endless']);
  endless.end();
});

test.each([
  [1, 1],
  [2, 1],
  [3, 2],
  [8, 4],
])(
  'with %i threads, %i slow queries run at once: the light ones need threads, too',
  async (threads, maxSlow) => {
    const openPool = vi.spyOn(ConnectionPool, 'open');
    const config = readConfig({ STORE_FILE: ':memory:' });
    const dataDir = mkdtempSync(join(tmpdir(), 'querygate-test-'));
    const host = engineHost({ catalog: { queries: [], tables: [] }, config });
    const engine = await openDuckdb(host, withDefaults({ ...config.duckdb, dataDir, threads }));
    expect(openPool.mock.calls[0]?.[1].maxSlow).toBe(maxSlow);
    await engine.close();
    rmSync(dataDir, { recursive: true });
    vi.restoreAllMocks();
  },
);
