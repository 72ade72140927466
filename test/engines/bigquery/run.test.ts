import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bind } from '../../../src/catalog/binding/bind.ts';
import {
  completeBody,
  incompleteBody,
  inSequence,
  neverRespond,
  type Responder,
  reply,
} from '../../support/fake-bigquery.ts';
import { measureLoopTime } from '../../support/loop-time.ts';
import { type FakeSetup, openWithFake, testQuery } from './open-with-fake.ts';

const numbers = (from: number, count: number) => Array.from({ length: count }, (_, at) => from + at);

describe('a query on BigQuery', () => {
  let setup: FakeSetup;
  beforeAll(async () => {
    setup = await openWithFake({
      BIGQUERY_LOCATION: 'europe-west1',
      BIGQUERY_MAXIMUM_BYTES_BILLED: '12345678901234',
      ENGINE_CONCURRENCY: '2',
    });
  });
  afterAll(() => setup.close());

  test('that completes at once costs one HTTP request, which has all settings', async () => {
    setup.fake.respondWith(reply(completeBody([1, 2])));
    const bound = {
      ...bind(testQuery, new Map([['word', ['a']]])),
      labels: { team: 'web', endpoint: 'mine' },
    };
    const rows = await setup.engine.run(bound, { signal: new AbortController().signal });
    expect(rows).toEqual({
      rows: ['{"x":1}', '{"x":2}'],
      truncated: false,
      cost: { bytesProcessed: 1000, bytesBilled: 2000, slotMs: 30, cacheHit: false, jobId: undefined },
    });
    expect(setup.fake.received).toHaveLength(1);
    const text = (name: string, value: string) => ({
      name,
      parameterType: { type: 'STRING' },
      parameterValue: { value },
    });
    expect(setup.fake.received[0]).toMatchObject({ method: 'POST', path: '/queries' });
    expect(setup.fake.received[0]?.body).toEqual({
      query: testQuery.sql,
      useLegacySql: false,
      parameterMode: 'NAMED',
      queryParameters: [text('word', 'a'), text('where', '')],
      defaultDataset: { projectId: 'our-project', datasetId: 'logs' },
      location: 'europe-west1',
      maximumBytesBilled: '12345678901234',
      labels: { team: 'web', endpoint: 'numbers_of-something' },
      formatOptions: { useInt64Timestamp: true },
      jobCreationMode: 'JOB_CREATION_OPTIONAL',
      maxResults: 26,
      requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      jobTimeoutMs: expect.stringMatching(/^(5000|4\d{3})$/),
      timeoutMs: expect.any(Number),
    });
  });

  const { jobReference } = incompleteBody;

  test('that takes longer is polled as a job at its location, and its cost is read at the end', async () => {
    const statistics = {
      totalBytesProcessed: '10',
      totalSlotMs: '20',
      query: { totalBytesBilled: '30', cacheHit: false },
    };
    setup.fake.respondWith(
      inSequence(
        reply(incompleteBody),
        reply(incompleteBody),
        reply(completeBody([5], { jobReference, totalBytesBilled: undefined, totalSlotMs: undefined })),
        reply({ statistics }),
      ),
    );
    expect(await setup.run()).toEqual({
      rows: ['{"x":5}'],
      truncated: false,
      cost: { bytesProcessed: 10, bytesBilled: 30, slotMs: 20, cacheHit: false, jobId: 'job_1' },
    });
    expect(setup.fake.received.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'POST /queries',
      'GET /queries/job_1',
      'GET /queries/job_1',
      'GET /jobs/job_1',
    ]);
    expect(setup.fake.received[1]?.parameters.get('location')).toBe('EU');
    expect(setup.fake.received[1]?.parameters.get('formatOptions.useInt64Timestamp')).toBe('true');
  });

  test('has warnings beside its rows, as of an external table with bad records', async () => {
    const errors = [
      { reason: 'invalid', message: 'Error while reading data, file gs://b/secret.csv: too many values' },
    ];
    setup.fake.respondWith(reply(completeBody([1, 2], { errors })));
    expect(await setup.run()).toMatchObject({ rows: ['{"x":1}', '{"x":2}'] });
    setup.fake.respondWith(
      inSequence(
        reply({ ...incompleteBody, errors }),
        reply({ ...incompleteBody, errors }),
        reply(completeBody([5], { errors, jobReference })),
      ),
    );
    expect(await setup.run()).toMatchObject({ rows: ['{"x":5}'] });
    expect(setup.fake.received.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'POST /queries',
      'GET /queries/job_1',
      'GET /queries/job_1',
      'GET /jobs/job_1',
    ]);
    setup.fake.respondWith(reply(completeBody([], { errors, schema: undefined })));
    expect(await setup.runError()).toMatchObject({ code: 'ENGINE_FAILED' });
    const stopped = [...errors, { reason: 'stopped', message: 'Job execution was cancelled' }];
    setup.fake.respondWith(reply(completeBody([], { errors: stopped })));
    expect(await setup.runError()).toMatchObject({ code: 'ENGINE_TIMEOUT' });
  });

  test('returns its rows even if their cost cannot be read', async () => {
    setup.fake.respondWith(inSequence(reply(incompleteBody), reply(completeBody([5])), reply('<html>', 500)));
    expect(await setup.run()).toMatchObject({
      rows: ['{"x":5}'],
      cost: { bytesProcessed: 1000, jobId: 'job_1' },
    });
  });

  const pages =
    (count: number, size: number): Responder =>
    (response, received, at) => {
      const pageToken = at === count - 1 ? undefined : `page ${at + 1}`;
      const expected = at === 0 ? null : `page ${at}`;
      expect(received.parameters.get('pageToken')).toBe(expected);
      const body = completeBody(numbers(at * size, size), {
        jobReference,
        pageToken,
        totalRows: String(count * size),
      });
      reply(body)(response, received, at);
    };

  test('returns the rows of ten pages, in their order', async () => {
    setup.fake.respondWith(pages(10, 2));
    const { rows, truncated } = await setup.run();
    expect(rows).toEqual(numbers(0, 20).map((x) => `{"x":${x}}`));
    expect(truncated).toBe(false);
    expect(setup.fake.received).toHaveLength(10);
  });

  test.each([
    [25, false, 5],
    [30, true, 6],
    [50, true, 6],
  ])(
    'reads one row beyond max rows (25): of %i rows in pages of five, truncated %s',
    async (total, isTruncated, requests) => {
      setup.fake.respondWith(pages(total / 5, 5));
      const { rows, truncated } = await setup.run();
      expect(rows).toEqual(numbers(0, 25).map((x) => `{"x":${x}}`));
      expect(truncated).toBe(isTruncated);
      expect(setup.fake.received).toHaveLength(requests);
    },
  );

  test('is cancelled when its caller disconnects, also before the job is known', async () => {
    for (const responder of [
      reply(incompleteBody),
      inSequence((response, received, at) =>
        setTimeout(() => reply(incompleteBody)(response, received, at), 1000),
      ),
    ]) {
      setup.fake.respondWith(responder);
      const caller = new AbortController();
      const running = setup.run({}, caller.signal).catch((error: unknown) => error);
      await expect.poll(() => setup.fake.received.length).toBeGreaterThan(0);
      const loopMs = measureLoopTime();
      caller.abort();
      expect(await running).toMatchObject({ code: 'CANCELLED', status: 499 });
      expect(loopMs()).toBeLessThan(500);
      await expect.poll(() => setup.fake.received.at(-1)?.path).toBe('/jobs/job_1/cancel');
    }
  });

  test('is cancelled when the engine closes', async () => {
    const other = await openWithFake();
    other.fake.respondWith(reply(incompleteBody));
    const running = other.runError();
    await expect.poll(() => other.fake.received.length).toBeGreaterThan(1);
    await other.engine.close();
    expect(await running).toMatchObject({ code: 'CANCELLED' });
    expect(other.fake.received.at(-1)?.path).toBe('/jobs/job_1/cancel');
    expect(await other.runError()).toMatchObject({ code: 'CANCELLED' });
    await other.close();
  });

  test('waits in a queue; when that is full it is rejected at once', async () => {
    const full = await openWithFake({ ENGINE_CONCURRENCY: '2', ENGINE_TIMEOUT_MS: '300' });
    full.fake.respondWith(neverRespond);
    const errors = await Promise.all(numbers(0, 54).map(() => full.runError() as Promise<{ code: string }>));
    const codes = errors.map(({ code }) => code);
    // Two run; of fifty that may wait, one owner alone gets seven eighths.
    expect(codes.filter((code) => code === 'ENGINE_BUSY')).toHaveLength(8);
    expect(codes.filter((code) => code === 'ENGINE_TIMEOUT')).toHaveLength(46);
    expect(errors.at(-1)).toMatchObject({ status: 503, retryAfterSeconds: 1 });
    await full.close();
  });

  test('never runs more queries at a time than ENGINE_CONCURRENCY', async () => {
    let running = 0;
    let most = 0;
    setup.fake.respondWith((response, received, at) => {
      running += 1;
      most = Math.max(most, running);
      setTimeout(() => {
        running -= 1;
        reply(completeBody([at]))(response, received, at);
      }, 5);
    });
    await Promise.all(numbers(0, 40).map(() => setup.run()));
    expect(most).toBe(2);
  });
});
