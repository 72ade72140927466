import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeOnEngines } from '../support/on-engines.ts';
import { ago, type TestApp } from '../support/test-app.ts';

const name = 'usage.api-counts';

let made = 0;
const request = (project: string, path: string | null, timestamp: string) => {
  made += 1;
  return {
    id: `request ${made}`,
    timestamp,
    project,
    metadata: [{ request: [{ path, url: path === null ? null : `https://${project}.example.co${path}` }] }],
  };
};

const counts = (rest: number, storage: number, auth: number, realtime: number) => ({
  total_rest_requests: rest,
  total_storage_requests: storage,
  total_auth_requests: auth,
  total_realtime_requests: realtime,
});

describeOnEngines(`spec: ${name}`, (openTestApp) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await openTestApp({
      edge_logs: [
        request('window', '/rest/v1/a', ago({})),
        request('window', '/rest/v1/a', ago({ hours: 1 })),
        request('window', '/rest/v1/a', ago({ hours: 1, ms: 1 })),
        request('window', '/rest/v1/a', ago({ days: 7 })),
        request('window', '/rest/v1/a', ago({ days: 7, ms: 1 })),

        request('areas', '/rest/v1/a', ago({ minutes: 1 })),
        request('areas', '/restore', ago({ minutes: 1 })),
        request('areas', '/storage/v1/object/rest', ago({ minutes: 1 })),
        request('areas', '/auth/v1/token', ago({ minutes: 1 })),
        request('areas', '/realtime/v1/websocket', ago({ minutes: 1 })),
        request('areas', '/functions/v1/hello', ago({ minutes: 1 })),
        request('areas', '/REST/v1', ago({ minutes: 1 })),

        request('other', '/functions/v1/hello', ago({ minutes: 1 })),
        request('holes', null, ago({ minutes: 1 })),
        {
          id: 'no path',
          timestamp: ago({ minutes: 2 }),
          metadata: [{ request: [{ url: 'https://holes.example.co/' }] }],
        },
        { id: 'no request', timestamp: ago({ minutes: 2 }), metadata: [{ request: [] }] },
        { id: 'no metadata', timestamp: ago({ minutes: 2 }) },
      ],
    });
  });
  afterAll(() => app.close());

  test.each([
    ['minutely', ['2026-03-10T11:34:00', '2026-03-10T12:34:00'], [1, 1]],
    ['hourly', ['2026-03-10T11:00:00', '2026-03-10T12:00:00'], [1, 1]],
    ['daily', ['2026-03-03T00:00:00', '2026-03-10T00:00:00'], [1, 3]],
  ])(
    'rule 1: %s counts records at or after the window start, in its buckets',
    async (interval, buckets, totals) => {
      const rows = await app.rows(name, { project: 'window', interval });
      expect(rows.map((row) => row.timestamp)).toEqual(buckets);
      expect(rows.map((row) => row.total_rest_requests)).toEqual(totals);
    },
  );

  test('rule 2: a path counts for every area whose pattern it matches, unanchored', async () => {
    expect(await app.rows(name, { project: 'areas', interval: 'hourly' })).toEqual([
      { timestamp: '2026-03-10T12:00:00', ...counts(3, 1, 1, 1) },
    ]);
  });

  test('rule 3: rows are ordered by timestamp, counts default to 0', async () => {
    expect(await app.rows(name, { project: 'other', interval: 'minutely' })).toEqual([
      { timestamp: '2026-03-10T12:33:00', ...counts(0, 0, 0, 0) },
    ]);
    const times = (await app.rows(name, { project: '.', interval: 'minutely' })).map((row) =>
      String(row.timestamp),
    );
    expect(times).toEqual([...times].sort());
  });

  test.each([
    ['a part of the URL', 'areas\\.example', ['12:33']],
    ['an alternative', 'areas|window', ['11:34', '12:33', '12:34']],
    ['without case', '(?i)AREAS', ['12:33']],
    ['anchored', '^https://holes\\.', ['12:32']],
    ['without a match', '^areas', []],
  ])('parameters: project is a regular expression, %s', async (_, project, minutes) => {
    const rows = await app.rows(name, { project, interval: 'minutely' });
    expect(rows.map((row) => String(row.timestamp).slice(11, 16))).toEqual(minutes);
  });

  test('a record without URL, request or metadata is not counted; one without path counts for no area', async () => {
    expect(await app.rows(name, { project: 'holes', interval: 'minutely' })).toEqual([
      { timestamp: '2026-03-10T12:32:00', ...counts(0, 0, 0, 0) },
    ]);
  });
});
