import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ErrorCode, GatewayError } from '../../../src/errors.ts';
import { httpLimits } from '../../../src/http/message/http-limits.ts';
import { type LiveGateway, openLiveGateway, serveGateway } from '../../support/live-gateway.ts';
import { parseRaw, sendRaw } from '../../support/raw-request.ts';
import { apiKey } from '../../support/test-app.ts';

/** As Apollo Client 4 sends it. */
const ofApollo = 'application/graphql-response+json,application/json;q=0.9';
const graphqlType = 'application/graphql-response+json; charset=utf-8';
const jsonType = 'application/json; charset=utf-8';

const key = `X-API-KEY: ${apiKey}`;
const json = 'Content-Type: application/json';
const operation = '{"query":"{ __typename }"}';
const subscription = '{"query":"subscription { counts { rowCount } }"}';

type Row = readonly [status: number, what: string, line: string, headers: readonly string[], body?: string];

const thrown = (code: ErrorCode): Row[2] => `POST /graphql?throw=${code}`;

const refusals: readonly Row[] = [
  [400, 'a key in the URL', `POST /graphql?api_key=${apiKey}`, [key, json], operation],
  [401, 'no key', 'POST /graphql', [json], operation],
  [401, 'a wrong key', 'POST /graphql', ['X-API-KEY: wrong', json], operation],
  [403, 'a plug-in', thrown('FORBIDDEN'), [key, json], operation],
  [405, 'another method', 'PUT /graphql', [key, json], operation],
  [406, 'a subscription', 'POST /graphql', [key, json], subscription],
  [413, 'a large body', 'POST /graphql', [key, json], `{"query":"${'x'.repeat(httpLimits.maxBodyBytes)}"}`],
  [414, 'a long URL', `GET /graphql?query=${'x'.repeat(9_000)}`, [key]],
  [415, 'a form', 'POST /graphql', [key, 'Content-Type: text/plain'], operation],
  [429, 'a rate that is used up', thrown('RATE_LIMITED'), [key, json], operation],
  [431, 'large headers', 'POST /graphql', [key, json, `X-Large: ${'x'.repeat(17_000)}`], operation],
  [500, 'a defect', 'POST /graphql?throw=no-code', [key, json], operation],
  [503, 'too many requests', thrown('OVERLOADED'), [key, json], operation],
];

describe('what refuses a request before its operation is read', () => {
  let live: LiveGateway;
  let served: Awaited<ReturnType<typeof serveGateway>>;
  beforeAll(async () => {
    live = await openLiveGateway({
      basePath: '/base',
      plugins: [
        {
          name: 'refusing',
          onRequest({ head }) {
            const code = new URL(head.url ?? '').searchParams.get('throw');
            if (code === 'no-code') throw new Error('A defect');
            if (code !== null) throw new GatewayError(code as ErrorCode, 'Refused');
            return undefined;
          },
        },
      ],
    });
    served = await serveGateway(live.gateway);
  });
  afterAll(async () => {
    await served?.close();
    await live?.close();
  });

  const send = async ([, , line, headers, body = '']: Row, accept: string) => {
    const lines = [`Accept: ${accept}`, ...headers, `Content-Length: ${body.length}`, 'Connection: close'];
    return parseRaw(
      await sendRaw(served.port, `${line} HTTP/1.1\r\nHost: a\r\n${lines.join('\r\n')}\r\n\r\n${body}`),
    );
  };

  test.each(refusals.map((row) => [row[0], row[1], row] as const))(
    'is answered as GraphQL where that is preferred, and as JSON otherwise: %i, %s',
    async (_status, _what, row) => {
      for (const [accept, type] of [
        [ofApollo, graphqlType],
        ['application/json', jsonType],
        ['*/*', jsonType],
      ] as const) {
        const { status, headers, body } = await send(row, accept);
        expect([status, headers['content-type']], accept).toEqual([row[0], type]);
        const code = expect.any(String);
        const ofGraphql = { errors: [{ message: expect.any(String), extensions: { code } }] };
        const ofRest = { error: { code, message: expect.any(String) } };
        // Of headers that were not read as a whole.
        const isRaw = row[0] === 431 && type === jsonType;
        expect(JSON.parse(body), accept).toEqual(isRaw ? ofRest : ofGraphql);
      }
    },
  );

  test('is answered so below a path, too, and as REST elsewhere', async () => {
    const large = [key, `X-Large: ${'x'.repeat(17_000)}`];
    const below = await send([431, '', 'GET /base/graphql?query=x', large], ofApollo);
    expect(below.headers['content-type']).toBe(graphqlType);
    for (const path of ['/api/endpoints/query/graphql', '/graphqls', '/api?/graphql'])
      expect(JSON.parse((await send([431, '', `GET ${path}`, large], ofApollo)).body)).toMatchObject({
        error: { code: 'HEADERS_TOO_LARGE' },
      });
  });

  const noOperation = 'query: the document has no operation; write query { … }';
  const messageOf = async (operationBody: object, headers: Record<string, string> = {}) => {
    const response = await live.post('/graphql', operationBody, headers);
    const { errors } = (await response.json()) as { errors?: { message: string }[] };
    return [response.status, errors?.[0]?.message];
  };

  test("tells Apollo Client's own protocol of subscriptions which link it needs", async () => {
    const { query } = JSON.parse(subscription);
    const accept = 'multipart/mixed;boundary=graphql;subscriptionSpec=1.0,application/graphql-response+json';
    expect(await messageOf({ query }, { accept })).toEqual([
      406,
      expect.stringMatching(/accept text\/event-stream; Apollo Client.* docs\/live\.md#clients/),
    ]);
    for (const other of ['*/*', 'application/json, text/event-stream;q=0'])
      expect(await messageOf({ query }, { accept: other })).toEqual([
        406,
        expect.not.stringContaining('Apollo'),
      ]);
  });

  test.each([
    ['{ __typename }', '', 'operationName: got ""; leave it out: the operation has no name'],
    ['query A { __typename }', '', 'operationName: got ""; leave it out, or send A'],
    ['query A { __typename }', 5, 'operationName: got 5; leave it out, or send A'],
    ['query A { __typename }', 'B', 'operationName: got "B"; leave it out, or send A'],
    ['query A { __typename } query B { counts { rowCount } }', '', 'operationName: got ""; send one of A, B'],
    [
      'query A { __typename } query B { __typename }',
      undefined,
      'operationName: is missing; send one of A, B',
    ],
    [
      'query A { __typename } subscription S { counts { rowCount } }',
      'C',
      'operationName: got "C"; send one of A, S',
    ],
    ['fragment A on Query { __typename }', undefined, noOperation],
    ['type A { a: Int }', undefined, noOperation],
    ['extend type Query { a: Int }', 'A', noOperation],
  ])('names the operations that there are: %s, %j', async (query, operationName, message) => {
    expect(await messageOf({ query, operationName })).toEqual([400, message]);
    expect(await messageOf({ query, operationName }, { accept: ofApollo })).toEqual([400, message]);
  });
});
