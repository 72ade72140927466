import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { GatewayPlugin } from '../../../src/gateway/plugin.ts';
import { countsPath, type LiveGateway, liveQueries, openLiveGateway } from '../../support/live-gateway.ts';
import { queryText, uuidOf } from '../../support/query-folder.ts';
import { readEvents } from '../../support/read-events.ts';

const accept = { accept: 'text/event-stream' };
const etagOf = ({ headers }: Response) => headers.get('etag') ?? '';

describe('a stream of results in REST', () => {
  let live: LiveGateway;
  beforeEach(async () => {
    live = await openLiveGateway();
  });
  afterEach(() => live.close());

  test('begins with the result as REST has it, and its ETag as the id', async () => {
    const plain = await live.get(countsPath);
    const body = await plain.clone().text();
    const response = await live.get(countsPath, accept);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(response.headers.get('cache-control')).toBe('no-store, no-transform');
    expect(response.headers.get('x-accel-buffering')).toBe('no');
    const events = readEvents(response);
    expect(await events.next()).toEqual({ event: 'next', id: etagOf(plain), data: body });
    await events.cancel();
  });

  test('has another event when the rows are others, and none when they are the same', async () => {
    const events = readEvents(await live.get(countsPath, accept));
    expect(await events.next()).toMatchObject({ data: '{"result":[{"n":1}]}' });
    await live.clock.pass(21_000);
    expect(events.arrived().filter((one) => one !== ':')).toEqual([]);
    expect(live.engine.runs).toBe(5);
    live.setRows(['{"n":2}']);
    await live.clock.pass(5_000);
    expect(await events.next()).toMatchObject({ event: 'next', data: '{"result":[{"n":2}]}' });
    await events.cancel();
  });

  test('one run in each interval serves all who follow, and none runs when the last has gone', async () => {
    const readers = await Promise.all(
      Array.from({ length: 50 }, async () => readEvents(await live.get(countsPath, accept))),
    );
    for (const events of readers) await events.next();
    expect(live.engine.runs).toBe(1);
    for (let at = 2; at <= 5; at += 1) {
      live.setRows([`{"n":${at}}`]);
      await live.clock.pass(5_250);
      for (const events of readers)
        expect(await events.next()).toMatchObject({ data: `{"result":[{"n":${at}}]}` });
      expect(live.engine.runs).toBe(at);
    }
    for (const events of readers) await events.cancel();
    await live.clock.pass(120_000);
    expect(live.engine.runs).toBe(5);
  });

  test('Last-Event-ID with the current ETag gets no first event, and another one does', async () => {
    const known = etagOf(await live.get(countsPath));
    const same = readEvents(await live.get(countsPath, { ...accept, 'last-event-id': known }));
    const others = await Promise.all(
      ['W/"other"', '*'].map((id) => live.get(countsPath, { ...accept, 'last-event-id': id })),
    );
    const read = others.map(readEvents);
    for (const other of read) expect(await other.next()).toMatchObject({ id: known });
    await live.clock.pass(1_000);
    expect(same.arrived()).toEqual([':']);
    live.setRows(['{"n":2}']);
    await live.clock.pass(5_000);
    expect(await same.next()).toMatchObject({ data: '{"result":[{"n":2}]}' });
    for (const one of [same, ...read]) await one.cancel();
  });

  test('a minute without a change has heartbeats only, one every ten seconds', async () => {
    const events = readEvents(await live.get(countsPath, accept));
    await events.next();
    await live.clock.pass(60_000);
    expect(events.arrived()).toEqual([':', ':', ':', ':', ':', ':']);
    await events.cancel();
  });

  test('a query without live is followed as often as it is warmed, and no longer than it is followed', async () => {
    const events = readEvents(await live.get('/api/endpoints/query/warmed', accept));
    await events.next();
    await live.clock.pass(30_750);
    expect(live.engine.runs).toBe(4);
    await events.cancel();
    await live.clock.pass(60_000);
    expect(live.engine.runs).toBe(4);
  });

  test('a query with neither is refused, with what is missing', async () => {
    const response = await live.get('/api/endpoints/query/plain', accept);
    expect(response.status).toBe(406);
    expect(await response.json()).toEqual({
      error: {
        code: 'NOT_ACCEPTABLE',
        message:
          'plain cannot be followed, for its header has neither cache_warming nor live; request it again instead',
      },
    });
    expect((await live.get(countsPath, { accept: 'text/event-stream;delta=cells' })).status).toBe(406);
    expect((await live.get('/api/endpoints/query/nope', accept)).status).toBe(404);
  });

  test.each([
    ['plain', 'text/event-stream, application/json', 200],
    ['plain', 'text/event-stream;delta=rows, */*;q=0.1', 200],
    ['plain', 'text/event-stream, text/html, application/json;q=0', 406],
  ])('%s with Accept: %s, which cannot be followed, is %d', async (name, value, status) => {
    const response = await live.get(`/api/endpoints/query/${name}`, { accept: value });
    expect(response.status).toBe(status);
    const body = await response.text();
    expect(body).toContain(status === 200 ? '{"result":[' : 'cannot be followed');
  });

  test('some rows of a result that is followed are a reply, if the caller accepts one', async () => {
    const header = 'live: 5s\nrow_arguments: all\n';
    const queries = { 'counts.sql': queryText({ id: uuidOf(1), header, caching: '60s' }) };
    const other = await openLiveGateway({ queries, rowsOf: () => ['{"n":1}', '{"n":2}'] });
    const some = `${countsPath}?n=gt.1`;
    const response = await other.get(some, { accept: 'text/event-stream, application/json' });
    expect([response.status, await response.json()]).toEqual([200, { result: [{ n: 2 }] }]);
    expect((await other.get(some, accept)).status).toBe(406);
    await other.close();
  });

  test.each([
    ['application/json, text/event-stream', 'application/json; charset=utf-8'],
    ['text/event-stream;q=0.5, application/json', 'application/json; charset=utf-8'],
    ['text/event-stream, */*;q=0.5', 'text/event-stream; charset=utf-8'],
    ['text/csv, text/event-stream;q=0.9', 'text/csv; charset=utf-8; header=present'],
  ])('Accept: %s gets %s', async (value, type) => {
    const response = await live.get(countsPath, { accept: value });
    expect(response.headers.get('content-type')).toBe(type);
    await response.body?.cancel();
  });

  test('while the engine fails nothing is sent until the result has expired, then one error', async () => {
    const events = readEvents(await live.get(countsPath, accept));
    await events.next();
    live.engine.failing = true;
    await live.clock.pass(115_000);
    expect(events.arrived().filter((one) => one !== ':')).toEqual([]);
    await live.clock.pass(60_000);
    expect(events.arrived().filter((one) => one !== ':')).toEqual([
      { event: 'error', data: '{"error":{"code":"ENGINE_FAILED","message":"The query failed"}}' },
    ]);
    live.engine.failing = false;
    await live.clock.pass(20_000);
    expect(await events.next()).toMatchObject({ event: 'next', data: '{"result":[{"n":1}]}' });
    await events.cancel();
  });

  test('an engine that fails at the start is answered as in REST', async () => {
    live.engine.failing = true;
    const response = await live.get(countsPath, accept);
    expect(response.status).toBe(502);
    expect(await response.json()).toMatchObject({ error: { code: 'ENGINE_FAILED' } });
  });

  test('line breaks between the tokens of a result are lines of the event', async () => {
    live.setRows(['{"n":\n1}', '{"n":\r\n2}']);
    const events = readEvents(await live.get(countsPath, accept));
    const { data = '' } = (await events.next()) ?? {};
    expect(JSON.parse(data)).toEqual({ result: [{ n: 1 }, { n: 2 }] });
    await events.cancel();
  });

  test('the log has one line when a stream ends, with what became of it', async () => {
    const requests = () => live.logged.filter(({ msg }) => msg === 'request');
    const events = readEvents(await live.get(countsPath, accept));
    await events.next();
    expect(requests()).toEqual([]);
    await live.clock.pass(1_000);
    await events.cancel();
    expect(requests()).toMatchObject([
      { method: 'GET', path: countsPath, status: 200, key: 'API_KEY', events: 1, skipped: 0, end: 'CLIENT' },
    ]);
  });

  test('HEAD has the headers of a stream and no body', async () => {
    const response = await live.gateway.fetch(
      new Request(`http://gateway.test${countsPath}`, {
        method: 'HEAD',
        headers: { 'x-api-key': 'a-key-for-tests-only', ...accept },
      }),
    );
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(await response.text()).toBe('');
  });

  test('HEAD promises nothing of a result that may be refreshed sooner for those who follow it', async () => {
    await live.setQueries({
      'counts.sql': queryText({ id: uuidOf(1), header: 'live: 5s\n', caching: '900s' }),
      'plain.sql': queryText({ id: uuidOf(3), caching: '900s' }),
    });
    const hasTag = async (path: string) => {
      const init = { method: 'HEAD', headers: { 'x-api-key': 'a-key-for-tests-only' } };
      const { headers } = await live.gateway.fetch(new Request(`http://gateway.test${path}`, init));
      return [headers.has('etag'), headers.has('content-length')];
    };
    expect(await hasTag(countsPath)).toEqual([false, false]);
    expect(await hasTag(countsPath.replace('counts', 'plain'))).toEqual([true, true]);
  });

  test('a request that another version of the file answers ends with QUERY_CHANGED', async () => {
    const events = readEvents(await live.get(countsPath, accept));
    const others = readEvents(await live.get('/api/endpoints/query/warmed', accept));
    for (const one of [events, others]) await one.next();
    const { 'counts.sql': counts = '', ...rest } = liveQueries;
    await live.setQueries({ ...rest, 'counts.sql': counts.replace('a number', 'another number') });
    const end = await events.next();
    expect(end).toMatchObject({ event: 'end' });
    expect(JSON.parse(end?.data ?? '')).toMatchObject({ code: 'QUERY_CHANGED' });
    expect(Number(end?.retry)).toBeGreaterThanOrEqual(1_000);
    expect(Number(end?.retry)).toBeLessThanOrEqual(5_000);
    expect(await events.next()).toBeUndefined();
    await live.setQueries(rest);
    expect(others.arrived()).toEqual([]);
    await others.cancel();
  });

  test('a gateway that ends says so, and takes no other stream', async () => {
    const events = readEvents(await live.get(countsPath, accept));
    await events.next();
    live.gateway.endStreams();
    expect(JSON.parse((await events.next())?.data ?? '')).toMatchObject({ code: 'SHUTTING_DOWN' });
    expect(await events.next()).toBeUndefined();
    expect((await live.get(countsPath, accept)).status).toBe(503);
  });
});

describe('relative defaults', () => {
  test('each refresh follows what the request means then', async () => {
    const text = queryText({
      id: uuidOf(1),
      header: 'live: 60s\nparameters:\n  since: { type: timestamp, description: S., default: -1h }\n',
      caching: '60s',
      sql: 'SELECT LENGTH(@since) AS n',
    });
    const since: string[] = [];
    const spy: GatewayPlugin = {
      name: 'spy',
      onRun(bound) {
        since.push(String(bound.parameters.since));
        return undefined;
      },
    };
    const live = await openLiveGateway({ queries: { 'counts.sql': text }, plugins: [spy] });
    const events = readEvents(await live.get(countsPath, accept));
    await events.next();
    await live.clock.pass(60_500);
    live.setRows(['{"n":2}']);
    await live.clock.pass(60_500);
    expect(await events.next()).toMatchObject({ data: '{"result":[{"n":2}]}' });
    expect(since).toEqual([1, 2, 3].map((at) => expect.stringContaining(`T11:0${at - 1}`)));
    await events.cancel();
    await live.close();
  });
});
