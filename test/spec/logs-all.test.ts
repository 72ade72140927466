import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeOnEngines } from '../support/on-engines.ts';
import { ago, type TestApp } from '../support/test-app.ts';

const name = 'logs.all';

const log = (project: string, id: string, timestamp: string) => ({
  id,
  timestamp,
  project,
  event_message: `GET | 200 | ${id}`,
  metadata: [{ request: [{ method: 'GET', path: '/' }], response: [{ status_code: 200 }] }],
});

describeOnEngines(`spec: ${name}`, (openTestApp) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await openTestApp({
      edge_logs: [
        log('tier', 'now', ago({})),
        log('tier', 'in 1 day', ago({ days: 1, ms: -1 })),
        log('tier', 'at 1 day', ago({ days: 1 })),
        log('tier', 'in 7 days', ago({ days: 7, ms: -1 })),
        log('tier', 'at 7 days', ago({ days: 7 })),
        log('tier', 'in 90 days', ago({ days: 90, ms: -1 })),
        log('tier', 'at 90 days', ago({ days: 90 })),

        log('range', 'before', '2026-03-10T09:59:59.999999Z'),
        log('range', 'at', '2026-03-10T10:00:00.000000Z'),
        log('range', 'after', '2026-03-10T10:00:00.000001Z'),

        ...Array.from({ length: 101 }, (_, at) => log('many', `many ${at}`, ago({ minutes: at }))),

        { id: 'bare', timestamp: ago({ minutes: 1 }), project: 'bare' },
        { id: 'nobody', timestamp: ago({ minutes: 1 }), project: null },
      ],
      postgres_logs: [log('range', 'of another stream', '2026-03-10T10:00:00Z')],
    });
  });
  afterAll(() => app.close());

  const ids = async (parameters: Record<string, string>) =>
    (await app.rows(name, parameters)).map((row) => row.id);

  test.each([
    ['FREE', ['now', 'in 1 day']],
    ['PRO', ['now', 'in 1 day', 'at 1 day', 'in 7 days']],
    ['PAYG', ['now', 'in 1 day', 'at 1 day', 'in 7 days', 'at 7 days', 'in 90 days']],
    ['ENTERPRISE', ['now', 'in 1 day', 'at 1 day', 'in 7 days', 'at 7 days', 'in 90 days']],
    ['', ['now', 'in 1 day']],
    ['GOLD', ['now', 'in 1 day']],
    ['pro', ['now', 'in 1 day']],
  ])('rule 1: tier %j returns records strictly later than its retention', async (project_tier, expected) => {
    expect(await ids({ project: 'tier', project_tier })).toEqual(expected);
  });

  test('rule 1: a range never reaches behind the retention', async () => {
    const iso_timestamp_start = '2020-01-01T00:00:00Z';
    expect(await ids({ project: 'tier', iso_timestamp_start })).toEqual(['now', 'in 1 day']);
  });

  test.each([
    ['no bounds', {}, ['after', 'at', 'before']],
    ['empty bounds', { iso_timestamp_start: '', iso_timestamp_end: '' }, ['after', 'at', 'before']],
    ['strictly after the start', { iso_timestamp_start: '2026-03-10T10:00:00Z' }, ['after']],
    ['at or before the end', { iso_timestamp_end: '2026-03-10T10:00:00Z' }, ['at', 'before']],
    [
      'both',
      { iso_timestamp_start: '2026-03-10T09:59:59.999999Z', iso_timestamp_end: '2026-03-10T10:00:00Z' },
      ['at'],
    ],
    ['an offset', { iso_timestamp_start: '2026-03-10T12:00:00+02:00' }, ['after']],
    ['no zone', { iso_timestamp_start: '2026-03-10T10:00:00' }, ['after']],
    ['a date', { iso_timestamp_start: '2026-03-10' }, ['after', 'at', 'before']],
    ['a fraction', { iso_timestamp_end: '2026-03-10T09:59:59.9999999Z' }, ['before']],
    [
      'a start after the end',
      { iso_timestamp_start: '2026-03-10T11:00:00Z', iso_timestamp_end: '2026-03-10' },
      [],
    ],
  ])('parameters: range with %s', async (_, range, expected) => {
    expect(await ids({ project: 'range', ...range })).toEqual(expected);
  });

  test('rule 2: records are filtered to the given project', async () => {
    expect(await ids({ project: 'bare' })).toEqual(['bare']);
    expect(await ids({ project: 'nobody' })).toEqual([]);
  });

  test('rule 3: only the edge request stream is returned', async () => {
    expect(await ids({ project: 'range' })).not.toContain('of another stream');
  });

  test('rule 4: at most 100 rows, the newest, newest first', async () => {
    expect(await ids({ project: 'many' })).toEqual(Array.from({ length: 100 }, (_, at) => `many ${at}`));
  });

  test('result columns: nested records are arrays of objects; absent ones are empty arrays', async () => {
    const [row] = await app.rows(name, { project: 'range', iso_timestamp_start: '2026-03-10T10:00:00Z' });
    expect(row).toMatchObject({
      id: 'after',
      timestamp: 1773136800000001,
      event_message: 'GET | 200 | after',
      metadata: [
        {
          request: [{ method: 'GET', path: '/', host: null }],
          response: [{ status_code: 200, headers: [] }],
        },
      ],
    });
    expect(await app.rows(name, { project: 'bare' })).toEqual([
      { id: 'bare', timestamp: new Date(ago({ minutes: 1 })).getTime() * 1000, metadata: [] },
    ]);
  });
});
