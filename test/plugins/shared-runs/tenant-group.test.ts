import { pino } from 'pino';
import { expect, test } from 'vitest';
import type { BoundQuery } from '../../../src/catalog/binding/bind.ts';
import { LoopTurns } from '../../../src/concurrency/loop-turns.ts';
import type { Rows, RunOptions } from '../../../src/engine-contract/engine.ts';
import { GatewayError } from '../../../src/errors.ts';
import type { PluginHost } from '../../../src/gateway/plugin.ts';
import { redis } from '../../../src/gateway/redis.ts';
import { Claims } from '../../../src/plugins/shared-runs/claims.ts';
import { GatheredRuns } from '../../../src/plugins/shared-runs/gathered-runs.ts';
import { newShareable, type Run } from '../../../src/plugins/shared-runs/shared-run.ts';
import { SharedSizes } from '../../../src/plugins/shared-runs/shared-sizes.ts';
import { TenantGroup } from '../../../src/plugins/shared-runs/tenant-group.ts';
import { draftQuery } from '../../support/queries.ts';
import { hasRedis, redisServer } from '../../support/redis-server.ts';

const tenants = ['a', 'b', 'c', 'd'];
const query = draftQuery({ name: 'q', columns: { id: 'integer' }, sql: 'SELECT 1 AS id' });
const form = { list: 'list', tenant: 't', rank: 'r', parameter: 'project', sql: '' };
const shareable = newShareable({
  query,
  form: { ...form, limit: undefined, offset: undefined, extraction: undefined },
});

/** A group whose callers wait for a run until they leave, or until the gateway closes. @returns what the log has */
async function heldGroup(leave: (callers: AbortController, closing: AbortController) => void) {
  const logged: unknown[] = [];
  const [callers, closing] = [new AbortController(), new AbortController()];
  let gathered = () => {};
  const clock = { elapsedMs: () => 0, after: (_: number, run: () => void) => (gathered = run) };
  const log = { error: (...line: unknown[]) => logged.push(line) };
  const group = new TenantGroup({
    ...{ name: 'q', shareable, claims: new Claims(undefined), closing: closing.signal },
    host: { clock, log, turns: new LoopTurns() } as unknown as PluginHost,
    events: { onRun() {}, onResult() {}, onFallback() {}, onForeignRow() {} },
  });
  const { promise: isEnded, resolve: end } = Promise.withResolvers<void>();
  const run: Run = async ({ signal }, other) => {
    const aborted = new Promise<never>((_, reject) =>
      signal.addEventListener('abort', () => reject(signal.reason)),
    );
    try {
      return await aborted;
    } finally {
      if (other !== undefined) end();
    }
  };
  const waiting = ['a', 'b', 'c', 'd', 'e'].map((project) => {
    const bound: BoundQuery = { query, parameters: { project } };
    return group.cold(project, bound, { signal: callers.signal }, run).catch(() => undefined);
  });
  gathered();
  leave(callers, closing);
  await isEnded;
  callers.abort();
  await Promise.all(waiting);
  await new Promise(setImmediate);
  return logged;
}

test.each([
  ['its callers leave', (callers: AbortController) => callers.abort()],
  ['the gateway closes', (_: AbortController, closing: AbortController) => closing.abort()],
])('a shared run that ends because %s is no failure in the log', async (_, leave) => {
  expect(await heldGroup(leave)).toEqual([]);
});

/** A group of one gateway, and refreshes of the four tenants that are always due. */
function groupOf(elapsedMs: () => number, run: Run, claims = new Claims(undefined)) {
  const clock = { elapsedMs, after: () => () => {} };
  const group = new TenantGroup({
    ...{ name: 'q', shareable, claims, closing: new AbortController().signal },
    host: { clock, log: {}, turns: new LoopTurns() } as unknown as PluginHost,
    events: { onRun() {}, onResult() {}, onFallback() {}, onForeignRow() {} },
  });
  return {
    mayRefresh: (project: string, due = tenants) => group.mayRefresh(project, () => due),
    refresh: (project: string, options: Partial<RunOptions> & { due?: readonly string[]; moment: number }) =>
      group.refresh(
        project,
        { query, parameters: { project } },
        {
          signal: new AbortController().signal,
          wave: { moment: options.moment, until: options.moment + 1 },
          refresh: { replaces: undefined, tenants: () => [] },
          ...options,
        },
        { run, due: () => options.due ?? tenants },
      ),
  };
}

const rowsOf = (list: readonly string[]): Rows => ({
  rows: list.map((tenant) => `{"t":"${tenant}","r":1,"id":1}`),
  truncated: false,
});

test('rows that another gateway has replaced meanwhile are computed together again', async () => {
  const runs: unknown[] = [];
  const { refresh } = groupOf(
    () => 0,
    async (_, other) => {
      const list = [...(other?.parameters.list ?? ['one'])];
      runs.push(list);
      return rowsOf(list);
    },
  );
  await refresh('a', { moment: 10 });
  // The results of the others come from another gateway, and are newer.
  const replaced = { replaces: 20, tenants: () => [] };
  await Promise.all(tenants.map((tenant) => refresh(tenant, { moment: 30, refresh: replaced })));
  expect(runs).toEqual([tenants, tenants]);
});

test('a shared run takes the turn of the refresh that begins it', async () => {
  const owners: unknown[] = [];
  const { refresh } = groupOf(
    () => 0,
    async ({ owner }, other) => {
      owners.push(owner);
      return rowsOf([...(other?.parameters.list ?? ['one'])]);
    },
  );
  await refresh('a', { moment: 10, owner: 'results that are followed' });
  expect(owners).toEqual(['results that are followed']);
});

test('a run of callers has the labels of the first', async () => {
  const timers: (() => void)[] = [];
  const clock = {
    elapsedMs: () => 0,
    after: (_: number, run: () => void) => {
      timers.push(run);
      return () => {};
    },
  };
  const host = { clock, turns: new LoopTurns() } as unknown as PluginHost;
  const gathered = new GatheredRuns({
    ...{ shareable, host, sizes: new SharedSizes(() => 0), closing: new AbortController().signal },
    events: { onRun() {}, onResult() {}, onFallback() {}, onForeignRow() {} },
  });
  const { promise, resolve } = Promise.withResolvers<Rows>();
  const labels: unknown[] = [];
  const run: Run = async (_, other) => {
    if (other === undefined) return promise;
    labels.push(other.labels);
    return rowsOf([...(other.parameters.list ?? [])]);
  };
  const called = ['e', ...tenants].map((project) => {
    const bound = { query, parameters: { project }, labels: { team: project } };
    return gathered.run(project, bound, { signal: new AbortController().signal }, run);
  });
  await new Promise(setImmediate);
  timers[0]?.();
  resolve(rowsOf([]));
  await Promise.all(called);
  expect(labels).toEqual([{ team: 'a' }]);
});

/** The claims of two gateways that share a Redis. */
async function withClaims(work: (own: Claims, others: Claims) => Promise<void>) {
  const server = await redisServer();
  await server.start();
  const openState = () => redis({ url: server.url }).openState('a test', pino({ enabled: false }));
  const states = await Promise.all([openState(), openState()]);
  await Promise.all(states.map(({ ready }) => ready));
  const [own, others] = [new Claims(states[0]), new Claims(states[1])];
  try {
    await work(own, others);
  } finally {
    await Promise.all([own.close(), others.close()]);
    await server.close();
  }
}

test.skipIf(!hasRedis)('tenants whose refreshes fail at one gateway are those of another one', () =>
  withClaims(async (own, others) => {
    let now = 0;
    const failing = groupOf(
      () => now,
      () => Promise.reject(new GatewayError('ENGINE_UNAVAILABLE', 'Down')),
      own,
    );
    const other = groupOf(
      () => now,
      async () => rowsOf([]),
      others,
    );
    // Alone, too.
    expect(await failing.mayRefresh('e', ['e'])).toBe(true);
    expect(await other.mayRefresh('e', ['e'])).toBe(false);
    await expect(failing.refresh('e', { moment: 0, due: ['e'] })).rejects.toThrow('Down');
    expect(await other.mayRefresh('e', ['e'])).toBe(true);
    expect(await failing.mayRefresh('a')).toBe(true);
    expect(await other.mayRefresh('b')).toBe(false);
    await expect(failing.refresh('a', { moment: 0 })).rejects.toThrow('Down');
    now = 900;
    expect(await failing.mayRefresh('b')).toBe(true);
    expect(await other.mayRefresh('a')).toBe(true);
    now = 2_000;
    expect(await failing.mayRefresh('b')).toBe(false);
  }),
);

test.skipIf(!hasRedis)(
  'only errors of the engine leave tenants to another gateway, not those of the query',
  () =>
    withClaims(async (own, others) => {
      const claimed: string[] = [];
      for (const code of [
        ...(['ENGINE_TIMEOUT', 'ENGINE_FAILED', 'INVALID_PARAMETER', 'QUERY_TOO_EXPENSIVE'] as const),
        ...(['BUDGET_EXCEEDED', 'ENGINE_BUSY', 'DATA_UNREADABLE', 'ENGINE_MISCONFIGURED'] as const),
      ]) {
        const [failing, other] = [own, others].map((claims) =>
          groupOf(
            () => 0,
            () => Promise.reject(new GatewayError(code, 'It fails')),
            claims,
          ),
        );
        for (const due of [[code], [`${code} one`, `${code} two`]]) {
          const [tenant = ''] = due;
          expect(await failing?.mayRefresh(tenant, due)).toBe(true);
          await expect(failing?.refresh(tenant, { moment: 0, due })).rejects.toThrow('It fails');
          if ((await other?.mayRefresh(tenant, [tenant])) === true) claimed.push(tenant);
        }
      }
      expect(claimed).toEqual(
        ['ENGINE_BUSY', 'DATA_UNREADABLE', 'ENGINE_MISCONFIGURED'].flatMap((code) => [code, `${code} one`]),
      );
    }),
);
