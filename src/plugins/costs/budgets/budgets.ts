import { randomUUID } from 'node:crypto';
import type { BoundQuery } from '../../../catalog/binding/bind.ts';
import type { Catalog } from '../../../catalog/model/saved-query.ts';
import type { Budget } from '../../../config/budget.ts';
import type { RunOptions } from '../../../engine-contract/engine.ts';
import { GatewayError } from '../../../errors.ts';
import type { PluginHost, Sample } from '../../../gateway/plugin.ts';
import type { Totals } from '../account.ts';
import type { Demand, Ledger, LimitState, Reservation } from './ledger.ts';
import { type Limit, limitsOf, type Period } from './limits.ts';
import { RecentBills } from './recent-bills.ts';
import { countTables, mostBilled } from './rounding.ts';

/** More than the usual bill of a plan that is reserved for it, if BigQuery's estimate is higher. */
const timesUsual = 1.2;

/** Estimates may be half as high again as the bills. */
const timesBill = 1.5;

/** At this part of a budget refreshes come half as often. */
const stretchesAt = 0.8;

/** How often it is looked which refreshes are stretched. */
const lookEveryMs = 1_000;

/** When a caller may try again whose run did not fit beside others, until they ended. */
const soonSeconds = 5;

const firstWaitMs = 20;
const longestWaitMs = 250;

interface BudgetsOptions {
  readonly host: PluginHost;
  readonly ledger: Ledger;
  readonly periodOf: (id: string, now: number) => Period;
  /** Of the gateway. */
  readonly budget: Budget | undefined;
}

/** The amount that a run may spend, until it is settled. */
export interface Grant {
  /** undefined: as much as the engine allows. */
  readonly maximumBytesBilled: number | undefined;
  /** The error for a run that would have cost more than that; undefined if the budget allows what was expected. */
  exceeded(): GatewayError | undefined;
  settle(bill: Totals): void;
}

/** Keeps runs within the budgets of the gateway, of keys and of queries. */
export class Budgets {
  readonly #options: BudgetsOptions;
  readonly #bills = new RecentBills();
  readonly #ofGateway: readonly Limit[];
  #queries: readonly BoundQuery['query'][] = [];
  #stretches = false;
  #stretched: ReadonlySet<string> = new Set();
  #lookAt = Number.NEGATIVE_INFINITY;
  /** By whose budget. */
  readonly refusals = new Map<Limit['payer'], number>();

  constructor(options: BudgetsOptions) {
    this.#options = options;
    this.#ofGateway = options.budget === undefined ? [] : limitsOf('gateway', '', options.budget);
    this.replaceCatalog(options.host.catalog);
  }

  /**
   * Reserves what a run may cost. It waits while all that is left is reserved for others.
   *
   * @returns undefined without any budget
   * @throws GatewayError BUDGET_EXCEEDED
   */
  async reserve(bound: BoundQuery, { payer, signal, owner }: RunOptions): Promise<Grant | undefined> {
    const limits = [
      ...this.limitsOfQuery(bound.query),
      ...(payer?.budget === undefined ? [] : limitsOf('key', payer.id, payer.budget)),
    ];
    if (limits.length === 0) return undefined;
    const { host, ledger } = this.#options;
    const now = () => host.clock.now().getTime();
    const known = this.#refusal(
      limits,
      limits.map((limit) => ledger.look(limit, now())),
      now(),
    );
    if (known !== undefined) throw known;
    const costs = await this.#costsOf(bound, limits, { signal, owner });
    const run = randomUUID();
    const demands = limits.map((limit): Demand => {
      const { worst = limit.isTracking ? 0 : undefined, likely, usual } = costs[limit.unit];
      const whole = payer === undefined ? Math.min(worst ?? 0, usual ?? Number.POSITIVE_INFINITY) : 0;
      return { limit, worst, likely, whole };
    });
    let reservation = await ledger.reserve(run, demands, now());
    const endsAt = host.clock.elapsedMs() + host.engineTimeoutMs;
    for (let ms = firstWaitMs; reservation.verdict === 'wait'; ms = Math.min(2 * ms, longestWaitMs)) {
      if (signal.aborted) throw new GatewayError('CANCELLED', 'The caller has disconnected');
      if (host.clock.elapsedMs() >= endsAt) break;
      await new Promise<void>((resolve) => host.clock.after(ms, resolve));
      reservation = await ledger.reserve(run, demands, now());
    }
    if (reservation.verdict !== 'granted') throw this.#exceeded(limits, reservation.states, now());
    return this.#grant(run, demands, reservation);
  }

  /** The limits that refreshes of a query have. */
  limitsOfQuery({ name, budget }: BoundQuery['query']): readonly Limit[] {
    return budget === undefined ? this.#ofGateway : [...this.#ofGateway, ...limitsOf('query', name, budget)];
  }

  /** The part of a limit that is spent or reserved, as it is known here. */
  usedOf(limit: Limit): number {
    const { spent, reserved } = this.#options.ledger.look(limit, this.#options.host.clock.now().getTime());
    return (spent + reserved) / limit.amount;
  }

  /** By how much refreshes of a query are rarer. */
  paceOf(query: BoundQuery['query']): number {
    return this.#stretches && this.#isNear(query) ? 2 : 1;
  }

  #isNear(query: BoundQuery['query']): boolean {
    const isNear = (limit: Limit) => !limit.isTracking && this.usedOf(limit) >= stretchesAt;
    return this.limitsOfQuery(query).some(isNear);
  }

  /** True if a budget may make refreshes rarer. */
  get stretches(): boolean {
    return this.#stretches;
  }

  /** Replies are sent thousands of times a second. */
  get isAnyStretched(): boolean {
    const now = this.#options.host.clock.elapsedMs();
    if (now >= this.#lookAt) {
      this.#lookAt = now + lookEveryMs;
      this.#stretched = new Set(this.#queries.filter((query) => this.#isNear(query)).map(({ id }) => id));
    }
    return this.#stretched.size > 0;
  }

  isStretched({ id }: BoundQuery['query']): boolean {
    return this.#stretched.has(id);
  }

  replaceCatalog({ queries }: Pick<Catalog, 'queries'>): void {
    this.#queries = queries;
    this.#stretches = queries.some((query) =>
      this.limitsOfQuery(query).some(({ isTracking }) => !isTracking),
    );
    this.#lookAt = Number.NEGATIVE_INFINITY;
  }

  /** For metrics: those of keys have no series, for there may be many. */
  uses(): readonly Sample[] {
    const limits = [
      ...this.#ofGateway,
      ...this.#queries.flatMap(({ name, budget }) =>
        budget === undefined ? [] : limitsOf('query', name, budget),
      ),
    ];
    return limits.map((limit) => ({
      labels: { payer: limit.payer, endpoint: limit.of, limit: limit.name },
      value: this.usedOf(limit),
    }));
  }

  stretched(): readonly Sample[] {
    return this.#queries
      .filter((query) => this.limitsOfQuery(query).length > 0)
      .map((query) => ({ labels: { endpoint: query.name }, value: this.paceOf(query) > 1 ? 1 : 0 }));
  }

  remember(bound: BoundQuery, bill: Totals): void {
    this.#bills.add(bound, bill);
  }

  /** The most that a run can cost, and what it has cost lately, by unit. */
  async #costsOf(bound: BoundQuery, limits: readonly Limit[], options: Pick<RunOptions, 'signal' | 'owner'>) {
    const usual = this.#bills.p95(bound);
    const estimate = limits.some(({ unit, isTracking }) => unit === 'bytes' && !isTracking)
      ? await this.#options.host.estimateBytes?.(bound, options).catch(() => undefined)
      : undefined;
    // Bills are rounded for each table already.
    const bytes = usual && mostBilled(timesUsual * usual.bytesBilled, 1);
    const slotMs = usual && timesUsual * usual.slotMs;
    const tables = countTables(bound.query);
    const rounded = estimate === undefined || tables === undefined ? undefined : mostBilled(estimate, tables);
    const most = estimate === undefined ? bytes : rounded;
    return {
      bytes: { worst: most, likely: usual?.bytesBilled ?? (most && most / timesBill), usual: bytes },
      slotMs: { worst: slotMs, likely: slotMs, usual: slotMs },
    };
  }

  #grant(run: string, demands: readonly Demand[], { states }: Reservation): Grant {
    const { ledger, host } = this.#options;
    const caps = demands.flatMap(({ limit, worst, likely }, at) => {
      if (limit.unit !== 'bytes' || limit.isTracking) return [];
      const left = leftOf(limit, states[at]);
      // BigQuery compares it with its estimate, which may be too high: a run whose bills fit is the one that may go over.
      return [worst !== undefined && likely !== undefined && likely <= left ? Math.max(left, worst) : left];
    });
    const now = () => host.clock.now().getTime();
    const maximumBytesBilled = caps.length === 0 ? undefined : Math.max(1, Math.floor(Math.min(...caps)));
    const limits = demands.map(({ limit }) => limit);
    const isTight = demands.some(
      ({ limit, worst }) =>
        limit.unit === 'bytes' && (worst ?? Number.POSITIVE_INFINITY) > (maximumBytesBilled ?? 0),
    );
    return {
      maximumBytesBilled,
      exceeded: () =>
        isTight && maximumBytesBilled !== undefined
          ? this.#exceeded(
              limits,
              states,
              now(),
              demands.map(({ worst }) => worst),
            )
          : undefined,
      settle(bill) {
        const bills = demands.map(({ limit }) => (limit.unit === 'bytes' ? bill.bytesBilled : bill.slotMs));
        ledger
          .settle(run, demands, bills, now())
          .catch((err: unknown) => host.log.error({ err }, 'a bill could not be settled'));
      },
    };
  }

  #refusal(limits: readonly Limit[], states: readonly LimitState[], now: number): GatewayError | undefined {
    const isSpent = limits.some((limit, at) => !limit.isTracking && (states[at]?.spent ?? 0) >= limit.amount);
    return isSpent ? this.#exceeded(limits, states, now) : undefined;
  }

  /** The error of the limit that has the least left. @param needs what a run needs of each limit, if it is more than anything */
  #exceeded(
    limits: readonly Limit[],
    states: readonly LimitState[],
    now: number,
    needs: readonly (number | undefined)[] = [],
  ): GatewayError {
    const [least] = limits
      .map((limit, at) => ({ limit, state: states[at] ?? { spent: 0, reserved: 0 }, needs: needs[at] ?? 0 }))
      .filter(({ limit }) => !limit.isTracking)
      .sort((a, b) => leftOf(a.limit, a.state) / a.limit.amount - leftOf(b.limit, b.state) / b.limit.amount);
    if (least === undefined) throw new Error('no limit refuses the run');
    const { limit, state } = least;
    this.refusals.set(limit.payer, (this.refusals.get(limit.payer) ?? 0) + 1);
    const isSpent = state.reserved === 0 || state.spent >= limit.amount;
    const renewal = isSpent
      ? this.#renewalOf(limit, state.spent + Math.min(least.needs, limit.amount), now)
      : undefined;
    return new GatewayError('BUDGET_EXCEEDED', messageOf(limit, state, renewal), {
      retryAfterSeconds:
        renewal === undefined ? soonSeconds : Math.max(1, Math.ceil((renewal - now) / 1_000)),
    });
  }

  #renewalOf(limit: Limit, spent: number, now: number): number {
    if (limit.perMs === 0) return this.#options.periodOf(limit.id, now).end;
    return now + Math.max(0, spent - limit.amount) / limit.perMs;
  }
}

const leftOf = (limit: Limit, { spent, reserved }: LimitState = { spent: 0, reserved: 0 }): number =>
  limit.amount - spent - reserved;

const payerNames = { gateway: 'this gateway', key: 'this key', query: 'this query' } as const;

function messageOf(
  { payer, name, unit, amount }: Limit,
  { spent, reserved }: LimitState,
  renewal: number | undefined,
): string {
  const shown = (count: number) => `${Math.round(count)} ${unit === 'bytes' ? 'bytes' : 'slot milliseconds'}`;
  const also = reserved > 0 ? `, and ${shown(reserved)} are reserved for queries that run` : '';
  const next =
    renewal === undefined
      ? 'try again when these have ended'
      : `it is renewed at ${new Date(renewal).toISOString().replace(/\.\d+Z$/, 'Z')}`;
  return `The budget ${name} of ${payerNames[payer]} does not allow this query: ${shown(spent)} of ${shown(amount)} are spent${also}; ${next}`;
}
