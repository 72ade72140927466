import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { countsPath, type LiveGateway, liveQueries, openLiveGateway } from '../../support/live-gateway.ts';
import { queryText } from '../../support/query-folder.ts';
import { readEvents } from '../../support/read-events.ts';
import { apiKey } from '../../support/test-app.ts';
import * as longItems from './long-items.ts';

describe('several queries in one stream', () => {
  let live: LiveGateway;
  beforeEach(async () => {
    live = await openLiveGateway();
  });
  afterEach(() => live.close());
  const follow = async (items: unknown) => readEvents(await live.post('/api/live', items));
  const dataOf = ({ data = '{}' }: { readonly data?: string } = {}) => JSON.parse(data);

  test('each result has the id of its query, and its ETag', async () => {
    const etag = (await live.get(countsPath)).headers.get('etag');
    const events = await follow([
      { id: 'a', query: 'counts' },
      { id: 'b', query: 'warmed', parameters: { unknown: [1, true, 'x'] } },
    ]);
    const first = [await events.next(), await events.next()];
    expect(first.map((one) => one?.event)).toEqual(['next', 'next']);
    expect(first.map(dataOf)).toEqual([
      { id: 'a', etag, result: [{ n: 1 }] },
      { id: 'b', etag, result: [{ n: 1 }] },
    ]);
    live.setRows(['{"n":\n2}']);
    await live.clock.pass(5_250);
    expect(dataOf(await events.next())).toMatchObject({ id: 'a', result: [{ n: 2 }] });
    await live.clock.pass(5_250);
    expect(dataOf(await events.next())).toMatchObject({ id: 'b', result: [{ n: 2 }] });
    await events.cancel();
    expect(live.logged.filter(({ msg }) => msg === 'request').at(-1)).toMatchObject({
      path: '/api/live',
      events: 4,
    });
  });

  test('events say which parameters are ignored', async () => {
    const events = await follow([{ id: 'a', query: 'counts', parameters: { limit: 1, other: 2 } }]);
    const warning = (await live.get(`${countsPath}?limit=1&other=2`)).headers.get('querygate-warning');
    expect(warning).toContain('limit is ignored');
    const { etag: _, ...others } = dataOf(await events.next());
    expect(others).toEqual({ id: 'a', warning, result: [{ n: 1 }] });
    await events.cancel();
  });

  test('a result that the client has is not sent first', async () => {
    const etag = (await live.get(countsPath)).headers.get('etag');
    const events = await follow([
      { id: 'a', query: 'counts', etag },
      { id: 'b', query: 'warmed', etag: 'W/"other"' },
    ]);
    expect(dataOf(await events.next())).toMatchObject({ id: 'b' });
    live.setRows(['{"n":2}']);
    await live.clock.pass(5_250);
    expect(dataOf(await events.next())).toMatchObject({ id: 'a' });
    await events.cancel();
  });

  test('a query that cannot be followed has an error of its own', async () => {
    const events = await follow([
      { id: 'a', query: 'plain' },
      { id: 'b', query: 'counts' },
      { id: 'c', query: 'nope' },
    ]);
    const first = [await events.next(), await events.next(), await events.next()];
    expect(first.map((one) => one?.event)).toEqual(['error', 'error', 'next']);
    expect(first.map(dataOf)).toMatchObject([
      { id: 'a', error: { code: 'NOT_ACCEPTABLE' } },
      { id: 'c', error: { code: 'UNKNOWN_QUERY' } },
      { id: 'b' },
    ]);
    await events.cancel();
    const alone = await live.post('/api/live', [{ id: 'c', query: 'nope' }]);
    expect(alone.status).toBe(404);
  });

  test('a query that is removed ends, and the others go on', async () => {
    const events = await follow([
      { id: 'a', query: 'counts' },
      { id: 'b', query: 'warmed' },
    ]);
    for (let at = 0; at < 2; at += 1) await events.next();
    const { 'counts.sql': _, ...rest } = liveQueries;
    await live.setQueries(rest);
    const end = await events.next();
    expect(end?.event).toBe('end');
    expect(dataOf(end)).toMatchObject({ id: 'a', code: 'QUERY_CHANGED' });
    live.setRows(['{"n":2}']);
    await live.clock.pass(10_250);
    expect(dataOf(await events.next())).toMatchObject({ id: 'b', result: [{ n: 2 }] });
    await live.setQueries({ 'plain.sql': liveQueries['plain.sql'] });
    expect(dataOf(await events.next())).toMatchObject({ id: 'b', code: 'QUERY_CHANGED' });
    expect(await events.next()).toBeUndefined();
  });

  test('an only query that is removed ends with its id, and all together without one', async () => {
    const events = await follow([{ id: 'a', query: 'counts' }]);
    await events.next();
    const { 'counts.sql': _, ...rest } = liveQueries;
    await live.setQueries(rest);
    expect(dataOf(await events.next())).toMatchObject({ id: 'a', code: 'QUERY_CHANGED' });
    expect(await events.next()).toBeUndefined();
    const others = await follow([{ id: 'b', query: 'warmed' }]);
    await others.next();
    const closing = live.gateway.close();
    const end = dataOf(await others.next());
    expect(end).toMatchObject({ code: 'SHUTTING_DOWN' });
    expect(end).not.toHaveProperty('id');
    await closing;
  });

  test('a query that is changed before its stream begins ends, and the others begin', async () => {
    await live.close();
    const [asked, reloaded] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    live = await openLiveGateway({
      keys: async () => {
        asked.resolve();
        await reloaded.promise;
        return { id: 'ann' };
      },
    });
    const items = [
      { id: 'a', query: 'counts' },
      { id: 'b', query: 'warmed' },
    ];
    const following = follow(items);
    await asked.promise;
    await live.setQueries({ ...liveQueries, 'counts.sql': liveQueries['counts.sql'].replace('60s', '61s') });
    reloaded.resolve();
    const events = await following;
    const first = [await events.next(), await events.next()];
    expect(first.map(dataOf)).toMatchObject([{ id: 'a', code: 'QUERY_CHANGED' }, { id: 'b' }]);
    await events.cancel();
    const again = await follow(items);
    const results = [await again.next(), await again.next()];
    expect(results.map(dataOf)).toMatchObject([{ id: 'a', result: [{ n: 1 }] }, { id: 'b' }]);
    await again.cancel();
  });

  test('row arguments are refused as in REST', async () => {
    await live.setQueries({
      'rows.sql': queryText({ header: 'live: 5s\nrow_arguments: all\n', caching: '60s' }),
    });
    const response = await live.post('/api/live', [
      { id: 'a', query: 'rows', parameters: { order: 'n.desc' } },
    ]);
    expect(response.status).toBe(406);
    const body = await response.json();
    const accept = 'text/event-stream';
    const alone = await live.get('/api/endpoints/query/rows?order=n.desc', { accept });
    expect(await alone.json()).toEqual(body);
  });

  const counts = { id: 'a', query: 'counts' };
  test.each([
    ['no JSON', '[{', 'The body is not JSON'],
    ['no list', '{}', 'The body must be an array'],
    ['an empty list', '[]', 'The body must not be empty'],
    ['equal ids', [counts, { id: 'b', query: 'counts' }, counts], '2.id: another query has it too'],
    ['no id', [{ query: 'counts' }], '0.id: is missing'],
    ['an unknown member', [{ ...counts, project: 'p' }], '0: unknown: project'],
    [
      'too many',
      Array.from({ length: 51 }, (_, at) => ({ ...counts, id: String(at) })),
      'The body has 51 queries; the limit is 50',
    ],
    ['a list of parameters', [{ ...counts, parameters: [] }], '0.parameters: must be an object'],
    [
      'NULL',
      [counts, { id: 'b', query: 'x', parameters: { n: null } }],
      '1.parameters: n: must be a text, a',
    ],
    [
      'a number that is another one when it is read',
      '[{"id": "a", "query": "counts", "parameters": {"n": 9007199254740993}}]',
      '0.parameters: n: must be a text, a number, true, false, or a list of them; integers beyond 2^53 are texts',
    ],
    [
      'an infinite number',
      '[{"id": "a", "query": "counts", "parameters": {"n": 1e999}}]',
      '0.parameters: n: ',
    ],
  ])('%s is refused, with its place', async (_, body, message) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const request = { method: 'POST', headers: { 'x-api-key': apiKey }, body: text };
    const response = await live.gateway.fetch(new Request('http://gateway.test/api/live', request), {
      address: '127.0.0.1',
    });
    expect(response.status).toBe(400);
    const { error } = (await response.json()) as { readonly error: { code: string; message: string } };
    expect(error.code).toBe('BAD_REQUEST');
    expect(error.message.slice(0, message.length)).toBe(message);
    expect(error.message).toContain('; send a list of 1 to 50 queries with different ids: [{"id": "a", ');
  });

  test('long lists and many names of wrong values are refused', async () => {
    const { item, list, refused } = longItems;
    for (const items of refused) expect((await live.post('/api/live', items)).status).toBe(400);
    const events = await follow([{ ...item, parameters: { n: list(1_000, 1), m: 2 } }]);
    expect((await events.next())?.event).toBe('next');
    await events.cancel();
  });

  test('GET is not allowed, and says what is', async () => {
    const response = await live.get('/api/live');
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe('POST, OPTIONS');
  });
});
