import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type LiveGateway, liveQueries, openLiveGateway } from '../../support/live-gateway.ts';
import { queryText, uuidOf } from '../../support/query-folder.ts';
import { readEvents } from '../../support/read-events.ts';

const accept = { accept: 'text/event-stream' };

const queries = {
  ...liveQueries,
  'of-name.sql': queryText({
    id: uuidOf(4),
    header: 'live: 5s\nparameters:\n  name: { type: string, required: true, description: a name }\n',
    caching: '60s',
    sql: 'SELECT LENGTH(@name) AS n',
  }),
  'filtered.sql': queryText({
    id: uuidOf(5),
    header: 'live: 5s\nrow_arguments: all\n',
    caching: '60s',
    sql: 'SELECT 1 AS n',
  }),
};

describe('a subscription', () => {
  let live: LiveGateway;
  const subscribe = (query: string, variables = {}, headers: Readonly<Record<string, string>> = accept) =>
    live.post('/graphql', { query, variables }, headers);
  const counts = 'subscription { counts { rows { n } rowCount } }';
  const resultOf = (n: number) => ({ data: { counts: { rows: [{ n }], rowCount: 1 } } });
  beforeEach(async () => {
    live = await openLiveGateway({ queries });
  });
  afterEach(() => live.close());

  test('has the result as its first event, and another event when the rows are others', async () => {
    const response = await subscribe(counts);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(response.headers.get('cache-control')).toBe('no-store, no-transform');
    const events = readEvents(response);
    const first = await events.next();
    expect(first).toMatchObject({ event: 'next', id: expect.stringMatching(/^W\/"/) });
    expect(JSON.parse(first?.data ?? '')).toEqual(resultOf(1));
    await live.clock.pass(21_000);
    expect(events.arrived().filter((one) => one !== ':')).toEqual([]);
    live.setRows(['{"n":2}']);
    await live.clock.pass(5_000);
    expect(JSON.parse((await events.next())?.data ?? '')).toEqual(resultOf(2));
    await events.cancel();
  });

  test('has another event when the same rows are not all any more', async () => {
    const events = readEvents(await subscribe('subscription { counts { rows { n } truncated } }'));
    const next = async () => JSON.parse((await events.next())?.data ?? '');
    const resultOf = (truncated: boolean) => ({ data: { counts: { rows: [{ n: 1 }], truncated } } });
    expect(await next()).toEqual(resultOf(false));
    for (const truncated of [true, false]) {
      live.engine.truncated = truncated;
      await live.clock.pass(5_000);
      expect(await next()).toEqual(resultOf(truncated));
    }
    await events.cancel();
  });

  test('is one of many that equal requests share, with one run in each interval for all selections', async () => {
    const selections = ['counts { rows { n } rowCount }', 'a: counts { rows { b: n } }'];
    const readers = await Promise.all(
      Array.from({ length: 40 }, async (_, at) =>
        readEvents(await subscribe(`subscription { ${selections[at % 2]} }`)),
      ),
    );
    for (const events of readers) await events.next();
    expect(live.engine.runs).toBe(1);
    live.setRows(['{"n":2}']);
    await live.clock.pass(5_250);
    for (const [at, events] of readers.entries())
      expect(JSON.parse((await events.next())?.data ?? '')).toEqual(
        at % 2 === 0 ? resultOf(2) : { data: { a: { rows: [{ b: 2 }] } } },
      );
    expect(live.engine.runs).toBe(2);
    for (const events of readers) await events.cancel();
    await live.clock.pass(60_000);
    expect(live.engine.runs).toBe(2);
  });

  test('takes variables, fragments and directives, and GET as EventSource sends it', async () => {
    const query = `subscription Named($name: String!, $yes: Boolean = false) {
      it: ofName(name: $name) { ...all } }
      fragment all on OfNameResult { rows { n @skip(if: $yes) } stale cacheStatus truncated @include(if: $yes) }`;
    const parameters = new URLSearchParams({ query, variables: '{"name":"x"}', operationName: 'Named' });
    const events = readEvents(await live.get(`/graphql?${parameters}`, accept));
    expect(JSON.parse((await events.next())?.data ?? '')).toEqual({
      data: { it: { rows: [{ n: 1 }], stale: false, cacheStatus: 'HIT' } },
    });
    await events.cancel();
  });

  test('with Last-Event-ID of the current result gets no first event', async () => {
    const first = readEvents(await subscribe(counts));
    const { id = '' } = (await first.next()) ?? {};
    const again = readEvents(await subscribe(counts, {}, { ...accept, 'last-event-id': id }));
    await live.clock.pass(1_000);
    expect(again.arrived()).toEqual([':']);
    live.setRows(['{"n":2}']);
    await live.clock.pass(5_000);
    expect(JSON.parse((await again.next())?.data ?? '')).toEqual(resultOf(2));
    for (const one of [first, again]) await one.cancel();
  });

  test.each([
    [
      'two root fields',
      'subscription { counts { rowCount } warmed { rowCount } }',
      'must select only one top level field',
    ],
    [
      'two of one fragment',
      'subscription { ...f } fragment f on Subscription { counts { rowCount } b: counts { rowCount } }',
      'must select only one top level field',
    ],
    [
      'the name of the type',
      'subscription { __typename }',
      'must not select an introspection top level field',
    ],
    [
      'the name of the type beside a field',
      'subscription { counts { rowCount } __typename }',
      'must select only one top level field',
    ],
    [
      'a query that is not followed',
      'subscription { plain { rowCount } }',
      'Cannot query field "plain" on type "Subscription"',
    ],
    ['the catalog', 'subscription { endpoints { name } }', 'Cannot query field "endpoints"'],
    ['a missing argument', 'subscription { ofName { rowCount } }', 'of type "String!" is required'],
    ['a missing variable', 'subscription ($name: String!) { ofName(name: $name) { rowCount } }', '$name'],
    ['a syntax error', 'subscription {', 'Syntax Error'],
  ])('with %s has the errors as its only result', async (_, query, message) => {
    // The valid part is known by then.
    const known = readEvents(await subscribe('subscription { counts { rowCount } }'));
    for (let round = 0; round < 3; round += 1) {
      const response = await subscribe(query, { yes: null });
      expect(response.status).toBe(200);
      const events = readEvents(response);
      const { event, data = '' } = (await events.next()) ?? {};
      expect(event).toBe('next');
      expect(JSON.parse(data)).toEqual({
        errors: expect.arrayContaining([
          expect.objectContaining({ message: expect.stringContaining(message) }),
        ]),
      });
      expect(await events.next()).toEqual({ event: 'complete', data: '' });
      expect(await events.next()).toBeUndefined();
    }
    await known.cancel();
  });

  test.each([
    ['rows(first: -1) { n }', 'first: '],
    ['all: rows { n } rows(offset: -1) { n }', 'offset: '],
    ['aggregates(where: { n: null }) { count }', 'n: '],
  ])('with wrong row arguments has the error as its only result: %s', async (selection, message) => {
    const query = `subscription { filtered { ${selection} } }`;
    const events = readEvents(await subscribe(query));
    expect(JSON.parse((await events.next())?.data ?? '')).toMatchObject({
      errors: [{ message: expect.stringContaining(message), path: ['filtered', expect.any(String)] }],
      data: { filtered: null },
    });
    expect(await events.next()).toEqual({ event: 'complete', data: '' });
    expect(await events.next()).toBeUndefined();
  });

  test('with a condition below its field that is null has the error in each event', async () => {
    const query = 'subscription ($yes: Boolean = true) { counts { rowCount @include(if: $yes) truncated } }';
    const events = readEvents(await subscribe(query, { yes: null }));
    const { data = '' } = (await events.next()) ?? {};
    expect(JSON.parse(data)).toMatchObject({
      errors: [{ message: expect.stringContaining('not to be null'), path: ['counts'] }],
      data: { counts: null },
    });
    await events.cancel();
  });

  test('without an accepted stream is refused with what to accept, and mutations are refused', async () => {
    const response = await subscribe(counts, {}, { accept: 'application/json' });
    expect(response.status).toBe(406);
    expect(await response.json()).toEqual({
      errors: [
        {
          message: 'Subscriptions are answered with events; accept text/event-stream',
          extensions: { code: 'NOT_ACCEPTABLE' },
        },
      ],
    });
    expect((await subscribe(counts, {}, { accept: 'text/event-stream;delta=rows' })).status).toBe(406);
    const named = await subscribe(counts, {}, { accept: 'application/json, text/event-stream' });
    expect(named.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    await named.body?.cancel();
    expect((await subscribe('mutation { counts }', {}, {})).status).toBe(400);
  });

  test('a query gets its result as one event and the end, as clients of GraphQL over SSE expect', async () => {
    for (const query of [
      '{ counts { rows { n } rowCount } }',
      '{ counts { rows { n } rowCount } endpoints { name } }',
    ]) {
      const response = await subscribe(query);
      expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
      const events = readEvents(response);
      const { event, data = '' } = (await events.next()) ?? {};
      expect({ event, ...JSON.parse(data) }).toMatchObject({ event: 'next', ...resultOf(1) });
      expect(await events.next()).toEqual({ event: 'complete', data: '' });
    }
  });

  test('has an error as its only result if the engine fails at the start, and as an event later', async () => {
    live.engine.failing = true;
    const refused = readEvents(await subscribe(counts));
    expect(JSON.parse((await refused.next())?.data ?? '')).toEqual({
      errors: [
        {
          message: 'The query failed',
          locations: [{ line: 1, column: 16 }],
          path: ['counts'],
          extensions: { code: 'ENGINE_FAILED' },
        },
      ],
    });
    expect(await refused.next()).toEqual({ event: 'complete', data: '' });
    live.engine.failing = false;
    const events = readEvents(await subscribe(counts));
    await events.next();
    live.engine.failing = true;
    await live.clock.pass(175_000);
    const [error] = events.arrived().filter((one) => one !== ':');
    expect(JSON.parse((error as { data: string }).data)).toEqual({
      errors: [
        {
          message: 'The query failed',
          locations: [{ line: 1, column: 16 }],
          path: ['counts'],
          extensions: { code: 'ENGINE_FAILED' },
        },
      ],
      data: { counts: null },
    });
    live.engine.failing = false;
    await live.clock.pass(20_000);
    expect(JSON.parse((await events.next())?.data ?? '')).toEqual(resultOf(1));
    await events.cancel();
  });

  test('ends with an error that says why when its query is removed', async () => {
    const events = readEvents(await subscribe(counts));
    await events.next();
    const { 'counts.sql': _, ...others } = queries;
    await live.setQueries(others);
    expect(JSON.parse((await events.next())?.data ?? '')).toEqual({
      errors: [
        {
          message: 'The saved query was changed or removed; connect again',
          extensions: { code: 'QUERY_CHANGED' },
        },
      ],
    });
    expect(await events.next()).toEqual({ event: 'complete', data: '' });
    expect(await events.next()).toBeUndefined();
  });

  test('ends without completion when the gateway ends, so that clients connect again', async () => {
    const events = readEvents(await subscribe(counts));
    await events.next();
    live.gateway.endStreams();
    expect(await events.next()).toEqual({ retry: expect.stringMatching(/^[1-5]\d{3}$/) });
    expect(await events.next()).toBeUndefined();
  });

  test('follows a query whose cells do not fit as the executor writes them', async () => {
    live.setRows(['{"n":"no integer"}']);
    const query = 'counts { rows { n } rowCount }';
    const response = await live.post('/graphql', { query: `{ ${query} }` });
    const expected = (await response.json()) as { errors: object[] };
    expect(expected.errors).toHaveLength(1);
    const events = readEvents(await subscribe(`subscription { ${query} }`));
    const { data = '' } = (await events.next()) ?? {};
    expect(JSON.parse(data)).toEqual({
      ...expected,
      errors: [{ ...expected.errors[0], locations: [{ line: 1, column: 32 }] }],
    });
    live.setRows(['{"n":2}']);
    await live.clock.pass(5_250);
    expect(JSON.parse((await events.next())?.data ?? '')).toEqual(resultOf(2));
    await events.cancel();
  });
});
