import fc from 'fast-check';
import {
  type DirectiveNode,
  experimentalExecuteIncrementally,
  GraphQLError,
  Kind,
  parse,
  print,
  type SelectionNode,
  visit,
} from 'graphql';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import type { BoundQuery } from '../../../../src/catalog/binding/bind.ts';
import { Closers } from '../../../../src/concurrency/closers.ts';
import { LoopTurns } from '../../../../src/concurrency/loop-turns.ts';
import { GatewayError } from '../../../../src/errors.ts';
import { buildAnswerCompiled } from '../../../../src/http/graphql/compiled/answer-compiled.ts';
import { buildDerivedCache } from '../../../../src/http/graphql/compiled/derived-cache.ts';
import { buildReadOperationRequest } from '../../../../src/http/graphql/compiled/operation-request.ts';
import { buildContext } from '../../../../src/http/graphql/context.ts';
import { answerDeferred } from '../../../../src/http/graphql/deferred/answer-deferred.ts';
import { buildCheckDocument } from '../../../../src/http/graphql/document/check-document.ts';
import { maskError } from '../../../../src/http/graphql/errors.ts';
import { buildAutomaticDocuments } from '../../../../src/http/graphql/persisted/automatic.ts';
import { buildSchema } from '../../../../src/http/graphql/schema/schema.ts';
import { buildAnswerWithYoga } from '../../../../src/http/graphql/yoga.ts';
import { ByteBudget } from '../../../../src/http/message/byte-budget.ts';
import type { RequestHead } from '../../../../src/http/message/head.ts';
import type { Reply } from '../../../../src/http/message/reply.ts';
import type { StreamBody } from '../../../../src/http/message/stream/stream-body.ts';
import { webStreamOf } from '../../../../src/http/node/stream-sink.ts';
import { unrestricted } from '../../../../src/keys/principal.ts';
import { zeroCounters } from '../../../../src/results/counters.ts';
import type { CachedResult, GetResult } from '../../../../src/results/get-result.ts';
import { openResultStore } from '../../../../src/results/result-store.ts';
import { buildDocument } from '../../../../src/results/result-document.ts';
import { openReadRows } from '../../../../src/row-arguments/row-reader.ts';
import { buildPageOfResult } from '../../../../src/row-pages/page-of-result.ts';
import { eventually } from '../../../support/eventually.ts';
import { randomCatalog, randomRows } from '../../../support/random-catalog.ts';
import { type Operation, randomOperation } from '../../../support/random-operation.ts';
import { mergeParts, type Payload, readParts } from '../../../support/read-parts.ts';
import { runTime } from '../../../support/run-time.ts';
import { openCalls } from '../../../support/calls.ts';

/** Documents in one run; `DEFERRED_OPERATIONS=100000 npx vitest run test/http/graphql/deferred` for a long one. */
const operationCount = Number(process.env.DEFERRED_OPERATIONS ?? 600);
const operationsPerCatalog = 60;

const computedAt = 1_773_146_096_789;
const now = () => new Date(computedAt + 5_500);
const log = pino({ level: 'silent' });

/** Defers fragments of an operation, and puts its root fields into fragments. */
function defer({ query, variables }: Operation, choices: readonly number[]): Operation {
  let count = 0;
  const choose = (of: number) => {
    count += 1;
    return (choices[count % choices.length] ?? 0) % of;
  };
  const directive = (): DirectiveNode[] => {
    const given = ['', '', `(label: "l${count}")`, `(label: "l${count}")`, '(if: true)', '(if: false)'][
      choose(6)
    ];
    const [field] = parse(`{ ... @defer${given} { a } }`).definitions;
    return field?.kind === Kind.OPERATION_DEFINITION
      ? ((field.selectionSet.selections[0]?.directives ?? []) as DirectiveNode[])
      : [];
  };
  const wrap = (selections: readonly SelectionNode[]): SelectionNode => ({
    kind: Kind.INLINE_FRAGMENT,
    directives: directive(),
    selectionSet: { kind: Kind.SELECTION_SET, selections },
  });
  const withDirective = <Node extends { readonly directives?: readonly DirectiveNode[] | undefined }>(
    node: Node,
  ): Node => (choose(3) === 0 ? { ...node, directives: [...(node.directives ?? []), ...directive()] } : node);
  const document = visit(parse(query, { noLocation: true }), {
    InlineFragment: { leave: withDirective },
    FragmentSpread: { leave: withDirective },
    OperationDefinition: {
      leave(node) {
        const { selections } = node.selectionSet;
        const placed = [...selections, ...selections.slice(0, choose(2))].flatMap((field) => {
          const kind = choose(5);
          if (kind === 0) return [field];
          if (kind === 1) return [wrap([field, wrap([selections[0] ?? field])])];
          return [wrap([field])];
        });
        return { ...node, selectionSet: { ...node.selectionSet, selections: placed } };
      },
    },
  });
  return { query: print(document), variables };
}

const choices = fc.array(fc.nat({ max: 59 }), { minLength: 11, maxLength: 11 });

const scenario = randomCatalog.chain((catalog) =>
  fc.record({
    catalog: fc.constant(catalog),
    rows: fc.tuple(...catalog.queries.map(randomRows)),
    // Each operation several times, deferred in other ways.
    operations: fc
      .array(fc.tuple(randomOperation(catalog), fc.tuple(choices, choices, choices, choices)), {
        minLength: operationsPerCatalog / 4,
        maxLength: operationsPerCatalog / 4,
      })
      .map((some) => some.flatMap(([operation, ways]) => ways.map((way) => defer(operation, way)))),
    /** How many turns of the event loop each query takes. */
    delays: fc.array(fc.nat({ max: 4 }), { minLength: 3, maxLength: 3 }),
  }),
);

type Path = readonly (string | number)[];

/** The answer of graphql-js's own payloads, whose parts have paths. */
function mergeReference(payloads: readonly Payload[]): { data: unknown; errors: unknown[] } {
  const { data, errors } = mergeParts(payloads.map(({ incremental: _, ...rest }) => rest as Payload));
  const paths = new Map(
    payloads.flatMap(({ pending = [] }) => pending.map(({ id, path }) => [id, path as Path])),
  );
  for (const entry of payloads.flatMap(({ incremental = [] }) => incremental)) {
    const { subPath = [] } = entry as { subPath?: Path };
    const path = [...(paths.get(entry.id ?? '') ?? []), ...subPath];
    const target = path.reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], data);
    mergeInto(target as Record<string, unknown>, entry.data ?? {});
    errors.push(...(entry.errors ?? []));
  }
  return { data, errors };
}

function mergeInto(target: Record<string, unknown>, source: Record<string, unknown>): void {
  for (const [key, value] of Object.entries(source)) {
    const known = target[key];
    if (typeof known === 'object' && known !== null && typeof value === 'object' && value !== null)
      mergeInto(known as never, value as never);
    else target[key] = value;
  }
}

/** Fields of a record that comes in parts have no order, errors of fields that run side by side neither. */
const unordered = ({ data, errors = [] }: { data?: unknown; errors?: readonly unknown[] }) => ({
  data,
  errors: errors.map((error) => JSON.stringify(error)).sort(),
});

test('the parts of a deferred operation add up to the answer without @defer, and to that of graphql-js', async () => {
  const counts = { deferred: 0, parts: 0, errors: 0, compared: 0 };
  const property = fc.asyncProperty(scenario, async ({ catalog, rows, operations, delays }) => {
    const schema = buildSchema(catalog);
    const checkDocument = buildCheckDocument(schema, true);
    const turns = new LoopTurns();
    const results = new Map<string, CachedResult>();
    for (const [at, { id }] of catalog.queries.entries()) {
      const document = await buildDocument(
        { rows: rows[at] ?? [], truncated: at === 1 },
        runTime(computedAt),
      );
      const caching = { ttlSeconds: 60, warmingSeconds: 20, staleIfErrorSeconds: 30 };
      results.set(id, { document, caching, cacheStatus: 'MISS', obtainedAt: now().getTime() });
    }
    const getResult: GetResult = async ({ query, parameters }: BoundQuery) => {
      for (let turn = delays[query.name.length % 3] ?? 0; turn > 0; turn -= 1)
        await new Promise((resolve) => setImmediate(resolve));
      const result = results.get(query.id);
      if (parameters.p === 'fail') throw new GatewayError('ENGINE_FAILED', 'The query failed');
      if (result === undefined || parameters.p === 'bug') throw new TypeError('a bug');
      return result;
    };
    const persisted = buildAutomaticDocuments();
    const read = buildReadOperationRequest(schema, catalog, checkDocument, persisted, turns);
    const budget = new ByteBudget(undefined, 300);
    const memory = openResultStore(100_000, zeroCounters());
    const resources = {
      ...openCalls(getResult, { turns, now }),
      readRows: openReadRows({ derived: memory.derived, turns, timeoutMs: 30_000 }, new Closers()),
      pageOfResult: buildPageOfResult({ derived: memory.derived, turns }),
      turns,
      audit: () => {},
      now,
      elapsedMs: () => now().getTime(),
    };
    const compiled = buildAnswerCompiled({
      ...resources,
      derived: buildDerivedCache(memory.derived),
      budget,
      log,
    });
    const yoga = buildAnswerWithYoga({ ...resources, schema, checkDocument, persisted, budget, log });
    const admission = { principal: unrestricted('test'), noCache: false, schedule: undefined };
    const url = new URL('http://gateway.test/graphql');
    const { signal } = new AbortController();
    const head: RequestHead = { method: 'POST', url: url.href, headers: {}, address: undefined, signal };

    for (const [at, operation] of operations.entries()) {
      const body = Buffer.from(JSON.stringify(operation));
      const { parts } = await Promise.try(read, url, body, 'test').catch(withoutTooLarge);
      if (parts === undefined) continue;
      counts.deferred += 1;
      const expected = JSON.parse(String((await yoga({ head, url, body, admission })).body)) as Payload;
      // A limit of the whole answer may be kept by each of its parts.
      if (JSON.stringify(expected.errors ?? []).includes(' at most ')) continue;
      const answerPart = async (part: (typeof parts)[number], partHead: RequestHead): Promise<Reply> =>
        (part.compiled && (await compiled(part.compiled, partHead, admission))) ??
        yoga({ head: partHead, url, body, admission, document: part.document });
      const format = at % 3 === 0 ? 'deferspec=20220824' : 'incrementalspec=v0.2';
      const reply = await answerDeferred(
        { parts, format, head, owner: 'test', answerPart },
        { budget, turns, log },
      );
      const response = new Response(webStreamOf(reply.body as StreamBody));
      const payloads = await Array.fromAsync(readParts(response));
      counts.parts += payloads.length;
      expect(payloads.map(({ hasNext }) => hasNext)).toEqual(
        payloads.map((_, index) => index < payloads.length - 1),
      );
      expect(unordered(mergeParts(payloads)), operation.query).toEqual(unordered(expected));
      if (expected.errors !== undefined) counts.errors += 1;

      // graphql-js does not send a field that comes later when what is not null in it fails.
      if (expected.errors?.some(({ path }) => (path as Path).length > 1)) continue;
      const execution = { outcomes: [], result: undefined, refusal: undefined };
      const charge = budget.reserve('test', 0);
      const executed = await experimentalExecuteIncrementally({
        schema,
        document: parse(operation.query),
        variableValues: operation.variables,
        contextValue: buildContext(resources, { head, admission, execution, charge }),
        enableEarlyExecution: at % 2 === 0,
      });
      const own: unknown[] =
        'initialResult' in executed
          ? [executed.initialResult, ...(await Array.fromAsync(executed.subsequentResults))]
          : [executed];
      charge.release();
      const merged = mergeReference(
        own.map((one) => JSON.parse(JSON.stringify(one, maskErrors))) as Payload[],
      );
      counts.compared += 1;
      expect(merged.data, operation.query).toEqual(expected.data);
      expect(merged.errors.map(pathOf).sort()).toEqual((expected.errors ?? []).map(pathOf).sort());
    }
    await eventually(() => expect(budget.usedBytes).toBe(0));
  });
  await fc.assert(property, { numRuns: Math.ceil(operationCount / operationsPerCatalog) });
  expect(counts.deferred).toBeGreaterThan(operationCount / 12);
  expect(counts.parts).toBeGreaterThanOrEqual(2 * counts.deferred);
  expect(counts.errors).toBeGreaterThan(0);
  expect(counts.compared).toBeGreaterThan(operationCount / 24);
}, 1_200_000);

/** A random operation may have more than is allowed: it is refused as a whole. */
function withoutTooLarge(error: unknown): { readonly parts?: undefined } {
  if (error instanceof GraphQLError && / at most \d+ are allowed: /.test(error.message)) return {};
  throw error;
}

const pathOf = (error: unknown): string => JSON.stringify((error as { path?: unknown }).path);

/** What a resolver has thrown is an error of the gateway. */
const maskErrors = (key: string, value: unknown) =>
  key === 'errors' ? [value].flat().map((one) => maskError(one, log)) : value;
