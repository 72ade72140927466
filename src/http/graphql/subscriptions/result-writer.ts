import { hash } from 'node:crypto';
import {
  type ExecutionResult,
  executeSubscriptionEvent,
  type GraphQLError,
  type GraphQLSchema,
  locatedError,
  type ValidatedSubscriptionArgs,
} from 'graphql';
import type { Logger } from 'pino';
import type { SavedQuery } from '../../../catalog/model/saved-query.ts';
import { GatewayError } from '../../../errors.ts';
import { ownerOf } from '../../../keys/principal.ts';
import { memoize, numberOf } from '../../../memoize.ts';
import { freshnessOf } from '../../../results/freshness.ts';
import type { CachedResult } from '../../../results/get-result.ts';
import { buildDocument, type ResultDocument } from '../../../results/result-document.ts';
import type { ResultWriter } from '../../following.ts';
import { ByteBudget } from '../../message/byte-budget.ts';
import { contextOfEvents, type Operation, type Resources } from '../context.ts';
import { maskError, withoutHttp } from '../errors.ts';
import { buildWriteBody } from '../response/reply-result.ts';
import { causeOf } from '../execution/needs-objects.ts';
import type { FieldToFollow } from '../execution/field-to-follow.ts';

export interface ResultWriterOptions extends Resources {
  readonly schema: GraphQLSchema;
  readonly log: Logger;
}

/** Writes the results of a subscription, in the turns of its caller, and once for all whose requests are equal. */
type WriterOf = (
  field: FieldToFollow,
  subscription: ValidatedSubscriptionArgs,
  operation: Pick<Operation, 'checked' | 'admission'>,
) => ResultWriter & {
  /** Gives the event of any rows if arguments below the field are wrong; undefined if they are right. */
  check(): Promise<ExecutionResult | undefined>;
};

export function buildResultWriters(options: ResultWriterOptions): WriterOf {
  const { schema, turns, log, elapsedMs } = options;
  // Those who follow have their own bound in memory; large results of a key are still written one after another.
  const writeBody = buildWriteBody({ budget: new ByteBudget(Number.POSITIVE_INFINITY), turns });
  return ({ endpoint, nodes, responseKey }, subscription, operation) => {
    const owner = ownerOf(operation.admission.principal);
    const mask = (error: GraphQLError) => maskError(error, log);
    const execute = async (rootValue: CachedResult): Promise<ExecutionResult> => {
      const run = (over: GraphQLSchema) => {
        const contextValue = contextOfEvents(options, operation);
        return executeSubscriptionEvent({ ...subscription, schema: over, rootValue, contextValue });
      };
      const result = await run(subscription.schema);
      return causeOf(result) === undefined ? result : run(schema);
    };
    return {
      id: idOf(schema, subscription),
      async check() {
        const { query } = endpoint;
        const result = await execute(asCached(await withoutRows(query), query.caching, elapsedMs()));
        return result.errors?.some(({ originalError }) => isWrongArgument(originalError))
          ? result
          : undefined;
      },
      async write(document) {
        const { errors, ...others } = await execute(asCached(document, endpoint.query.caching, elapsedMs()));
        // Errors that pass are tried again with the next refresh.
        const passing = errors?.map(({ originalError }) => originalError).find(passes);
        if (passing !== undefined) throw passing;
        const result = errors === undefined ? others : { errors: errors.map(mask), ...others };
        return (await writeBody(result, owner, Buffer.allocUnsafeSlow)).bytes;
      },
      error(error) {
        const errors = [withoutHttp(mask(locatedError(error, nodes, [responseKey])))];
        return JSON.stringify({ errors, data: { [responseKey]: null } });
      },
    };
  };
}

/** A result without rows: what is kept with a document is then that of its query. */
const withoutRows = memoize((_: SavedQuery) =>
  buildDocument({ rows: [], truncated: false }, { computedAt: 0, begunAt: 0 }),
);

const isWrongArgument = (error: unknown) =>
  error instanceof GatewayError && error.code === 'INVALID_PARAMETER';

const passes = (error: unknown): error is GatewayError =>
  error instanceof GatewayError && error.retryAfterSeconds !== undefined;

/** All who follow a result get the same event, however it was obtained. */
function asCached(document: ResultDocument, caching: CachedResult['caching'], now: number): CachedResult {
  const isFresh = caching !== 'disabled' && freshnessOf(document, caching, now) === 'fresh';
  return { document, caching, cacheStatus: isFresh ? 'HIT' : 'STALE', obtainedAt: now };
}

/** Equal for equal requests to one schema. */
function idOf(
  schema: GraphQLSchema,
  { document, operation, rawVariableValues }: ValidatedSubscriptionArgs,
): string {
  const text = document.loc?.source.body;
  const request = JSON.stringify([text, operation.name?.value, rawVariableValues]);
  return `graphql ${numberOf(schema)} ${hash('sha256', request, 'base64url')}`;
}
