import fc from 'fast-check';
import { type ExecutionResult, type GraphQLError, subscribe } from 'graphql';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import type { Admission, Caller } from '../../../../src/call/caller.ts';
import { EndpointRequest } from '../../../../src/call/endpoint-request.ts';
import type { SavedQuery } from '../../../../src/catalog/model/saved-query.ts';
import { Closers } from '../../../../src/concurrency/closers.ts';
import { LoopTurns, runSteps } from '../../../../src/concurrency/loop-turns.ts';
import { GatewayError } from '../../../../src/errors.ts';
import { buildCheckDocument, type CheckedDocument } from '../../../../src/http/graphql/check-document.ts';
import { buildContext, type Context, openLoader } from '../../../../src/http/graphql/context.ts';
import { addNearestNames } from '../../../../src/http/graphql/document/nearest-names.ts';
import { maskError, withoutHttp } from '../../../../src/http/graphql/errors.ts';
import { buildGraphql } from '../../../../src/http/graphql/graphql.ts';
import { buildMakeCells } from '../../../../src/http/graphql/rows/kept-cells.ts';
import { rawArguments } from '../../../../src/http/graphql/schema/arguments.ts';
import { buildSchema } from '../../../../src/http/graphql/schema/schema.ts';
import type { FollowedField, Following } from '../../../../src/http/following.ts';
import { ByteBudget } from '../../../../src/http/message/byte-budget.ts';
import type { RequestHead } from '../../../../src/http/message/head.ts';
import { PreparedRequest } from '../../../../src/http/message/prepared-request.ts';
import { StreamBody } from '../../../../src/http/message/stream/stream-body.ts';
import { unrestricted } from '../../../../src/keys/principal.ts';
import { camelCase } from '../../../../src/names/graphql-names.ts';
import { zeroCounters } from '../../../../src/results/counters.ts';
import type { CachedResult, GetResult } from '../../../../src/results/get-result.ts';
import { openResultStore } from '../../../../src/results/result-store.ts';
import { buildDocument } from '../../../../src/results/result-document.ts';
import { openReadRows } from '../../../../src/row-arguments/row-reader.ts';
import { buildPageOfResult } from '../../../../src/row-pages/page-of-result.ts';
import { openCalls } from '../../../support/calls.ts';
import { randomCatalog, randomRows } from '../../../support/random-catalog.ts';
import { randomOperation } from '../../../support/random-operation.ts';
import { runTime } from '../../../support/run-time.ts';

const operationCount = Number(process.env.DIFFERENTIAL_OPERATIONS ?? 200);
const operationsPerCatalog = 20;

const computedAt = 1_773_146_096_789;
const now = () => new Date(computedAt + 5_500);
const caching = { ttlSeconds: 60, warmingSeconds: undefined, liveSeconds: 5, staleIfErrorSeconds: 30 };

const scenario = randomCatalog
  .map((catalog) => {
    const queries = catalog.queries.map((query): SavedQuery => ({ ...query, caching }));
    return { ...catalog, queries, all: queries };
  })
  .chain((catalog) =>
    fc.record({
      catalog: fc.constant(catalog),
      // Two results of each query, one after another.
      rows: fc.tuple(...catalog.queries.map((query) => fc.tuple(randomRows(query), randomRows(query)))),
      operations: fc.array(randomOperation(catalog, 'subscription'), {
        minLength: operationsPerCatalog,
        maxLength: operationsPerCatalog,
      }),
    }),
  );

/** The data of the events with results. */
const resultsIn = (text: string): readonly string[] =>
  [...text.matchAll(/event: next\n(?:id: .*\n)?data: ([^\n]*)\n\n/g)].map(([, data = '']) => data);

test('the events of a subscription have the text of what graphql-js executes', async () => {
  const kinds = new Map<string, number>();
  const property = fc.asyncProperty(scenario, async ({ catalog, rows, operations }) => {
    const results = new Map<string, readonly CachedResult[]>();
    for (const [at, { name }] of catalog.queries.entries()) {
      const documents = (rows[at] ?? []).map((some) =>
        buildDocument({ rows: some, truncated: false }, runTime(computedAt)),
      );
      const toResult = (document: CachedResult['document']): CachedResult => ({
        document,
        caching,
        cacheStatus: 'HIT',
        obtainedAt: now().getTime(),
      });
      results.set(name, (await Promise.all(documents)).map(toResult));
    }
    const getResult: GetResult = async ({ query, parameters }) => {
      if (parameters.p === 'fail') throw new GatewayError('ENGINE_FAILED', 'The query failed');
      const [first] = results.get(query.name) ?? [];
      if (parameters.p === 'bug' || first === undefined) throw new TypeError('a bug');
      return first;
    };
    const turns = new LoopTurns();
    const { derived } = openResultStore(1_000_000, zeroCounters());
    const followed: FollowedField[] = [];
    const following = {
      async subscribe(field) {
        await common.obtain.whole(field.call, true);
        followed.push(field);
        return { status: 200, headers: {}, body: new StreamBody({ begin: () => () => {}, discard() {} }) };
      },
    } as Pick<Following, 'subscribe'> as Following;
    const common = {
      ...openCalls(getResult, { turns, now }),
      readRows: openReadRows({ derived, turns, timeoutMs: 30_000 }, new Closers()),
      pageOfResult: buildPageOfResult({ derived, turns }),
      introspection: true,
      derived,
      budget: new ByteBudget(),
      turns,
      audit: () => {},
      log: pino({ level: 'silent' }),
      elapsedMs: () => now().getTime(),
      following,
    };
    const graphql = runSteps(buildGraphql(common)(catalog));
    const schema = buildSchema(catalog);
    for (const query of catalog.queries) {
      const field = schema.getSubscriptionType()?.getFields()[camelCase(query.name)];
      if (field === undefined) throw new Error(`${query.name} cannot be followed`);
      field.subscribe = async (_root, args, context: Context) => {
        await context.getResult(new EndpointRequest(query, rawArguments(query, args)));
        return (async function* () {
          yield* results.get(query.name) ?? [];
        })();
      };
    }
    const checkDocument = buildCheckDocument(schema, true);
    const log = pino({ level: 'silent' });
    const textOf = ({ errors, data }: ExecutionResult): string => {
      addNearestNames(errors ?? [], schema);
      return JSON.stringify({ errors: errors?.map((error) => withoutHttp(maskError(error, log))), data });
    };
    const check = (text: string): Partial<CheckedDocument> & Pick<CheckedDocument, 'errors'> => {
      try {
        return checkDocument(text);
      } catch (error) {
        return { errors: [error as GraphQLError] };
      }
    };
    /** What graphql-js itself gives, event for event, with our hints of names. */
    const executed = async (text: string, variableValues: object, caller: Caller & { head: RequestHead }) => {
      const { document, errors } = check(text);
      if (errors.length > 0 || document === undefined) return [textOf({ errors })];
      const resources = { ...common, makeCells: buildMakeCells(derived, turns) };
      const charge = common.budget.reserve('test', 0);
      const loader = openLoader(resources, caller);
      const state = { checked: undefined, refusal: undefined, readsObtaining: false };
      const contextValue = buildContext(resources, { ...caller, ...state, loader, charge });
      const events = await subscribe({
        schema,
        document,
        variableValues: variableValues as Record<string, unknown>,
        contextValue,
        hideSuggestions: true,
      });
      if (!(Symbol.asyncIterator in events)) return [textOf(events)];
      const texts: string[] = [];
      for await (const event of events) texts.push(textOf(event));
      return texts;
    };

    for (const operation of operations) {
      const url = new URL('http://gateway.test/graphql');
      const body = Buffer.from(JSON.stringify(operation));
      const headers = { accept: 'text/event-stream', 'content-type': 'application/json' };
      const { signal } = new AbortController();
      const head: RequestHead = { method: 'POST', url: url.href, headers, address: undefined, signal };
      const admission: Admission = {
        principal: unrestricted('test'),
        noCache: false,
        schedule: undefined,
      };
      const expected = await executed(operation.query, operation.variables, { head, admission });
      const request = new PreparedRequest(url, undefined as never);
      const reply = await graphql(head, request, admission, async () => body);
      const [field] = followed.splice(0);
      if (field === undefined) {
        const results = resultsIn(String(reply.body));
        expect(results, operation.query).toEqual(expected.slice(0, 1));
        // Each event would have the same error: it is the only one.
        for (const event of expected.slice(1)) expect(event).toContain('INVALID_PARAMETER');
        kinds.set('refused', 1 + (kinds.get('refused') ?? 0));
        continue;
      }
      const events: string[] = [];
      for (const { document } of results.get(field.call.bound.query.name) ?? [])
        events.push(Buffer.from(await field.writer.write(document)).toString());
      // graphql-js has one limit for both results together.
      if (expected.some((event) => event.includes('QUERY_TOO_EXPENSIVE'))) continue;
      expect(events, operation.query).toEqual(expected);
      const kind = events.some((event) => event.startsWith('{"errors"')) ? 'errors' : 'followed';
      kinds.set(kind, 1 + (kinds.get(kind) ?? 0));
    }
  });
  await fc.assert(property, { numRuns: Math.ceil(operationCount / operationsPerCatalog) });
  expect(kinds.get('followed')).toBeGreaterThan(operationCount / 5);
  expect(kinds.get('refused')).toBeGreaterThan(operationCount / 50);
}, 1_200_000);
