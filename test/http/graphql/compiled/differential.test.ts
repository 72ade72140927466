import fc from 'fast-check';
import { pino } from 'pino';
import { expect, test } from 'vitest';
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
import type { Admission } from '../../../../src/http/message/route.ts';
import { type Principal, unrestricted } from '../../../../src/keys/principal.ts';
import { zeroCounters } from '../../../../src/results/counters.ts';
import type { CachedResult, CacheStatus, GetResult } from '../../../../src/results/get-result.ts';
import { openMemoryStore } from '../../../../src/results/memory-store.ts';
import { buildDocument } from '../../../../src/results/result-document.ts';
import { randomCatalog, randomRows } from '../../../support/random-catalog.ts';
import { randomOperation } from '../../../support/random-operation.ts';

/** Operations in one run; `DIFFERENTIAL_OPERATIONS=20000 npx vitest run differential` for a long one. */
const operationCount = Number(process.env.DIFFERENTIAL_OPERATIONS ?? 1000);
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
    method: fc.constantFrom('GET', 'POST'),
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

async function getResultOf(
  { queries }: Catalog,
  rows: readonly (readonly string[])[],
  cost: object | undefined,
  cacheStatus: CacheStatus,
): Promise<GetResult> {
  const results = new Map<string, CachedResult>();
  for (const [at, { id }] of queries.entries()) {
    const content = { rows: rows[at] ?? [], truncated: at === 1, ...(cost && { cost: cost as never }) };
    const document = await buildDocument(content, computedAt);
    results.set(id, {
      document,
      caching: { ttlSeconds: 60, warmingSeconds: 20, staleIfErrorSeconds: 30 },
      cacheStatus,
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

test('a compiled operation is answered as Yoga answers it, byte for byte', async () => {
  let compiledCount = 0;
  let ofRecordsCount = 0;
  const property = fc.asyncProperty(scenario, async (given) => {
    const { catalog, rows, operations, cost, status, endpoints, method, accept } = given;
    const schema = buildSchema(catalog);
    const checkDocument = buildCheckDocument(schema, true);
    const turns = new LoopTurns();
    const getResult = await getResultOf(catalog, rows, cost, status);
    const persisted = buildAutomaticDocuments();
    const read = buildReadOperationRequest(schema, catalog, checkDocument, persisted, turns);
    const load = { budget: new ByteBudget(undefined, largeBytes), turns, audit: () => {} };
    const memory = openMemoryStore(100_000, zeroCounters());
    const compiled = buildAnswerCompiled({
      getResult,
      derived: buildDerivedCache(memory.derived),
      ...load,
      log,
      now,
    });
    const yoga = buildAnswerWithYoga({ schema, checkDocument, persisted, getResult, ...load, log, now });
    const allowed = new Set(catalog.queries.slice(0, endpoints).map(({ id }) => id));
    const principal: Principal = {
      ...unrestricted('test'),
      endpoints: endpoints === undefined ? undefined : allowed,
    };
    const admission: Admission = { principal, noCache: false, schedule: (work) => work() };
    const { signal } = new AbortController();

    for (const { query, variables } of operations) {
      const search = new URLSearchParams({ query, variables: JSON.stringify(variables) });
      const url = new URL(`http://gateway.test/graphql${method === 'GET' ? `?${search}` : ''}`);
      const body = method === 'GET' ? undefined : Buffer.from(JSON.stringify({ query, variables }));
      const head: RequestHead = { method, url: url.href, headers: { accept }, address: undefined, signal };
      const request = await read(url, body, 'test');
      if (request === undefined) continue;
      compiledCount += 1;
      if (request.fields.some(({ writer }) => writer.selected.length > 0)) ofRecordsCount += 1;
      const expected = await yoga({ head, url, body, admission });
      // The third answer is the one that was kept.
      for (let round = 0; round < 3; round += 1) {
        const reply = await compiled((await read(url, body, 'test')) ?? request, head, admission);
        if (reply === undefined) expect(String(expected.body)).toContain('"errors"');
        else expect(comparable(reply), query).toEqual(comparable(expected));
      }
    }
  });
  await fc.assert(property, { numRuns: Math.ceil(operationCount / operationsPerCatalog) });
  expect(compiledCount).toBeGreaterThan(operationCount / 4);
  expect(ofRecordsCount).toBeGreaterThan(operationCount / 50);
}, 1_200_000);
