import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  completeBody,
  errorReply,
  type FakeBigquery,
  reply,
  startFakeBigquery,
} from '../support/fake-bigquery.ts';
import { queryText } from '../support/queries.ts';
import { openTestApp, type TestApp } from '../support/test-app.ts';

describe('REST and GraphQL over BigQuery', () => {
  const folder = mkdtempSync(join(tmpdir(), 'querygate-test-'));
  let fake: FakeBigquery;
  let app: TestApp;
  beforeAll(async () => {
    const text = queryText({ name: 'numbers', columns: { x: 'integer' }, sql: 'select 1 as x' });
    writeFileSync(
      join(folder, 'numbers.sql'),
      text.replace('columns:', 'labels: [team, session_id]\ncolumns:'),
    );
    fake = await startFakeBigquery();
    app = await openTestApp(
      {},
      {
        ENGINE: 'bigquery',
        QUERIES_DIR: folder,
        BIGQUERY_PROJECT: 'our-project',
        BIGQUERY_DATASET: 'logs',
        BIGQUERY_API_ENDPOINT: fake.endpoint,
        BIGQUERY_START_CHECK: 'off',
      },
    );
  });
  afterAll(async () => {
    await app.close();
    await fake.close();
    rmSync(folder, { recursive: true });
  });

  const rest = (headers: Record<string, string> = {}) =>
    app.fetch('/api/endpoints/query/numbers', {
      headers: { 'x-api-key': 'a-key-for-tests-only', ...headers },
    });
  const graphql = (query: string, headers: Record<string, string> = {}) =>
    app.fetch('/graphql', {
      method: 'POST',
      headers: { 'x-api-key': 'a-key-for-tests-only', 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ query }),
    });

  test('both return the rows; GraphQL also their cost', async () => {
    fake.respondWith(reply(completeBody([1, 2])));
    expect(await (await rest()).json()).toEqual({ result: [{ x: 1 }, { x: 2 }] });
    const cost = 'cost { bytesProcessed bytesBilled slotMs cacheHit jobId }';
    expect(await app.data(`{ numbers { rows { x } ${cost} } }`)).toEqual({
      numbers: {
        rows: [{ x: 1 }, { x: 2 }],
        cost: { bytesProcessed: 1000, bytesBilled: 2000, slotMs: 30, cacheHit: false, jobId: null },
      },
    });
  });

  test("a request's own labels reach the bill where the query allows them", async () => {
    fake.respondWith(reply(completeBody()));
    const headers = { 'lf-endpoint-labels': 'team=web, session_id=42,endpoint=other,mine=1' };
    expect((await rest(headers)).status).toBe(200);
    expect((await graphql('{ numbers { rowCount } }', headers)).status).toBe(200);
    for (const { body } of fake.received) {
      expect(body.labels).toEqual({ team: 'web', session_id: '42', endpoint: 'numbers' });
    }
    expect(fake.received).toHaveLength(2);
  });

  test('an invalid label is rejected, with what would be valid', async () => {
    const response = await rest({ 'lf-endpoint-labels': 'team=Web Team' });
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({
      error: {
        code: 'BAD_REQUEST',
        message:
          'LF-ENDPOINT-LABELS: team must be up to 63 lowercase letters, digits, _ and -, as in team=some-value',
      },
    });
  });

  test.each([
    ['quotaExceeded', 403, 503, 'ENGINE_QUOTA_EXCEEDED', '600'],
    ['bytesBilledLimitExceeded', 400, 422, 'QUERY_TOO_EXPENSIVE', null],
    ['accessDenied', 403, 502, 'ENGINE_MISCONFIGURED', null],
  ])(
    '%s is reported by REST and GraphQL, with when to try again',
    async (reason, refused, status, code, retryAfter) => {
      fake.respondWith(errorReply(refused, reason));
      const response = await rest();
      expect([response.status, response.headers.get('retry-after')]).toEqual([status, retryAfter]);
      const body = await response.text();
      expect(JSON.parse(body)).toMatchObject({ error: { code } });

      const answer = await graphql('{ numbers { rowCount } }');
      expect(answer.headers.get('retry-after')).toBe(retryAfter);
      const text = await answer.text();
      expect(JSON.parse(text)).toMatchObject({ errors: [{ extensions: { code } }] });
      expect(body + text).not.toMatch(/secret|our-project|http/);
    },
  );
});
