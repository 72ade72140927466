import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Emulator, skipsEmulator, startEmulator } from '../support/bigquery-emulator.ts';
import { type GatewayProcess, startGateway } from '../support/gateway-process.ts';
import { expectRows } from './compare-rows.ts';
import { project, sandboxedQueries } from './demo-gateway.ts';
import { type DemoTables, openDemoTables } from './demo-tables.ts';
import { type Case, studioCases } from './studio/cases.ts';
import { streams } from './studio/log-pages.ts';
import { studioReply } from './studio/server-route.ts';
import { isNightly } from '../support/nightly.ts';

const key = 'a-key-for-tests-only';
const minutes = 15;

/** What the emulator cannot do, and BigQuery can. */
const unsupported: Readonly<Record<string, string>> = {
  'report: auth usage': 'JSON_VALUE with a path into an array, JSON_QUERY compared with a STRING',
  'report: auth latency': 'JSON_VALUE with a path into an array',
  'schema changes': 'array[0] without OFFSET',
};

/** Each query takes the emulator a tenth of a second: lists have every filter, counts and charts none. */
const runsHere = ({ name, kind }: Case) =>
  unsupported[name] === undefined && (!['count', 'chart'].includes(kind) || name.endsWith(' {}'));

// A few rows of the demo: the emulator stores them one by one. The filters are those of the whole demo.
describe.skipIf(skipsEmulator)("Studio's statements on bigquery-emulator", () => {
  const end = new Date();
  const queries = sandboxedQueries();
  let emulator: Emulator;
  let tables: DemoTables;
  let gateway: GatewayProcess;

  beforeAll(async () => {
    tables = await openDemoTables(new Date(end.getTime() - minutes * 60_000), new Date(end.getTime() + 1));
    emulator = await startEmulator();
    const rows = await Promise.all(
      streams.map(async (stream) => [stream, await tables.rows(`FROM ${stream}`)] as const),
    );
    gateway = await startGateway({
      ENGINE: 'bigquery',
      API_KEY: key,
      QUERIES_DIR: queries,
      BIGQUERY_PROJECT: emulator.project,
      BIGQUERY_DATASET: await emulator.seed(Object.fromEntries(rows)),
      BIGQUERY_API_ENDPOINT: emulator.endpoint,
      BIGQUERY_START_CHECK: 'off',
    });
  });
  afterAll(async () => {
    await gateway?.end();
    await emulator?.close();
    tables?.close();
    rmSync(queries, { recursive: true });
  });

  const cases = studioCases({ functionId: '3f2a9c1e-5b7d-4e8f-9a6b-1c2d3e4f5a6b', shortHours: minutes / 60 });
  const tried = cases.filter(runsHere).filter((_, at) => isNightly || at % 12 === 0);
  test.each(tried.map((one) => [one.name, one] as const))(
    'gives the expected rows: %s',
    async (_, { build, hours }) => {
      const window = { project, start: new Date(end.getTime() - hours * 3_600_000), end };
      const { sql, parameters, expected } = await build(tables, window);
      const { body } = await studioReply({ origin: gateway.origin, key }, 'logs.all', project, {
        ...parameters,
        sql,
      });
      if (body.result === undefined) throw new Error(`${body.error?.message}\n${sql}`);
      expectRows(body.result, expected);
    },
  );

  test('what the emulator cannot do is among the statements', () => {
    expect(cases.map(({ name }) => name)).toEqual(expect.arrayContaining(Object.keys(unsupported)));
  });
});
