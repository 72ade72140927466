import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type KeyFile, writeKeyFile } from '../../support/key-files.ts';
import { makeQueryFolder, type QueryFolder, queryText, uuidOf } from '../../support/query-folder.ts';
import { openTestApp, type TestApp } from '../../support/test-app.ts';

const kind =
  '{ type: enum, enum: SecretKind, required: true, description: A kind., values: { a: {name: A, description: A.}, b: {name: B, description: B.} } }';
const header = `live: 5s
key: [n]
page: { by: [n] }
query_sandboxing: enabled
row_arguments: all
parameters:
  kind: ${kind}
`;

let app: TestApp;
let file: KeyFile;
let folder: QueryFolder;
const lines: string[] = [];
beforeAll(async () => {
  const sql = 'WITH t AS (SELECT 1 AS n) SELECT n FROM t WHERE @kind = "a" ORDER BY n';
  folder = makeQueryFolder({
    'secret.sql': queryText({ id: uuidOf(1), header, sql }),
    'open.sql': queryText({ id: uuidOf(2), header: 'live: 5s\n' }),
    'still.sql': queryText({ id: uuidOf(3) }),
    'optional.sql': queryText({
      id: uuidOf(4),
      header: 'live: 5s\nparameters: { p: { type: string, required: true, description: A word. } }\n',
      sql: 'SELECT n FROM (SELECT 1 AS n) WHERE @p = "x"',
    }),
  });
  file = writeKeyFile({ narrow: { endpoints: ['open'] }, still: { endpoints: ['still'] }, all: {} });
  const env = { QUERIES_DIR: folder.folder, API_KEYS_FILE: file.path, LIVE: 'on' };
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) });
  app = await openTestApp({}, env, { log });
});
afterAll(async () => {
  await app.close();
  file.remove();
  folder.close();
});

const send = async (key: string, query: string, variables: object = {}, accept = 'application/json') => {
  const headers = { 'x-api-key': file.keyOf(key), 'content-type': 'application/json', accept };
  const body = JSON.stringify({ query, variables });
  const response = await app.fetch('/graphql', { method: 'POST', headers, body });
  return { status: response.status, text: await response.text() };
};
const refusals = () =>
  lines.map((line) => JSON.parse(line)).filter(({ msg, endpoint }) => msg === 'refused' && endpoint);

test.each([
  ['a missing argument', '{ secret { rowCount } }'],
  ['an unknown argument', '{ secret(kind: A, nope: 1) { rowCount } }'],
  ['an unknown value', '{ secret(kind: NOPE) { rowCount } }'],
  ['an unknown column', '{ secret(kind: A) { rows { nope } } }'],
  ['a column without fields', '{ secret(kind: A) { rows { n { x } } } }'],
  ['a fragment of the root', '{ ...F } fragment F on Query { other: secret { rowCount } }'],
  ['a fragment of the rows', '{ secret(kind: A) { rows { ...F } } } fragment F on SecretRow { nope }'],
  ['pages', '{ secretConnection { rowCount } }'],
  ['SQL', '{ secretSql { rowCount } }'],
  ['a value of a variable', 'query ($k: SecretKind!) { secret(kind: $k) { rowCount } }'],
])('an endpoint that a key may not query is forbidden, and no more is said of it: %s', async (_, query) => {
  lines.length = 0;
  const { status, text } = await send('narrow', query, { k: 'NOPE' });
  expect(status).toBe(403);
  expect(JSON.parse(text)).toEqual({
    errors: [{ message: expect.stringMatching(/^This key may not/), extensions: { code: 'FORBIDDEN' } }],
  });
  expect(refusals()).toMatchObject([{ reason: 'endpoint', endpoint: 'secret', status: 403 }]);
  expect(JSON.parse((await send('all', query, { k: 'NOPE' })).text).errors[0].message).toMatch(
    /kind|nope|subfields|secret/i,
  );
});

test('types of other endpoints are unknown also without their fields', async () => {
  const answer = (type: string) => send('narrow', `query ($kind: ${type} = NOPE) { __typename }`);
  const { text } = await answer('SecretKind');
  expect(text.replaceAll('SecretKind', 'AbsentKind')).toBe((await answer('AbsentKind')).text);
});

test.each([
  ['narrow', 'FORBIDDEN'],
  ['still', 'not supported by the schema'],
])('errors in subscriptions say no more to the key %s', async (key, said) => {
  for (const field of ['secret { rowCount }', 'secret(kind: A) { nope }']) {
    const { text } = await send(key, `subscription { ${field} }`, {}, 'text/event-stream');
    expect(text).toContain(said);
    expect(text).not.toMatch(/kind|nope|SecretResult/i);
  }
});

test('a variable that is null says nothing of the argument of another endpoint', async () => {
  lines.length = 0;
  const query = 'query ($p: String = "x") { a: optional(p: $p) { rowCount } open { rowCount } }';
  const { status, text } = await send('narrow', query, { p: null });
  expect(status).toBe(200);
  expect(JSON.parse(text)).toMatchObject({
    data: { a: null, open: { rowCount: 1 } },
    errors: [{ message: expect.stringMatching(/^This key may not/), path: ['a'] }],
  });
  expect(refusals()).toMatchObject([{ reason: 'endpoint', endpoint: 'optional' }]);
  const followed = 'subscription ($p: String = "x") { optional(p: $p) { rowCount } }';
  const { text: event } = await send('narrow', followed, { p: null }, 'text/event-stream');
  expect(event).toContain('"FORBIDDEN"');
  expect(refusals()).toHaveLength(2);
  expect((await send('all', query, { p: null })).text).toContain('Argument \\"Query.optional(p:)\\"');
});

test('other errors of a document are reported beside the refusals', async () => {
  const { status, text } = await send('narrow', '{ open { rowCont } a: secret { n } secret { n } }');
  expect([status, JSON.parse(text).errors]).toEqual([
    403,
    [
      expect.objectContaining({ message: expect.stringMatching(/rowCont.*rowCount/) }),
      expect.objectContaining({ extensions: { code: 'FORBIDDEN' } }),
    ],
  ]);
});

test('a refusal of a document is an event for callers who accept these', async () => {
  const { status, text } = await send('narrow', '{ secret { rowCount } }', {}, 'text/event-stream');
  expect([status, text]).toEqual([200, expect.stringMatching(/^event: next\ndata: .*"FORBIDDEN"/)]);
});

test('a document that is not text is refused as for other keys', async () => {
  for (const query of [{ toString: 1 }, [['{ __schema { types { name } } }']], 1]) {
    const { status, text } = await send('narrow', query as unknown as string);
    expect({ status, text }).toEqual(await send('all', query as unknown as string));
    expect(status).toBe(400);
  }
});

test('a valid document has the data of the other endpoints', async () => {
  for (let round = 0; round < 2; round += 1) {
    const { status, text } = await send('narrow', '{ secret(kind: A) { rowCount } open { rowCount } }');
    expect(status).toBe(200);
    expect(JSON.parse(text)).toMatchObject({
      data: { secret: null, open: { rowCount: 1 } },
      errors: [{ path: ['secret'], extensions: { code: 'FORBIDDEN' } }],
    });
  }
});
