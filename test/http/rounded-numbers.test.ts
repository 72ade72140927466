import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type FolderApp, openFolderApp } from '../support/folder-app.ts';
import { mcpClient } from '../support/mcp-request.ts';
import { queryText } from '../support/queries.ts';
import { apiKey } from '../support/test-app.ts';

let folder: FolderApp;

beforeAll(async () => {
  const number = (bind: string, more = '') =>
    `{ type: float, bind: ${bind}${more}, description: A number., default: ${more === '' ? '0' : '[]'} }`;
  folder = await openFolderApp(
    {
      'prices.sql': queryText({
        name: 'prices',
        parameters: {
          price: number('NUMERIC'),
          wide: number('BIGNUMERIC'),
          ratio: number('FLOAT64'),
          many: number('NUMERIC', ', repeated: true'),
        },
        columns: { price: 'numeric', ratio: 'float' },
        sql: 'select @price as price, @ratio as ratio from (select @wide as wide) where @wide = wide and 1 not in unnest(@many)',
      }),
    },
    { env: { MCP: 'on', COMPAT: 'logflare' } },
  );
});
afterAll(() => folder.close());

const send = async (path: string, body: unknown) => {
  const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' };
  const request = new Request(`http://gateway.test${path}`, {
    method: 'POST',
    headers,
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  return (await folder.app.fetch(request)).text();
};

/** Each sends one argument, written in JSON. */
const doors: Readonly<Record<string, (name: string, value: string) => Promise<string>>> = {
  'GraphQL literals': (name, value) =>
    send('/graphql', { query: `{ prices(${name}: ${value}) { rows { price } } }` }),
  'GraphQL variables': (name, value) =>
    send(
      '/graphql',
      `{"query": "query ($v: ${name === 'many' ? '[Float!]' : 'Float'}) { prices(${name}: $v) { rows { price } } }", "variables": {"v": ${value}}}`,
    ),
  // The query cannot be followed, which is judged after its values.
  'POST /api/live': async (name, value) =>
    send('/api/live', `[{"id": "a", "query": "prices", "parameters": {"${name}": ${value}}}]`),
  'POST of Logflare': (name, value) => send('/api/endpoints/query/prices', `{"${name}": ${value}}`),
  MCP: async (name, value) => {
    const { call } = mcpClient(
      (path, init) => Promise.resolve(folder.app.fetch(new Request(`http://gateway.test${path}`, init))),
      apiKey,
    );
    return (await call('prices', { [name]: JSON.parse(value) })).text;
  },
};

describe.each(Object.keys(doors))('a number by %s', (door) => {
  const by = (name: string, value: string) => doors[door]?.(name, value) ?? Promise.resolve('');

  test.each([
    ['price', '12345678901234567.12'],
    ['price', '0.12345678901234567'],
    ['price', '9007199254740993'],
    ['price', '1234567.123456789'],
    ['wide', '-0.1234567890123456789'],
    ['many', '[1, 0.1234567890123456]'],
  ])('that may be rounded is refused for an exact decimal: %s = %s', async (name, value) => {
    expect(await by(name, value)).toMatch(
      /send at most 15 digits|integers beyond 2\^53 are texts|send it as text/,
    );
  });

  test.each([
    ['price', '123456.789012345'],
    ['price', '-9007199254740991'],
    ['wide', '1e-20'],
    ['ratio', '0.12345678901234567'],
    ['many', '[0.1, 0.25]'],
  ])('is taken: %s = %s', async (name, value) => {
    expect(await by(name, value)).not.toMatch(/INVALID|at most|as text/);
  });
});

test('REST takes all digits', async () => {
  const response = await folder.get('prices?price=12345678901234567.123456789');
  expect(await response.json()).toEqual({ result: [{ price: '12345678901234567.123456789', ratio: 0 }] });
});
