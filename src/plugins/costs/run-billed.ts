import type { BoundQuery } from '../../catalog/binding/bind.ts';
import type { Cost, Rows, RunOptions } from '../../engine-contract/engine.ts';
import { GatewayError } from '../../errors.ts';
import { billOf, noBill, subtract, type Totals } from './account.ts';
import type { Grant } from './budgets/budgets.ts';

/** Errors with which BigQuery bills nothing. */
const unbilled: ReadonlySet<string> = new Set([
  ...['INVALID_PARAMETER', 'QUERY_TOO_EXPENSIVE', 'ENGINE_FAILED', 'DATA_UNREADABLE'],
  ...['ENGINE_MISCONFIGURED', 'ENGINE_BUSY', 'ENGINE_QUOTA_EXCEEDED'],
]);

interface BilledBy {
  /** Gives undefined without a budget. @param above bytes: the run is known to cost more */
  readonly reserve: (above: number) => Promise<Grant | undefined>;
  /** Adds to the account; less than nothing for what was too much. */
  readonly settle: (bill: Totals) => void;
}

type Run = (options: RunOptions) => Promise<Rows>;

/**
 * Makes a run within what a budget grants. If that was a part of what is left, and too little, the run is made again with
 * more.
 */
export async function runBilled(bound: BoundQuery, run: Run, given: RunOptions, by: BilledBy): Promise<Rows> {
  for (let above = 0; ; ) {
    const grant = await by.reserve(above);
    try {
      return await runOnce(bound, run, given, { grant, settle: by.settle });
    } catch (error) {
      const isOver = error instanceof GatewayError && error.isOverMaximum;
      const maximum = grant?.maximumBytesBilled;
      if (!isOver || maximum === undefined || maximum !== maximumOf(given, grant)) throw error;
      if (!grant?.isPart) throw grant?.exceeded() ?? error;
      above = maximum;
    }
  }
}

/** Settles the bill of one run: with its rows, or when the engine reports it. */
async function runOnce(
  bound: BoundQuery,
  run: Run,
  given: RunOptions,
  { grant, settle }: Pick<BilledBy, 'settle'> & { readonly grant: Grant | undefined },
): Promise<Rows> {
  let isStarted = false;
  let billed: Totals | undefined;
  const bill = (cost: Cost | undefined) => {
    const next = billOf(bound, cost);
    settle(subtract(next, billed ?? noBill));
    billed = next;
    grant?.settle(next);
  };
  const onStart = () => {
    isStarted = true;
    given.onStart?.();
  };
  const onBill = (cost: Cost) => {
    bill(cost);
    given.onBill?.(cost);
  };
  try {
    const rows = await run({ ...given, onStart, onBill, maximumBytesBilled: maximumOf(given, grant) });
    bill(rows.cost);
    return rows;
  } catch (error) {
    const isFree = !isStarted || (error instanceof GatewayError && unbilled.has(error.code));
    if (billed === undefined) grant?.settle(isFree ? noBill : undefined);
    throw error;
  }
}

/** The smaller of two limits. */
const maximumOf = (given: RunOptions, grant: Grant | undefined): number | undefined => {
  const limits = [given.maximumBytesBilled, grant?.maximumBytesBilled].filter((one) => one !== undefined);
  return limits.length === 0 ? undefined : Math.min(...limits);
};
