import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach } from 'vitest';
import {
  completeBody,
  errorReply,
  type FakeBigquery,
  type Received,
  reply,
  startFakeBigquery,
} from './fake-bigquery.ts';
import { type Draft, queryText } from './queries.ts';
import { openTestApp, type TestApp, type TestAppOptions } from './test-app.ts';

/** What one run costs. */
export interface Bill {
  readonly bytes: number;
  readonly slotMs?: number;
  /** Of a dry run; default: the bytes. */
  readonly estimate?: number;
  /** How long it takes. */
  readonly ms?: number;
}

/** A BigQuery that bills. */
export interface Billing {
  readonly fake: FakeBigquery;
  /** The bills of all runs so far. */
  readonly billed: readonly Bill[];
  /** How many bytes they are. */
  sum(): number;
  /** Runs and dry runs, as they came. */
  readonly bodies: Received['body'][];
  close(): Promise<void>;
}

/** @param billOf the bill of a request: of its parameters, for example */
export async function startBilling(billOf: (body: Received['body']) => Bill): Promise<Billing> {
  const fake = await startFakeBigquery();
  const billed: Bill[] = [];
  const bodies: Received['body'][] = [];
  fake.respondWith((response, received, at) => {
    const { body } = received;
    if (received.path !== '/queries') return errorReply(404, 'notFound')(response, received, at);
    const bill = billOf(body);
    const { bytes, slotMs = 30, estimate = bytes, ms = 0 } = bill;
    bodies.push(body);
    if (body.dryRun === true)
      return reply(completeBody([], { totalBytesProcessed: String(estimate) }))(response, received, at);
    // As BigQuery does: by what it expects before it reads anything, and no run is billed more.
    if (Number(body.maximumBytesBilled ?? Number.POSITIVE_INFINITY) < Math.max(estimate, bytes))
      return errorReply(400, 'bytesBilledLimitExceeded')(response, received, at);
    const cost = { totalBytesBilled: String(bytes), totalSlotMs: String(slotMs) };
    void sleep(ms).then(() => {
      billed.push(bill);
      reply(completeBody([1], cost))(response, received, at);
    });
  });
  return {
    fake,
    billed,
    sum: () => billed.reduce((sum, { bytes }) => sum + bytes, 0),
    bodies,
    close: () => fake.close(),
  };
}

export interface BillingQuery extends Partial<Draft> {
  /** Further lines of the header. */
  readonly header?: readonly string[];
}

/** A gateway over a BigQuery that bills, with saved queries of one column `x` by `project`, their tenant. */
export async function openBillingApp(
  { fake }: Billing,
  queries: Readonly<Record<string, BillingQuery>>,
  env: Record<string, string> = {},
  options: TestAppOptions = {},
): Promise<TestApp> {
  const folder = mkdtempSync(join(tmpdir(), 'querygate-test-'));
  for (const [name, { header = [], ...draft }] of Object.entries(queries)) {
    const text = queryText({
      columns: { x: 'integer' },
      parameters: {
        project: '{ type: string, description: The project., tenant: true, required: true, example: a }',
      },
      sql: 'select x from numbers where project = @project',
      ...draft,
      name,
    });
    writeFileSync(join(folder, `${name}.sql`), text.replace('columns:', [...header, 'columns:'].join('\n')));
  }
  const app = await openTestApp(
    {},
    {
      ENGINE: 'bigquery',
      QUERIES_DIR: folder,
      BIGQUERY_PROJECT: 'our-project',
      BIGQUERY_DATASET: 'logs',
      BIGQUERY_API_ENDPOINT: fake.endpoint,
      BIGQUERY_START_CHECK: 'off',
      ...env,
    },
    options,
  );
  return {
    ...app,
    async close() {
      await app.close();
      rmSync(folder, { recursive: true });
    },
  };
}

interface OpenedApps {
  opened(app: Promise<TestApp>): Promise<TestApp>;
  /** Closes them before the test has ended. */
  closeAll(): Promise<void>;
}

/** Closes after each test the gateways that it has opened, and then the BigQuery below them. */
export function closedAfterEach(billing: () => Billing): OpenedApps {
  const open: TestApp[] = [];
  const closeAll = async () => {
    for (const app of open.splice(0)) await app.close();
  };
  afterEach(async () => {
    await closeAll();
    await billing().close();
  });
  return {
    async opened(app) {
      open.push(await app);
      return app;
    },
    closeAll,
  };
}

/** The parameter of a run, by its name. */
export const parameterOf = (body: Received['body'], name: string): string | undefined =>
  (body.queryParameters as { name: string; parameterValue: { value?: string } }[] | undefined)?.find(
    (one) => one.name === name,
  )?.parameterValue.value;
