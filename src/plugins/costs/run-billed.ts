import type { Cost, Rows, RunOptions } from '../../engine-contract/engine.ts';
import { GatewayError } from '../../errors.ts';
import { billOf, noBill, type Totals } from './account.ts';
import type { Grant } from './budgets/budgets.ts';

/** Errors with which BigQuery bills nothing. */
const unbilled: ReadonlySet<string> = new Set([
  ...['INVALID_PARAMETER', 'QUERY_TOO_EXPENSIVE', 'ENGINE_FAILED', 'DATA_UNREADABLE'],
  ...['ENGINE_MISCONFIGURED', 'ENGINE_BUSY', 'ENGINE_QUOTA_EXCEEDED'],
]);

interface BilledBy {
  /** undefined without a budget. */
  readonly grant: Grant | undefined;
  readonly settle: (bill: Totals) => void;
}

/** Makes a run within what a budget grants, and settles its bill: with its rows, or when the engine reports it after an error. */
export async function runBilled(
  run: (options: RunOptions) => Promise<Rows>,
  given: RunOptions,
  { grant, settle }: BilledBy,
): Promise<Rows> {
  let isStarted = false;
  let isBilled = false;
  const bill = (cost: Cost | undefined) => {
    isBilled = true;
    settle(billOf(cost));
    grant?.settle(billOf(cost));
  };
  const onStart = () => {
    isStarted = true;
    given.onStart?.();
  };
  const onBill = (cost: Cost) => {
    bill(cost);
    given.onBill?.(cost);
  };
  const { maximumBytesBilled = grant?.maximumBytesBilled } = given;
  try {
    const rows = await run({ ...given, onStart, onBill, maximumBytesBilled });
    bill(rows.cost);
    return rows;
  } catch (error) {
    const code = error instanceof GatewayError ? error.code : '';
    // The amount that may be billed all the same stays reserved until its bill comes, or it cannot be running any longer.
    if (!isBilled && (!isStarted || unbilled.has(code))) grant?.settle(noBill);
    throw (code === 'QUERY_TOO_EXPENSIVE' && grant?.exceeded()) || error;
  }
}
