import { ownerOf } from '../../keys/principal.ts';
import type { BoundQuery } from '../../catalog/binding/bind.ts';
import type { CachedResult, GetResult } from '../../results/get-result.ts';
import { exactAggregate } from '../../row-arguments/aggregate-rows.ts';
import { documentOfAggregates } from '../../row-arguments/gather-rows.ts';
import { bindAggregates, bindRows, isPushed } from '../../row-arguments/pushed/pushed-query.ts';
import type { RequestHead } from '../message/head.ts';
import type { Admission } from '../message/route.ts';
import type { ApplyRowRequest } from './apply-row-request.ts';
import { runBound } from './obtain-result.ts';
import type { RowRequest } from './row-parameters.ts';

/**
 * The rows of a row request: of the result, or if that was cut and the query is pushed, of a run of their own.
 *
 * @param bound the query as it is
 * @throws GatewayError as `ApplyRowRequest` and `GetResult` do
 */
export type RowsOfRequest = (
  running: CachedResult | Promise<CachedResult>,
  rowRequest: RowRequest,
  bound: BoundQuery,
  head: RequestHead,
  admission: Admission,
) => CachedResult | Promise<CachedResult>;

export function buildRowsOfRequest(getResult: GetResult, applyRowRequest: ApplyRowRequest): RowsOfRequest {
  return (running, rowRequest, bound, head, admission) => {
    const apply = (result: CachedResult) =>
      isPushed(bound.query, result.document)
        ? pushRowRequest(bound, rowRequest, (pushed) => runBound(getResult, pushed, head, admission))
        : applyRowRequest(result, rowRequest, head, ownerOf(admission.principal));
    return running instanceof Promise ? running.then(apply) : apply(running);
  };
}

/**
 * What a row request means over all rows of a query, of which its result has the first ones: a run of its own, or a cached one.
 *
 * @param bound the query as it is
 * @throws GatewayError as `run` does; INVALID_PARAMETER
 */
async function pushRowRequest(
  bound: BoundQuery,
  { task, aggregates }: RowRequest,
  run: (pushed: BoundQuery) => CachedResult | Promise<CachedResult>,
): Promise<CachedResult> {
  if (aggregates === undefined) return run(bindRows(bound, task.arguments));
  const pushed = bindAggregates(bound, task.arguments.where, task.aggregates);
  const result = await run(pushed.bound);
  const { document } = result;
  const values = pushed
    .read(document)
    .map((text, at) =>
      exactAggregate(
        text,
        task.aggregates[at] ?? { function: 'count', column: undefined },
        aggregates[at]?.type,
      ),
    );
  const { metadata, ...made } = documentOfAggregates(document, aggregates, values);
  return { ...result, document: { ...made, metadata: { ...metadata, ofRows: undefined } } };
}
