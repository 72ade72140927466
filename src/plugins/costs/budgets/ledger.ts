import type { Limit, Period } from './limits.ts';

/** The cost of one run at one limit. */
export interface Demand {
  readonly limit: Limit;
  /** The most that it can be billed; undefined if that is not known: one such run at a time has half of what is left. */
  readonly worst: number | undefined;
  /** Its cost lately; near `worst` for a run that is new. */
  readonly likely: number | undefined;
  /** Its cost if no bill of it ever comes. */
  readonly assumed: number;
  /** The part of it that must fit even if it runs alone: refreshes stop before callers are refused. */
  readonly whole: number;
}

/** The state of one limit. */
export interface LimitState {
  readonly spent: number;
  /** For runs that have not ended. */
  readonly reserved: number;
}

/** A ledger's decision on a run. */
export interface Reservation {
  /** `wait`: what is left is reserved for others, whose bills may be smaller. */
  readonly verdict: 'granted' | 'wait' | 'spent';
  /** By the order of the demands. */
  readonly states: readonly LimitState[];
}

/** Counts what is spent, and what running queries may spend. */
export interface Ledger {
  /** True if other gateways change it, too. */
  readonly isShared: boolean;
  /** @param run its id @param waitedMs since it was first refused; 0 for one that leaves others the turn */
  reserve(run: string, demands: readonly Demand[], now: number, waitedMs?: number): Promise<Reservation>;
  /** @param bills by the order of the demands; negative for what was counted too much */
  settle(run: string, demands: readonly Demand[], bills: readonly number[], now: number): Promise<void>;
  /** The state without a run, as it was last known here. */
  look(limit: Limit, now: number): LimitState;
  /** Counts what was spent while the limit was not set, if that is known. */
  recount?(limit: Limit, now: number): void;
}

interface LocalLedgerOptions {
  /** The longest run: one that did not end then has no bill. */
  readonly keepMs: number;
  readonly periodOf: (id: string, now: number) => Period;
  /** The amount that was spent before the start. */
  readonly spentBefore?: (limit: Limit, period: Period) => number;
}

interface Kept {
  readonly limit: Limit;
  /** When it was needed first. */
  readonly since: number;
  spent: number;
  /** Of a bucket, when it was looked at; of a day, when that began. */
  at: number;
  /** The day before, for a clock that comes back to it. */
  before: { readonly spent: number; readonly at: number } | undefined;
  readonly reserved: Map<string, Reserved>;
  /** The runs that did not fit. */
  readonly waiting: Map<string, Waiting>;
}

/** A run in the time in which later ones leave it what it needs. */
interface Waiting {
  readonly since: number;
  readonly until: number;
}

interface Reserved {
  readonly amount: number;
  readonly assumed: number;
  readonly until: number;
  /** True for a run whose worst is not known. */
  readonly isUnknown: boolean;
}

const hourMs = 3_600_000;

/** A clock that was a day ahead, or more, does not keep a later day from beginning; one an hour ahead keeps no bucket from refilling. */
const aheadMs = 26 * hourMs;

/** Later runs wait for one that has waited from `from` until `until`, and goes on trying: many small ones would starve it. */
export const turn = { fromMs: 1_000, untilMs: 5_000, triesWithinMs: 1_000 } as const;

/** Beyond so many limits those that are over are dropped: subjects of tokens are new every day. */
const leastForgotten = 10_000;

/** The ledger of one process. Time only renews what it has passed: a clock that is set back renews nothing. */
export class LocalLedger implements Ledger {
  readonly isShared = false;
  readonly #limits = new Map<string, Kept>();
  readonly #options: LocalLedgerOptions;
  #mostLimits = leastForgotten;

  constructor(options: LocalLedgerOptions) {
    this.#options = options;
  }

  async reserve(run: string, demands: readonly Demand[], now: number, waitedMs = 0): Promise<Reservation> {
    this.trim(now);
    const since = now - waitedMs;
    const kept = demands.map(({ limit }) => this.#advance(limit, now));
    const states = kept.map((one) => ({ spent: one.spent, reserved: reservedOf(one) }));
    const each = demands.map((demand, at) => verdictOf(demand, states[at], kept[at]));
    for (const { waiting } of kept) waiting.delete(run);
    const isLater = kept.some(({ limit, waiting }) => !limit.isTracking && hasTurn(waiting, since, now));
    const verdict =
      each.find((one) => one === 'spent') ?? (isLater || each.includes('wait') ? 'wait' : 'granted');
    if (verdict === 'granted') this.hold(run, demands, states, now);
    const until = Math.min(now + turn.triesWithinMs, since + turn.untilMs);
    if (verdict === 'wait' && waitedMs > 0)
      for (const [at, { waiting }] of kept.entries())
        if (each[at] === 'wait') waiting.set(run, { since, until });
    return { verdict, states };
  }

  /** Reserves what a run may cost, whatever is left. @param states before it */
  hold(run: string, demands: readonly Demand[], states: readonly LimitState[], now: number): void {
    const until = now + this.#options.keepMs;
    for (const [at, demand] of demands.entries()) {
      const { limit, worst, assumed } = demand;
      const amount = amountOf(demand, states[at]);
      this.#advance(limit, now).reserved.set(run, { amount, assumed, until, isUnknown: worst === undefined });
    }
  }

  async settle(
    run: string,
    demands: readonly Demand[],
    bills: readonly number[],
    now: number,
  ): Promise<void> {
    for (const [at, { limit }] of demands.entries()) {
      const kept = this.#advance(limit, now);
      kept.reserved.delete(run);
      kept.spent = Math.max(0, kept.spent + (bills[at] ?? 0));
    }
  }

  /** Takes up what is known elsewhere. */
  replace(demands: readonly Demand[], states: readonly LimitState[], now: number): void {
    for (const [at, { limit }] of demands.entries()) this.#advance(limit, now).spent = states[at]?.spent ?? 0;
  }

  look(limit: Limit, now: number): LimitState {
    const kept = this.#advance(limit, now);
    return { spent: kept.spent, reserved: reservedOf(kept) };
  }

  recount(limit: Limit, now: number): void {
    // One that is new is counted when it is needed.
    if (!this.#limits.has(limit.id)) return;
    const { periodOf, spentBefore = () => 0 } = this.#options;
    const kept = this.#advance(limit, now);
    kept.spent = Math.max(kept.spent, spentBefore(limit, periodOf(limit.id, now)));
  }

  #advance(limit: Limit, now: number): Kept {
    const { keepMs, periodOf, spentBefore = () => 0 } = this.#options;
    const period = periodOf(limit.id, now);
    const start = limit.perMs > 0 ? now : period.start;
    let kept = this.#limits.get(limit.id);
    if (kept === undefined) {
      const spent = spentBefore(limit, period);
      kept = {
        limit,
        since: now,
        spent,
        at: start,
        before: undefined,
        reserved: new Map(),
        waiting: new Map(),
      };
      this.#limits.set(limit.id, kept);
    }
    for (const [run, { assumed, until }] of kept.reserved)
      if (until <= now || until > now + aheadMs + keepMs) {
        kept.reserved.delete(run);
        kept.spent += assumed;
      }
    if (limit.perMs > 0) {
      // No refusal lasts longer than an hour.
      const most = limit.amount + limit.perMs * hourMs;
      kept.spent = Math.max(0, Math.min(kept.spent, most) - Math.max(0, now - kept.at) * limit.perMs);
    } else if (start > kept.at) {
      kept.before = { spent: kept.spent, at: kept.at };
      kept.spent = 0;
    } else if (kept.at > start + aheadMs && kept.before !== undefined) {
      if (kept.before.at >= start) kept.spent += kept.before.spent;
      kept.before = undefined;
    }
    if (start > kept.at || kept.at > start + (limit.perMs > 0 ? hourMs : aheadMs)) kept.at = start;
    return kept;
  }

  /** Drops the limits of days that are over, and full buckets, if there are many. */
  trim(now: number): void {
    if (this.#limits.size < this.#mostLimits) return;
    for (const [id, { limit, since, at, reserved }] of this.#limits) {
      const isOver = limit.perMs > 0 ? this.#advance(limit, now).spent === 0 : now - at > aheadMs;
      if (isOver && now - since > aheadMs && reserved.size === 0) this.#limits.delete(id);
    }
    this.#mostLimits = Math.max(leastForgotten, 2 * this.#limits.size);
  }
}

const reservedOf = ({ reserved }: Kept): number =>
  [...reserved.values()].reduce((sum, { amount }) => sum + amount, 0);

const hasUnknown = ({ reserved }: Kept): boolean => reserved.values().some(({ isUnknown }) => isUnknown);

/** True if an earlier run has the turn. */
function hasTurn(waiting: Kept['waiting'], since: number, now: number): boolean {
  for (const [run, { until }] of waiting) if (until <= now) waiting.delete(run);
  return waiting.values().some((one) => one.since < since && now - one.since >= turn.fromMs);
}

/** The amount that is left of a limit. */
export const leftOf = (limit: Limit, { spent, reserved }: LimitState = { spent: 0, reserved: 0 }): number =>
  limit.amount - spent - reserved;

/** The amount that is reserved for a run. */
export const amountOf = ({ limit, worst }: Demand, state: LimitState | undefined): number =>
  worst ?? Math.max(0, leftOf(limit, state)) / 2;

/**
 * Runs that are granted together fit together, at their worst. One that runs alone may go over, and one whose worst is not
 * known. The script of the shared ledger decides in the same way.
 */
function verdictOf(
  demand: Demand,
  state: LimitState | undefined,
  kept: Kept | undefined,
): Reservation['verdict'] {
  const { limit, worst, assumed, whole } = demand;
  const { spent = 0, reserved = 0 } = state ?? {};
  if (limit.isTracking) return 'granted';
  if (spent >= limit.amount || spent + whole > limit.amount) return 'spent';
  const amount = amountOf(demand, state);
  const fits =
    worst === undefined
      ? !(kept && hasUnknown(kept)) && amount > 0 && amount >= assumed
      : spent + reserved + worst <= limit.amount;
  return reserved > 0 && !fits ? 'wait' : 'granted';
}
