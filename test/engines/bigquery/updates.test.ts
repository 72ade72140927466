import { expect, test } from 'vitest';
import { buildAnalyze } from '../../../src/catalog-analysis/analyze-catalog.ts';
import { completeBody, errorReply, reply } from '../../support/fake-bigquery.ts';
import { draftQuery } from '../../support/queries.ts';
import { openWithFake, testQuery } from './open-with-fake.ts';

const changed = draftQuery({ name: 'changed', columns: { x: 'integer' }, sql: 'select x from t' });
const catalog = (queries: readonly (typeof testQuery)[]) => buildAnalyze()({ queries, tables: [] });

test('BIGQUERY_START_CHECK=stop: only changed queries are checked, and those that fail are refused', async () => {
  const { fake, engine, close } = await openWithFake({ BIGQUERY_START_CHECK: 'stop' }, []);
  try {
    fake.respondWith(reply(completeBody()));
    expect(await engine.updates?.check(catalog([testQuery]))).toEqual(new Map());
    expect(fake.received).toHaveLength(1);
    await engine.updates?.replace(catalog([testQuery]));
    fake.respondWith(errorReply(400, 'invalidQuery', 'Unrecognized name: y at [1:8]'));
    const problems = await engine.updates?.check(catalog([testQuery, changed]));
    expect([...(problems ?? [])]).toMatchObject([
      [changed, [{ column: 8, message: expect.stringContaining('Unrecognized name: y') }]],
    ]);
    expect(fake.received).toHaveLength(1);
    expect(fake.received[0]?.body).toMatchObject({
      dryRun: true,
      query: expect.stringContaining('select x from t'),
    });
  } finally {
    await close();
  }
});

test('BIGQUERY_START_CHECK=report: changed queries are served at once, and checked then', async () => {
  const { fake, engine, close } = await openWithFake({ BIGQUERY_START_CHECK: 'report' }, []);
  try {
    fake.respondWith(reply(completeBody()));
    expect(await engine.updates?.check(catalog([changed]))).toEqual(new Map());
    expect(fake.received).toHaveLength(0);
    await engine.updates?.replace(catalog([changed]));
    await expect.poll(() => fake.received.length).toBe(1);
    await engine.updates?.replace(catalog([changed]));
    expect(fake.received).toHaveLength(1);
  } finally {
    await close();
  }
});
