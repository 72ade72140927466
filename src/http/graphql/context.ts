import DataLoader from 'dataloader';
import type { BoundQuery, RawParameters } from '../../catalog/binding/bind.ts';
import type { SavedQuery } from '../../catalog/model/saved-query.ts';
import type { LoopTurns } from '../../concurrency/loop-turns.ts';
import type { Principal } from '../../keys/principal.ts';
import { cacheKey } from '../../results/cache-key.ts';
import type { CachedResult, GetResult } from '../../results/get-result.ts';
import type { Audit } from '../access/audit.ts';
import { authorizeAndBind } from '../access/authorize.ts';
import type { ByteCharge } from '../message/byte-budget.ts';
import type { RequestHead } from '../message/head.ts';
import { httpLimits } from '../message/limits.ts';
import type { Admission } from '../message/route.ts';
import { tooLargeForExecutor } from './errors.ts';

/** The outcome of an operation, for the headers and the status of its response. */
export interface OperationOutcome {
  readonly results: CachedResult[];
  hasErrors: boolean;
  /** True if every field is null because of the key's rate. */
  isRateLimited: boolean;
  /** True if a result was not computed because the caller disconnected or the service is shutting down. */
  isCancelled: boolean;
  /** Why the response could not be charged, if that is so: the whole request is refused then. */
  refusal: unknown;
}

/** What resolvers may use during one request. */
export interface Context {
  readonly principal: Principal;
  /** Equal queries of one request are one call. @throws GatewayError as `authorizeAndBind` and `GetResult` do */
  getResult(query: SavedQuery, parameters: RawParameters): Promise<CachedResult>;
  /**
   * Counts the rows of the response, and waits for the key's turn to add them.
   *
   * @throws GatewayError QUERY_TOO_EXPENSIVE if it would be too large; OVERLOADED
   */
  chargeResponseBytes(bytes: number): Promise<void>;
  /** Reports a refusal to the operator. @returns the error */
  audited<E>(error: E): E;
  /** Waits for the key's turn of the event loop, if one is due. */
  nextTurn(): Promise<unknown> | undefined;
}

interface ContextOptions {
  readonly getResult: GetResult;
  readonly head: RequestHead;
  readonly admission: Admission;
  /** Filled in while the operation runs. */
  readonly outcome: OperationOutcome;
  /** Of the response. */
  readonly charge: ByteCharge;
  readonly turns: LoopTurns;
  readonly audit: Audit;
  readonly now: () => Date;
}

const { maxExecutorBytes } = httpLimits;

/** Measured: what the executor has in memory at once for a byte of rows, as objects, as its result and as text. */
const executorFactor = 8;

export function buildContext({
  getResult,
  head,
  admission,
  outcome,
  charge,
  turns,
  audit,
  now,
}: ContextOptions): Context {
  const { principal, noCache, schedule } = admission;
  const run = async (bound: BoundQuery) => {
    try {
      return await schedule(() => getResult(bound, { caller: head, noCache, owner: principal.id }), head);
    } catch (error) {
      return toError(error);
    }
  };
  const loader = new DataLoader<BoundQuery, CachedResult, string>(
    (queries) => Promise.all(queries.map(run)),
    { cacheKeyFn: cacheKey },
  );
  const audited = <E>(error: E): E => {
    audit(error, head, principal.id);
    return error;
  };
  const load = async (query: SavedQuery, parameters: RawParameters) => {
    try {
      return await loader.load(authorizeAndBind(principal, { query, parameters }, head.headers, now));
    } catch (error) {
      throw audited(error);
    }
  };
  let responseBytes = 0;
  let turn: Promise<true> | undefined;
  return {
    principal,
    audited,
    nextTurn: () => turns.next(principal.id),
    async chargeResponseBytes(bytes) {
      responseBytes += bytes;
      if (responseBytes > maxExecutorBytes) throw tooLargeForExecutor();
      turn ??= turns.wait(principal.id);
      await turn;
      try {
        charge.add(executorFactor * bytes);
      } catch (error) {
        outcome.refusal = error;
        throw error;
      }
    },
    async getResult(query, parameters) {
      const result = await load(query, parameters);
      outcome.results.push(result);
      // An executor writes the rows of all fields, of all operations that waited for one run, in one turn.
      await turns.wait(principal.id);
      return result;
    },
  };
}

/** DataLoader takes only errors for failures of one key. */
function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
