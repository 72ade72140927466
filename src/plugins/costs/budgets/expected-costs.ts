import type { BoundQuery } from '../../../catalog/binding/bind.ts';
import type { Totals } from '../account.ts';
import { countTables, leastBilled, mostBilled } from '../rounding.ts';
import type { Limit } from './limits.ts';
import { RecentBills } from './recent-bills.ts';

/** More than the usual bill of a plan that is reserved for it, where BigQuery gives no estimate. */
const timesUsual = 1.2;

/** Estimates may be half as high again as the bills. */
const timesBill = 1.5;

/** The slot time of a run of which nothing is known. */
const leastSlotMs = 1_000;

/** The cost of a run before it begins, in the unit of a limit. */
export interface ExpectedCost {
  /** The most that it can be billed; undefined if that is not known. */
  readonly worst: number | undefined;
  /** Its cost lately, or a part of the estimate that is near the bill. */
  readonly likely: number | undefined;
  /** More than it has cost lately; undefined without a bill of its query. */
  readonly usual: number | undefined;
  /** Its cost if no bill of it ever comes. */
  readonly assumed: number;
}

const nothing: ExpectedCost = { worst: 0, likely: 0, usual: 0, assumed: 0 };

/** Expects costs by the estimate of the engine, and by the last bills of a query. */
export class ExpectedCosts {
  readonly #bills = new RecentBills();
  /** Queries that were billed more than was estimated: of external tables, BigQuery estimates the least. */
  readonly #underestimated = new Set<string>();
  #hasBills: boolean;

  /** @param hasBills false for an engine of which no bill is known: its runs need no reservation until one comes */
  constructor(hasBills: boolean) {
    this.#hasBills = hasBills;
  }

  remember(bound: BoundQuery, bill: Totals): void {
    this.#hasBills ||= bill.bytesBilled > 0 || bill.slotMs > 0;
    this.#bills.add(bound, bill);
  }

  /** Takes up that a run has cost more bytes than it was expected to. */
  noteExceeded({ query }: BoundQuery): void {
    this.#underestimated.add(query.id);
  }

  /** @param above bytes: the run is known to cost more */
  of(
    bound: BoundQuery,
    estimate: number | undefined,
    above: number,
  ): Readonly<Record<Limit['unit'], ExpectedCost>> {
    if (!this.#hasBills && above === 0) return { bytes: nothing, slotMs: nothing };
    const own = this.#bills.ofPlan(bound);
    const recent = own ?? this.#bills.ofQuery(bound);
    const tables = countTables(bound.query);
    const least = leastBilled(tables ?? 1);
    // Bills are rounded for each table already.
    const usual = recent && Math.max(least, mostBilled(timesUsual * recent.bytesBilled, 1));
    const rounded = mostBilled(estimate ?? 0, tables ?? 1);
    const isEstimated =
      tables === 0 || (rounded > 0 && tables !== undefined && !this.#underestimated.has(bound.query.id));
    const most = isEstimated ? rounded : usual && Math.max(usual, rounded);
    const isKnown = most !== undefined && (most > above || above === 0);
    const assumed = Math.max(recent?.bytesBilled ?? least, above > 0 ? above + 1 : 0);
    const slotMs = recent && timesUsual * recent.slotMs;
    return {
      bytes: {
        worst: isKnown ? most : undefined,
        likely: own?.bytesBilled ?? (isEstimated ? rounded / timesBill : recent?.bytesBilled),
        ...{ usual, assumed },
      },
      slotMs: { worst: slotMs, likely: slotMs, usual: slotMs, assumed: recent?.slotMs ?? leastSlotMs },
    };
  }
}
