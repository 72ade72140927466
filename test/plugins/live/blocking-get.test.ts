import { afterEach, beforeEach, describe, expect, test } from 'vitest';
// Loaded before the first request, which could otherwise begin to wait after the time has passed.
import '../../../src/plugins/live/open-live.ts';
import '../../../src/plugins/live/replies/rest-replies.ts';
import type { Caller } from '../../../src/keys/sources/key-function.ts';
import { settled } from '../../support/fake-clock.ts';
import { countsPath, type LiveGateway, liveQueries, openLiveGateway } from '../../support/live-gateway.ts';
import { queryText, uuidOf } from '../../support/query-folder.ts';

describe('a GET that waits for another result', () => {
  let live: LiveGateway;
  let caller: Caller | undefined;
  let etag: string;
  beforeEach(async () => {
    caller = { id: 'ann' };
    live = await openLiveGateway({ keys: () => caller });
    etag = (await live.get(countsPath)).headers.get('etag') ?? '';
  });
  afterEach(() => live.close());

  const waiting = (headers: Readonly<Record<string, string>> = {}) =>
    live.get(countsPath, { 'if-none-match': etag, prefer: 'wait=30', ...headers });

  test('gets the other result as soon as it is there', async () => {
    const response = waiting();
    await live.clock.pass(7_000);
    live.setRows(['{"n":2}']);
    await live.clock.pass(5_000);
    const changed = await response;
    expect(changed.status).toBe(200);
    expect(changed.headers.get('preference-applied')).toBe('wait=30');
    expect(changed.headers.get('etag')).not.toBe(etag);
    expect(await changed.json()).toEqual({ result: [{ n: 2 }] });
  });

  test('gets 304 when the time is over, and then nothing runs', async () => {
    const response = waiting();
    await live.clock.pass(30_000);
    const same = await response;
    expect(same.status).toBe(304);
    expect(same.headers.get('etag')).toBe(etag);
    expect(same.headers.get('preference-applied')).toBe('wait=30');
    const { runs } = live.engine;
    await live.clock.pass(120_000);
    expect(live.engine.runs).toBe(runs);
  });

  test('is answered by the query as a reload has changed it', async () => {
    const response = waiting();
    await live.clock.pass(1_000);
    live.setRows(['{"n":2}']);
    const { 'counts.sql': counts, ...rest } = liveQueries;
    await live.setQueries({ ...rest, 'counts.sql': counts.replace('SELECT', 'SELECT DISTINCT') });
    expect(await (await response).json()).toEqual({ result: [{ n: 2 }] });
    etag = (await live.get(countsPath)).headers.get('etag') ?? '';
    const removed = waiting();
    await live.clock.pass(1_000);
    await live.setQueries(rest);
    expect((await removed).status).toBe(404);
  });

  test.each(['3600', '99999999999'])('waits for a minute at most, of %s seconds', async (seconds) => {
    const response = waiting({ prefer: `respond-async, wait=${seconds}` });
    await live.clock.pass(60_000);
    expect((await response).headers.get('preference-applied')).toBe('wait=60');
  });

  test('gets another result that is there already at once, as one for which it need not pause', async () => {
    const response = await waiting({ 'if-none-match': 'W/"other"' });
    expect(response.status).toBe(200);
    expect(response.headers.get('preference-applied')).toBe('wait=30');
    expect(await response.json()).toEqual({ result: [{ n: 1 }] });
  });

  test.each([
    ['sends no wait', { prefer: 'respond-async' }, 304],
    ['waits for no time', { prefer: 'wait=0' }, 304],
    ['waits for something else than seconds', { prefer: 'wait=1e9' }, 304],
    ['waits for less than no time', { prefer: 'wait=-1' }, 304],
  ])('is answered at once if the caller %s', async (_, headers, status) => {
    const response = await waiting(headers);
    expect(response.status).toBe(status);
    expect(response.headers.get('preference-applied')).toBeNull();
  });

  test('is answered at once if the query cannot be followed', async () => {
    const plain = '/api/endpoints/query/plain';
    const known = (await live.get(plain)).headers.get('etag') ?? '';
    expect((await live.get(plain, { 'if-none-match': known, prefer: 'wait=30' })).status).toBe(304);
  });

  test('gets no rows if the key is not valid any more', async () => {
    const response = waiting();
    await live.clock.pass(1_000);
    caller = undefined;
    live.setRows(['{"n":2}']);
    await live.clock.pass(5_000);
    expect((await response).status).toBe(401);
  });

  test('one run serves all who wait, and those who wait leave room for other requests', async () => {
    const responses: Promise<Response>[] = [];
    // More than may be in flight.
    for (let part = 0; part < 3; part += 1) {
      responses.push(...Array.from({ length: 800 }, () => waiting()));
      await settled();
    }
    const { runs } = live.engine;
    live.setRows(['{"n":2}']);
    await live.clock.pass(5_250);
    for (const response of responses) expect((await response).status).toBe(200);
    expect(live.engine.runs).toBe(runs + 1);
  });

  test('sees each change for as long as somebody waits, also if values are bounded by the time', async () => {
    const parameters = 'parameters:\n  since: { type: timestamp, min: -7d, description: S. }\n';
    const text = queryText({
      id: uuidOf(1),
      header: `live: 5s\n${parameters}`,
      caching: '600s',
      sql: 'SELECT LENGTH(@since) AS n',
    });
    await live.setQueries({ 'counts.sql': text });
    const path = `${countsPath}?since=2026-03-10T11:00:00Z`;
    const known = (await live.get(path)).headers.get('etag') ?? '';
    let isChanged = false;
    const ask = async () => {
      while (!isChanged) {
        const response = await live.get(path, { 'if-none-match': known, prefer: 'wait=50' });
        isChanged ||= response.status === 200;
      }
    };
    const first = ask();
    await live.clock.pass(25_000);
    const second = ask();
    await live.clock.pass(90_000);
    live.setRows(['{"n":2}']);
    await live.clock.pass(6_000);
    expect(isChanged).toBe(true);
    await live.clock.pass(60_000);
    await Promise.all([first, second]);
  });
});
