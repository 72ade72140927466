import { LRUCache } from 'lru-cache';
import type { BoundQuery } from '../../catalog/binding/bind.ts';
import type { Rows, RunOptions } from '../../engine-contract/engine.ts';
import type { PluginHost } from '../../gateway/plugin.ts';
import { boundsOf, ForeignRow } from './cut-rows.ts';
import { type RunShared, runForTenants, type TenantRows } from './run-for-tenants.ts';
import type { SharedForm } from './share-query.ts';
import type { SharedSizes } from './shared-sizes.ts';

/** The statement of a query for many tenants. */
export interface DerivedRun {
  readonly form: SharedForm;
  readonly query: BoundQuery['query'];
}

/** The same of the current version of the catalog, and what is known of its runs. */
export interface Shareable extends DerivedRun {
  /** By the name of a group. */
  readonly sizes: LRUCache<string, SharedSizes>;
  /** Until when, by `elapsedMs`, it is not used. */
  restsUntil: number;
}

/** Sizes of more groups are forgotten. */
const manySizes = 1_000;

export const newShareable = (derived: DerivedRun): Shareable => ({
  ...derived,
  sizes: new LRUCache({ max: manySizes }),
  restsUntil: Number.NEGATIVE_INFINITY,
});

/** Runs a query as if there were no shared runs, or another one in its place. */
export type Run = (options: RunOptions, other?: BoundQuery) => Promise<Rows>;

/** The events of shared runs, for metrics and the log. */
export interface SharedEvents {
  onRun(endpoint: string, rows: Rows, tenants: number): void;
  onResult(endpoint: string): void;
  /** A tenant's own run has to give its result. */
  onFallback(endpoint: string): void;
  onForeignRow(endpoint: string): void;
}

/** The parts of the gateway that run a statement for many tenants. */
export interface SharedRunOptions {
  readonly shareable: Shareable;
  readonly host: PluginHost;
  readonly events: SharedEvents;
  readonly sizes: SharedSizes;
  /** Aborted when the gateway closes. */
  readonly closing: AbortSignal;
}

/** How long a statement is not used after a row of another tenant: that is a defect, which is in the log. */
const foreignRestMs = 60 * 60 * 1000;

const none: TenantRows = { found: new Map() };

/** True while a statement is not used. */
export const isResting = ({ host, shareable }: SharedRunOptions): boolean =>
  host.clock.elapsedMs() < shareable.restsUntil;

/** @returns no rows of tenants whose own runs have to give them; it never rejects */
export async function runShared(
  { shareable, host, events, sizes }: SharedRunOptions,
  bound: BoundQuery,
  tenants: readonly string[],
  options: RunOptions,
  run: Run,
): Promise<TenantRows> {
  const { form, query } = shareable;
  const bounds = boundsOf(form, bound);
  if (bounds === undefined) return none;
  const { name } = bound.query;
  const { [form.parameter]: _, ...others } = bound.parameters;
  const runFor: RunShared = async (some) => {
    const rows = await run(options, { ...bound, query, parameters: { ...others, [form.list]: some } });
    events.onRun(name, rows, some.length);
    return rows;
  };
  try {
    const { turns } = host;
    return await runForTenants(runFor, { form, bounds, tenants, turns, sizes, signal: options.signal });
  } catch (error) {
    if (error instanceof ForeignRow) {
      shareable.restsUntil = host.clock.elapsedMs() + foreignRestMs;
      events.onForeignRow(name);
    } else host.log.error({ endpoint: name, err: error }, 'a shared run has failed');
    return none;
  }
}
