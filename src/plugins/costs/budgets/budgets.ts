import { randomUUID } from 'node:crypto';
import type { BoundQuery } from '../../../catalog/binding/bind.ts';
import type { Catalog } from '../../../catalog/model/saved-query.ts';
import type { Budget } from '../../../config/budget.ts';
import type { RunOptions } from '../../../engine-contract/engine.ts';
import { GatewayError } from '../../../errors.ts';
import type { PluginHost, Sample } from '../../../gateway/plugin.ts';
import { refreshKey, type Totals } from '../account.ts';
import { ExpectedCosts } from './expected-costs.ts';
import { amountOf, type Demand, type Ledger, type LimitState, leftOf, type Reservation } from './ledger.ts';
import { type Limit, limitsOf, type Period } from './limits.ts';
import { neverMessage, refusalMessage } from './refusal-message.ts';

/** At this part of a budget refreshes come half as often. */
const stretchesAt = 0.8;

/** How often it is looked which refreshes are stretched. */
const lookEveryMs = 1_000;

/** When a caller may try again whose run did not fit beside others, until they ended. */
const soonSeconds = 5;

const firstWaitMs = 20;
const longestWaitMs = 250;

/** How long an estimate may take, in the queue too: without one the usual bytes of a query are reserved. */
const longestEstimateMs = 5_000;

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
  /** True if that is not all that the budgets have: a run that costs more may be granted more. */
  readonly isPart: boolean;
  /** The error for a run that would have cost more than that. */
  exceeded(): GatewayError;
  /** @param bill undefined if it is not known: then the run is taken to have cost what it usually does, until it is called again */
  settle(bill: Totals | undefined): void;
}

/** The need of a run at one limit. */
interface Need {
  /** undefined if it is not known. */
  readonly amount: number | undefined;
  /** False if its bill may be smaller. */
  readonly isSure: boolean;
}

/** Keeps runs within the budgets of the gateway, of keys and of queries. */
export class Budgets {
  readonly #options: BudgetsOptions;
  readonly #costs: ExpectedCosts;
  readonly #ofGateway: readonly Limit[];
  #queries: readonly BoundQuery['query'][] = [];
  #stretches = false;
  #stretched: ReadonlySet<string> = new Set();
  #lookAt = Number.NEGATIVE_INFINITY;
  /** When the ledger last decided on limits that were spent as far as is known here; the oldest first. */
  readonly #decidedAt = new Map<string, number>();
  /** By whose budget. */
  readonly refusals = new Map<Limit['payer'], number>();
  /** How many bills did not come when their runs had ended. */
  assumedBills = 0;

  constructor(options: BudgetsOptions) {
    this.#options = options;
    this.#costs = new ExpectedCosts(options.host.estimateBytes !== undefined);
    this.#ofGateway = options.budget === undefined ? [] : limitsOf('gateway', '', options.budget);
    this.replaceCatalog(options.host.catalog);
  }

  /**
   * Reserves what a run may cost. It waits while all that is left is reserved for others.
   *
   * @param above bytes: the run is known to cost more
   * @returns undefined without any budget
   * @throws GatewayError BUDGET_EXCEEDED
   */
  async reserve(bound: BoundQuery, options: RunOptions, above = 0): Promise<Grant | undefined> {
    const { payer, refresh, signal } = options;
    const limits = [
      ...this.limitsOfQuery(bound.query),
      ...(payer?.budget === undefined ? [] : limitsOf('key', payer.id, payer.budget)),
    ];
    if (limits.length === 0) return undefined;
    if (above > 0) this.#costs.noteExceeded(bound);
    const { host, ledger } = this.#options;
    this.#refuse(bound, limits);
    const endsAt = host.clock.elapsedMs() + host.engineTimeoutMs;
    const estimate = await this.#estimate(bound, limits, options);
    const run = randomUUID();
    let demands = this.#demandsOf(bound, limits, { payer, estimate, above });
    let reservation = await ledger.reserve(run, demands, this.#now());
    const refusedAt = host.clock.elapsedMs();
    for (let ms = firstWaitMs; reservation.verdict === 'wait'; ms = Math.min(2 * ms, longestWaitMs)) {
      if (signal.aborted) throw new GatewayError('CANCELLED', 'The caller has disconnected');
      if (host.clock.elapsedMs() >= endsAt) break;
      await new Promise<void>((resolve) => host.clock.after(ms, resolve));
      // Others of the query may have their bills by now.
      demands = this.#demandsOf(bound, limits, { payer, estimate, above });
      // No caller waits for a refresh.
      const waitedMs = refresh !== undefined ? 0 : host.clock.elapsedMs() - refusedAt;
      reservation = await ledger.reserve(run, demands, this.#now(), waitedMs);
    }
    if (reservation.verdict === 'granted') return this.#grant(bound, run, demands, reservation);
    const needs = demands.map(({ whole, worst }): Need => ({ amount: whole || worst, isSure: whole > 0 }));
    throw this.#exceeded(limits, reservation.states, needs, payer === undefined);
  }

  #now(): number {
    return this.#options.host.clock.now().getTime();
  }

  /** The limits that refreshes of a query have. */
  limitsOfQuery({ name, budget }: BoundQuery['query']): readonly Limit[] {
    return budget === undefined ? this.#ofGateway : [...this.#ofGateway, ...limitsOf('query', name, budget)];
  }

  /** The part of a limit that is spent or reserved, as it is known here. */
  usedOf(limit: Limit): number {
    const { spent, reserved } = this.#options.ledger.look(limit, this.#now());
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
    const idsBefore = new Set(this.#limitsOfAll().map(({ id }) => id));
    this.#queries = queries;
    for (const limit of this.#limitsOfAll())
      if (!idsBefore.has(limit.id)) this.#options.ledger.recount?.(limit, this.#now());
    this.#stretches = queries.some((query) =>
      this.limitsOfQuery(query).some(({ isTracking }) => !isTracking),
    );
    this.#lookAt = Number.NEGATIVE_INFINITY;
  }

  /** The limits of all queries. */
  #limitsOfAll(): readonly Limit[] {
    return this.#queries.flatMap(({ name, budget }) =>
      budget === undefined ? [] : limitsOf('query', name, budget),
    );
  }

  /** For metrics: those of keys have no series, for there may be many. */
  uses(): readonly Sample[] {
    return [...this.#ofGateway, ...this.#limitsOfAll()].map((limit) => ({
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
    this.#costs.remember(bound, bill);
  }

  #demandsOf(
    bound: BoundQuery,
    limits: readonly Limit[],
    given: Pick<RunOptions, 'payer'> & { readonly estimate: number | undefined; readonly above: number },
  ): readonly Demand[] {
    const { payer, estimate, above } = given;
    const costs = this.#costs.of(bound, estimate, above);
    return limits.map((limit): Demand => {
      const { worst, likely, usual, assumed } = costs[limit.unit];
      const whole = payer === undefined ? Math.min(worst ?? 0, usual ?? Number.POSITIVE_INFINITY) : 0;
      return { limit, worst: limit.isTracking ? (worst ?? 0) : worst, likely, whole, assumed };
    });
  }

  /** The bytes of a dry run, if a limit needs them. */
  async #estimate(
    bound: BoundQuery,
    limits: readonly Limit[],
    { signal, owner }: RunOptions,
  ): Promise<number | undefined> {
    if (!limits.some(({ unit, isTracking }) => unit === 'bytes' && !isTracking)) return undefined;
    const { host } = this.#options;
    const timeoutMs = Math.min(host.engineTimeoutMs / 4, longestEstimateMs);
    return host.estimateBytes?.(bound, { signal, owner, timeoutMs }).catch(() => undefined);
  }

  #grant(bound: BoundQuery, run: string, demands: readonly Demand[], { states }: Reservation): Grant {
    const { ledger, host, periodOf } = this.#options;
    const [cap] = demands
      .flatMap((demand, at) => capsOf(demand, states[at]))
      .sort((a, b) => a.bytes - b.bytes);
    const maximumBytesBilled = cap && Math.max(1, Math.floor(cap.bytes));
    let settled = demands.map(() => 0);
    let settledAt: number | undefined;
    return {
      maximumBytesBilled,
      isPart: cap?.isPart === true,
      exceeded: () => {
        const atLeast = (maximumBytesBilled ?? 0) + 1;
        const needs = demands.map(({ limit, worst = 0 }): Need => {
          return { amount: limit.unit === 'bytes' ? Math.max(worst, atLeast) : 0, isSure: true };
        });
        return this.#exceeded(
          demands.map(({ limit }) => limit),
          states,
          needs,
        );
      },
      settle: (bill) => {
        if (bill === undefined) this.assumedBills += 1;
        if (
          demands.some(
            ({ limit, worst = Infinity }) => limit.unit === 'bytes' && (bill?.bytesBilled ?? 0) > worst,
          )
        )
          this.#costs.noteExceeded(bound);
        const bills = demands.map(({ limit, assumed }) =>
          bill === undefined ? assumed : limit.unit === 'bytes' ? bill.bytesBilled : bill.slotMs,
        );
        const before = settled;
        const isLater = ({ id, perMs }: Limit) =>
          perMs === 0 &&
          settledAt !== undefined &&
          periodOf(id, this.#now()).start !== periodOf(id, settledAt).start;
        const added = demands.map(({ limit }, at) => {
          const more = (bills[at] ?? 0) - (before[at] ?? 0);
          return isLater(limit) ? Math.max(0, more) : more;
        });
        [settled, settledAt] = [bills, this.#now()];
        ledger
          .settle(run, demands, added, this.#now())
          .catch((err: unknown) => host.log.error({ err }, 'a bill could not be settled'));
      },
    };
  }

  /** @throws GatewayError BUDGET_EXCEEDED if it is known already that a limit is spent */
  #refuse(bound: BoundQuery, limits: readonly Limit[]): void {
    const states = limits.map((limit) => this.#options.ledger.look(limit, this.#now()));
    const spent = limits.filter((limit, at) => !limit.isTracking && (states[at]?.spent ?? 0) >= limit.amount);
    const costs = this.#costs.of(bound, undefined, 0);
    const needs = limits.map(({ unit }): Need => ({ amount: costs[unit].usual ?? 0, isSure: false }));
    // A bucket is renewed when it holds what the run needs.
    const isKnown = needs.every(({ amount = 0 }) => amount > 0) || spent.every(({ perMs }) => perMs === 0);
    if (spent.length > 0 && isKnown && !this.#mayBeCorrected(spent))
      throw this.#exceeded(limits, states, needs);
  }

  /** True every few seconds: another gateway may have had a smaller bill than it assumed. */
  #mayBeCorrected(spent: readonly Limit[]): boolean {
    const { host, ledger } = this.#options;
    if (!ledger.isShared) return false;
    const now = host.clock.elapsedMs();
    for (const [id, at] of this.#decidedAt) {
      if (at > now - 1_000 * soonSeconds) break;
      this.#decidedAt.delete(id);
    }
    const isDue = spent.some(({ id }) => !this.#decidedAt.has(id));
    if (isDue)
      for (const { id } of spent) {
        this.#decidedAt.delete(id);
        this.#decidedAt.set(id, now);
      }
    return isDue;
  }

  /**
   * The error of the limit that never allows the run, or of those that refuse it, of the one that has the least left.
   *
   * @param needs by the order of the limits
   * @param isOfRefresh true if a caller's run might be allowed
   */
  #exceeded(
    limits: readonly Limit[],
    states: readonly LimitState[],
    needs: readonly Need[],
    isOfRefresh = false,
  ): GatewayError {
    const refusing = limits
      .map((limit, at) => {
        const state = states[at] ?? { spent: 0, reserved: 0 };
        const { amount = 0, isSure } = needs[at] ?? { isSure: false };
        const isSpent = state.spent >= limit.amount || (isSure && state.spent + amount > limit.amount);
        const isReserved = state.reserved > 0 && (needs[at]?.amount ?? Infinity) > leftOf(limit, state);
        return { limit, state, amount, isSure, rank: isSpent ? 2 : Number(isReserved) };
      })
      .filter(({ limit }) => !limit.isTracking)
      .sort(
        (a, b) =>
          b.rank - a.rank ||
          leftOf(a.limit, a.state) / a.limit.amount - leftOf(b.limit, b.state) / b.limit.amount,
      );
    const never = refusing.find(({ limit, amount, isSure }) => isSure && amount > limit.amount);
    const { limit, state, amount = 0, rank } = never ?? refusing[0] ?? {};
    if (limit === undefined || state === undefined) throw new Error('no limit refuses the run');
    this.refusals.set(limit.payer, (this.refusals.get(limit.payer) ?? 0) + 1);
    const isForAll = refusing.some((one) => one.limit.payer !== 'key' && one.state.spent >= one.limit.amount);
    const ofKey = refusing.find((one) => one.limit.payer === 'key')?.limit.of;
    const onlyFor = isForAll ? undefined : (ofKey ?? (isOfRefresh ? refreshKey : undefined));
    if (never !== undefined)
      return new GatewayError('BUDGET_EXCEEDED', neverMessage(limit, never.amount), { onlyFor });
    const now = this.#now();
    const isSpent = rank === 2 && (state.reserved === 0 || state.spent >= limit.amount);
    const needed = Math.min(amount, limit.amount);
    const renewal = isSpent ? this.#renewalOf(limit, state.spent + needed, now) : undefined;
    return new GatewayError('BUDGET_EXCEEDED', refusalMessage(limit, state, renewal), {
      onlyFor,
      retryAfterSeconds:
        renewal === undefined ? soonSeconds : Math.max(1, Math.ceil((renewal - now) / 1_000)),
    });
  }

  #renewalOf(limit: Limit, spent: number, now: number): number {
    if (limit.perMs === 0) return this.#options.periodOf(limit.id, now).end;
    return now + Math.max(0, spent - limit.amount) / limit.perMs;
  }
}

/** The most that a run may be billed, by one limit. */
function capsOf(
  demand: Demand,
  state: LimitState = { spent: 0, reserved: 0 },
): readonly { readonly bytes: number; readonly isPart: boolean }[] {
  const { limit, worst, likely } = demand;
  if (limit.unit !== 'bytes' || limit.isTracking) return [];
  if (state.reserved > 0) return [{ bytes: amountOf(demand, state), isPart: true }];
  const left = leftOf(limit, state);
  // BigQuery compares it with its estimate, which may be too high: a run whose bills fit is the one that may go over.
  const fits = worst !== undefined && likely !== undefined && likely <= left;
  return [{ bytes: fits ? Math.max(left, worst) : left, isPart: false }];
}
