import { globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { type GatewayProcess, startGateway } from '../support/gateway-process.ts';
import { queryText } from '../support/queries.ts';
import { readEvents } from '../support/read-events.ts';

const [library] = globSync('/usr/lib/*/faketime/libfaketimeMT.so.1');
const hasFaketime = library !== undefined || process.env.CI === 'true';

const made = queryText({
  name: 'made',
  columns: { made: 'timestamp' },
  caching: ['caching: 3s', 'live: 1s'],
  sql: 'select current_timestamp() as made',
});

// The package `faketime` sets the clock of a process.
describe.skipIf(!hasFaketime)('a gateway whose clock is set while it is used', () => {
  const folder = mkdtempSync(join(tmpdir(), 'querygate-test-'));
  const clockFile = join(folder, 'clock');
  const setClock = (by: string) => writeFileSync(clockFile, `${by}\n`);
  let gateway: GatewayProcess;
  let load: Promise<unknown>;
  let isLoaded = true;
  /** The ages of all answers, and how many different results there were. */
  const ages: number[] = [];
  const bodies = new Set<string>();

  const get = async () => {
    const headers = { 'x-api-key': 'key' };
    const response = await fetch(`${gateway.origin}/api/endpoints/query/made`, { headers });
    const body = await response.text();
    expect(response.status, body).toBe(200);
    ages.push(Number(response.headers.get('age')));
    bodies.add(body);
  };
  const caller = async () => {
    while (isLoaded) {
      await get();
      await sleep(20);
    }
  };

  beforeAll(async () => {
    writeFileSync(join(folder, 'made.sql'), made);
    setClock('+0');
    gateway = await startGateway({
      API_KEY: 'key',
      QUERIES_DIR: folder,
      DATA_DIR: 'test',
      LD_PRELOAD: library ?? 'libfaketimeMT.so.1',
      FAKETIME_TIMESTAMP_FILE: clockFile,
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    });
    load = Promise.all([caller(), caller(), caller()]);
  });
  afterAll(async () => {
    isLoaded = false;
    await load;
    await gateway.end();
    rmSync(folder, { recursive: true });
  });

  test.each(['-2h', '+2h', '-2h'])('by %s: answers stay fresh, and events go on', async (by) => {
    const headers = { 'x-api-key': 'key', accept: 'text/event-stream' };
    const stream = readEvents(await fetch(`${gateway.origin}/api/endpoints/query/made`, { headers }));
    await stream.next();
    setClock(by);
    // The clock of the process is another one now.
    await eventually(async () => {
      const { headers: received } = await fetch(`${gateway.origin}/healthz`);
      const hours = (Date.parse(received.get('date') ?? '') - Date.now()) / 3_600_000;
      expect(Math.round(hours)).toBe(Number.parseInt(by, 10));
    });
    ages.length = 0;
    bodies.clear();
    const events = [await stream.next(), await stream.next(), await stream.next(), await stream.next()];
    expect(new Set(events.map((event) => event?.data)).size).toBe(4);
    await eventually(() => expect(bodies.size).toBeGreaterThan(3));
    // In whole seconds.
    expect(Math.max(...ages)).toBeLessThanOrEqual(3);
    await stream.cancel();
  });
});
