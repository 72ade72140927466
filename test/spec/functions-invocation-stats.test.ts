import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeOnEngines } from '../support/on-engines.ts';
import { ago, now, type TestApp } from '../support/test-app.ts';

const name = 'functions.invocation-stats';

interface Call {
  at: string;
  project?: string;
  fn?: string;
  ms?: number | null;
  status?: number | null;
}

const call = ({ at, project = 'p', fn = 'f', ms = 10, status = 200 }: Call) => ({
  id: `${at} ${fn} ${ms}`,
  timestamp: at,
  event_message: 'GET | 200',
  metadata: [
    { project_ref: project, function_id: fn, execution_time_ms: ms, response: [{ status_code: status }] },
  ],
});

const micros = (iso: string) => new Date(iso).getTime() * 1000;

describeOnEngines(`spec: ${name}`, (openTestApp, engine) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await openTestApp({
      function_edge_logs: [
        // Intervals: each side of each first bucket. now is 12:34:56.789.
        call({ project: 'window', at: '2026-03-10T12:29:56.000Z' }),
        call({ project: 'window', at: '2026-03-10T12:29:55.999Z' }),
        call({ project: 'window', at: '2026-03-10T12:19:00.000Z' }),
        call({ project: 'window', at: '2026-03-10T12:18:59.999Z' }),
        call({ project: 'window', at: '2026-03-10T11:34:00.000Z' }),
        call({ project: 'window', at: '2026-03-10T11:33:59.999Z' }),
        call({ project: 'window', at: '2026-03-09T12:00:00.000Z' }),
        call({ project: 'window', at: '2026-03-09T11:59:59.999Z' }),
        call({ project: 'window', at: '2026-03-03T00:00:00.000Z' }),
        call({ project: 'window', at: '2026-03-02T23:59:59.999Z' }),
        // The series ends with the bucket of now.
        call({ project: 'window', at: '2026-03-11T00:00:00.000Z' }),

        call({ project: 'filter', fn: 'one', at: ago({ minutes: 1 }) }),
        call({ project: 'filter', fn: 'two', at: ago({ minutes: 1 }) }),
        call({ project: 'filter2', fn: 'one', at: ago({ minutes: 1 }) }),

        call({ project: 'status', status: 399, at: ago({ minutes: 1 }) }),
        call({ project: 'status', status: 400, at: ago({ minutes: 1 }) }),
        call({ project: 'status', status: 500, at: ago({ minutes: 1 }) }),
        call({ project: 'status', status: null, at: ago({ minutes: 1 }) }),

        ...Array.from({ length: 101 }, (_, at) =>
          call({ project: 'times', ms: at, at: ago({ minutes: 1 }) }),
        ),

        // Records with holes.
        { id: 'none', timestamp: ago({ minutes: 1 }), event_message: 'no metadata' },
        { id: 'null', timestamp: ago({ minutes: 1 }), metadata: null },
        { id: 'empty', timestamp: ago({ minutes: 1 }), metadata: [] },
        {
          id: 'r1',
          timestamp: ago({ minutes: 1 }),
          metadata: [{ project_ref: 'holes', function_id: 'f', execution_time_ms: 7 }],
        },
        {
          id: 'r2',
          timestamp: ago({ minutes: 1 }),
          metadata: [{ project_ref: 'holes', function_id: 'f', response: [] }],
        },
        { id: 'r3', timestamp: ago({ hours: 3 }), metadata: [{ project_ref: 'holes' }] },
      ],
    });
  });
  afterAll(() => app.close());

  test.each([
    ['5min', 1, ['2026-03-10T12:29:56Z']],
    ['15min', 3, ['2026-03-10T12:19:00Z', '2026-03-10T12:29:00Z']],
    [
      '1hr',
      5,
      ['2026-03-10T11:34:00Z', '2026-03-10T12:18:00Z', '2026-03-10T12:19:00Z', '2026-03-10T12:29:00Z'],
    ],
    ['1day', 7, ['2026-03-09T12:00:00Z', '2026-03-10T11:00:00Z', '2026-03-10T12:00:00Z']],
    ['7day', 9, ['2026-03-03T00:00:00Z', '2026-03-09T00:00:00Z', '2026-03-10T00:00:00Z']],
  ])(
    'rules 1, 2: %s counts records from its first bucket on, in its buckets',
    async (interval, total, buckets) => {
      const rows = await app.rows(name, { project: 'window', interval });
      expect(rows.reduce((sum, row) => sum + Number(row.count), 0)).toBe(total);
      expect(rows.map((row) => row.timestamp)).toEqual(buckets.map(micros));
    },
  );

  test('rules 1, 2: any other interval, or none, behaves as 1day', async () => {
    const expected = await app.rows(name, { project: 'window', interval: '1day' });
    expect(await app.rows(name, { project: 'window' })).toEqual(expected);
    expect(await app.rows(name, { project: 'window', interval: '' })).toEqual(expected);
    expect(await app.rows(name, { project: 'window', interval: '2hr' })).toEqual(expected);
  });

  test('rule 3: only records of the project are counted, and of the function where one is given', async () => {
    const counts = async (parameters: Record<string, string>) =>
      (await app.rows(name, { interval: '1hr', ...parameters })).map((row) => row.count);
    expect(await counts({ project: 'filter' })).toEqual([2]);
    expect(await counts({ project: 'filter', function_id: '' })).toEqual([2]);
    expect(await counts({ project: 'filter', function_id: 'one' })).toEqual([1]);
    expect(await counts({ project: 'filter', function_id: 'three' })).toEqual([]);
    expect(await counts({ project: 'Filter' })).toEqual([]);
  });

  test('rule 4: rows are ordered by timestamp ascending', async () => {
    const times = (await app.rows(name, { project: 'window', interval: '7day' })).map((row) =>
      Number(row.timestamp),
    );
    expect(times).toEqual([...times].sort((a, b) => a - b));
  });

  test('rule 5: error_count counts records with status 400 or higher', async () => {
    expect(await app.rows(name, { project: 'status', interval: '1hr' })).toMatchObject([
      { count: 4, error_count: 2 },
    ]);
  });

  test('rule 6: p95 and p99 are positions 95 and 99 of the 100-part quantiles', async () => {
    const [row] = await app.rows(name, { project: 'times', interval: '1hr' });
    expect(row).toMatchObject({
      min_execution_time: 0,
      max_execution_time: 100,
      avg_execution_time: 50,
      count: 101,
    });
    expect(Math.abs(Number(row?.p95_execution_time) - 95)).toBeLessThanOrEqual(1);
    expect(Math.abs(Number(row?.p99_execution_time) - 99)).toBeLessThanOrEqual(1);
  });

  test('result columns: exactly those of the spec; the status classes are not returned', async () => {
    const [row] = await app.rows(name, { project: 'times', interval: '1hr' });
    expect(Object.keys(row ?? {})).toEqual([
      'timestamp',
      'min_execution_time',
      'max_execution_time',
      'avg_execution_time',
      'p95_execution_time',
      'p99_execution_time',
      'count',
      'error_count',
    ]);
    expect(row?.timestamp).toBe(micros(`${now.toISOString().slice(0, 14)}33:00Z`));
  });

  test('a record without response counts; one without execution time has no times', async () => {
    const rows = await app.rows(name, { project: 'holes', interval: '1day' });
    // The emulator counts NULLs in APPROX_QUANTILES; BigQuery leaves them out, as its reference says.
    const quantiles = { p95_execution_time: 7, p99_execution_time: 7 };
    const comparableRows =
      engine === 'emulator' ? rows.map((row, at) => (at === 1 ? { ...row, ...quantiles } : row)) : rows;
    expect(comparableRows).toEqual([
      { timestamp: micros('2026-03-10T09:00:00Z'), count: 1, error_count: 0 },
      {
        timestamp: micros('2026-03-10T12:00:00Z'),
        min_execution_time: 7,
        max_execution_time: 7,
        avg_execution_time: 7,
        p95_execution_time: 7,
        p99_execution_time: 7,
        count: 2,
        error_count: 0,
      },
    ]);
  });
});
