import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FolderApp, openFolderApp } from '../../support/folder-app.ts';
import { queryText } from '../../support/query-folder.ts';

const header = `parameters:
  x: { type: float, description: a number, required: true, bind: FLOAT64 }
`;
const define = (code: string) => `CREATE TEMP FUNCTION f(x FLOAT64) RETURNS FLOAT64 LANGUAGE js AS r'''
  ${code}
  return x + 1;
''';`;
const queries: Readonly<Record<string, string>> = {
  'plus.one': 'SELECT f(@x) AS y',
  'bad.loop': 'SELECT f(@x) AS y',
  'bad.memory': 'SELECT f(@x) AS y',
  'bad.throw': 'SELECT f(@x) AS y',
  'many.rows': 'SELECT SUM(f(@x + n)) AS y FROM UNNEST(GENERATE_ARRAY(1, 100000)) AS n',
};
const codes: Readonly<Record<string, string>> = {
  'bad.loop': 'while (x > 1) {}',
  'bad.memory': 'if (x > 1) return new ArrayBuffer(2 ** 30).byteLength;',
  'bad.throw': 'if (x > 1) throw new Error("secret " + x);',
};

let gateway: FolderApp;
beforeAll(async () => {
  const files = Object.entries(queries).map(([name, sql], at) => {
    const id = `11111111-2222-4333-8444-${String(at).padStart(12, '0')}`;
    return [
      `${name}.sql`,
      queryText({ id, header, sql: `${define(codes[name] ?? '')}\n${sql}` }).replace(
        'n: { type: integer',
        'y: { type: float',
      ),
    ] as const;
  });
  gateway = await openFolderApp(Object.fromEntries(files), {
    env: { STALE_IF_ERROR: '0s', ENGINE_TIMEOUT_MS: '120000' },
  });
});
afterAll(() => gateway.close());

const get = async (address: string) => {
  const response = await gateway.get(address);
  return { status: response.status, body: JSON.stringify(await response.json()) };
};

test('a saved query calls functions in JavaScript', async () => {
  expect(await get('plus.one?x=1.5')).toMatchObject({
    status: 200,
    body: expect.stringContaining('"y":2.5'),
  });
  expect(await get('many.rows?x=0')).toMatchObject({ body: expect.stringContaining('"y":5000150000') });
});

test.each([
  ['bad.loop', 422, 'QUERY_TOO_EXPENSIVE', 'functions in JavaScript take longer than those of one query may'],
  ['bad.memory', 502, 'ENGINE_FAILED', 'The query failed'],
  ['bad.throw', 502, 'ENGINE_FAILED', 'The query failed'],
])(
  '%s fails for the arguments with which it does, and without the text of an error',
  async (name, status, code, message) => {
    const failed = await get(`${name}?x=2`);
    expect(failed).toMatchObject({ status, body: expect.stringContaining(code) });
    expect(failed.body).toContain(message);
    expect(failed.body).not.toContain('secret');
    expect(await get(`${name}?x=1`)).toMatchObject({ status: 200, body: expect.stringContaining('"y":2') });
  },
  120_000,
);
