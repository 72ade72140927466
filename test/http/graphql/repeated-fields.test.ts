import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../../src/concurrency/clock.ts';
import { fakeEngine } from '../../support/fake-engine.ts';
import { openTestApp, type TestApp } from '../../support/test-app.ts';

const times = (count: number, text: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => text(at)).join(' ');

describe('fields below a root field', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await openTestApp({});
  });
  afterAll(() => app.close());

  const send = async (query: string) => {
    const init = { method: 'POST', body: JSON.stringify({ query }) };
    const headers = { 'x-api-key': 'a-key-for-tests-only', 'content-type': 'application/json' };
    const response = await app.fetch('/graphql', { ...init, headers });
    const { errors = [] } = (await response.json()) as { errors?: { extensions: { code: string } }[] };
    return [response.status, errors[0]?.extensions.code];
  };
  const logs = (fields: string) => `logsAll(project: "p") { ${fields} }`;

  test.each([
    ['each field once, under an alias', logs('n: rowCount r: rows { a: id b: timestamp c: metadata }')],
    ['five repetitions', logs(times(6, (at) => `r${at}: rows { id }`))],
    ['the same field again and again', logs(times(50, () => 'rows { id }'))],
    ['the maximum of root fields', times(20, (at) => `q${at}: ${logs('rows { id }')}`)],
  ])('%s are allowed', async (_, query) => {
    expect(await send(`{ ${query} }`)).toEqual([200, undefined]);
  });

  const rejected = [400, 'OPERATION_TOO_LARGE'];
  test.each([
    ['six repetitions of rows', `{ ${logs(times(7, (at) => `r${at}: rows { id }`))} }`],
    ['repetitions of a column', `{ ${logs(`rows { ${times(7, (at) => `c${at}: metadata`)} }`)} }`],
    ['repetitions in fields that are merged', `{ ${logs(times(7, (at) => `rows { c${at}: metadata }`))} }`],
    ['repetitions in root fields that are merged', `{ ${times(7, (at) => logs(`r${at}: rows { id }`))} }`],
    [
      'repetitions in fragments',
      `{ ${logs(times(7, (at) => `...F${at}`))} } ${times(7, (at) => `fragment F${at} on LogsAllResult { r${at}: rows { id } }`)}`,
    ],
    [
      'repetitions in repetitions',
      `{ ${logs(times(3, (at) => `r${at}: rows { a: metadata b: metadata c: metadata }`))} }`,
    ],
  ])('%s are rejected', async (_, query) => {
    expect(await send(query)).toEqual(rejected);
  });
});

test('a response of too many bytes is rejected before it is built', async () => {
  const row = JSON.stringify({ id: 'a'.repeat(1_000_000), timestamp: 0, metadata: [] });
  const engine = fakeEngine({ clock: systemClock, queryMs: 0, rows: () => Array(12).fill(row) });
  const app = await openTestApp({}, {}, { engine });
  const query = `{ ${times(6, (at) => `q${at}: logsAll(project: "p") { rows { id } }`)} }`;
  const headers = { 'x-api-key': 'a-key-for-tests-only', 'content-type': 'application/json' };
  const response = await app.fetch('/graphql', { method: 'POST', headers, body: JSON.stringify({ query }) });
  const { errors } = (await response.json()) as { errors: { extensions: { code: string } }[] };
  expect(errors.map(({ extensions }) => extensions.code)).toEqual(['QUERY_TOO_EXPENSIVE']);
  await app.close();
});
