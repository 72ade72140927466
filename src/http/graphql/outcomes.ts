import type { BoundQuery } from '../../catalog/binding/bind.ts';
import type { EndpointRequest } from '../../call/endpoint-request.ts';
import type { ResultLoader } from '../../call/load-results.ts';
import { callerDisconnected, GatewayError } from '../../errors.ts';
import type { CachedResult } from '../../results/get-result.ts';

/** What became of one root field. */
export type Outcome = { readonly result: CachedResult } | { readonly error: unknown };

/**
 * Gives the outcome of one root field of a request.
 *
 * @param toRun what is run in place of the query as it is bound for the caller
 */
export type GetOutcome = (
  endpoint: EndpointRequest,
  toRun?: (bound: BoundQuery) => BoundQuery,
) => Promise<Outcome>;

export const buildGetOutcome =
  (loader: ResultLoader): GetOutcome =>
  (endpoint, toRun) =>
    outcomeOf(loader.load(endpoint, toRun));

export const outcomeOf = (loading: Promise<CachedResult>): Promise<Outcome> =>
  loading.then(
    (result) => ({ result }),
    (error: unknown) => ({ error }),
  );

/**
 * The results among the outcomes of a request.
 *
 * @throws GatewayError CANCELLED if one is missing because the caller disconnected
 */
export function resultsOf(
  outcomes: readonly Outcome[],
  head: { readonly signal: AbortSignal },
): readonly CachedResult[] {
  const results: CachedResult[] = [];
  for (const outcome of outcomes) if ('result' in outcome) results.push(outcome.result);
  if (results.length < outcomes.length && head.signal.aborted && outcomes.some(isCancelled)) {
    throw callerDisconnected();
  }
  return results;
}

const isCancelled = (outcome: Outcome): boolean =>
  'error' in outcome && outcome.error instanceof GatewayError && outcome.error.code === 'CANCELLED';
