import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { BoundQuery } from '../../../catalog/binding/bind.ts';
import type { Totals } from '../account.ts';

/** How many bills of a plan are remembered. */
const maxBills = 20;

/** A plan is a query with its parameters. */
const maxPlans = 5_000;

type Bill = Pick<Totals, 'bytesBilled' | 'slotMs'>;

/** The last bills of each plan and of each query: an estimate of BigQuery may be half as high again as what is billed. */
export class RecentBills {
  readonly #bills = new LRUCache<string, readonly Bill[]>({ max: maxPlans });

  add(bound: BoundQuery, { bytesBilled, slotMs }: Totals): void {
    for (const name of [planOf(bound), queryOf(bound)])
      this.#bills.set(name, [...(this.#bills.get(name) ?? []), { bytesBilled, slotMs }].slice(-maxBills));
  }

  /** The 95th percentile; undefined for a plan without bills. */
  ofPlan(bound: BoundQuery): Bill | undefined {
    return this.#p95(planOf(bound));
  }

  /** That of all plans of its query. */
  ofQuery(bound: BoundQuery): Bill | undefined {
    return this.#p95(queryOf(bound));
  }

  #p95(name: string): Bill | undefined {
    const bills = this.#bills.get(name);
    if (bills === undefined) return undefined;
    const of = (name: keyof Bill) => {
      const sorted = bills.map((bill) => bill[name]).sort((a, b) => a - b);
      return sorted[Math.ceil(0.95 * sorted.length) - 1] ?? 0;
    };
    return { bytesBilled: of('bytesBilled'), slotMs: of('slotMs') };
  }
}

const planOf = ({ query, parameters, sql }: BoundQuery): string =>
  digestOf([query.id, query.sql, parameters, sql]);

const queryOf = ({ query }: BoundQuery): string => digestOf([query.id, query.sql]);

/** Texts of callers may be long, and nothing else bounds what is remembered here. */
const digestOf = (parts: readonly unknown[]): string => hash('sha256', JSON.stringify(parts), 'base64url');
