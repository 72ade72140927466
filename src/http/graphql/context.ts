import type { ExecutionResult } from 'graphql';
import type { BoundQuery, RawParameters } from '../../catalog/binding/bind.ts';
import type { SavedQuery } from '../../catalog/model/saved-query.ts';
import type { LoopTurns } from '../../concurrency/loop-turns.ts';
import { ownerOf, type Principal } from '../../keys/principal.ts';
import type { CachedResult } from '../../results/get-result.ts';
import { isPushed } from '../../row-arguments/pushed/pushed-query.ts';
import type { ReadRows } from '../../row-arguments/row-reader.ts';
import { callerOf, type RowOutcome, type RowTask } from '../../row-arguments/row-task.ts';
import type { Page, PageOfResult } from '../../row-pages/page-of-result.ts';
import { type BoundPage, bindPage, type PageRequest } from '../../row-pages/page-request.ts';
import type { ByteCharge } from '../message/byte-budget.ts';
import type { Audit } from '../access/audit.ts';
import type { RequestHead } from '../message/head.ts';
import type { Gate } from '../../call/gate.ts';
import { ResultLoader } from '../../call/load-results.ts';
import type { Obtain } from '../../call/obtain.ts';
import type { ParameterKeyField } from '../../catalog/model/federation.ts';
import { httpLimits } from '../message/http-limits.ts';
import { EndpointRequest } from '../../call/endpoint-request.ts';
import type { Admission } from '../../call/caller.ts';
import { tooManyEntityFields, tooLargeForExecutor } from './errors.ts';
import { buildGetOutcome, type Outcome, outcomeOf } from './outcomes.ts';

/** What became of an operation, for the headers and the status of its response; filled in while it is executed. */
export interface Execution {
  /** Of the fields that query, as they come. */
  readonly outcomes: Outcome[];
  /** undefined if there was nothing to execute. */
  result: ExecutionResult | undefined;
  /** Why the response could not be charged, if that is so: the whole request is refused then. */
  refusal: unknown;
}

/** What resolvers may use during one request. */
export interface Context {
  readonly principal: Principal;
  /** Equal queries of one request are one call. @throws GatewayError as `ResultLoader.load` does */
  getResult(request: EndpointRequest): Promise<CachedResult>;
  /** As `ResultLoader.loadValue`. */
  getValueResult(request: EndpointRequest, list: ParameterKeyField): Promise<CachedResult>;
  /** Counts a result within entities. @returns false if an operation has too many: the request is refused */
  countEntityField(): boolean;
  /** Whether an operation may have so many results within entities; the request is refused otherwise. */
  mayHaveEntityFields(count: number): boolean;
  /**
   * What arguments mean over all rows of a query, if a result that `getResult` gave has only the first ones, and the query is
   * pushed; undefined otherwise. @throws GatewayError as `GetResult` does
   */
  getPushed(result: CachedResult, push: (whole: BoundQuery) => BoundQuery): Promise<CachedResult> | undefined;
  /** A page of a query that has pages. @throws GatewayError as `bindPage` does, and as above */
  getPage(query: SavedQuery, parameters: RawParameters, request: PageRequest): Promise<Page>;
  /** Finds rows of a result. @throws GatewayError as `ReadRows` does */
  readRows(result: CachedResult, task: RowTask): Promise<RowOutcome>;
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

/** What resolvers of all requests share. */
export interface Resources {
  readonly gate: Gate;
  readonly obtain: Obtain;
  readonly readRows: ReadRows;
  readonly pageOfResult: PageOfResult;
  readonly turns: LoopTurns;
  readonly audit: Audit;
  readonly now: () => Date;
  /** As `Clock` has it. */
  readonly elapsedMs: () => number;
}

/** A request whose operation is executed. */
interface ExecutedRequest {
  readonly head: RequestHead;
  readonly admission: Admission;
  readonly execution: Execution;
  /** Of the response. */
  readonly charge: ByteCharge;
}

const { maxEntityFields, maxExecutorBytes, maxRootFields } = httpLimits;

/** Measured: what the executor has in memory at once for a byte of rows, as objects, as its result and as text. */
const executorFactor = 8;

export function buildContext(
  resources: Resources,
  { head, admission, execution, charge }: ExecutedRequest,
): Context {
  const { readRows, pageOfResult, turns, audit } = resources;
  const { principal } = admission;
  const loader = new ResultLoader({ ...resources, maxRunning: maxRootFields }, { head, admission });
  const getOutcome = buildGetOutcome(loader);
  let responseBytes = 0;
  let entityFields = 0;
  const mayHaveEntityFields = (count: number) => {
    if (count <= maxEntityFields) return true;
    execution.refusal ??= tooManyEntityFields();
    return false;
  };
  /** Those whose arguments are pushed. */
  const requests = new WeakMap<CachedResult, EndpointRequest>();
  let turn: Promise<true> | undefined;
  const resultOf = async (running: Outcome | Promise<Outcome>) => {
    const outcome = await running;
    execution.outcomes.push(outcome);
    if ('error' in outcome) throw outcome.error;
    // An executor writes the rows of all fields, of all operations that waited for one run, in one turn.
    await turns.wait(ownerOf(principal));
    return outcome.result;
  };
  return {
    principal,
    audited(error) {
      audit(error, head, principal.id);
      return error;
    },
    nextTurn: () => turns.next(ownerOf(principal)),
    readRows: async (result, task) => readRows(result, task, callerOf(head, ownerOf(principal))),
    async chargeResponseBytes(bytes) {
      responseBytes += bytes;
      if (responseBytes > maxExecutorBytes) throw tooLargeForExecutor();
      turn ??= turns.wait(ownerOf(principal));
      await turn;
      try {
        charge.add(executorFactor * bytes);
      } catch (error) {
        execution.refusal = error;
        throw error;
      }
    },
    async getResult(request) {
      const result = await resultOf(getOutcome(request));
      if (isPushed(request.query, result.document)) requests.set(result, request);
      return result;
    },
    getPushed(result, push) {
      const request = requests.get(result);
      return request && resultOf(getOutcome(request, push));
    },
    getValueResult: (request, list) => resultOf(outcomeOf(loader.loadValue(request, list))),
    countEntityField() {
      entityFields += 1;
      return mayHaveEntityFields(entityFields);
    },
    mayHaveEntityFields,
    async getPage(query, parameters, request) {
      let page: BoundPage | undefined;
      const getBound = (whole: BoundQuery) => {
        page = bindPage(whole, parameters, request);
        return page.bound;
      };
      const result = await resultOf(getOutcome(new EndpointRequest(query, parameters), getBound));
      if (page === undefined) throw new Error('a page that was not bound');
      return pageOfResult(result, page, ownerOf(principal));
    },
  };
}
