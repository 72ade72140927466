import { pino } from 'pino';
import type { Catalog } from '../../src/catalog/model/saved-query.ts';
import { Closers } from '../../src/concurrency/closers.ts';
import { LoopTurns, runSteps } from '../../src/concurrency/loop-turns.ts';
import { buildCheckDocument } from '../../src/http/graphql/check-document.ts';
import { buildAutomaticDocuments } from '../../src/http/graphql/persisted/automatic.ts';
import { buildReplyResult } from '../../src/http/graphql/response/reply-result.ts';
import { buildExecutionSchema } from '../../src/http/graphql/execution/execution-schema.ts';
import { buildMakeCells } from '../../src/http/graphql/rows/kept-cells.ts';
import { buildSchemaInSteps } from '../../src/http/graphql/schema/schema.ts';
import { buildServer } from '../../src/http/graphql/server.ts';
import { buildExtendSchema } from '../../src/plugins/federation/extend-schema.ts';
import { ByteBudget } from '../../src/http/message/byte-budget.ts';
import { zeroCounters } from '../../src/results/counters.ts';
import type { GetResult } from '../../src/results/get-result.ts';
import { openResultStore } from '../../src/results/result-store.ts';
import { openReadRows } from '../../src/row-arguments/row-reader.ts';
import { buildPageOfResult } from '../../src/row-pages/page-of-result.ts';
import { openCalls } from './calls.ts';
import type { CurrentResults } from '../../src/results/current-results.ts';

interface ServerTestOptions {
  readonly catalog: Catalog;
  readonly getResult: GetResult;
  readonly find: CurrentResults['find'];
  readonly audit: (error: unknown) => void;
  readonly now: () => Date;
}

/**
 * The server with leaves, and the one that is its reference: graphql-js executes every field over the schema that callers see.
 * Some of their responses are written in pieces.
 */
export function openGraphqlServers({ catalog, getResult, find, audit, now }: ServerTestOptions) {
  const turns = new LoopTurns();
  const budget = new ByteBudget(undefined, 300);
  const { derived } = openResultStore(100_000, zeroCounters());
  const schema = runSteps(
    buildSchemaInSteps(catalog, buildExtendSchema({ turns, derive: async (query) => ({ query }) })),
  );
  const persisted = buildAutomaticDocuments();
  const options = {
    ...openCalls(getResult, { find, turns, audit, now }),
    readRows: openReadRows({ derived, turns, timeoutMs: 30_000 }, new Closers()),
    pageOfResult: buildPageOfResult({ derived, turns }),
    makeCells: buildMakeCells(derived, turns),
    turns,
    audit,
    elapsedMs: () => now().getTime(),
    schema,
    checkDocument: buildCheckDocument(schema, true),
    findHidden: () => undefined,
    persisted,
    followField: () => Promise.reject(new Error('nobody follows')),
    replyResult: buildReplyResult({ budget, turns }),
    budget,
    log: pino({ level: 'silent' }),
  };
  return {
    persisted,
    leaf: buildServer({ ...options, leaves: buildExecutionSchema(schema) }),
    plain: buildServer({ ...options, leaves: schema }),
  };
}
