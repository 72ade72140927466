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
  /** @param run its id @param waitedMs since it was first refused; 0 for one that no others wait for */
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
  /** The oldest run that did not fit. */
  first: Waiting | undefined;
}

/** A run that later ones do not delay, as long as it tries. */
interface Waiting {
  readonly run: string;
  readonly since: number;
  readonly needs: number;
  readonly triedAt: number;
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

/** A run that waits tries more often. */
export const triesWithinMs = 1_000;

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
    for (const one of kept)
      if (one.first?.run === run || Math.abs(now - (one.first?.triedAt ?? now)) >= triesWithinMs)
        one.first = undefined;
    const isLater = demands.some((demand, at) => this.#delays(demand, kept[at], since));
    const verdict =
      each.find((one) => one === 'spent') ?? (isLater || each.includes('wait') ? 'wait' : 'granted');
    if (verdict === 'granted') this.hold(run, demands, states, now);
    const full = demands.flatMap((demand, at) => {
      const one = kept[at];
      return one !== undefined && each[at] === 'wait' ? [{ demand, one }] : [];
    });
    if (
      verdict === 'wait' &&
      !isLater &&
      waitedMs > 0 &&
      new Set(full.map(({ demand }) => demand.limit.payer)).size === 1
    )
      for (const { demand, one } of full)
        if (one.first === undefined || one.first.since > since)
          one.first = { run, since, needs: needsOf(demand), triedAt: now };
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
        first: undefined,
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

  /** True if a run would take what an earlier one waits for. */
  #delays({ limit, worst = Infinity }: Demand, kept: Kept | undefined, since: number): boolean {
    if (kept?.first === undefined || limit.isTracking || worst === 0) return false;
    const { first, reserved, spent } = kept;
    if (first.since >= since) return false;
    const later = reserved.values().filter(({ until }) => until - this.#options.keepMs > first.since);
    return spent + first.needs + sumOf(later) + worst > limit.amount;
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

const sumOf = (reserved: Iterable<Reserved>): number => {
  let sum = 0;
  for (const { amount } of reserved) sum += amount;
  return sum;
};

const reservedOf = ({ reserved }: Kept): number => sumOf(reserved.values());

const hasUnknown = ({ reserved }: Kept): boolean => reserved.values().some(({ isUnknown }) => isUnknown);

/** The amount beside which a run fits; of an unknown cost, twice what half of the rest has to be. */
const needsOf = ({ worst, assumed }: Demand): number => worst ?? 2 * assumed;

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
