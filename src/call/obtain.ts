import type { LoopTurns } from '../concurrency/loop-turns.ts';
import { ownerOf } from '../keys/principal.ts';
import type { CurrentResults } from '../results/current-results.ts';
import type { CachedResult, GetResult, ObtainedResult } from '../results/get-result.ts';
import { exactAggregate } from '../row-arguments/aggregate-rows.ts';
import { documentOfAggregates } from '../row-arguments/gather-rows.ts';
import { bindAggregates, bindRows, isPushed } from '../row-arguments/pushed/pushed-query.ts';
import type { Page, PageOfResult } from '../row-pages/page-of-result.ts';
import type { Caller } from './caller.ts';
import type { Call } from './gate.ts';
import type { Part, RowRequest } from './part.ts';

/**
 * The result with the rows of a row request, as a document of their own.
 *
 * @throws GatewayError as `ReadRows` does; OVERLOADED
 */
export type ApplyRowRequest = (
  result: CachedResult,
  request: RowRequest,
  caller: Caller,
) => Promise<CachedResult>;

/** The rows that a call has got. */
export interface Obtained extends ObtainedResult {
  /** undefined if no page was requested. */
  readonly page?: Page;
}

interface ObtainOptions {
  readonly getResult: GetResult;
  readonly current: Pick<CurrentResults, 'find'>;
  /** @throws GatewayError to refuse a result */
  readonly showResult: (obtained: ObtainedResult, head: Pick<Caller['head'], 'results'>) => void;
  readonly applyRowRequest: ApplyRowRequest;
  readonly pageOfResult: PageOfResult;
  readonly turns: LoopTurns;
  /** As in the gate. */
  readonly audit: (error: unknown, head: Caller['head'], keyId: string) => void;
}

/** The one way to the result of a call: the key's concurrency, the cache, one run for equal calls, pages and row arguments. */
export class Obtain {
  readonly #options: ObtainOptions;

  constructor(options: ObtainOptions) {
    this.#options = options;
  }

  /**
   * The result of the query as it is.
   *
   * @param isFollowed as in `GetResult`
   * @throws GatewayError as `GetResult` does; RATE_LIMITED
   */
  async whole({ bound, caller }: Call, isFollowed?: true): Promise<CachedResult> {
    const { getResult, turns, audit } = this.#options;
    const { head, admission } = caller;
    const { principal, noCache, schedule } = admission;
    const owner = ownerOf(principal);
    const run = () => getResult(bound, { caller: head, noCache, owner, payer: principal, isFollowed });
    try {
      const result = await (schedule === undefined ? run() : schedule(run, head));
      // All who waited for one run go on, or fail, each in a turn of the event loop; events have turns of their own.
      const turn = result.cacheStatus === 'HIT' || isFollowed ? undefined : turns.next(owner);
      if (turn !== undefined) await turn;
      return result;
    } catch (error) {
      audit(error, head, principal.id);
      await turns.wait(owner);
      throw error;
    }
  }

  /**
   * The same at once; undefined unless the result is in memory and fresh. An operation on entities has hundreds.
   *
   * @throws GatewayError if a plug-in refuses it
   */
  atOnce({ bound, caller }: Call): CachedResult | undefined {
    const { head, admission } = caller;
    // These have a beginning and an end, between which others run.
    if (admission.noCache || admission.schedule !== undefined || head.trace?.span !== undefined)
      return undefined;
    const { current, showResult, audit } = this.#options;
    const result = current.find(bound);
    try {
      if (result !== undefined) showResult({ bound, result }, head);
    } catch (error) {
      audit(error, head, admission.principal.id);
      throw error;
    }
    return result;
  }

  /**
   * A part of its rows: a page, or those of a row request.
   *
   * @throws GatewayError as `whole`, `ApplyRowRequest` and `PageOfResult` do
   */
  async part(call: Call, { page, rowRequest }: Part): Promise<Obtained> {
    const { bound, caller } = call;
    if (page !== undefined) {
      const owner = ownerOf(caller.admission.principal);
      const made = await this.#options.pageOfResult(await this.whole(call.over(page.bound)), page, owner);
      return { bound, result: made.result, page: made };
    }
    const result = await this.whole(call);
    return { bound, result: rowRequest === undefined ? result : await this.#rows(call, result, rowRequest) };
  }

  /** Of the result, or if that was cut and the query is pushed, of a run of their own. */
  async #rows(call: Call, result: CachedResult, request: RowRequest): Promise<CachedResult> {
    const { bound, caller } = call;
    if (!isPushed(bound.query, result.document))
      return this.#options.applyRowRequest(result, request, caller);
    const { task, aggregates } = request;
    if (aggregates === undefined) return this.whole(call.over(bindRows(bound, task.arguments)));
    const pushed = bindAggregates(bound, task.arguments.where, task.aggregates);
    const all = await this.whole(call.over(pushed.bound));
    const values = pushed
      .read(all.document)
      .map((text, at) =>
        exactAggregate(
          text,
          task.aggregates[at] ?? { function: 'count', column: undefined },
          aggregates[at]?.type,
        ),
      );
    const { metadata, ...made } = documentOfAggregates(all.document, aggregates, values);
    return { ...all, document: { ...made, metadata: { ...metadata, ofRows: undefined } } };
  }
}
