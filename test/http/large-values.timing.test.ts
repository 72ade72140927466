import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { medianOf } from '../support/median.ts';
import { queryText } from '../support/queries.ts';
import { makeQueryFolder, type QueryFolder } from '../support/query-folder.ts';
import { sendUntil } from '../support/raw-request.ts';
import { type ServedApp, serveTestApp } from '../support/served-app.ts';
import { apiKey } from '../support/test-app.ts';
import { longestBlockMs } from './event-loop/block-meter.ts';

const maxBlockMs = 50;

/** Just below the largest body. */
const bodyBytes = 250_000;

let queries: QueryFolder;
let served: ServedApp;

beforeAll(async () => {
  queries = makeQueryFolder({
    'rows.sql': queryText({
      name: 'rows',
      parameters: {
        ids: '{ type: string, repeated: true, default: [], description: Texts. }',
        p: '{ type: string, description: A text. }',
      },
      columns: { id: 'string', n: 'integer' },
      caching: ['caching: 60s', 'live: 60s', 'row_arguments: all'],
      sql: 'select @p as id, 1 as n from unnest(@ids)',
    }),
  });
  served = await serveTestApp({ QUERIES_DIR: queries.folder, MCP: 'on', FEDERATION: 'on' }, 1, {
    rows: () => ['{"id":"x","n":1}'],
  });
});
afterAll(async () => {
  await served.close();
  queries.close();
});

/** A list of as many elements as a body has room for. */
const listOf = (element: string): string =>
  `[${Array(Math.floor(bodyBytes / (element.length + 1)))
    .fill(element)
    .join()}]`;

/** An object with as many members as a body has room for. */
const membersOf = (value: string): string => {
  const count = Math.floor(bodyBytes / (value.length + 11));
  return `{${Array.from({ length: count }, (_, at) => `"m${String(at).padStart(6, '0')}":${value}`).join()}}`;
};

/** The most members that an object may have, of which each has the same part of a body. */
const fullObjectOf = (value: (length: number) => string): string =>
  `{${Array.from({ length: 503 }, (_, at) => `"m${at}":${value(bodyBytes / 503 - 10)}`).join()}}`;

const post = (path: string, body: string, accept = 'application/json') =>
  Buffer.from(
    [
      `POST ${path} HTTP/1.1`,
      'Host: gateway.test',
      `Authorization: Bearer ${apiKey}`,
      'Content-Type: application/json',
      `Accept: ${accept}`,
      'Connection: close',
      `Content-Length: ${Buffer.byteLength(body)}`,
      '',
      body,
    ].join('\r\n'),
  );

const operation = (query: string, variables: string) =>
  `{"query":${JSON.stringify(query)},"variables":${variables}}`;
const ofWhere = 'query ($v: RowsWhere) { rows { rows(where: $v) { id } } }';
const of = (type: string, use: string) => `query ($v: ${type}) { rows${use} { rowCount } }`;

const values: readonly (readonly [string, string])[] = [
  ['conditions in or', `{"or":${listOf('{"id":{"eq":"x"}}')}}`],
  ['conditions in and, in or', `{"or":[{"and":${listOf('{"n":{"gt":1}}')}}]}`],
  ['empty conditions', `{"or":${listOf('{}')}}`],
  ['negated conditions', `{"or":${listOf('{"not":{}}')}}`],
  ['lists of conditions', `{"or":${listOf('{"or":[]}')}}`],
  ['values of in', `{"id":{"in":${listOf('"x"')}}}`],
  ['numbers of in', `{"n":{"in":${listOf('1')}}}`],
  ['wrong values of in', `{"n":{"in":${listOf('"x"')}}}`],
  ['unknown fields', membersOf('1')],
  ['unknown fields of small objects', fullObjectOf(() => '{}')],
  ['unknown fields of objects', fullObjectOf((length) => `{"n":"${'x'.repeat(length - 8)}"}`)],
  ['unknown fields of long texts', fullObjectOf((length) => `"${'x'.repeat(length - 2)}"`)],
  ['unknown fields of lists', fullObjectOf((length) => `[${Array(Math.floor(length / 2 - 2)).fill('1')}]`)],
  ['unknown operators', `{"id":${membersOf('"x"')}}`],
  ['unknown fields in conditions', `{"or":${listOf('{"idd":{"eq":"x"}}')}}`],
  ['nulls', `{"or":${listOf('null')}}`],
  ['lists', `{"or":${listOf('[]')}}`],
  ['a long text', `{"id":{"eq":"${'x'.repeat(bodyBytes)}"}}`],
];

/** For further places where the same values are read. */
const some = values.filter(([name]) => /empty|in or|of in|unknown fields/.test(name));

const bodies: readonly (readonly [string, Buffer])[] = [
  ...values.map(
    ([name, value]) =>
      [`where with ${name}`, post('/graphql', operation(ofWhere, `{"v":${value}}`))] as const,
  ),
  ...some.map(
    ([name, value]) =>
      [
        `where in five places with ${name}`,
        post(
          '/graphql',
          operation(
            `query ($v: RowsWhere) { ${Array.from({ length: 5 }, (_, at) => `a${at}: rows(p: "${at}") { rows(where: $v) { id } }`).join(' ')} }`,
            `{"v":${value}}`,
          ),
        ),
      ] as const,
  ),
  ...some.map(
    ([name, value]) =>
      [
        `where of a subscription with ${name}`,
        post(
          '/graphql',
          operation('subscription ($v: RowsWhere) { rows { rows(where: $v) { id } } }', `{"v":${value}}`),
          'text/event-stream',
        ),
      ] as const,
  ),
  [
    'orderBy',
    post(
      '/graphql',
      operation(
        'query ($v: [RowsOrderBy!]) { rows { rows(orderBy: $v) { id } } }',
        `{"v":${listOf('{"id":"ASC"}')}}`,
      ),
    ),
  ],
  ['a list', post('/graphql', operation(of('[String!]', '(ids: $v)'), `{"v":${listOf('"x"')}}`))],
  [
    'a list of objects for texts',
    post('/graphql', operation(of('[String!]', '(ids: $v)'), `{"v":${listOf('{}')}}`)),
  ],
  ['an object for a text', post('/graphql', operation(of('String', '(p: $v)'), `{"v":${membersOf('1')}}`))],
  ['variables that are not declared', post('/graphql', operation('{ rows { rowCount } }', membersOf('1')))],
  ['variables with objects', post('/graphql', operation('{ rows { rowCount } }', membersOf('{}')))],
  [
    'representations',
    post(
      '/graphql',
      operation(
        'query ($v: [_Any!]!) { _entities(representations: $v) { __typename } }',
        `{"v":${listOf('{"__typename":"X"}')}}`,
      ),
    ),
  ],
  ['extensions', post('/graphql', `{"query":"{ __typename }","extensions":${membersOf('{}')}}`)],
  [
    'conditions in a document',
    post(
      '/graphql',
      JSON.stringify({ query: `{ rows { rows(where: {or: ${listOf('{n: {eq: 1}}')}}) { id } } }` }),
    ),
  ],
  [
    'values of in in a document',
    post(
      '/graphql',
      JSON.stringify({
        query: `{ rows { rows(where: {n: {in: ${listOf('1')}}}) { id } } }`,
      }),
    ),
  ],
  [
    'unknown fields in a document',
    post(
      '/graphql',
      JSON.stringify({
        query: `{ rows { rows(where: {${Array.from({ length: 480 }, (_, at) => `idd${at}: {eq: "x"}`).join()}}) { id } } }`,
      }),
    ),
  ],
  [
    'a list in a document',
    post(
      '/graphql',
      JSON.stringify({ query: `{ rows(ids: [${Array(1_900).fill('"x"').join()}]) { rowCount } }` }),
    ),
  ],
  ['empty items', post('/api/live', listOf('{}'), 'text/event-stream')],
  ['items', post('/api/live', listOf('{"id":"a","query":"rows"}'), 'text/event-stream')],
  ['wrong items', post('/api/live', listOf('1'), 'text/event-stream')],
  [
    'parameters of an item',
    post('/api/live', `[{"id":"a","query":"rows","parameters":${membersOf('1')}}]`, 'text/event-stream'),
  ],
  ['unknown members of an item', post('/api/live', `[${membersOf('1')}]`, 'text/event-stream')],
  [
    'a list of an item',
    post(
      '/api/live',
      `[{"id":"a","query":"rows","parameters":{"ids":${listOf('"x"')}}}]`,
      'text/event-stream',
    ),
  ],
  // The last one has the id of the first: a stream that begins has no end.
  [
    'lists of items',
    post(
      '/api/live',
      `[${Array.from({ length: 50 }, (_, at) => `{"id":"${at % 49}","query":"rows","parameters":{"ids":[${Array(1_000).fill('"x"').join()}]}}`).join()}]`,
      'text/event-stream',
    ),
  ],
  ...[
    ['arguments', membersOf('1')],
    ['a list', `{"ids":${listOf('"x"')}}`],
    ['a list of objects', `{"ids":${listOf('{}')}}`],
    ['an object', `{"p":${membersOf('1')}}`],
    ['conditions', `{"where":${listOf('{"id":"eq.x"}')}}`],
    ['conditions in or', `{"where":{"or":${listOf('{"id":{"eq":"x"}}')}}}`],
    ['a text of conditions', `{"or":"(${Array(15_000).fill('id.eq.x').join()})"}`],
    ['values of in', `{"id":"in.(${Array(60_000).fill('x').join()})"}`],
    ['a list of values', `{"id":${listOf('"eq.x"')}}`],
    ['keys of an order', `{"order":"${Array(30_000).fill('id').join()}"}`],
    ['a list of orders', `{"order":${listOf('"id"')}}`],
  ].map(
    ([name, given]) =>
      [
        `a tool with ${name}`,
        post(
          '/mcp',
          `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"rows","arguments":${given}}}`,
          'application/json, text/event-stream',
        ),
      ] as const,
  ),
];

describe('no value as large as a body may be blocks the event loop', () => {
  test.each(bodies)('%s', async (_, bytes) => {
    let response = '';
    const blockMs = await medianOf(() =>
      longestBlockMs(async () => {
        // A stream that has begun has no end.
        response = await sendUntil('event: next', served.port, bytes);
      }),
    );
    expect(response).toMatch(/^HTTP\/1\.1 [24]/);
    expect(blockMs).toBeLessThan(maxBlockMs);
  });

  test('the log has no bug', () => {
    expect(served.log()).not.toContain('a bug in the gateway');
  });
});
