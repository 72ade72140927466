import { expect, test } from 'vitest';
import { systemClock } from '../../../src/concurrency/clock.ts';
import { fakeEngine } from '../../support/fake-engine.ts';
import { now, openTestApp } from '../../support/test-app.ts';

const path = '/api/endpoints/query/functions.invocation-stats?project=p';

const open = (cost: NonNullable<Parameters<typeof fakeEngine>[0]['cost']>) =>
  openTestApp(
    {},
    {},
    {
      engine: fakeEngine({
        clock: systemClock,
        queryMs: 1,
        cost,
        rows: () => ['{"timestamp":1773144000000000,"count":1,"error_count":0}'],
      }),
    },
  );

test('REST says what computing the rows cost, in every format, also of cached ones', async () => {
  const app = await open({
    bytesProcessed: 1_048_576,
    bytesBilled: 10_485_760,
    slotMs: 214,
    cacheHit: false,
    jobId: 'project:EU.job_abc-1',
  });
  for (const format of ['json', 'json', 'csv', 'parquet']) {
    const { headers } = await app.fetch(`${path}&format=${format}`);
    expect(headers.get('querygate-cost'), format).toBe(
      'bytes-processed=1048576, bytes-billed=10485760, slot-ms=214, cache-hit=?0, job-id="project:EU.job_abc-1"',
    );
    expect(headers.get('querygate-row-count')).toBe('1');
    expect(headers.get('querygate-truncated')).toBe('false');
    expect(headers.get('querygate-computed-at')).toBe(now.toISOString());
  }
  await app.close();
});

test('what the engine does not report is left out', async () => {
  const unreported = { bytesBilled: undefined, slotMs: undefined, cacheHit: undefined, jobId: undefined };
  const app = await open({ ...unreported, bytesProcessed: 5 });
  expect((await app.fetch(path)).headers.get('querygate-cost')).toBe('bytes-processed=5');
  await app.close();
  const other = await open({ ...unreported, bytesProcessed: undefined });
  expect((await other.fetch(path)).headers.get('querygate-cost')).toBeNull();
  await other.close();
});

test('a 304 has the headers of the latest run', async () => {
  const app = await open({ bytesProcessed: 5, bytesBilled: 5, slotMs: 1, cacheHit: true, jobId: 'a"b' });
  const etag = (await app.fetch(path)).headers.get('etag') ?? '';
  const { status, headers } = await app.fetch(path, {
    headers: { 'x-api-key': 'a-key-for-tests-only', 'if-none-match': etag },
  });
  expect(status).toBe(304);
  expect(headers.get('querygate-cost')).toContain('cache-hit=?1, job-id="ab"');
  expect(headers.get('querygate-computed-at')).toBe(now.toISOString());
  await app.close();
});
