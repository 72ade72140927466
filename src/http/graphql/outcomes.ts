import { ownerOf } from '../../keys/principal.ts';
import type { BoundQuery } from '../../catalog/binding/bind.ts';
import { callerDisconnected, GatewayError } from '../../errors.ts';
import { cacheKey } from '../../results/cache-key.ts';
import type { CachedResult, GetResult } from '../../results/get-result.ts';
import type { Audit } from '../access/audit.ts';
import { authorizeAndBind } from '../access/authorize.ts';
import type { RequestHead } from '../message/head.ts';
import { httpLimits } from '../message/http-limits.ts';
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
 * @param isOnly whether the request has one root field
 * @returns gives no promise if the result is in memory
 */
export function buildGetOutcome(
  head: RequestHead,
  { principal, noCache, schedule }: Admission,
  { getResult, audit, now }: OutcomeOptions,
  isOnly = false,
): GetOutcome {
  const get = (bound: BoundQuery) => {
    const run = () => getResult(bound, { caller: head, noCache, owner: ownerOf(principal) });
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

/** Of entities an operation may need more results than engines let one key wait for: no more run at once than of root fields. */
const { maxRootFields } = httpLimits;

type Get = (bound: BoundQuery) => CachedResult | Promise<CachedResult>;

/** Gets the same result for equal queries, at once if it is in memory; others wait while too many run. */
function onceForEqual(get: Get): Get {
  const known = new Map<string, Promise<CachedResult>>();
  const waiting: (() => void)[] = [];
  let running = 0;
  const end = () => {
    running -= 1;
    while (running < maxRootFields && waiting.length > 0) waiting.shift()?.();
  };
  const start: Get = (bound) => {
    const result = get(bound);
    if (!(result instanceof Promise)) return result;
    running += 1;
    result.then(end, end);
    return result;
  };
  const startLater = (bound: BoundQuery) =>
    new Promise<CachedResult>((resolve) => {
      waiting.push(() => resolve(Promise.try(start, bound)));
    });
  return (bound) => {
    const before = known.size === 0 ? undefined : known.get(cacheKey(bound));
    if (before !== undefined) return before;
    const result = running < maxRootFields ? start(bound) : startLater(bound);
    if (result instanceof Promise) known.set(cacheKey(bound), result);
    return result;
  };
}

/**
 * The results among the outcomes of a request.
 *
 * @throws GatewayError CANCELLED if one is missing because the caller disconnected
 */
export function resultsOf(outcomes: readonly Outcome[], head: RequestHead): readonly CachedResult[] {
  const results: CachedResult[] = [];
  for (const outcome of outcomes) if ('result' in outcome) results.push(outcome.result);
  if (results.length < outcomes.length && head.signal.aborted && outcomes.some(isCancelled)) {
    throw callerDisconnected();
  }
  return results;
}

const isCancelled = (outcome: Outcome): boolean =>
  'error' in outcome && outcome.error instanceof GatewayError && outcome.error.code === 'CANCELLED';
