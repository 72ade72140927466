import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { parameterOf } from '../../support/billing-app.ts';
import { openCommandHost } from '../../support/command-host.ts';
import { completeBody, type FakeBigquery, reply, startFakeBigquery } from '../../support/fake-bigquery.ts';
import { type Draft, queryText } from '../../support/queries.ts';

const querygate = openCommandHost();

const gigabyte = 2 ** 30;

const chartFields = [
  { name: 'b', type: 'TIMESTAMP', mode: 'NULLABLE' },
  { name: 'n', type: 'INTEGER', mode: 'NULLABLE' },
];

let fake: FakeBigquery;
let folder: string;
/** Of a dry run, by its values. */
let bytesOf: (value: (name: string) => string | undefined) => number;
let partitioning: unknown;

beforeAll(async () => {
  fake = await startFakeBigquery();
});
afterAll(() => fake.close());
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'querygate-test-'));
  partitioning = { type: 'DAY', field: 'ts' };
  bytesOf = () => gigabyte;
  fake.respondWith((response, received, at) =>
    reply(
      received.method === 'GET'
        ? { timePartitioning: partitioning }
        : completeBody([], {
            ...(String(received.body.query).includes(' as b,') && { schema: { fields: chartFields } }),
            totalBytesProcessed: String(bytesOf((name) => parameterOf(received.body, name))),
          }),
    )(response, received, at),
  );
  return () => rmSync(folder, { recursive: true });
});

const parameters = {
  project: '{ type: string, description: The project., tenant: true, required: true, example: a }',
  span: '{ type: enum, enum: Span, description: The window., default: day, example: hour, values: { hour: { name: HOUR, description: One. }, day: { name: DAY, description: One. }, week: { name: WEEK, description: One. } } }',
};

const bound = `case @span
  when 'hour' then timestamp_sub(current_timestamp(), interval 1 hour)
  when 'week' then timestamp_trunc(timestamp_sub(current_timestamp(), interval 7 day), day)
  else timestamp_trunc(timestamp_sub(current_timestamp(), interval 1 day), hour) end`;

function write(
  name: string,
  { header = [], ...draft }: Partial<Draft> & { header?: readonly string[] } = {},
) {
  const text = queryText({
    columns: { x: 'integer' },
    parameters,
    sql: `select x from numbers where project = @project and ts >= ${bound}`,
    caching: ['caching: 900s', 'cache_warming: 300s'],
    ...draft,
    name,
  });
  writeFileSync(join(folder, `${name}.sql`), text.replace('columns:', [...header, 'columns:'].join('\n')));
}

/** A chart by day of the last seven, over a table whose rows all have a time. */
function writeChart(name: string, header: readonly string[] = [], order = 'order by b') {
  mkdirSync(join(folder, 'tables'), { recursive: true });
  const fields = [
    { name: 'ts', type: 'TIMESTAMP', mode: 'REQUIRED' },
    { name: 'project', type: 'STRING', mode: 'REQUIRED' },
  ];
  writeFileSync(join(folder, 'tables', 'events.json'), JSON.stringify(fields));
  const isPlain = header.includes('incremental: false');
  write(name, {
    ...{ columns: { b: 'timestamp', n: 'integer' }, parameters: { project: parameters.project } },
    header: [...(isPlain ? [] : ['incremental: true', 'late: 10m', 'reconcile: 6h']), ...header],
    sql: `select timestamp_trunc(ts, day) as b, count(*) as n from events where project = @project
      and ts >= timestamp_sub(current_timestamp(), interval 7 day) group by b ${order}`,
  });
}

/** How many partitions of a day a dry run of it reads. */
function partitionsRead(value: (name: string) => string | undefined): number {
  const [from, until, now] = ['from', 'until', 'now'].map((name) => value(`window_${name}`));
  if (from === undefined || until === undefined || now === undefined) return 8;
  const day = 86_400_000;
  const first = Math.floor(Date.parse(now) / day) - 7;
  const days = Array.from({ length: 8 }, (_, at) => (first + at) * day);
  return days.filter((at) => at + day > Date.parse(from) || at < Date.parse(until)).length;
}

const check = (...args: string[]) =>
  querygate(['check', '--engine', 'bigquery', ...args], {
    QUERIES_DIR: folder,
    BIGQUERY_PROJECT: 'our-project',
    BIGQUERY_DATASET: 'logs',
    BIGQUERY_API_ENDPOINT: fake.endpoint,
  });

describe('check with an engine that reports bytes', () => {
  test('forecasts what a run, a day and a month cost, for the examples, for warm values and for tenants', async () => {
    const warm = ['batch: off', 'warm:', '  - { project: a, span: week }', '  - { project: b }'];
    write('numbers', { header: warm });
    bytesOf = (value) => (value('span') === 'week' ? 8 : 1) * gigabyte;
    const { exitCode, output, errors } = await check('--tenants', '200');
    expect(errors).toBe('');
    expect(exitCode).toBe(0);
    expect(output.split('\n').slice(0, 5)).toEqual([
      'numbers would read 1,073,741,824 bytes',
      '  example (project=a; span=hour): 1,073,741,824 bytes a run, 288 runs a day while warm: 9,277,129,359,360 bytes and 52.73 USD a month',
      '  warm (project=a; span=week): 8,589,934,592 bytes a run, 288 runs a day while warm: 74,217,034,874,880 bytes and 421.88 USD a month',
      '  warm (project=b; span=day): 1,073,741,824 bytes a run, 288 runs a day while warm: 9,277,129,359,360 bytes and 52.73 USD a month',
      '  for 200 tenants: 16,698,832,846,848,000 bytes and 94,921.88 USD a month',
    ]);
  });

  test('one run for many tenants costs as much as one', async () => {
    const sql = 'select x from numbers where project = @project order by x';
    write('numbers', { parameters: { project: parameters.project }, sql });
    const { output } = await check('--tenants', '200', '--maximum-usd-per-month', '53');
    expect(output).toContain('for 200 tenants in one run: 9,277,129,359,360 bytes and 52.73 USD a month');
  });

  test('values that are warm for several tenants are of one run, or of one for each tenant', async () => {
    const header = ['warm: [{ project: a }, { project: b }]'];
    const sql = 'select x from numbers where project = @project order by x';
    write('shared', { header, parameters: { project: parameters.project }, sql });
    write('alone', { header: ['batch: off', ...header], parameters: { project: parameters.project }, sql });
    const months = async (...args: string[]) =>
      (await check(...args)).output.match(/(?<=(?:for .*|together): .*bytes and ).* USD/g);
    expect(await months()).toEqual(['105.47 USD', '52.73 USD']);
    expect(await months('--tenants', '2')).toEqual(['105.47 USD', '52.73 USD']);
    expect(await months('--tenants', '3')).toEqual(['158.20 USD', '52.73 USD']);
  });

  test('names the runs while a client follows it, if they are more', async () => {
    write('numbers', { caching: ['caching: 900s', 'cache_warming: 300s', 'live: 5s'] });
    write('seldom', { caching: ['caching: 900s', 'cache_warming: 300s', 'live: 300s'] });
    const { output } = await check();
    expect(output.split('\n').filter((line) => line.includes('follows'))).toEqual([
      '  17,280 runs a day while a client follows it: 556,627,761,561,600 bytes and 3,164.06 USD a month',
    ]);
  });

  test('a limit fails it, in words, in JSON and as an annotation', async () => {
    write('numbers', { header: ['batch: off'] });
    write('cheap', { header: ['batch: off'] });
    bytesOf = () => gigabyte;
    const message = 'numbers would cost 52.73 USD a month while warm; at most 52 are allowed';
    const text = await check('--maximum-usd-per-month', '52');
    expect(text.exitCode).toBe(1);
    expect(text.errors).toContain('numbers.sql');
    expect(text.errors).toContain(message.replace('52 are', '52.00 USD are'));
    const json = await check('--maximum-usd-per-month', '52', '--json', '--github');
    expect(json.exitCode).toBe(1);
    const { valid, problems, queries } = JSON.parse(json.output);
    expect(valid).toBe(false);
    expect(problems.map((one: { message: string }) => one.message)).toContain(
      message.replace('52 are', '52.00 USD are'),
    );
    expect(queries[0].forecast).toMatchObject({
      runs: [{ parameters: { span: 'hour' }, bytesBilled: gigabyte, runsPerDay: 288 }],
      tenants: 1,
    });
    expect(json.errors).toContain('::error');
    expect((await check('--maximum-usd-per-month', '53')).exitCode).toBe(0);
    expect((await check('--maximum-usd-per-month', '53', '--tenants', '2')).exitCode).toBe(1);
  });

  test('bills are rounded up for each table, also those of views', async () => {
    write('numbers', {
      parameters: { project: parameters.project },
      caching: ['caching: 60s'],
      sql: `with v as (select x from more where project = @project)
        select n.x from v join numbers as n on n.x = v.x where n.project = @project`,
    });
    bytesOf = () => 1;
    expect((await check()).output).toContain(
      '20,971,520 bytes a run, 1,440 runs a day while warm: 905,969,664,000 bytes and 5.15 USD a month',
    );
  });

  test('without a cache each request is a run, and bytes in a reservation cost no money', async () => {
    write('uncached', { caching: ['caching: disabled'] });
    write('reserved', { header: ['reservation: projects/p/locations/EU/reservations/r'] });
    const { output, exitCode } = await check('--maximum-usd-per-month', '0');
    expect(exitCode).toBe(0);
    expect(output).toContain('1,073,741,824 bytes a run, each request is a run');
    expect(output).toContain('9,277,129,359,360 bytes a month in a reservation');
  });

  test('names each window that is within a partition, and no other', async () => {
    write('numbers');
    const notes = async () => (await check()).output.split('\n').filter((line) => line.includes('partition'));
    expect(await notes()).toEqual([
      '  span=hour: window 1 hour, partition 1 day: a refresh of what has changed saves nothing',
      '  span=day: window 1 day, partition 1 day: a refresh of what has changed saves nothing',
    ]);
    partitioning = { type: 'HOUR', field: 'ts' };
    expect(await notes()).toEqual([
      '  span=hour: window 1 hour, partition 1 hour: a refresh of what has changed saves nothing',
    ]);
    partitioning = undefined;
    expect(await notes()).toEqual([]);
  });

  test.each([
    ['CAST(n.ts AS TIMESTAMP)', "cast(n.ts as timestamp) >= timestamp '2026-01-01'", true],
    ['CAST at the right', "timestamp '2026-01-01' < cast(ts as timestamp)", true],
    ['arithmetic', "timestamp_add(ts, interval 1 day) >= timestamp '2026-01-01'", true],
    ['BETWEEN', "cast(ts as date) between date '2026-01-01' and current_date()", true],
    ['TIMESTAMP(ts)', "timestamp(ts) >= timestamp '2026-01-01'", false],
    ['a truncation', "timestamp_trunc(ts, day) >= timestamp '2026-01-01'", false],
    [
      'another condition that prunes',
      "cast(ts as timestamp) > timestamp '2026-01-01' and ts > timestamp '2026-01-01'",
      false,
    ],
    ['another column', "cast(x as timestamp) > timestamp '2026-01-01'", false],
  ])('%s around the column of partitions is named if it cannot prune', async (_, condition, isNamed) => {
    write('numbers', {
      parameters: { project: parameters.project },
      sql: `select x from numbers as n where n.project = @project and ${condition}`,
    });
    const { output } = await check();
    expect(output.includes('BigQuery does not prune partitions by ts in it')).toBe(isNamed);
  });

  test('a refresh of an incremental query costs what it reads of partitions that have changed, with a full run beside it', async () => {
    writeChart('chart', ['warm: [{ project: b }]']);
    bytesOf = (value) => partitionsRead(value) * gigabyte;
    const { output, errors } = await check('--tenants', '200');
    expect(errors).toBe('');
    // 284 refreshes of the two partitions at the ends of the window, and 4 of all.
    const run =
      '2,147,483,648 bytes a refresh of what has changed and 8,589,934,592 bytes a full run, 288 runs a day while warm, 4 of them full: 19,327,352,832,000 bytes and 109.86 USD a month';
    expect(output).toContain(`  example (project=a): ${run}\n  warm (project=b): ${run}\n`);
    expect(output).toContain('  for 200 tenants in one run: 19,327,352,832,000 bytes and 109.86 USD a month');
    const { queries } = JSON.parse((await check('--json')).output);
    expect(queries[0].forecast.runs[0]).toMatchObject({
      bytesBilled: 8 * gigabyte,
      increments: { bytesBilled: 2 * gigabyte, runsPerDay: 284 },
    });
    expect((await check('--maximum-usd-per-month', '110')).exitCode).toBe(0);
    expect((await check('--maximum-usd-per-month', '109')).exitCode).toBe(1);
  });

  test('a query that is not proved to be incremental, or says nothing of it, is forecast as before', async () => {
    writeChart('limited', [], 'order by b limit 5');
    writeChart('plain', ['incremental: false']);
    bytesOf = () => 8 * gigabyte;
    const { output } = await check();
    expect(output).not.toContain('a refresh of what has changed and');
    expect(output.match(/8,589,934,592 bytes a run, 288 runs a day/g)).toHaveLength(2);
  });

  test('options that are wrong, and a limit without bytes, are refused', async () => {
    write('numbers');
    expect((await check('--maximum-usd-per-month', '5EUR')).errors).toContain(
      '--maximum-usd-per-month: got "5EUR"; must be a number',
    );
    expect((await check('--tenants', '0')).errors).toContain('--tenants: got "0"; must be a whole number');
    for (const option of ['--maximum-usd-per-month', '--maximum-bytes', '--tenants']) {
      const { exitCode, errors } = await querygate(['check', option, '5']);
      const refused = expect.stringContaining(`${option}: duckdb reports no bytes, as BigQuery does`);
      expect([exitCode, errors]).toEqual([1, refused]);
    }
  });
});
