import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { increments } from '../../../src/plugins/increments/increments.ts';
import { sharedRuns } from '../../../src/plugins/shared-runs/shared-runs.ts';
import {
  completeBody,
  type Received,
  type Responder,
  reply,
  startFakeBigquery,
} from '../../support/fake-bigquery.ts';
import { fakeClock } from '../../support/fake-clock.ts';
import { writeKeyFile } from '../../support/key-files.ts';
import { isNightly } from '../../support/nightly.ts';
import { openTestApp } from '../../support/test-app.ts';

/** At night a whole day of 200 tenants; otherwise, the proportion is that of the tenants. */
const [tenantCount, waves] = isNightly ? [200, 288] : [12, 3];
const tenants = Array.from({ length: tenantCount }, (_, at) => `tenant${at}`);

const intervalMs = 300_000;
const charts = {
  'functions.invocation-stats': {
    interval: '7day',
    columns: [
      'timestamp',
      'min_execution_time',
      'max_execution_time',
      'avg_execution_time',
      'p95_execution_time',
      'p99_execution_time',
      'count',
      'error_count',
    ],
  },
  'usage.api-counts': {
    interval: 'daily',
    columns: [
      'timestamp',
      'total_rest_requests',
      'total_storage_requests',
      'total_auth_requests',
      'total_realtime_requests',
    ],
  },
};

const parameterOf = ({ queryParameters = [] }: Received['body'], name: string) =>
  (
    queryParameters as {
      name: string;
      parameterValue: { value?: string; arrayValues?: { value: string }[] };
    }[]
  ).find((one) => one.name === name)?.parameterValue;

const dayMs = 86_400_000;
const megabyte = 1_048_576;

/** Of one partition, for all tenants: the columns that a chart reads. */
const bytesOfDay = 37_123_456;

/**
 * What BigQuery bills for the one table of a chart: partitions with a time that is read, the last one as far as it is filled,
 * rounded up to a megabyte, and ten at least.
 */
function bytesOf(days: readonly number[], now: number): number {
  const bytes = days.reduce((sum, day) => sum + bytesOfDay * Math.min(1, (now - day) / dayMs), 0);
  return Math.max(10, Math.ceil(bytes / megabyte)) * megabyte;
}

const forms = {
  nothing: [],
  increments: [increments],
  'shared runs': [sharedRuns],
  both: [increments, sharedRuns],
};

type Form = keyof typeof forms;

interface Billed {
  readonly form: Form;
  readonly bytes: number;
  readonly runs: number;
}

/** The bytes that BigQuery bills for the refreshes of a time, of the charts with a window of seven days. */
async function billedBytes(form: Form): Promise<Billed> {
  const fake = await startFakeBigquery();
  const clock = fakeClock('2026-03-10T12:00:00Z');
  let bytes = 0;
  let runs = 0;
  let running = 0;
  const respond: Responder = (response, received, at) => {
    const { body, method } = received;
    // Rows come all the time.
    if (method === 'GET') {
      reply({ type: 'TABLE', lastModifiedTime: '1', streamingBuffer: {} })(response, received, at);
      return;
    }
    const endpoint = (body.labels as { endpoint: string }).endpoint;
    const [name, chart] = Object.entries(charts).find(([one]) => one.replace('.', '_') === endpoint) ?? [
      '',
      charts['usage.api-counts'],
    ];
    const now = clock.now().getTime();
    // Both windows begin seven days ago; that of the first chart at the beginning of that day.
    const days = Array.from({ length: 8 }, (_, at) => (Math.floor(now / dayMs) - 7 + at) * dayMs);
    const moment = (parameter: string, without: number) =>
      Date.parse(parameterOf(body, parameter)?.value?.replace(' ', 'T') ?? '') || without;
    const [readFrom, until] = [moment('window_from', 0), moment('window_until', 0)];
    const read = days.filter((day) => day + dayMs > readFrom || day < until);
    bytes += bytesOf(read, now);
    runs += 1;
    running += 1;
    const list = parameterOf(body, 'shared_tenants')?.arrayValues?.map(({ value }) => value);
    const own = chart.columns.map((column, index) => ({
      name: column,
      type: index > 0 ? 'INTEGER' : name.startsWith('usage') ? 'DATETIME' : 'TIMESTAMP',
      mode: 'NULLABLE',
    }));
    const added = [
      { name: 'shared_tenant', type: 'STRING', mode: 'NULLABLE' },
      { name: 'shared_rank', type: 'INTEGER', mode: 'NULLABLE' },
    ];
    const cellsOf = (day: number) =>
      chart.columns.map((_, index) => ({
        v:
          index > 0
            ? '1'
            : name.startsWith('usage')
              ? new Date(day).toISOString().slice(0, 19)
              : `${day * 1000}`,
      }));
    const rows =
      list === undefined
        ? read.map((day) => ({ f: cellsOf(day) }))
        : list
            .toSorted()
            .flatMap((tenant) =>
              read.map((day, rank) => ({ f: [{ v: tenant }, { v: `${rank + 1}` }, ...cellsOf(day)] })),
            );
    const fields = list === undefined ? own : [...added, ...own];
    setImmediate(() => {
      running -= 1;
      reply({ ...completeBody(), schema: { fields }, rows, totalRows: String(rows.length) })(
        response,
        received,
        at,
      );
    });
  };
  fake.respondWith(respond);
  const keys = writeKeyFile({ all: { tenants } });
  const app = await openTestApp(
    {},
    {
      ...{
        ENGINE: 'bigquery',
        BIGQUERY_PROJECT: 'our-project',
        BIGQUERY_DATASET: 'logs',
        BIGQUERY_START_CHECK: 'off',
      },
      ...{
        BIGQUERY_API_ENDPOINT: fake.endpoint,
        ENGINE_CONCURRENCY: '64',
        ENGINE_QUEUE_LENGTH: '1000',
        API_KEYS_FILE: keys.path,
      },
    },
    { clock: clock.now, options: { after: clock.after, plugins: forms[form].map((plugin) => plugin()) } },
  );
  const idle = async () => {
    do await sleep(20);
    while (running > 0);
  };
  const requestAll = async () => {
    const paths = Object.entries(charts).flatMap(([name, { interval }]) =>
      tenants.map((tenant) => `/api/endpoints/query/${name}?interval=${interval}&project=${tenant}`),
    );
    for (const path of paths) {
      const response = await app.fetch(path, { headers: { 'x-api-key': keys.keyOf('all') } });
      if (response.status !== 200) throw new Error(await response.text());
    }
  };
  // Everything that is derived is there, and all results are cached.
  await sleep(500);
  await requestAll();
  await clock.pass(1_000);
  await idle();
  bytes = 0;
  runs = 0;
  for (let wave = 0; wave < waves; wave += 1) {
    // The requests before are forgotten.
    fake.respondWith(respond);
    await clock.pass(intervalMs - 10_000);
    for (let step = 0; step < 20; step += 1) {
      await clock.pass(500);
      await idle();
    }
    // Often enough for keys to stay warm.
    if (wave % 2 === 0) await requestAll();
  }
  await app.close();
  await fake.close();
  keys.remove();
  return { form, bytes, runs };
}

test(`refreshes of ${tenantCount} tenants bill at most 1, 1/3.5, 1/150 and 1/500 with nothing, increments, shared runs and both`, async () => {
  const billed = await Promise.all((Object.keys(forms) as Form[]).map(billedBytes));
  const [nothing] = billed;
  const table = billed.map((one) => ({ ...one, part: (nothing?.bytes ?? 0) / one.bytes }));
  process.stdout.write(`\n${table.map((line) => JSON.stringify(line)).join('\n')}\n`);
  expect(nothing?.runs).toBeGreaterThanOrEqual(2 * tenantCount * (waves - 1));
  const [, byIncrements = 0, byShared = 0, byBoth = 0] = table.map(({ part }) => part);
  expect(byIncrements).toBeGreaterThanOrEqual(3.5);
  // For 200 tenants it is 150 and 500.
  expect(byShared).toBeGreaterThanOrEqual(0.75 * tenantCount);
  expect(byBoth).toBeGreaterThanOrEqual(2.5 * tenantCount);
}, 3_600_000);
