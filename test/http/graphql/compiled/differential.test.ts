import { hash } from 'node:crypto';
import fc from 'fast-check';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { Closers } from '../../../../src/concurrency/closers.ts';
import type { BoundQuery } from '../../../../src/catalog/binding/bind.ts';
import type { Catalog } from '../../../../src/catalog/model/saved-query.ts';
import { LoopTurns } from '../../../../src/concurrency/loop-turns.ts';
import { GatewayError } from '../../../../src/errors.ts';
import { buildAnswerCompiled } from '../../../../src/http/graphql/compiled/answer-compiled.ts';
import { buildDerivedCache } from '../../../../src/http/graphql/compiled/derived-cache.ts';
import { buildReadOperationRequest } from '../../../../src/http/graphql/compiled/operation-request.ts';
import { buildCheckDocument } from '../../../../src/http/graphql/document/check-document.ts';
import { buildAutomaticDocuments } from '../../../../src/http/graphql/persisted/automatic.ts';
import { buildSchema } from '../../../../src/http/graphql/schema/schema.ts';
import { buildAnswerWithYoga } from '../../../../src/http/graphql/yoga.ts';
import { ByteBudget } from '../../../../src/http/message/byte-budget.ts';
import type { RequestHead } from '../../../../src/http/message/head.ts';
import type { Reply } from '../../../../src/http/message/reply.ts';
import type { Admission } from '../../../../src/call/caller.ts';
import type { Schedule } from '../../../../src/keys/concurrency-limiter.ts';
import { type Principal, unrestricted } from '../../../../src/keys/principal.ts';
import { zeroCounters } from '../../../../src/results/counters.ts';
import type { CachedResult, CacheStatus, GetResult } from '../../../../src/results/get-result.ts';
import { openResultStore } from '../../../../src/results/result-store.ts';
import { buildDocument } from '../../../../src/results/result-document.ts';
import { openReadRows } from '../../../../src/row-arguments/row-reader.ts';
import { buildPageOfResult } from '../../../../src/row-pages/page-of-result.ts';
import { randomCatalog, randomRows } from '../../../support/random-catalog.ts';
import { randomOperation } from '../../../support/random-operation.ts';
import { runTime } from '../../../support/run-time.ts';
import { openCalls } from '../../../support/calls.ts';

/** Operations in one run; `DIFFERENTIAL_OPERATIONS=20000 npx vitest run differential` for a long one. */
const operationCount = Number(process.env.DIFFERENTIAL_OPERATIONS ?? 300);
const operationsPerCatalog = 20;

const statuses: readonly CacheStatus[] = ['HIT', 'STALE', 'MISS', 'SHARED', 'BYPASS'];
const computedAt = 1_773_146_096_789;
const now = () => new Date(computedAt + 5_500);
const log = pino({ level: 'silent' });
/** Some of the responses are rendered in pieces. */
const largeBytes = 300;

const scenario = randomCatalog.chain((catalog) =>
  fc.record({
    catalog: fc.constant(catalog),
    rows: fc.tuple(...catalog.queries.map(randomRows)),
    operations: fc.array(randomOperation(catalog), {
      minLength: operationsPerCatalog,
      maxLength: operationsPerCatalog,
    }),
    cost: fc.option(
      fc.record({ bytesProcessed: fc.nat(), jobId: fc.option(fc.string(), { nil: undefined }) }),
      {
        nil: undefined,
      },
    ),
    status: fc.constantFrom(...statuses),
    /** How many of the catalog's queries the key may use. */
    endpoints: fc.option(fc.nat({ max: 2 }), { nil: undefined }),
    accept: fc.constantFrom(
      undefined,
      '*/*',
      'application/json',
      'application/graphql-response+json',
      'application/graphql-response+json, application/json;q=0.9',
      'text/html, application/*',
    ),
  }),
);

/** The parameter `p` chooses the fault: `fail` fails for good, `busy` says when to try again. */
const faults: Readonly<Record<string, () => Error>> = {
  fail: () => new GatewayError('ENGINE_FAILED', 'The query failed'),
  busy: () => new GatewayError('RATE_LIMITED', 'Too many', { retryAfterSeconds: 2 }),
  bug: () => new TypeError('a bug'),
};

/** How requests arrive, in turn: their method, and whether they name their document by its hash. */
const transports = [
  { method: 'GET', byHash: false },
  { method: 'POST', byHash: false },
  { method: 'GET', byHash: true },
  { method: 'POST', byHash: true },
] as const;

/** How many queries of a request the key's concurrency admits, in turn. */
const admissions = [undefined, 0, 1] as const;

/** The schedule of one request, which refuses further queries. */
function scheduleOf(admitted: number | undefined): Schedule {
  let count = 0;
  return (work) => {
    count += 1;
    if (admitted !== undefined && count > admitted) {
      throw new GatewayError('RATE_LIMITED', 'All in use', { retryAfterSeconds: 1 });
    }
    return work();
  };
}

/** A request with its document, or with its hash in place of it. */
function requestOf(
  { query, variables }: { readonly query: string; readonly variables: object },
  { method, byHash }: (typeof transports)[number],
) {
  const persistedQuery = { version: 1, sha256Hash: hash('sha256', query) };
  const members = byHash ? { extensions: { persistedQuery }, variables } : { query, variables };
  const texts = Object.entries(members).map(([name, value]) => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  const search = method === 'GET' ? `?${new URLSearchParams(texts)}` : '';
  return {
    url: new URL(`http://gateway.test/graphql${search}`),
    body: method === 'GET' ? undefined : Buffer.from(JSON.stringify(members)),
    toStore: { query, extensions: { persistedQuery } },
  };
}

/** What a response is an example of. */
function kindOf({ status, body }: Reply): string {
  const { data, errors } = JSON.parse(String(body)) as { data: object; errors?: unknown };
  if (status !== 200) return String(status);
  if (errors === undefined) return 'complete';
  return Object.values(data).some((field) => field !== null) ? 'partly refused' : 'refused';
}

async function getResultOf(
  { queries }: Catalog,
  rows: readonly (readonly string[])[],
  cost: object | undefined,
  cacheStatus: CacheStatus,
): Promise<GetResult> {
  const results = new Map<string, CachedResult>();
  for (const [at, { id }] of queries.entries()) {
    const content = { rows: rows[at] ?? [], truncated: at === 1, ...(cost && { cost: cost as never }) };
    const document = await buildDocument(content, runTime(computedAt));
    results.set(id, {
      document,
      caching: { ttlSeconds: 60, warmingSeconds: 20, staleIfErrorSeconds: 30 },
      cacheStatus,
      obtainedAt: now().getTime(),
    });
  }
  return async ({ query, parameters }: BoundQuery) => {
    const fault = faults[String(parameters.p ?? '')];
    const result = results.get(query.id);
    if (fault !== undefined || result === undefined) throw fault?.() ?? new Error('no such query');
    return result;
  };
}

/** Errors of fields that run side by side have no order. */
function comparable({ status, headers, body }: Reply): unknown {
  const text = Buffer.from((body ?? '') as string).toString();
  const parsed = JSON.parse(text) as { errors?: { path?: unknown }[] };
  if ((parsed.errors?.length ?? 0) < 2) return { status, headers: sorted(headers), text };
  const errors = parsed.errors?.map((error) => JSON.stringify(error)).sort();
  return { status, headers: sorted(headers), keys: Object.keys(parsed), body: { ...parsed, errors } };
}

const sorted = (headers: Reply['headers']) => Object.fromEntries(Object.entries(headers).sort());

test('a compiled operation is answered and reported as Yoga does it, byte for byte', async () => {
  let compiledCount = 0;
  const kinds = new Set<string>();
  let ofRecordsCount = 0;
  const property = fc.asyncProperty(scenario, async (given) => {
    const { catalog, rows, operations, cost, status, endpoints, accept } = given;
    const schema = buildSchema(catalog);
    const checkDocument = buildCheckDocument(schema, true);
    const turns = new LoopTurns();
    const getResult = await getResultOf(catalog, rows, cost, status);
    const persisted = buildAutomaticDocuments();
    const read = buildReadOperationRequest(schema, catalog, checkDocument, persisted, turns);
    let audited: string[] = [];
    const audit = (error: unknown) => void audited.push(String(error));
    const load = { budget: new ByteBudget(undefined, largeBytes), turns, audit };
    const memory = openResultStore(100_000, zeroCounters());
    const readRows = openReadRows({ derived: memory.derived, turns, timeoutMs: 30_000 }, new Closers());
    const calls = openCalls(getResult, { turns, audit, now });
    const compiled = buildAnswerCompiled({
      ...calls,
      readRows,
      derived: buildDerivedCache(memory.derived),
      ...load,
      log,
    });
    const yoga = buildAnswerWithYoga({
      schema,
      checkDocument,
      persisted,
      ...calls,
      readRows,
      pageOfResult: buildPageOfResult({ derived: memory.derived, turns }),
      ...load,
      log,
      now,
      elapsedMs: () => now().getTime(),
    });
    const allowed = new Set(catalog.queries.slice(0, endpoints).map(({ id }) => id));
    const principal: Principal = {
      ...unrestricted('test'),
      endpoints: endpoints === undefined ? undefined : allowed,
    };
    const { signal } = new AbortController();

    for (const [at, operation] of operations.entries()) {
      const transport = transports[at % transports.length] ?? transports[0];
      const { method } = transport;
      const { url, body, toStore } = requestOf(operation, transport);
      persisted.documentOf(toStore, 'test');
      const newAdmission = (): Admission => ({
        principal,
        noCache: false,
        schedule: scheduleOf(admissions[at % admissions.length]),
      });
      const head: RequestHead = { method, url: url.href, headers: { accept }, address: undefined, signal };
      const { compiled: request } = await read(url, body, 'test');
      if (request === undefined) continue;
      compiledCount += 1;
      if (request.fields.some(({ writer }) => writer.selected.length > 0)) ofRecordsCount += 1;
      audited = [];
      const expected = await yoga({ head, url, body, admission: newAdmission() });
      const reported = audited.sort();
      kinds.add(kindOf(expected));
      // The third answer is the one that was kept.
      for (let round = 0; round < 3; round += 1) {
        audited = [];
        const reply = await compiled(
          (await read(url, body, 'test')).compiled ?? request,
          head,
          newAdmission(),
        );
        if (reply === undefined) expect(String(expected.body)).toContain('"errors"');
        else expect(comparable(reply), operation.query).toEqual(comparable(expected));
        expect(audited.sort()).toEqual(reported);
      }
    }
  });
  await fc.assert(property, { numRuns: Math.ceil(operationCount / operationsPerCatalog) });
  expect(compiledCount).toBeGreaterThan(operationCount / 8);
  expect([...kinds].sort()).toEqual(['429', 'complete', 'partly refused', 'refused']);
  expect(ofRecordsCount).toBeGreaterThan(operationCount / 200);
}, 1_200_000);
