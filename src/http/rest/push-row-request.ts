import type { BoundQuery } from '../../catalog/binding/bind.ts';
import type { CachedResult } from '../../results/get-result.ts';
import { exactAggregate } from '../../row-arguments/aggregate-rows.ts';
import { documentOfAggregates } from '../../row-arguments/gather-rows.ts';
import { bindAggregates, bindRows } from '../../row-arguments/pushed/pushed-query.ts';
import type { RowRequest } from './row-parameters.ts';

/**
 * What a row request means over all rows of a query, of which its result has the first ones: a run of its own, or a cached one.
 *
 * @param bound the query as it is
 * @throws GatewayError as `run` does; INVALID_PARAMETER
 */
export async function pushRowRequest(
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
