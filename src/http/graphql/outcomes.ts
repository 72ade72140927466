import type { BoundQuery } from '../../catalog/binding/bind.ts';
import { GatewayError } from '../../errors.ts';
import { cacheKey } from '../../results/cache-key.ts';
import type { CachedResult, GetResult } from '../../results/get-result.ts';
import type { Admission } from '../access/admission.ts';
import type { Audit } from '../access/audit.ts';
import { authorizeAndBind } from '../access/authorize.ts';
import type { RequestHead } from '../head.ts';
import type { QueryField } from './compiled/operation-request.ts';

/** What became of one root field. */
export type Outcome = { readonly result: CachedResult } | { readonly error: unknown };

export interface OutcomeOptions {
  readonly getResult: GetResult;
  readonly audit: Audit;
  readonly now: () => Date;
}

/** Equal queries of one request are one call. */
export function getOutcomes(
  fields: readonly QueryField[],
  head: RequestHead,
  { principal, noCache, schedule }: Admission,
  { getResult, audit, now }: OutcomeOptions,
): readonly (Outcome | Promise<Outcome>)[] {
  const get = (bound: BoundQuery) =>
    schedule(() => getResult(bound, { caller: head, noCache, owner: principal.id }), head);
  const calls = new Map<string, CachedResult | Promise<CachedResult>>();
  const getOnce = (bound: BoundQuery) => {
    const key = cacheKey(bound);
    const call = calls.get(key) ?? get(bound);
    calls.set(key, call);
    return call;
  };
  const toFailure = (error: unknown): Outcome => {
    audit(error, head, principal.id);
    return { error };
  };
  return fields.map(({ endpoint }) => {
    try {
      const bound = authorizeAndBind(principal, endpoint, head.headers, now);
      const result = fields.length === 1 ? get(bound) : getOnce(bound);
      return result instanceof Promise ? result.then(toOutcome, toFailure) : { result };
    } catch (error) {
      return toFailure(error);
    }
  });
}

const toOutcome = (result: CachedResult): Outcome => ({ result });

export const isCancelled = (outcome: Outcome): boolean =>
  'error' in outcome && outcome.error instanceof GatewayError && outcome.error.code === 'CANCELLED';

/** Whether nothing has to be waited for. Others wait for a run, and may be many. */
export function areHits(outcomes: readonly (Outcome | Promise<Outcome>)[]): outcomes is readonly Outcome[] {
  return outcomes.every((outcome) => 'result' in outcome && outcome.result.cacheStatus === 'HIT');
}
