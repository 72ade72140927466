import { callerOf } from '../../row-arguments/row-task.ts';
import type { LoopTurns } from '../../concurrency/loop-turns.ts';
import { encode } from '../../results/encodings.ts';
import type { CachedResult } from '../../results/get-result.ts';
import type { DerivedStore } from '../../results/memory-store.ts';
import { type ResultDocument, sizeOf } from '../../results/result-document.ts';
import { exactAggregate } from '../../row-arguments/aggregate-rows.ts';
import { documentOfAggregates, gatherRows } from '../../row-arguments/gather-rows.ts';
import type { ReadRows } from '../../row-arguments/row-reader.ts';
import type { ByteBudget } from '../message/byte-budget.ts';
import { httpLimits } from '../message/http-limits.ts';
import type { RowRequest } from '../../call/part.ts';
import { type Caller, ownerOfCaller } from '../../call/caller.ts';
import type { ApplyRowRequest } from '../../call/obtain.ts';

interface ApplyOptions {
  readonly readRows: ReadRows;
  /** Keeps the rows for equal requests, in the memory for results. */
  readonly derived: DerivedStore;
  readonly budget: ByteBudget;
  readonly turns: LoopTurns;
}

/** The rows that a request has got, which are compressed when it is repeated by a caller that accepts it. */
class KeptRows {
  document: ResultDocument;
  isCompressed = false;

  constructor(document: ResultDocument) {
    this.document = document;
  }
}

const { maxConvertedBytes } = httpLimits;

/** Measured: what an entry takes besides its document. */
const overheadBytes = 1_024;

export function buildApplyRowRequest({ readRows, derived, budget, turns }: ApplyOptions): ApplyRowRequest {
  const apply = async (
    result: CachedResult,
    request: RowRequest,
    caller: Caller,
  ): Promise<ResultDocument> => {
    const owner = ownerOfCaller(caller);
    const { document } = result;
    const outcome = await readRows(result, request.task, callerOf(caller.head, owner));
    const { aggregates } = request;
    if (aggregates !== undefined) {
      const values = request.task.aggregates.map((aggregate, at) =>
        exactAggregate(outcome.aggregates[at], aggregate, aggregates[at]?.type),
      );
      return documentOfAggregates(document, aggregates, values);
    }
    const { identity } = document.encodings;
    const isLarge = identity.byteLength > budget.largeBytes;
    const charge = isLarge ? budget.reserve(owner, identity.byteLength) : undefined;
    try {
      const rows = await turns.run(owner, gatherRows(document, outcome));
      if (charge !== undefined) budget.settle(charge, rows.encodings.identity);
      return rows;
    } finally {
      // By then the request has begun to send them, and holds them.
      if (charge !== undefined) setImmediate(() => charge.release());
    }
  };
  const keep = (key: string, rows: KeptRows) => derived.set(key, rows, sizeOf(rows.document) + overheadBytes);
  const compress = async (key: string, rows: KeptRows) => {
    rows.isCompressed = true;
    const encodings = await encode(rows.document.encodings.identity);
    rows.document = { ...rows.document, encodings };
    keep(key, rows);
    return rows.document;
  };
  return (result, request, caller) => {
    // No later request gets the rows of a query that is not cached.
    if (result.caching === 'disabled')
      return apply(result, request, caller).then((document) => ({ ...result, document }));
    const key = `row request ${result.document.id} ${request.key}`;
    const kept = derived.get(key);
    if (kept instanceof KeptRows) {
      if (kept.isCompressed || caller.head.headers['accept-encoding'] === undefined)
        return { ...result, document: kept.document };
      return compress(key, kept).then((document) => ({ ...result, document }));
    }
    return apply(result, request, caller).then((document) => {
      // Each order of a large result would take the place of other results.
      if (document.encodings.identity.byteLength <= maxConvertedBytes) keep(key, new KeptRows(document));
      return { ...result, document };
    });
  };
}
