import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startGateway } from '../support/gateway-process.ts';
import { nightly } from '../support/nightly.ts';
import { queryText } from '../support/queries.ts';

let folder: string;
let umask: number;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'querygate-test-'));
  chmodSync(folder, 0o755);
  umask = process.umask(0);
  const row = { timestamp: '2026-03-10T12:00:00Z', project: 'p' };
  const text = Array.from(
    { length: 50_000 },
    (_, at) => `${JSON.stringify({ ...row, event_message: `${'x'.repeat(60)} ${at}` })}\n`,
  ).join('');
  writeFileSync(join(folder, 'edge_logs.ndjson'), text, { mode: 0o600 });
});
afterEach(() => {
  process.umask(umask);
  rmSync(folder, { recursive: true });
});

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

/** The modes of everything below a folder that was seen while `until` was pending, by path. */
async function watchModes(root: string, until: Promise<unknown>): Promise<ReadonlyMap<string, string>> {
  const modes = new Map<string, string>();
  let isPending = true;
  until.finally(() => {
    isPending = false;
  });
  while (isPending) {
    if (existsSync(root)) {
      for (const path of ['.', ...readdirSync(root, { recursive: true, encoding: 'utf8' })]) {
        try {
          modes.set(path, modeOf(join(root, path)));
        } catch {
          // It was removed meanwhile.
        }
      }
    }
    await sleep(2);
  }
  await until;
  return modes;
}

nightly('what the gateway writes can be read by its own user only, whatever the umask', async () => {
  const queries = join(folder, '.queries');
  cpSync('queries', queries, { recursive: true });
  const sorted =
    'select concat(t.event_message, cast(a as string), cast(b as string), cast(c as string)) as x from edge_logs as t';
  const digits = Array.from({ length: 10 }, (_, at) => at).join(', ');
  writeFileSync(
    join(queries, 'spill.sql'),
    queryText({
      name: 'spill',
      columns: { x: 'integer' },
      sql: `select count(distinct y.x) as x from (${sorted} cross join unnest([${digits}]) as a cross join unnest([${digits}]) as b cross join unnest([1]) as c) as y`,
    }),
  );
  const store = join(folder, '.querygate');
  const starting = startGateway({
    API_KEY: 'key',
    DATA_DIR: folder,
    STORE_FILE: join(store, 'store.duckdb'),
    QUERIES_DIR: queries,
    DUCKDB_MEMORY_LIMIT: '400MB',
  });
  const modes = new Map(await watchModes(store, starting));
  const gateway = await starting;
  const request = fetch(`${gateway.origin}/api/endpoints/query/spill`, { headers: { 'x-api-key': 'key' } });
  for (const [path, mode] of await watchModes(store, request)) modes.set(path, mode);
  expect(await (await request).json(), gateway.log()).toEqual({ result: [{ x: 5_000_000 }] });
  await gateway.end();

  expect([...modes.keys()].filter((path) => path.startsWith('store.duckdb.spill/'))).not.toEqual([]);
  const folders = ['.', 'store.duckdb.scratch', 'store.duckdb.spill'];
  for (const path of folders) expect(modes.get(path), path).toBe('700');
  expect(modes.get('store.duckdb')).toBe('600');
  expect(modes.size).toBeGreaterThan(5);
  for (const [path, mode] of modes) expect(mode, path).toMatch(/^[67]00$/);
  // The operator's own folders stay as they were.
  expect(modeOf(folder)).toBe('755');
});

nightly(
  'a store that others could read cannot be read by them any more; its folder is the operator’s',
  async () => {
    const own = join(folder, 'own');
    mkdirSync(own, { mode: 0o755 });
    const start = () => startGateway({ DATA_DIR: folder, STORE_FILE: join(own, 'store.duckdb') });
    await (await start()).end();
    chmodSync(join(own, 'store.duckdb'), 0o644);
    const gateway = await start();
    expect(modeOf(join(own, 'store.duckdb'))).toBe('600');
    expect(modeOf(own)).toBe('755');
    await gateway.end();
  },
);

test('SIGUSR1 opens no inspector', async () => {
  const gateway = await startGateway({ DATA_DIR: folder });
  gateway.child.kill('SIGUSR1');
  await sleep(500);
  expect((await fetch(`${gateway.origin}/healthz`)).status).toBe(200);
  expect(gateway.log()).not.toMatch(/debugger/i);
  expect(await gateway.end()).toBe(0);
});
