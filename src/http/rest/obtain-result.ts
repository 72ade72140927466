import { ownerOf } from '../../keys/principal.ts';
import type { BoundQuery } from '../../catalog/binding/bind.ts';
import type { LoopTurns } from '../../concurrency/loop-turns.ts';
import type { CachedResult, GetResult, ObtainedResult } from '../../results/get-result.ts';
import { authorizeAndBind } from '../access/authorize.ts';
import type { RequestHead } from '../message/head.ts';
import type { EndpointRequest } from '../message/prepared-request.ts';
import type { Admission } from '../message/route.ts';

export interface ObtainOptions {
  readonly getResult: GetResult;
  readonly turns: LoopTurns;
  readonly now: () => Date;
}

/**
 * The result of a saved query for an admitted request, as REST gets it: what the key permits, its concurrency, the cache.
 * Keep the `EndpointRequest` for equal requests: it is bound once.
 *
 * @throws GatewayError as `authorizeAndBind` and `GetResult` do
 */
export type ObtainResult = (
  endpoint: EndpointRequest,
  head: RequestHead,
  admission: Admission,
) => ObtainedResult | Promise<ObtainedResult>;

export function buildObtainResult({ getResult, turns, now }: ObtainOptions): ObtainResult {
  const awaited = async (bound: BoundQuery, running: Promise<CachedResult>, { principal }: Admission) => {
    try {
      return { bound, result: await running };
    } catch (error) {
      // All who waited for one run fail, each in a turn of the event loop.
      await turns.wait(ownerOf(principal));
      throw error;
    }
  };
  const obtain: ObtainResult = (endpoint, head, admission) => {
    const bound = authorizeAndBind(admission.principal, endpoint, head.headers, now);
    const result = runBound(getResult, bound, head, admission);
    return result instanceof Promise ? awaited(bound, result, admission) : { bound, result };
  };
  return (endpoint, head, admission) => {
    // As in REST.
    const turn = endpoint.isBound ? undefined : turns.next(ownerOf(admission.principal));
    return turn === undefined
      ? obtain(endpoint, head, admission)
      : turn.then(() => obtain(endpoint, head, admission));
  };
}

/**
 * Runs a query that its caller may run, within the concurrency of the key.
 *
 * @param isFollowed as in `GetResult`
 */
export function runBound(
  getResult: GetResult,
  bound: BoundQuery,
  head: RequestHead,
  { principal, noCache, schedule }: Admission,
  isFollowed?: true,
): CachedResult | Promise<CachedResult> {
  const run = () => getResult(bound, { caller: head, noCache, owner: ownerOf(principal), isFollowed });
  return schedule === undefined ? run() : schedule(run, head);
}
