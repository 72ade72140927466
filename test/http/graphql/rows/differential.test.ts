import { hash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Admission } from '../../../../src/call/caller.ts';
import type { BoundQuery } from '../../../../src/catalog/binding/bind.ts';
import { pageSizeParameter } from '../../../../src/catalog/model/page-forms.ts';
import type { Catalog } from '../../../../src/catalog/model/saved-query.ts';
import { GatewayError } from '../../../../src/errors.ts';
import { getOrAdd } from '../../../../src/get-or-add.ts';
import { tooLargeForObjects } from '../../../../src/http/graphql/errors.ts';
import type { RequestHead } from '../../../../src/http/message/head.ts';
import type { Reply } from '../../../../src/http/message/reply.ts';
import type { Schedule } from '../../../../src/keys/concurrency-limiter.ts';
import { type Principal, unrestricted } from '../../../../src/keys/principal.ts';
import type { CacheStatus, GetResult } from '../../../../src/results/get-result.ts';
import { buildDocument, type ResultDocument } from '../../../../src/results/result-document.ts';
import { openGraphqlServers } from '../../../support/graphql-servers.ts';
import { linkedCatalog, randomRows } from '../../../support/random-catalog.ts';
import { randomOperation } from '../../../support/random-operation.ts';
import { runTime } from '../../../support/run-time.ts';
import type { CurrentResults } from '../../../../src/results/current-results.ts';

/** Operations in one run; `DIFFERENTIAL_OPERATIONS=20000 npx vitest run differential` for a long one. */
const operationCount = Number(process.env.DIFFERENTIAL_OPERATIONS ?? 300);
const operationsPerCatalog = 20;

const statuses: readonly CacheStatus[] = ['HIT', 'STALE', 'MISS', 'SHARED', 'BYPASS'];
const computedAt = 1_773_146_096_789;
const now = () => new Date(computedAt + 5_500);

const scenario = linkedCatalog.chain((catalog) =>
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
function scheduleOf(admitted: number | undefined): Schedule | undefined {
  if (admitted === undefined) return undefined;
  let count = 0;
  return (work) => {
    count += 1;
    if (count > admitted) {
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

/** The rows of a query; of a page as many as its SQL would give. Those that a result was made of are in memory if it is a hit. */
function resultsOf(
  { queries }: Catalog,
  rows: readonly (readonly string[])[],
  cost: object | undefined,
  cacheStatus: CacheStatus,
): { readonly getResult: GetResult; readonly find: CurrentResults['find'] } {
  const documents = new Map<string, Promise<ResultDocument>>();
  const inMemory = new Map<BoundQuery['query'], ResultDocument>();
  const caching = {
    ttlSeconds: 60,
    warmingSeconds: 20,
    liveSeconds: undefined,
    staleIfErrorSeconds: 30,
  };
  const find: CurrentResults['find'] = ({ query, parameters }) => {
    const document = faults[String(parameters.p ?? '')] ? undefined : inMemory.get(query);
    return document && { document, caching, cacheStatus, obtainedAt: now().getTime() };
  };
  const getResult: GetResult = async ({ query, parameters }) => {
    const fault = faults[String(parameters.p ?? '')];
    const at = queries.findIndex(({ id }) => id === query.id);
    if (fault !== undefined || at < 0) throw fault?.() ?? new Error('no such query');
    const size = parameters[pageSizeParameter];
    const document = await getOrAdd(documents, `${at} ${query.sql} ${size}`, () => {
      const some = size === undefined ? rows[at] : rows[at]?.slice(0, Number(size));
      const content = { rows: some ?? [], truncated: at === 1, ...(cost && { cost: cost as never }) };
      return buildDocument(content, runTime(computedAt));
    });
    if (cacheStatus === 'HIT' && size === undefined) inMemory.set(query, document);
    return { document, caching, cacheStatus, obtainedAt: now().getTime() };
  };
  return { getResult, find };
}

interface Body {
  readonly data?: object | null;
  readonly errors?: readonly object[];
}

/** Errors of fields that run side by side have no order. */
function comparable({ status, headers, body }: Reply) {
  const text = Buffer.from((body ?? '') as string).toString();
  const { data, errors = [] } = JSON.parse(text) as Body;
  const answered = text.slice(text.lastIndexOf('"data"'));
  const others = { kind: kindOf(status, data, errors), status, headers: sorted(headers), answered };
  if (errors.length < 2) return { ...others, text };
  const ofErrors = errors.map((error) => JSON.stringify(error)).sort();
  return { ...others, errors: ofErrors };
}

/** What a response is an example of. */
function kindOf(status: number, data: object | null | undefined, errors: readonly object[]): string {
  if (data === undefined) return 'invalid';
  if (status !== 200) return String(status);
  if (errors.length === 0) return 'complete';
  return Object.values(data ?? {}).some((field) => field !== null) ? 'partly refused' : 'refused';
}

/** Whether rows were refused because graphql-js would write them as objects. */
const hasTooManyObjects = (reply: { readonly text?: string; readonly errors?: readonly string[] }) =>
  [reply.text, ...(reply.errors ?? [])].some((text) => text?.includes(tooLargeForObjects().message));

const sorted = (headers: Reply['headers']) => Object.fromEntries(Object.entries(headers).sort());

test('an operation whose rows are leaves is answered and reported as graphql-js executes it, byte for byte', async () => {
  let answered = 0;
  const kinds = new Map<string, number>();
  const property = fc.asyncProperty(scenario, async (given) => {
    const { catalog, rows, operations, cost, status, endpoints, accept } = given;
    let audited: string[] = [];
    const { leaf, plain, persisted } = openGraphqlServers({
      catalog,
      ...resultsOf(catalog, rows, cost, status),
      audit: (error) => void audited.push(String(error)),
      now,
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
      const head: RequestHead = { method, url: url.href, headers: { accept }, address: undefined, signal };
      const answer = async (server: typeof leaf) => {
        audited = [];
        const schedule = scheduleOf(admissions[at % admissions.length]);
        const admission: Admission = { principal, noCache: false, schedule };
        const reply = await server({
          head,
          url,
          body,
          admission,
          accept,
          shownSchema: undefined,
          answerShown: undefined,
        });
        const shown = { ...comparable(reply), audited: audited.sort() };
        reply.recycle?.();
        return shown;
      };
      const expected = await answer(plain);
      const parts = /"edges":\[/.test(expected.answered) ? ['edges'] : [];
      if (operation.query.includes('_entities(') && expected.answered.includes('"Thing"'))
        parts.push('entities');
      if (hasTooManyObjects(expected)) parts.push('too many objects');
      for (const kind of [expected.kind, ...parts]) kinds.set(kind, 1 + (kinds.get(kind) ?? 0));
      answered += 1;
      // Documents are kept from their second time on, and cells of records too.
      for (let round = 0; round < 3; round += 1) {
        const actual = await answer(leaf);
        // Rows that graphql-js writes as objects have a limit of their own, which leaves need not keep.
        if (hasTooManyObjects(expected) && !hasTooManyObjects(actual)) continue;
        expect(actual, operation.query).toEqual(expected);
      }
    }
  });
  // Short runs are the same each time: each kind must be among them.
  const seed = process.env.DIFFERENTIAL_OPERATIONS === undefined ? { seed: 20_261_128 } : {};
  await fc.assert(property, { numRuns: Math.ceil(operationCount / operationsPerCatalog), ...seed });
  expect(answered).toBeGreaterThanOrEqual(operationCount);
  if (process.env.DIFFERENTIAL_OPERATIONS !== undefined) console.info(answered, Object.fromEntries(kinds));
  for (const kind of ['429', 'complete', 'partly refused', 'refused', 'invalid', 'edges', 'entities'])
    expect(kinds.get(kind), kind).toBeGreaterThan(operationCount / 200);
}, 1_200_000);
