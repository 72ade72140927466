import type { BoundQuery } from '../../catalog/binding/bind.ts';
import type { Rows, RunOptions } from '../../engine-contract/engine.ts';
import type { PluginHost } from '../../gateway/plugin.ts';
import type { Claims } from './claims.ts';
import { boundsOf, ForeignRow } from './cut-rows.ts';
import { type RunShared, runForTenants } from './run-for-tenants.ts';
import type { SharedForm } from './share-query.ts';

/** The statement of a query for many tenants. */
export interface Shareable {
  readonly form: SharedForm;
  readonly query: BoundQuery['query'];
  /** Until when, by `elapsedMs`, it is not used. */
  restsUntil: number;
}

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

interface GroupOptions {
  /** Of its claims in Redis, equal in all gateways, and for all parts of the time that the query is run over. */
  readonly name: string;
  readonly shareable: Shareable;
  readonly host: PluginHost;
  readonly claims: Claims;
  readonly events: SharedEvents;
  /** Aborted when the gateway closes. */
  readonly closing: AbortSignal;
}

/** A run that many keys wait for. */
interface Running {
  readonly tenants: ReadonlySet<string>;
  readonly done: Promise<void>;
}

/** A run that callers wait for, until it is known how many there are. */
interface Waiting {
  readonly tenant: string;
  readonly bound: BoundQuery;
  readonly options: RunOptions;
  readonly run: Run;
  readonly settle: (rows: Rows | undefined) => void;
}

/** How long callers wait for others while another one is served. */
const windowMs = 20;

/** With fewer tenants, each runs by itself. */
const fewestTenants = 4;

/** How long a statement is not used after a row of another tenant: that is a defect, which is in the log. */
const foreignRestMs = 60 * 60 * 1000;

/** The runs of one query with equal parameters, but for the tenant. */
export class TenantGroup {
  readonly #options: GroupOptions;
  /** Rows that keys have not taken yet. */
  readonly #held = new Map<string, { readonly rows: Rows; readonly moment: number }>();
  /** Tenants whose rows the last shared run could not give. */
  readonly #alone = new Set<string>();
  #running: Running | undefined;
  #dropHeld: (() => void) | undefined;
  #coldRuns = 0;
  #waiting: Waiting[] | undefined;

  constructor(options: GroupOptions) {
    this.#options = options;
  }

  /** True if nothing of it is in use. */
  get isIdle(): boolean {
    return this.#held.size === 0 && this.#running === undefined && this.#coldRuns === 0;
  }

  /** False if another gateway computes the tenant's rows. */
  async mayRefresh(tenant: string, due: () => readonly string[]): Promise<boolean> {
    const { claims, name } = this.#options;
    if (this.#held.has(tenant) || this.#running?.tenants.has(tenant)) return true;
    return (await claims.claim(name, this.#openOf(tenant, due))).has(tenant);
  }

  /** The rows for a refresh, which are computed with those of all tenants that are due. */
  async refresh(
    tenant: string,
    bound: BoundQuery,
    options: RunOptions,
    { run, due }: { readonly run: Run; readonly due: () => readonly string[] },
  ): Promise<Rows> {
    const replaces = options.refresh?.replaces ?? Number.NEGATIVE_INFINITY;
    if (this.#running?.tenants.has(tenant)) await untilDone(this.#running, options.signal);
    else if (this.#running === undefined && !this.#held.has(tenant) && !this.#alone.has(tenant)) {
      const tenants = this.#isResting ? [] : this.#openOf(tenant, due);
      if (tenants.length > 1) {
        this.#running = { tenants: new Set(tenants), done: this.#start(tenants, bound, options, run) };
        await untilDone(this.#running, options.signal);
      }
    }
    const rows = this.#take(tenant, replaces);
    if (rows !== undefined) return rows;
    if (this.#alone.delete(tenant)) this.#options.events.onFallback(bound.query.name);
    return run(options);
  }

  /** A tenant, and those of others that no shared run has tried to compute. */
  #openOf(tenant: string, due: () => readonly string[]): readonly string[] {
    const isOpen = (one: string) => one === tenant || !(this.#held.has(one) || this.#alone.has(one));
    return [...new Set([tenant, ...due()])].filter(isOpen);
  }

  /** The rows for callers: the first one is served alone, and those who come meanwhile together, if they are many. */
  async cold(tenant: string, bound: BoundQuery, options: RunOptions, run: Run): Promise<Rows> {
    if (this.#isResting || options.payer?.budget !== undefined) return run(options);
    const rows = this.#coldRuns === 0 ? undefined : await this.#gather(tenant, bound, options, run);
    if (rows !== undefined) return rows;
    this.#coldRuns += 1;
    try {
      return await run(options);
    } finally {
      this.#coldRuns -= 1;
    }
  }

  get #isResting(): boolean {
    const { host, shareable } = this.#options;
    return host.clock.elapsedMs() < shareable.restsUntil;
  }

  #gather(tenant: string, bound: BoundQuery, options: RunOptions, run: Run): Promise<Rows | undefined> {
    const { promise, resolve } = Promise.withResolvers<Rows | undefined>();
    const waiting = this.#waiting ?? [];
    if (this.#waiting === undefined) {
      this.#waiting = waiting;
      this.#options.host.clock.after(windowMs, () => {
        this.#waiting = undefined;
        void this.#runCold(waiting);
      });
    }
    waiting.push({ tenant, bound, options, run, settle: resolve });
    return Promise.race([promise, abortOf(options.signal)]);
  }

  async #runCold(all: readonly Waiting[]): Promise<void> {
    const waiting = all.filter(({ options }) => !options.signal.aborted);
    const tenants = [...new Set(waiting.map(({ tenant }) => tenant))];
    const [first] = waiting;
    let found: ReadonlyMap<string, Rows> = new Map();
    if (first !== undefined && tenants.length >= fewestTenants) {
      const ids = new Set(waiting.map(({ options: { payer } }) => payer?.id));
      const abort = new AbortController();
      let left = waiting.length;
      for (const { options } of waiting)
        options.signal.addEventListener('abort', () => {
          left -= 1;
          if (left === 0) abort.abort(options.signal.reason);
        });
      const signal = AbortSignal.any([abort.signal, this.#options.closing]);
      const { owner, payer } = first.options;
      const given = { signal, owner, payer: ids.size === 1 ? payer : undefined };
      this.#coldRuns += 1;
      found = await this.#runShared(first.bound, tenants, given, first.run);
      this.#coldRuns -= 1;
    }
    for (const { tenant, bound, settle } of waiting) {
      const rows = found.get(tenant);
      if (tenants.length >= fewestTenants) this.#count(bound.query.name, rows);
      settle(rows);
    }
  }

  #count(endpoint: string, rows: Rows | undefined): void {
    const { events } = this.#options;
    if (rows === undefined) events.onFallback(endpoint);
    else events.onResult(endpoint);
  }

  /** It never rejects. */
  async #start(open: readonly string[], bound: BoundQuery, { wave }: RunOptions, run: Run): Promise<void> {
    const { claims, name, host, closing } = this.#options;
    const moment = wave?.moment ?? host.clock.now().getTime();
    const own = await claims.claim(name, open);
    const tenants = open.filter((tenant) => own.has(tenant));
    if (tenants.length > 1) {
      const endKeeping = claims.keep(name, tenants);
      const found = await this.#runShared(bound, tenants, { signal: closing, wave }, run);
      endKeeping();
      for (const tenant of tenants) {
        const rows = found.get(tenant);
        if (rows === undefined) this.#alone.add(tenant);
        else this.#held.set(tenant, { rows: { ...rows, computedAt: moment }, moment });
      }
    }
    this.#running = undefined;
    this.#dropHeld?.();
    // What is not taken by then is of keys that are no longer requested.
    this.#dropHeld = host.clock.after(heldMs, () => {
      this.#held.clear();
      this.#alone.clear();
    });
  }

  /** @returns no rows of tenants whose own runs have to give them; it never rejects */
  async #runShared(
    bound: BoundQuery,
    tenants: readonly string[],
    options: RunOptions,
    run: Run,
  ): Promise<ReadonlyMap<string, Rows>> {
    const { shareable, host, events } = this.#options;
    const { form, query } = shareable;
    const bounds = boundsOf(form, bound);
    if (bounds === undefined) return new Map();
    const { name } = bound.query;
    const { [form.parameter]: _, ...others } = bound.parameters;
    const runShared: RunShared = async (some) => {
      const rows = await run(options, { query, parameters: { ...others, [form.list]: some } });
      events.onRun(name, rows, some.length);
      return rows;
    };
    try {
      return await runForTenants(runShared, { form, bounds, tenants, turns: host.turns });
    } catch (error) {
      if (options.signal.aborted) return new Map();
      if (!(error instanceof ForeignRow)) {
        host.log.error({ endpoint: name, err: error }, 'a shared run has failed');
        return new Map();
      }
      shareable.restsUntil = host.clock.elapsedMs() + foreignRestMs;
      events.onForeignRow(name);
      return new Map();
    }
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

/** How long rows wait for the refreshes of their keys. */
const heldMs = 60_000;

const abortOf = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });

const untilDone = ({ done }: Running, signal: AbortSignal): Promise<void> =>
  Promise.race([done, abortOf(signal)]);
