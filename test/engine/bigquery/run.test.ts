import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bind } from '../../../src/catalog/binding/bind.ts';
import { done, inTurn, type Play, sends, silence, unfinished } from '../../support/fake-bigquery.ts';
import { asked, type OnFake, openOnFake } from './open-fake.ts';

const numbers = (from: number, count: number) => Array.from({ length: count }, (_, at) => from + at);

describe('a query on BigQuery', () => {
  let on: OnFake;
  beforeAll(async () => {
    on = await openOnFake({
      BIGQUERY_LOCATION: 'europe-west1',
      BIGQUERY_MAXIMUM_BYTES_BILLED: '12345678901234',
      ENGINE_CONCURRENCY: '2',
    });
  });
  afterAll(() => on.close());

  test('that finishes at once costs one HTTP request, and says all that was asked', async () => {
    on.fake.plays(sends(done([1, 2])));
    const bound = { ...bind(asked, new Map([['word', ['a']]])), labels: { team: 'web', endpoint: 'mine' } };
    const rows = await on.engine.run(bound, { signal: new AbortController().signal });
    expect(rows).toEqual({
      rows: ['{"x":1}', '{"x":2}'],
      truncated: false,
      cost: { bytesProcessed: 1000, bytesBilled: 2000, slotMs: 30, cacheHit: false, jobId: undefined },
    });
    expect(on.fake.received).toHaveLength(1);
    const text = (name: string, value: string) => ({
      name,
      parameterType: { type: 'STRING' },
      parameterValue: { value },
    });
    expect(on.fake.received[0]).toMatchObject({ method: 'POST', path: '/queries' });
    expect(on.fake.received[0]?.body).toEqual({
      query: asked.sql,
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

  test('that takes its time is polled as a job, where the job is, and priced at the end', async () => {
    const statistics = {
      totalBytesProcessed: '10',
      totalSlotMs: '20',
      query: { totalBytesBilled: '30', cacheHit: false },
    };
    const { jobReference } = unfinished;
    on.fake.plays(
      inTurn(
        sends(unfinished),
        sends(unfinished),
        sends(done([5], { jobReference, totalBytesBilled: undefined, totalSlotMs: undefined })),
        sends({ statistics }),
      ),
    );
    expect(await on.run()).toEqual({
      rows: ['{"x":5}'],
      truncated: false,
      cost: { bytesProcessed: 10, bytesBilled: 30, slotMs: 20, cacheHit: false, jobId: 'job_1' },
    });
    expect(on.fake.received.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'POST /queries',
      'GET /queries/job_1',
      'GET /queries/job_1',
      'GET /jobs/job_1',
    ]);
    expect(on.fake.received[1]?.parameters.get('location')).toBe('EU');
    expect(on.fake.received[1]?.parameters.get('formatOptions.useInt64Timestamp')).toBe('true');
  });

  test('keeps its rows where their price is not to be had', async () => {
    on.fake.plays(inTurn(sends(unfinished), sends(done([5])), sends('<html>', 500)));
    expect(await on.run()).toMatchObject({
      rows: ['{"x":5}'],
      cost: { bytesProcessed: 1000, jobId: 'job_1' },
    });
  });

  const { jobReference } = unfinished;
  const pages =
    (count: number, size: number): Play =>
    (response, received, at) => {
      const pageToken = at === count - 1 ? undefined : `page ${at + 1}`;
      const wanted = at === 0 ? null : `page ${at}`;
      expect(received.parameters.get('pageToken')).toBe(wanted);
      const body = done(numbers(at * size, size), {
        jobReference,
        pageToken,
        totalRows: String(count * size),
      });
      sends(body)(response, received, at);
    };

  test('gives the rows of ten pages, in their order', async () => {
    on.fake.plays(pages(10, 2));
    const { rows, truncated } = await on.run();
    expect(rows).toEqual(numbers(0, 20).map((x) => `{"x":${x}}`));
    expect(truncated).toBe(false);
    expect(on.fake.received).toHaveLength(10);
  });

  test.each([
    [25, false, 5],
    [30, true, 6],
    [50, true, 6],
  ])('reads until max rows (25) and one more: of %i rows in fives, cut %s', async (all, cut, requests) => {
    on.fake.plays(pages(all / 5, 5));
    const { rows, truncated } = await on.run();
    expect(rows).toEqual(numbers(0, 25).map((x) => `{"x":${x}}`));
    expect(truncated).toBe(cut);
    expect(on.fake.received).toHaveLength(requests);
  });

  test('is cancelled when its caller leaves, also before the job is known', async () => {
    for (const play of [
      sends(unfinished),
      inTurn((response, received, at) => setTimeout(() => sends(unfinished)(response, received, at), 1000)),
    ]) {
      on.fake.plays(play);
      const caller = new AbortController();
      const running = on.run({}, caller.signal).catch((error: unknown) => error);
      await expect.poll(() => on.fake.received.length).toBeGreaterThan(0);
      const started = performance.now();
      caller.abort();
      expect(await running).toMatchObject({ code: 'CANCELLED', status: 499 });
      expect(performance.now() - started).toBeLessThan(500);
      await expect.poll(() => on.fake.received.at(-1)?.path, { timeout: 5000 }).toBe('/jobs/job_1/cancel');
    }
  });

  test('is cancelled when the engine closes', async () => {
    const other = await openOnFake();
    other.fake.plays(sends(unfinished));
    const running = other.refusal();
    await expect.poll(() => other.fake.received.length).toBeGreaterThan(1);
    await other.engine.close();
    expect(await running).toMatchObject({ code: 'CANCELLED' });
    expect(other.fake.received.at(-1)?.path).toBe('/jobs/job_1/cancel');
    expect(await other.refusal()).toMatchObject({ code: 'CANCELLED' });
    await other.close();
  });

  test('waits for its turn; past the end of the queue it is refused at once', async () => {
    const full = await openOnFake({
      ENGINE_CONCURRENCY: '2',
      ENGINE_QUEUE_LENGTH: '3',
      ENGINE_TIMEOUT_MS: '300',
    });
    full.fake.plays(silence);
    const ends = await Promise.all(numbers(0, 7).map(() => full.refusal() as Promise<{ code: string }>));
    const codes = ends.map(({ code }) => code);
    expect(codes.filter((code) => code === 'ENGINE_BUSY')).toHaveLength(2);
    expect(codes.filter((code) => code === 'ENGINE_TIMEOUT')).toHaveLength(5);
    expect(ends.at(-1)).toMatchObject({ status: 503, retryAfterSeconds: 1 });
    await full.close();
  });

  test('never has more under way than ENGINE_CONCURRENCY', async () => {
    let running = 0;
    let most = 0;
    on.fake.plays((response, received, at) => {
      running += 1;
      most = Math.max(most, running);
      setTimeout(() => {
        running -= 1;
        sends(done([at]))(response, received, at);
      }, 5);
    });
    await Promise.all(numbers(0, 40).map(() => on.run()));
    expect(most).toBe(2);
  });
});
