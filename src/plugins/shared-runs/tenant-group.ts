import type { BoundQuery } from '../../catalog/binding/bind.ts';
import { untilAborted } from '../../concurrency/abort.ts';
import type { Rows, RunOptions } from '../../engine-contract/engine.ts';
import type { GatewayError } from '../../errors.ts';
import { getOrAdd } from '../../get-or-add.ts';
import type { Claims } from './claims.ts';
import { GatheredRuns } from './gathered-runs.ts';
import { isOfQuery } from './run-for-tenants.ts';
import { isResting, type Run, runShared, type SharedRunOptions } from './shared-run.ts';
import { SharedSizes } from './shared-sizes.ts';

interface GroupOptions extends SharedRunOptions {
  /** Of its claims in Redis, equal in all gateways, and for all parts of the time that the query is run over. */
  readonly name: string;
  readonly claims: Claims;
}

/** A run that many keys wait for. */
interface Running {
  readonly tenants: ReadonlySet<string>;
  readonly done: Promise<void>;
}

/** A run that failed for all of its tenants. */
interface Failed {
  readonly tenants: ReadonlySet<string>;
  readonly failure: GatewayError;
  /** By `elapsedMs`. */
  readonly until: number;
}

/** How long refreshes fail as the run of their wave did: they come together again later. */
const failedMs = 1_000;

/** How long rows wait for the refreshes of their keys. */
const heldMs = 60_000;

/** The runs of one query with equal parameters, but for the tenant. */
export class TenantGroup {
  readonly #options: GroupOptions;
  readonly #gathered: GatheredRuns;
  /** Rows that keys have not taken yet. */
  readonly #held = new Map<string, { readonly rows: Rows; readonly moment: number }>();
  /** Tenants whose rows the last shared run could not give. */
  readonly #alone = new Set<string>();
  #running: Running | undefined;
  #failed: Failed | undefined;
  #dropHeld: (() => void) | undefined;

  constructor(options: Omit<GroupOptions, 'sizes'>) {
    const { shareable, name, host } = options;
    const sizes = getOrAdd<string, SharedSizes>(
      shareable.sizes,
      name,
      () => new SharedSizes(() => host.clock.elapsedMs()),
    );
    this.#options = { ...options, sizes };
    this.#gathered = new GatheredRuns(this.#options);
  }

  /** True if nothing of it is in use. */
  get isIdle(): boolean {
    return this.#held.size === 0 && this.#running === undefined && this.#gathered.isIdle;
  }

  /** False if another gateway computes the tenant's rows. */
  async mayRefresh(tenant: string, due: () => readonly string[]): Promise<boolean> {
    const { claims, name } = this.#options;
    const isKnown = this.#held.has(tenant) || this.#failureOf(tenant) !== undefined;
    if (isKnown || this.#running?.tenants.has(tenant)) return true;
    return (await claims.claim(name, this.#openOf(tenant, due))).has(tenant);
  }

  /**
   * The rows for a refresh, which are computed with those of all tenants that are due.
   *
   * @throws GatewayError as the run for all of them, unless rows are the reason
   */
  async refresh(
    tenant: string,
    bound: BoundQuery,
    options: RunOptions,
    { run, due }: { readonly run: Run; readonly due: () => readonly string[] },
  ): Promise<Rows> {
    const replaces = options.refresh?.replaces ?? Number.NEGATIVE_INFINITY;
    this.#dropEarlier(replaces);
    const isAlone = this.#alone.has(tenant) || this.#failureOf(tenant) !== undefined;
    if (this.#running === undefined && !this.#held.has(tenant) && !isAlone) {
      const tenants = isResting(this.#options) ? [] : this.#openOf(tenant, due);
      if (tenants.length > 1)
        this.#running = { tenants: new Set(tenants), done: this.#start(tenants, bound, options, run) };
    }
    if (this.#running?.tenants.has(tenant)) await untilAborted(this.#running.done, options.signal);
    const rows = this.#take(tenant, replaces);
    if (rows !== undefined) return rows;
    const failure = this.#failureOf(tenant);
    if (failure !== undefined) throw failure;
    if (this.#alone.delete(tenant)) this.#options.events.onFallback(bound.query.name);
    try {
      return await run(options);
    } catch (error) {
      // Otherwise each gateway would run it in each pause between retries, and be billed.
      if (!isOfQuery(error)) await this.#options.claims.release(this.#options.name, [tenant]);
      throw error;
    }
  }

  /** The rows for callers: the first one is served alone, and those who come meanwhile together, if they are many. */
  cold(tenant: string, bound: BoundQuery, options: RunOptions, run: Run): Promise<Rows> {
    return this.#gathered.run(tenant, bound, options, run);
  }

  /** A tenant, and those of others that no shared run has tried to compute, or that failed together. */
  #openOf(tenant: string, due: () => readonly string[]): readonly string[] {
    const isOpen = (one: string) => one === tenant || !(this.#held.has(one) || this.#alone.has(one));
    return [...new Set([tenant, ...due(), ...(this.#failed?.tenants ?? [])])].filter(isOpen);
  }

  /** It never rejects. */
  async #start(
    open: readonly string[],
    bound: BoundQuery,
    { wave, owner }: RunOptions,
    run: Run,
  ): Promise<void> {
    const { claims, name, host, closing } = this.#options;
    const moment = wave?.moment ?? host.clock.now().getTime();
    const own = await claims.claim(name, open);
    const tenants = open.filter((tenant) => own.has(tenant));
    this.#failed = undefined;
    if (tenants.length > 1) {
      const endKeeping = claims.keep(name, tenants);
      const { found, failure } = await runShared(
        this.#options,
        bound,
        tenants,
        { signal: closing, wave, owner },
        run,
      );
      endKeeping();
      for (const [tenant, rows] of found)
        this.#held.set(tenant, { rows: { ...rows, computedAt: moment }, moment });
      const missing = tenants.filter((tenant) => !found.has(tenant));
      if (failure === undefined) for (const tenant of missing) this.#alone.add(tenant);
      else {
        this.#failed = { tenants: new Set(missing), failure, until: host.clock.elapsedMs() + failedMs };
        if (!isOfQuery(failure)) await claims.release(name, missing);
      }
    }
    this.#running = undefined;
    this.#dropHeld?.();
    // Rows that are not taken by then are of keys that are no longer requested.
    this.#dropHeld = host.clock.after(heldMs, () => {
      this.#held.clear();
      this.#alone.clear();
      this.#failed = undefined;
    });
  }

  #failureOf(tenant: string): GatewayError | undefined {
    const isFailed = this.#failed?.tenants.has(tenant) === true;
    return isFailed && this.#options.host.clock.elapsedMs() < (this.#failed?.until ?? 0)
      ? this.#failed?.failure
      : undefined;
  }

  /** A tenant has rows of a later run, of this gateway or another one: the others get rows of the next run with it. */
  #dropEarlier(replaces: number): void {
    for (const [one, held] of this.#held) if (held.moment <= replaces) this.#held.delete(one);
  }

  #take(tenant: string, replaces: number): Rows | undefined {
    const held = this.#held.get(tenant);
    if (held === undefined) return undefined;
    this.#held.delete(tenant);
    if (held.moment <= replaces) return undefined;
    this.#options.events.onResult(this.#options.shareable.query.name);
    return held.rows;
  }
}
