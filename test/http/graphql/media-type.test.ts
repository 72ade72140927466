import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chooseMediaType } from '../../../src/http/graphql/media-type.ts';
import { apiKey, openTestApp, type TestApp } from '../../support/test-app.ts';

const json = 'application/json';
const graphql = 'application/graphql-response+json';

/** The media type of a response, or the status of the refusal of a caller who accepts none. */
const chosen: readonly (readonly [accept: string, mediaType: string | 406])[] = [
  ['', json],
  [' ', json],
  ['*/*', json],
  ['application/*', json],
  [json, json],
  [graphql, graphql],
  [`${json};q=0, ${graphql}`, graphql],
  [`${graphql};q=0, */*`, json],
  [`*/*, ${graphql};q=0`, json],
  [`${json};q=0, */*`, graphql],
  [`${json};q=0`, 406],
  [`${json};q=0, ${graphql};q=0, */*`, 406],
  ['text/html', 406],
  [`${json};q=0.9, ${graphql}`, graphql],
  [`${json}, ${graphql};q=0.9`, json],
  [`${json};Q=0.1, ${graphql};q=0.2`, graphql],
  [`*/*;q=0.1, ${graphql}`, graphql],
  [`${graphql};q=0.1, */*`, json],
  [`application/*;q=0.1, ${graphql}`, graphql],
  [`text/html, ${graphql};q=0.1`, graphql],
  // Of equal ones the first, and JSON where one range means both.
  [`${json}, ${graphql}`, json],
  [`${graphql}, ${json}`, graphql],
  [`*/*, ${graphql}`, json],
  [`${graphql}, */*`, graphql],
  [`${graphql};charset=utf-8`, graphql],
  [`${graphql};charset="utf-8"`, graphql],
  [`${graphql};charset=UTF-8`, graphql],
  [`${graphql}; charset=UTF8, ${json}`, graphql],
  [`${graphql};charset=iso-8859-1, ${json};q=0.1`, json],
  [`${json};charset=iso-8859-1, ${graphql}`, graphql],
  [`${graphql};charset=iso-8859-1`, 406],
  ['text/event-stream;q=0', 406],
  [`text/event-stream;q=0, ${graphql}`, graphql],
  [`multipart/mixed, ${graphql}`, graphql],
];

describe('the media type of a response of GraphQL', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await openTestApp({});
  });
  afterAll(() => app.close());

  const send = async (accept: string, query: string, init: { method?: string; key?: string } = {}) => {
    const { method = 'POST', key = apiKey } = init;
    const body = method === 'POST' ? JSON.stringify({ query }) : null;
    const headers = { accept, 'x-api-key': key, 'content-type': json };
    const { status, headers: received } = await app.fetch('/graphql', { method, headers, body });
    return [status, received.get('content-type')];
  };

  test.each(chosen)('is the one with the greatest weight in Accept: %j', async (accept, expected) => {
    const type = `${expected === 406 ? json : expected}; charset=utf-8`;
    // Twice: the second reply is one that was kept.
    for (const _ of [1, 2])
      expect(await send(accept, '{ __typename }')).toEqual([expected === 406 ? 406 : 200, type]);
    const status = expected === graphql ? 400 : 200;
    expect(await send(accept, '{nope}')).toEqual([expected === 406 ? 406 : status, type]);
    expect(await send(accept, '{nope}', { key: 'wrong' })).toEqual([401, type]);
    expect(await send(accept, '{nope}', { method: 'DELETE' })).toEqual([405, type]);
  });

  test.each([
    ['text/event-stream', 'events'],
    [`text/event-stream, ${json}`, 'events'],
    [`${json}, text/event-stream`, json],
    [`${graphql};q=0.9, text/event-stream`, 'events'],
    [`text/event-stream;q=0.9, ${graphql}`, graphql],
    [`${json};q=0.1, text/html, text/event-stream;q=0.5`, 'events'],
    [`${json};q=0.5, text/html, text/event-stream;q=0.1`, json],
  ])('is that of events where a stream has more weight: %s', async (accept, expected) => {
    const type = expected === 'events' ? 'text/event-stream' : expected;
    expect(await send(accept, '{ __typename }')).toEqual([200, `${type}; charset=utf-8`]);
  });

  test('is chosen of the first hundred ranges', () => {
    expect(chooseMediaType(`${'text/html,'.repeat(99)}${graphql}`)).toBe(graphql);
    expect(chooseMediaType(`${'text/html,'.repeat(100)}${graphql}`)).toBe(json);
  });
});
