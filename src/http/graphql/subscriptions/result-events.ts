import { experimentalExecuteIncrementally, GraphQLError, type GraphQLSchema } from 'graphql';
import { GatewayError } from '../../../errors.ts';
import { freshnessOf } from '../../../results/freshness.ts';
import { ownerOf, type Principal } from '../../../keys/principal.ts';
import type { CachedResult } from '../../../results/get-result.ts';
import type { ResultDocument } from '../../../results/result-document.ts';
import { etagOf, eventFrame } from '../../live/events.ts';
import type { Variant } from '../../live/variant.ts';
import { ByteBudget } from '../../message/byte-budget.ts';
import type { RequestHead } from '../../message/head.ts';
import { httpLimits } from '../../message/http-limits.ts';
import type { Frame } from '../../message/stream/frame.ts';
import type { CompiledOptions } from '../compiled/answer-compiled.ts';
import type { SubscriptionRequest } from '../compiled/operation-request.ts';
import { errorAt, withoutHttp } from '../compiled/partial-reply.ts';
import type { QueryField } from '../compiled/prepare-operation.ts';
import { buildRenderBody, rowBytes } from '../compiled/render-body.ts';
import { buildContext, type Execution, type Resources } from '../context.ts';
import type { CheckDocument } from '../document/check-document.ts';
import { maskError, responseTooLarge } from '../errors.ts';

export interface ResultEventsOptions extends CompiledOptions, Resources {
  readonly schema: GraphQLSchema;
  readonly checkDocument: CheckDocument;
}

/**
 * Writes the results of a subscription as events, once for all callers whose requests are equal.
 *
 * @param principal whose turns of the event loop it takes
 */
type VariantOf = (request: SubscriptionRequest, field: QueryField, principal: Principal) => Variant;

export function buildResultEvents(options: ResultEventsOptions): VariantOf {
  const { log, elapsedMs } = options;
  // Those who follow have their own bound in memory; large results of a key are still rendered one after another.
  const budget = new ByteBudget(Number.POSITIVE_INFINITY);
  const renderBody = buildRenderBody({ ...options, budget });
  const executeOn = buildExecuteOn({ ...options, budget });
  return (request, field, principal) => {
    const owner = ownerOf(principal);
    const { nodes, responseKey, endpoint } = field;
    const errorFrame = (error: unknown): Frame => {
      const shown = withoutHttp(errorAt(error, nodes, [responseKey], log));
      return eventFrame(
        'next',
        undefined,
        JSON.stringify({ errors: [shown], data: { [responseKey]: null } }),
      );
    };
    const bodyOf = async (result: CachedResult): Promise<Uint8Array | string> => {
      if (rowBytes(field, result) > httpLimits.maxResponseBytes) throw responseTooLarge();
      const allocate = Buffer.allocUnsafeSlow;
      // All who follow it when it is ready get it.
      const waiting = { owner, head: noRequest };
      const body = await renderBody({ request, results: [result], errors: undefined, ...waiting, allocate });
      return body ?? executeOn(request, result, principal);
    };
    return {
      id: `graphql ${request.id}`,
      async whole(document) {
        try {
          const body = await bodyOf(asCached(document, endpoint.query.caching, elapsedMs()));
          return eventFrame('next', etagOf(document.digest), body);
        } catch (error) {
          // What passes is tried again with the next refresh.
          if (error instanceof GatewayError && error.retryAfterSeconds !== undefined) throw error;
          return errorFrame(error);
        }
      },
      error: errorFrame,
    };
  };
}

/** All who follow a result get the same event, however it was obtained. */
function asCached(document: ResultDocument, caching: CachedResult['caching'], now: number): CachedResult {
  const isFresh = caching !== 'disabled' && freshnessOf(document, caching, now) === 'fresh';
  return { document, caching, cacheStatus: isFresh ? 'HIT' : 'STALE', obtainedAt: now };
}

/** Executes a subscription for one result of which a cell does not fit its type. @returns the body of a response */
function buildExecuteOn(options: ResultEventsOptions) {
  const { schema, checkDocument, log } = options;
  return async ({ subscription }: SubscriptionRequest, rootValue: CachedResult, principal: Principal) => {
    const { query, operationName, variables } = subscription;
    const { document } = checkDocument(query);
    const charge = options.budget.reserve(ownerOf(principal), 0);
    const admission = { principal, noCache: false, schedule: undefined };
    const execution: Execution = { outcomes: [], result: undefined, refusal: undefined };
    const contextValue = buildContext(options, { head: noRequest, admission, execution, charge });
    const executing = { schema, document, rootValue, contextValue, variableValues: variables, operationName };
    // `execute` refuses a schema that has `@defer`, which no subscription may have.
    const executed = await experimentalExecuteIncrementally(executing);
    const { data, errors = [] } = 'initialResult' in executed ? executed.initialResult : executed;
    const shown = errors.map((error) => {
      const masked = maskError(error, log);
      return masked instanceof GraphQLError ? withoutHttp(masked) : masked;
    });
    charge.release();
    return JSON.stringify({ ...(shown.length > 0 && { errors: shown }), data });
  };
}

/** An event is not the answer to one request. */
const noRequest: RequestHead = {
  method: 'POST',
  url: undefined,
  headers: {},
  address: undefined,
  signal: new AbortController().signal,
};
