import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../../../src/concurrency/clock.ts';
import { fakeEngine } from '../../../support/fake-engine.ts';
import { openTestApp, type TestApp } from '../../../support/test-app.ts';

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
    [
      'each field once, under an alias',
      logs('n: rowCount r: rows { a: id b: timestamp c: metadata { request { path } } }'),
    ],
    ['the catalog in six aliases', times(6, (at) => `e${at}: endpoints { name }`)],
    ['the same __typename in twenty aliases', times(20, (at) => `t${at}: __typename`)],
    ['five repetitions', logs(times(6, (at) => `r${at}: rows { id }`))],
    ['the same field again and again', logs(times(50, () => 'rows { id }'))],
    [
      'twenty fields that share a fragment of all columns',
      `${times(20, (at) => `q${at}: functionsInvocationStats(project: "${at}") { ...All }`)} } fragment All on FunctionsInvocationStatsResult { rowCount truncated computedAt rows { ...Row } } fragment Row on FunctionsInvocationStatsRow { timestamp minExecutionTime maxExecutionTime avgExecutionTime p95ExecutionTime p99ExecutionTime count errorCount`,
    ],
    [
      'fragments of forty components that read the same columns',
      `${logs(times(40, (at) => `...C${at}`))} } ${times(39, (at) => `fragment C${at} on LogsAllResult { rows { id timestamp eventMessage } }`)} fragment C39 on LogsAllResult { rows { id }`,
    ],
    [
      'fields of a record in five aliases',
      logs(`rows { metadata { ${times(6, (at) => `r${at}: request { path }`)} } }`),
    ],
    ['fields deep in a record', logs('rows { metadata { request { cf { botManagement { score } } } } }')],
    ['the maximum of root fields', times(20, (at) => `q${at}: ${logs('rows { id }')}`)],
  ])('%s are allowed', async (_, query) => {
    expect(await send(`{ ${query} }`)).toEqual([200, undefined]);
  });

  const rejected = [400, 'OPERATION_TOO_LARGE'];
  test.each([
    ['the same field 51 times', `{ ${logs(times(51, () => 'rows { id }'))} }`],
    ['the same column 51 times', `{ ${logs(`rows { ${times(51, () => 'id')} }`)} }`],
    [
      'the same root field 17 times with three fields',
      `{ ${times(17, () => logs('rowCount rowCount rowCount rowCount'))} }`,
    ],
    [
      'the same column in fragments',
      `{ ${logs(times(60, () => 'rows { ...R }'))} } fragment R on LogsAllRow { id }`,
    ],
    [
      'fragments that double in each of fourteen levels',
      `{ endpoints { ...F0 } } ${times(14, (at) => `fragment F${at} on Endpoint { a${at}: parameters { ...F${at + 1} } b${at}: parameters { ...F${at + 1} } }`)} fragment F14 on Endpoint { name }`,
    ],
    ['the catalog in seven aliases', `{ ${times(7, (at) => `e${at}: endpoints { name }`)} }`],
    ['six repetitions of rows', `{ ${logs(times(7, (at) => `r${at}: rows { id }`))} }`],
    [
      'repetitions of a column',
      `{ ${logs(`rows { ${times(7, (at) => `c${at}: metadata { request { path } }`)} }`)} }`,
    ],
    [
      'repetitions in fields that are merged',
      `{ ${logs(times(7, (at) => `rows { c${at}: metadata { request { path } } }`))} }`,
    ],
    ['repetitions in root fields that are merged', `{ ${times(7, (at) => logs(`r${at}: rows { id }`))} }`],
    [
      'repetitions in fragments',
      `{ ${logs(times(7, (at) => `...F${at}`))} } ${times(7, (at) => `fragment F${at} on LogsAllResult { r${at}: rows { id } }`)}`,
    ],
    [
      'repetitions in a record',
      `{ ${logs(`rows { metadata { ${times(7, (at) => `r${at}: request { path }`)} } }`)} }`,
    ],
    [
      'repetitions of a field deep in a record, in fragments',
      `{ ${logs(`rows { metadata { ${times(7, (at) => `...F${at}`)} } }`)} } ${times(7, (at) => `fragment F${at} on LogsAllRow_metadata { request { p${at}: path } }`)}`,
    ],
    [
      'repetitions of records in repetitions of records',
      `{ ${logs(`rows { ${times(2, (at) => `m${at}: metadata { ${times(4, (inner) => `r${inner}: request { path }`)} }`)} }`)} }`,
    ],
    [
      'ten thousand aliases of a leaf',
      `{ ${logs(`rows { metadata { request { ${times(10_000, (at) => `p${at}: path`)} } } }`)} }`,
    ],
    ['repetitions in repetitions', `{ ${logs(times(3, (at) => `r${at}: rows { a: id b: id c: id }`))} }`],
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

test('a page of too many bytes is rejected, also if aliases make it so long', async () => {
  const row = JSON.stringify({ id: 'a'.repeat(22_000_000), timestamp: 0, metadata: [] });
  const engine = fakeEngine({ clock: systemClock, queryMs: 0, rows: () => [row] });
  const app = await openTestApp({}, {}, { engine });
  const codesOf = async (edges: string) => {
    const query = `{ logsAllConnection(project: "p") { edges { ${edges} } } }`;
    const headers = { 'x-api-key': 'a-key-for-tests-only', 'content-type': 'application/json' };
    const response = await app.fetch('/graphql', {
      method: 'POST',
      headers,
      body: JSON.stringify({ query }),
    });
    const { errors = [] } = (await response.json()) as { errors?: { extensions: { code: string } }[] };
    return errors.map(({ extensions }) => extensions.code);
  };
  expect(await codesOf('node { id }')).toEqual([]);
  expect(await codesOf('a: node { id } b: node { id } c: node { id }')).toEqual(['QUERY_TOO_EXPENSIVE']);
  expect(await codesOf('node { a: id b: id c: id }')).toEqual(['QUERY_TOO_EXPENSIVE']);
  await app.close();
});
