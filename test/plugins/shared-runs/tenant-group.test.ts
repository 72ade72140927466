import { expect, test } from 'vitest';
import type { BoundQuery } from '../../../src/catalog/binding/bind.ts';
import { LoopTurns } from '../../../src/concurrency/loop-turns.ts';
import type { PluginHost } from '../../../src/gateway/plugin.ts';
import { Claims } from '../../../src/plugins/shared-runs/claims.ts';
import type { Run, Shareable } from '../../../src/plugins/shared-runs/shared-run.ts';
import { TenantGroup } from '../../../src/plugins/shared-runs/tenant-group.ts';
import { draftQuery } from '../../support/queries.ts';

const query = draftQuery({ name: 'q', columns: { id: 'integer' }, sql: 'SELECT 1 AS id' });
const form = { list: 'list', tenant: 't', rank: 'r', parameter: 'project', sql: '' };
const shareable: Shareable = {
  restsUntil: Number.NEGATIVE_INFINITY,
  query,
  form: { ...form, limit: undefined, offset: undefined, extraction: undefined },
};

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

test('rows that another gateway has replaced meanwhile are computed together again', async () => {
  const tenants = ['a', 'b', 'c', 'd'];
  const clock = { elapsedMs: () => 0, after: () => () => {} };
  const group = new TenantGroup({
    ...{ name: 'q', shareable, claims: new Claims(undefined), closing: new AbortController().signal },
    host: { clock, log: {}, turns: new LoopTurns() } as unknown as PluginHost,
    events: { onRun() {}, onResult() {}, onFallback() {}, onForeignRow() {} },
  });
  const runs: unknown[] = [];
  const run: Run = async (_, other) => {
    const list = other?.parameters.list ?? ['one'];
    runs.push(list);
    const rows = [...list].map((tenant) => `{"t":"${tenant}","r":1,"id":1}`);
    return { rows, truncated: false };
  };
  const refresh = (project: string, moment: number, replaces: number | undefined) =>
    group.refresh(
      project,
      { query, parameters: { project } },
      {
        signal: new AbortController().signal,
        wave: { moment, until: moment + 1 },
        refresh: { replaces, tenants: () => [] },
      },
      { run, due: () => tenants },
    );
  await refresh('a', 10, undefined);
  // The results of the others come from another gateway, and are newer.
  await Promise.all(tenants.map((tenant) => refresh(tenant, 30, 20)));
  expect(runs).toEqual([tenants, tenants]);
});
