import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { sharedRuns } from '../../../src/plugins/shared-runs/shared-runs.ts';
import { fakeClock } from '../../support/fake-clock.ts';
import { completeBody, type Received, reply, startFakeBigquery } from '../../support/fake-bigquery.ts';
import { writeKeyFile } from '../../support/key-files.ts';
import { isNightly } from '../../support/nightly.ts';
import { openTestApp } from '../../support/test-app.ts';

/** At night a whole day of 200 tenants; otherwise, the proportion is that of the tenants. */
const [tenantCount, waves] = isNightly ? [200, 288] : [20, 3];
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

/** What BigQuery bills for the one table of a chart: whole partitions, rounded up to a megabyte, and ten at least. */
function roundedUp(from: number, to: number): number {
  const partitions = Math.floor(to / dayMs) - Math.floor(from / dayMs) + 1;
  return Math.max(10, Math.ceil((partitions * bytesOfDay) / megabyte)) * megabyte;
}

/** The bytes that BigQuery bills for the refreshes of a time, of the charts with a window of seven days. */
async function billedBytes(isShared: boolean): Promise<{ readonly bytes: number; readonly runs: number }> {
  const fake = await startFakeBigquery();
  const clock = fakeClock('2026-03-10T12:00:00Z');
  let bytes = 0;
  let runs = 0;
  let running = 0;
  fake.respondWith((response, received, at) => {
    const { body } = received;
    const endpoint = (body.labels as { endpoint: string }).endpoint;
    const [name, chart] = Object.entries(charts).find(([one]) => one.replace('.', '_') === endpoint) ?? [
      '',
      charts['usage.api-counts'],
    ];
    // Both windows begin seven days ago; that of the first chart at the beginning of that day.
    const from = clock.now().getTime() - 7 * 86_400_000;
    bytes += roundedUp(from, clock.now().getTime());
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
    const cells = chart.columns.map((_, index) => ({
      v: index > 0 ? '1' : name.startsWith('usage') ? '2026-03-10T00:00:00' : '1773100800000000',
    }));
    const rows =
      list === undefined
        ? [{ f: cells }]
        : list.toSorted().map((tenant) => ({ f: [{ v: tenant }, { v: '1' }, ...cells] }));
    const fields = list === undefined ? own : [...added, ...own];
    setImmediate(() => {
      running -= 1;
      reply({ ...completeBody(), schema: { fields }, rows, totalRows: String(rows.length) })(
        response,
        received,
        at,
      );
    });
  });
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
    { clock: clock.now, options: { after: clock.after, plugins: isShared ? [sharedRuns()] : [] } },
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
    await clock.pass(intervalMs - 10_000);
    for (let step = 0; step < 40; step += 1) {
      await clock.pass(250);
      await idle();
    }
    await requestAll();
  }
  await app.close();
  await fake.close();
  keys.remove();
  return { bytes, runs };
}

test(`refreshes of ${tenantCount} tenants bill at most 1/${0.75 * tenantCount} of runs for each tenant`, async () => {
  const alone = await billedBytes(false);
  const shared = await billedBytes(true);
  expect(alone.runs).toBeGreaterThanOrEqual(2 * tenantCount * (waves - 1));
  // For 200 tenants it is 150.
  expect(alone.bytes / shared.bytes).toBeGreaterThanOrEqual(0.75 * tenantCount);
}, 3_600_000);
