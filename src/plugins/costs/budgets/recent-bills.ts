import { LRUCache } from 'lru-cache';
import type { BoundQuery } from '../../../catalog/binding/bind.ts';
import type { Totals } from '../account.ts';

/** How many bills of a plan are remembered. */
const maxBills = 20;

/** A plan is a query with its parameters. */
const maxPlans = 5_000;

type Bill = Pick<Totals, 'bytesBilled' | 'slotMs'>;

/** The last bills of each plan: an estimate of BigQuery may be half as high again as what is billed. */
export class RecentBills {
  readonly #bills = new LRUCache<string, readonly Bill[]>({ max: maxPlans });

  add(bound: BoundQuery, { bytesBilled, slotMs }: Totals): void {
    const plan = planOf(bound);
    this.#bills.set(plan, [...(this.#bills.get(plan) ?? []), { bytesBilled, slotMs }].slice(-maxBills));
  }

  /** The 95th percentile; undefined for a plan without bills. */
  p95(bound: BoundQuery): Bill | undefined {
    const bills = this.#bills.get(planOf(bound));
    if (bills === undefined) return undefined;
    const of = (name: keyof Bill) => {
      const sorted = bills.map((bill) => bill[name]).sort((a, b) => a - b);
      return sorted[Math.ceil(0.95 * sorted.length) - 1] ?? 0;
    };
    return { bytesBilled: of('bytesBilled'), slotMs: of('slotMs') };
  }
}

const planOf = ({ query, parameters, sql }: BoundQuery): string =>
  JSON.stringify([query.id, query.sql, parameters, sql]);
