import DataLoader from 'dataloader';
import type { BoundQuery } from '../../catalog/binding/bind.ts';
import { callerDisconnected, GatewayError } from '../../errors.ts';
import { cacheKey } from '../../results/cache-key.ts';
import type { CachedResult, GetResult } from '../../results/get-result.ts';
import type { Audit } from '../access/audit.ts';
import { authorizeAndBind } from '../access/authorize.ts';
import type { RequestHead } from '../message/head.ts';
import type { EndpointRequest } from '../message/prepared-request.ts';
import type { Admission } from '../message/route.ts';

/** What became of one root field. */
export type Outcome = { readonly result: CachedResult } | { readonly error: unknown };

/**
 * Gives the outcome of one root field of a request, and reports a refusal to the operator.
 *
 * @param toRun what is run in place of the query as it is bound for the caller
 */
export type GetOutcome = (
  endpoint: EndpointRequest,
  toRun?: (bound: BoundQuery) => BoundQuery,
) => Outcome | Promise<Outcome>;

export interface OutcomeOptions {
  readonly getResult: GetResult;
  readonly audit: Audit;
  readonly now: () => Date;
}

/**
 * Equal queries of one request are one call.
 *
 * @param isOnly whether the request has one root field: its outcome is not a promise if the result is in memory
 */
export function buildGetOutcome(
  head: RequestHead,
  { principal, noCache, schedule }: Admission,
  { getResult, audit, now }: OutcomeOptions,
  isOnly = false,
): GetOutcome {
  const get = (bound: BoundQuery) => {
    const run = () => getResult(bound, { caller: head, noCache, owner: principal.id });
    return schedule === undefined ? run() : schedule(run, head);
  };
  const getOnce = isOnly ? get : onceForEqual(get);
  const toFailure = (error: unknown): Outcome => {
    audit(error, head, principal.id);
    return { error };
  };
  return (endpoint, toRun) => {
    try {
      const bound = authorizeAndBind(principal, endpoint, head.headers, now);
      const result = getOnce(toRun === undefined ? bound : toRun(bound));
      return result instanceof Promise ? result.then(toOutcome, toFailure) : { result };
    } catch (error) {
      return toFailure(error);
    }
  };
}

const toOutcome = (result: CachedResult): Outcome => ({ result });

function onceForEqual(get: (bound: BoundQuery) => CachedResult | Promise<CachedResult>) {
  const getOrError = async (bound: BoundQuery) => {
    try {
      return await get(bound);
    } catch (error) {
      // DataLoader takes only errors for failures of one key.
      return error instanceof Error ? error : new Error(String(error));
    }
  };
  const loader = new DataLoader<BoundQuery, CachedResult, string>(
    (queries) => Promise.all(queries.map(getOrError)),
    { cacheKeyFn: cacheKey },
  );
  return (bound: BoundQuery) => loader.load(bound);
}

/**
 * The results among the outcomes of a request.
 *
 * @throws GatewayError CANCELLED if one is missing because the caller disconnected
 */
export function resultsOf(outcomes: readonly Outcome[], head: RequestHead): readonly CachedResult[] {
  const results = outcomes.flatMap((outcome) => ('result' in outcome ? [outcome.result] : []));
  if (results.length < outcomes.length && head.signal.aborted && outcomes.some(isCancelled)) {
    throw callerDisconnected();
  }
  return results;
}

const isCancelled = (outcome: Outcome): boolean =>
  'error' in outcome && outcome.error instanceof GatewayError && outcome.error.code === 'CANCELLED';
