import type { BoundQuery } from '../../catalog/binding/bind.ts';
import { untilAborted } from '../../concurrency/abort.ts';
import type { Rows, RunOptions } from '../../engine-contract/engine.ts';
import { isResting, type Run, runShared, type SharedRunOptions } from './shared-run.ts';

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

/** The runs that callers wait for: the first one is by itself, and those that come meanwhile are one, if they are many. */
export class GatheredRuns {
  readonly #options: SharedRunOptions;
  #running = 0;
  #waiting: Waiting[] | undefined;

  constructor(options: SharedRunOptions) {
    this.#options = options;
  }

  get isIdle(): boolean {
    return this.#running === 0;
  }

  /** The rows for callers. */
  async run(tenant: string, bound: BoundQuery, options: RunOptions, run: Run): Promise<Rows> {
    if (isResting(this.#options) || options.payer?.budget !== undefined) return run(options);
    const rows = this.isIdle ? undefined : await this.#gather(tenant, bound, options, run);
    return rows ?? this.#whileRunning(() => run(options));
  }

  async #whileRunning<T>(work: () => Promise<T>): Promise<T> {
    this.#running += 1;
    try {
      return await work();
    } finally {
      this.#running -= 1;
    }
  }

  #gather(tenant: string, bound: BoundQuery, options: RunOptions, run: Run): Promise<Rows | undefined> {
    const { promise, resolve } = Promise.withResolvers<Rows | undefined>();
    const waiting = this.#waiting ?? [];
    if (this.#waiting === undefined) {
      this.#waiting = waiting;
      this.#options.host.clock.after(windowMs, () => {
        this.#waiting = undefined;
        void this.#runAll(waiting);
      });
    }
    waiting.push({ tenant, bound, options, run, settle: resolve });
    return untilAborted(promise, options.signal);
  }

  async #runAll(all: readonly Waiting[]): Promise<void> {
    const waiting = all.filter(({ options }) => !options.signal.aborted);
    const tenants = [...new Set(waiting.map(({ tenant }) => tenant))];
    const isShared = tenants.length >= fewestTenants;
    const found = isShared
      ? await this.#whileRunning(() => this.#runShared(waiting, tenants))
      : new Map<string, Rows>();
    const { events } = this.#options;
    for (const { tenant, bound, settle } of waiting) {
      const rows = found.get(tenant);
      if (rows !== undefined) events.onResult(bound.query.name);
      else if (isShared) events.onFallback(bound.query.name);
      settle(rows);
    }
  }

  async #runShared(
    waiting: readonly Waiting[],
    tenants: readonly string[],
  ): Promise<ReadonlyMap<string, Rows>> {
    const [first] = waiting;
    if (first === undefined) return new Map();
    const ids = new Set(waiting.map(({ options: { payer } }) => payer?.id));
    const abort = new AbortController();
    const signal = AbortSignal.any([abort.signal, this.#options.closing]);
    let left = waiting.length;
    for (const { options } of waiting)
      options.signal.addEventListener('abort', () => {
        left -= 1;
        if (left === 0) abort.abort(options.signal.reason);
      });
    // Callers whose own runs have to give their rows wait for those, too.
    const { clock, engineTimeoutMs } = this.#options.host;
    const cancel = clock.after(engineTimeoutMs / 2, () => abort.abort());
    const { bound, run } = first;
    const { owner, payer } = first.options;
    const options = { signal, owner, payer: ids.size === 1 ? payer : undefined };
    try {
      return (await runShared(this.#options, bound, tenants, options, run)).found;
    } finally {
      cancel();
    }
  }
}
