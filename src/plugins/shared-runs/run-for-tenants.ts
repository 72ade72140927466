import type { Rows } from '../../engine-contract/engine.ts';
import { GatewayError } from '../../errors.ts';
import type { PluginHost } from '../../gateway/plugin.ts';
import { type boundsOf, cutRows, ForeignRow } from './cut-rows.ts';
import type { SharedForm } from './share-query.ts';
import type { SharedSizes } from './shared-sizes.ts';

/** Runs the statement for some tenants. */
export type RunShared = (tenants: readonly string[]) => Promise<Rows>;

interface TenantsOptions {
  readonly form: SharedForm;
  readonly bounds: NonNullable<ReturnType<typeof boundsOf>>;
  readonly tenants: readonly string[];
  readonly turns: PluginHost['turns'];
  readonly sizes: SharedSizes;
  /** Of the runs: with what is found until it is aborted, no more are made. */
  readonly signal: AbortSignal;
}

/** The results of tenants. */
export interface TenantRows {
  /** Without the tenants whose own runs must say what their results are. */
  readonly found: ReadonlyMap<string, Rows>;
  /** Why there are no more of them, if rows are not the reason: own runs would fail, too. */
  readonly failure?: GatewayError;
}

/** Errors that the rows of one tenant may cause, or those of many together. */
const ofRows: ReadonlySet<string> = new Set([
  ...['ENGINE_FAILED', 'INVALID_PARAMETER', 'ENGINE_TIMEOUT', 'QUERY_TOO_EXPENSIVE'],
]);

const isOfRows = (error: unknown): error is GatewayError =>
  error instanceof GatewayError && ofRows.has(error.code) && !error.isOverMaximum;

/** True for errors that the same query would have at each gateway: the engine of this one is not the reason. */
export const isOfQuery = (error: unknown): boolean =>
  error instanceof GatewayError && (ofRows.has(error.code) || error.code === 'BUDGET_EXCEEDED');

/** The owner of the work on rows of shared runs: it takes turns with the requests of keys. */
const cutting = 'rows of shared runs';

/**
 * The results of tenants. A run that fails, or has too many rows, is made again for each half: one tenant's rows touch
 * the others as little as possible.
 *
 * @throws ForeignRow; as the run does, if it is not a GatewayError
 */
export async function runForTenants(
  run: RunShared,
  { form, bounds, tenants, turns, sizes, signal }: TenantsOptions,
): Promise<TenantRows> {
  const found = new Map<string, Rows>();
  const alone: string[] = [];
  let isCut = false;
  let most = 1;
  // For one tenant whose rows fail, each half of its half fails too.
  let failuresLeft = Math.ceil(Math.log2(tenants.length)) + 2;
  const runFor = async (some: readonly string[]): Promise<void> => {
    const rows = await run(some).catch((error: unknown) => {
      failuresLeft -= 1;
      if (!isOfRows(error) || signal.aborted || failuresLeft < 0) throw error;
      return error;
    });
    const isFailed = rows instanceof GatewayError;
    if (!isFailed && !rows.truncated) {
      most = Math.max(most, some.length);
      const { dataVersion } = rows;
      for (const [tenant, own] of await turns.compute(cutting, cutRows(rows, form, some, bounds)))
        found.set(tenant, { ...own, ...(dataVersion !== undefined && { dataVersion }) });
      return;
    }
    const isTooLarge = !isFailed || rows.code === 'QUERY_TOO_EXPENSIVE';
    isCut ||= isTooLarge;
    if (some.length < 2) {
      if (isTooLarge) alone.push(...some);
      return;
    }
    const half = some.length >> 1;
    await runFor(some.slice(0, half));
    await runFor(some.slice(half));
  };
  let failure: GatewayError | undefined;
  try {
    for (const some of sizes.split(tenants)) await runFor(some);
  } catch (error) {
    if (error instanceof ForeignRow || !(error instanceof GatewayError || signal.aborted)) throw error;
    // Rows may have used the failures up: the others are not to fail for them.
    if (error instanceof GatewayError && !isOfRows(error) && !signal.aborted) failure = error;
  }
  if (isCut) sizes.learn(most, alone);
  return { found, ...(failure !== undefined && { failure }) };
}
