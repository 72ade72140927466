import { callerOf } from '../row-arguments/row-task.ts';
import type { LoopTurns } from '../concurrency/loop-turns.ts';
import type { CachedResult } from '../results/get-result.ts';
import type { ResultDocument } from '../results/result-document.ts';
import { exactAggregate } from '../row-arguments/aggregate-rows.ts';
import { bytesOfRows, documentOfAggregates, gatherRows } from '../row-arguments/gather-rows.ts';
import type { ReadRows } from '../row-arguments/row-reader.ts';
import type { ByteBudget } from '../http/message/byte-budget.ts';
import type { RowRequest } from '../call/part.ts';
import type { Caller } from '../call/caller.ts';
import { ownerOf } from '../keys/principal.ts';
import type { ApplyRowRequest } from '../call/obtain.ts';

interface ApplyOptions {
  readonly readRows: ReadRows;
  readonly budget: ByteBudget;
  readonly turns: LoopTurns;
}

export function buildApplyRowRequest({ readRows, budget, turns }: ApplyOptions): ApplyRowRequest {
  const apply = async (
    result: CachedResult,
    request: RowRequest,
    caller: Caller,
  ): Promise<ResultDocument> => {
    const owner = ownerOf(caller.admission.principal);
    const { document } = result;
    const outcome = await readRows(result, request.task, callerOf(caller.head, owner));
    const { aggregates } = request;
    if (aggregates !== undefined) {
      const values = request.task.aggregates.map((aggregate, at) =>
        exactAggregate(outcome.aggregates[at], aggregate, aggregates[at]?.type),
      );
      return documentOfAggregates(document, aggregates, values);
    }
    // With a comma for each row.
    const bytes = bytesOfRows(outcome) + outcome.spans.length / 2;
    const charge = bytes > budget.largeBytes ? budget.reserve(owner, bytes) : undefined;
    try {
      const rows = await turns.run(owner, gatherRows(document, outcome));
      if (charge !== undefined) budget.settle(charge, rows.encodings.identity);
      return rows;
    } finally {
      // By then the request has begun to send them, and holds them.
      if (charge !== undefined) setImmediate(() => charge.release());
    }
  };
  return async (result, request, caller) => ({ ...result, document: await apply(result, request, caller) });
}
