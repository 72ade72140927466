import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { openClient } from '../../../src/engines/bigquery/api/client.ts';
import { buildTableChanges } from '../../../src/engines/bigquery/api/table-changes.ts';
import {
  errorReply,
  type FakeBigquery,
  neverRespond,
  reply,
  startFakeBigquery,
} from '../../support/fake-bigquery.ts';

let fake: FakeBigquery;
let changes: ReturnType<typeof buildTableChanges>;
const { signal } = new AbortController();
const logs = [{ name: 'logs', time: 'ts' }];

beforeAll(async () => {
  fake = await startFakeBigquery();
});

afterAll(() => fake.close());

beforeEach(() => {
  const options = { projectId: 'ours', dataset: 'data', apiEndpoint: fake.endpoint };
  changes = buildTableChanges(openClient(options), options, 1_000);
});

const table = (lastModifiedTime: string, more: object = {}) =>
  fake.respondWith(reply({ type: 'TABLE', lastModifiedTime, ...more }));

test('tables that have not been modified have no changed rows', async () => {
  table('1000');
  const { state } = await changes(logs, undefined, signal);
  expect(await changes(logs, state, signal)).toEqual({ state, changed: [] });
  expect(fake.received.map(({ method, path }) => `${method} ${path}`)).toEqual([
    'GET /datasets/data/tables/logs',
  ]);
});

test('each of several tables counts, and other datasets are looked up there', async () => {
  const both = [...logs, { name: 'other.visits', time: 'ts' }];
  table('1000');
  const { state } = await changes(both, undefined, signal);
  expect(fake.received[1]?.path).toBe('/datasets/other/tables/visits');
  expect((await changes(logs, state, signal)).changed).toBe('late');
});

test('a table that was modified since may have late rows', async () => {
  const later = vi.spyOn(performance, 'now');
  later.mockReturnValue(0);
  table('1000');
  const { state } = await changes(logs, undefined, signal);
  table('2000');
  later.mockReturnValue(6_000);
  expect((await changes(logs, state, signal)).changed).toBe('late');
  later.mockRestore();
});

test.each([
  [
    'with a streaming buffer',
    reply({ type: 'TABLE', lastModifiedTime: '1', streamingBuffer: { estimatedRows: '0' } }),
  ],
  ['that is a view', reply({ type: 'VIEW', lastModifiedTime: '1' })],
  ['that may not be looked at', errorReply(403, 'accessDenied')],
  ['of which the reply is no JSON', reply('<html>')],
  ['that is not answered', neverRespond],
])('a table %s may have late rows at any time', async (_, responder) => {
  fake.respondWith(responder);
  const { state, changed } = await changes(logs, undefined, signal);
  expect({ state, changed }).toEqual({ state: '', changed: 'late' });
  expect((await changes(logs, state, signal)).changed).toBe('late');
});

test('a caller that leaves does not end the look for others', async () => {
  table('1000');
  const { state } = await changes(logs, undefined, signal);
  const other = [{ name: 'visits', time: 'ts' }];
  const leaving = new AbortController();
  const left = changes(other, state, leaving.signal);
  const stays = changes(other, state, signal);
  leaving.abort();
  expect(await left).toEqual({ state: '', changed: 'late' });
  expect(await stays).toEqual({ state, changed: [] });
  expect(fake.received).toHaveLength(2);
});

test('a look that failed is not kept for later runs', async () => {
  fake.respondWith(errorReply(503, 'backendError'));
  expect((await changes(logs, undefined, signal)).state).toBe('');
  table('1000');
  expect((await changes(logs, undefined, signal)).state).toBe('["1000"]');
});

test.each([
  ['is not there', errorReply(404, 'notFound')],
  ['may not be looked at', errorReply(403, 'accessDenied')],
])('a table that %s is looked for once for runs that begin soon', async (_, responder) => {
  fake.respondWith(responder);
  for (let run = 0; run < 3; run++) expect((await changes(logs, undefined, signal)).state).toBe('');
  expect(fake.received).toHaveLength(1);
});
